import { sql } from 'kysely';
import { Decimal } from '../kernel/decimal.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Closing, type ClosingContent } from './closing.js';
import { type JournalLine } from './journal-line.js';
import { type Month } from './month.js';

interface StoredLine extends Omit<JournalLine, 'amount' | 'value'> {
  readonly amount: string;
  readonly value: string;
}

interface PostedPage {
  readonly repId: string | undefined;
  readonly entity: string | undefined;
  readonly account: string | undefined;
  readonly kind: string | undefined;
  readonly dealId: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The closings until `asOf`, the latest month and version first; also those that were reopened. */
export async function listClosings(tx: Transaction): Promise<Closing[]> {
  const { rows } = await sql<Closing>`
    select month, version, is_opening as "isOpening", hash, prepared_by as "preparedBy", closed_by as "closedBy",
      closed_at as "closedAt", reopen_reason as "reopenReason", reopen_requested_by as "reopenRequestedBy",
      reopen_requested_by_id as "reopenRequestedById", reopened_by as "reopenedBy",
      case when reopened_at <= ${tx.until}::timestamptz then reopened_at end as "reopenedAt",
      posted_by as "postedBy", posted_at as "postedAt", posted_reference as "postedReference"
    from accounting_closings
    where workspace_id = ${tx.workspaceId} and closed_at <= ${tx.until}::timestamptz
    order by month desc, version desc`.execute(tx.db);
  return rows;
}

/** The closings that count, the latest month first. */
export async function listClosed(tx: Transaction): Promise<Closing[]> {
  return (await listClosings(tx)).filter(({ reopenedAt }) => reopenedAt === null);
}

export async function loadClosingContent(
  tx: Transaction,
  { month, version }: Pick<Closing, 'month' | 'version'>,
): Promise<ClosingContent> {
  const { content } = await tx.db
    .selectFrom('accounting_closings')
    .select('content')
    .where('workspace_id', '=', tx.workspaceId)
    .where('month', '=', month)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  return content;
}

/** A page of the lines that the closing has posted with these values, in the order of the journal, and how many there are. */
export async function loadPostedPage(
  tx: Transaction,
  { month, version }: Pick<Closing, 'month' | 'version'>,
  { limit, offset, ...values }: PostedPage,
): Promise<{ readonly lines: JournalLine[]; readonly count: number }> {
  const { repId, entity, account, kind, dealId } = values;
  const is = (column: string, value: string | undefined) =>
    value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`;
  const wanted = sql`workspace_id = ${tx.workspaceId} and month = ${month} and version = ${version} ${is('rep_id', repId)}
    ${is('entity', entity)} ${is('account', account)} ${is('kind', kind)} ${is('deal_id', dealId)}`;
  const counted = await sql<{ count: number }>`
    select count(*)::int as count from accounting_lines where ${wanted}`.execute(tx.db);
  const { rows } = await sql<StoredLine>`
    select line_id as "lineId", entity, month, day, kind, ref, source, account, rep_id as "repId", currency,
      amount::text as amount, value::text as value, late, deal_id as "dealId", plan_id as "planId",
      rule_name as "ruleName", period, batch_id as "batchId", draw_id as "drawId"
    from accounting_lines where ${wanted}
    order by concat_ws('|', entity, rep_id, kind, ref, account, currency) collate "C"
    limit ${limit} offset ${offset}`.execute(tx.db);
  return { lines: rows.map(readLine), count: counted.rows[0]?.count ?? 0 };
}

/**
 * The lines that closings have posted until the month, or in it alone, of these reps, or of everyone. What a source
 * amortised before the month is one line for each account, dated in the last of its months: lots have a line for each month
 * of their life.
 */
export async function loadPostedLines(
  tx: Transaction,
  until: Month,
  { repIds, isAlone }: { readonly repIds: readonly string[] | null; readonly isAlone: boolean },
): Promise<JournalLine[]> {
  const same = sql.raw(
    'l.entity, l.kind, l.source, l.account, l.rep_id, l.currency, l.late, l.deal_id, l.plan_id, l.rule_name, l.period, l.batch_id, l.draw_id',
  );
  const { rows } = await sql<StoredLine>`
    select min(l.line_id) as "lineId", l.entity, max(l.month) as month, max(l.day) as day, l.kind, min(l.ref) as ref,
      l.source, l.account, l.rep_id as "repId", l.currency, sum(l.amount)::text as amount, sum(l.value)::text as value,
      l.late, l.deal_id as "dealId", l.plan_id as "planId", l.rule_name as "ruleName", l.period,
      l.batch_id as "batchId", l.draw_id as "drawId"
    from accounting_lines l
    join accounting_closings c on c.workspace_id = l.workspace_id and c.month = l.month and c.version = l.version
      and c.closed_at <= ${tx.until}::timestamptz
      and (c.reopened_at is null or c.reopened_at > ${tx.until}::timestamptz)
    where l.workspace_id = ${tx.workspaceId} and l.month ${isAlone ? sql`=` : sql`<=`} ${until}
      ${repIds === null ? sql`` : sql`and l.rep_id = any(${repIds}::uuid[])`}
    group by ${same}, case when l.kind <> 'amortisation' or l.month = ${until} then l.month || l.line_id end
    order by month, "lineId"`.execute(tx.db);
  return rows.map(readLine);
}

function readLine(line: StoredLine): JournalLine {
  return { ...line, amount: Decimal.of(line.amount), value: Decimal.of(line.value) };
}
