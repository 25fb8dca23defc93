import { type RawBuilder, sql } from 'kysely';
import { within } from '../../earnings/commission-views.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ExceptionGroup, type ExceptionPage, toTotals } from '../exception-groups.js';
import { type Exception, type ExceptionReason } from '../exceptions.js';

interface Wanted extends ExceptionPage {
  readonly jobId: string;
  /** Those that an admin has accepted by now, or the others. */
  readonly accepted: boolean;
  /** Undefined for all reasons. */
  readonly reason: ExceptionReason | undefined;
  /** The people who are meant; null for everyone in the list. */
  readonly repIds: readonly string[] | null;
}

interface StoredGroups {
  /** Distinct deals of all groups. */
  readonly deals: number;
  readonly groups: ReadonlyMap<ExceptionReason, ExceptionGroup>;
}

/** Equal to `Acceptances.find`: the deal was accepted, or each of the rules that paid nothing. */
const isAccepted = sql<boolean>`(
  exists (
    select from accepted_exceptions a
    where a.workspace_id = x.workspace_id and a.reason = x.reason and a.deal_id = x.deal_id)
  or jsonb_array_length(x.content -> 'rules') > 0 and not exists (
    select from jsonb_array_elements(x.content -> 'rules') rule
    where not exists (
      select from accepted_exceptions a
      where a.workspace_id = x.workspace_id and a.reason = x.reason and a.deal_id is null
        and a.plan_id is not distinct from (rule ->> 'planId')::uuid
        and a.rule_name is not distinct from rule ->> 'ruleName')))`;

/** The exceptions that the job has found, grouped like `groupByReason`. */
export async function readExceptionGroups(tx: Transaction, wanted: Wanted, currency: string): Promise<StoredGroups> {
  const { jobId, accepted, reason, repIds, ids } = wanted;
  const ofReason = reason === undefined ? sql`` : sql`and x.reason = ${reason}`;
  const rows = sql`exception_job_rows x
    where x.workspace_id = ${tx.workspaceId} and x.job_id = ${jobId} and ${isAccepted} = ${accepted} ${ofReason}
      ${within('x.rep_id', repIds)}`;
  const { rows: deals } = await sql<{ count: number }>`
    select count(distinct x.deal_id)::int as count from ${rows}`.execute(tx.db);
  const sums = groupBy(await readSums(tx, rows, currency), ({ reason: ofSum }) => ofSum);
  const people = ids === undefined ? null : await readPeople(tx, rows);
  const listed = groupBy(await readListed(tx, rows, wanted), (exception) => exception.reason);
  return {
    deals: deals[0]?.count ?? 0,
    groups: new Map(
      [...sums].map(([of, ofGroup]) => [
        of,
        {
          reason: of,
          count: ofGroup.reduce((sum, { count }) => sum + count, 0),
          entries: ofGroup.reduce((sum, { entries }) => sum + entries, 0),
          totals: toTotals(ofGroup, currency),
          ...(people === null ? {} : { repIds: people.get(of) ?? [] }),
          listed: listed.get(of) ?? [],
        },
      ]),
    ),
  };
}

interface Sum {
  readonly reason: ExceptionReason;
  readonly currency: string;
  readonly amount: string;
  readonly count: number;
  readonly entries: number;
}

/** A deal that did not pay two reps counts once. */
async function readSums(tx: Transaction, rows: RawBuilder<unknown>, currency: string): Promise<readonly Sum[]> {
  const { rows: sums } = await sql<Sum>`
    select reason, currency, sum(amount)::text as amount, count(*)::int as count, sum(entries)::int as entries
    from (
      select x.reason, x.deal_id, coalesce(x.currency, ${currency}) as currency, coalesce(x.amount, 0) as amount,
        count(*) as entries
      from ${rows}
      group by 1, 2, 3, 4
    ) deal
    group by reason, currency`.execute(tx.db);
  return sums;
}

async function readPeople(tx: Transaction, rows: RawBuilder<unknown>): Promise<ReadonlyMap<ExceptionReason, string[]>> {
  const { rows: found } = await sql<{ reason: ExceptionReason; repIds: string[] }>`
    select x.reason, array_agg(distinct x.rep_id::text order by x.rep_id::text) as "repIds" from ${rows}
    group by x.reason`.execute(tx.db);
  return new Map(found.map(({ reason, repIds }) => [reason, repIds]));
}

async function readListed(
  tx: Transaction,
  rows: RawBuilder<unknown>,
  { limit, skip }: ExceptionPage,
): Promise<readonly Exception[]> {
  const { rows: listed } = await sql<{ content: Exception }>`
    select content
    from (
      select x.content, row_number() over (
        partition by x.reason order by abs(coalesce(x.amount, 0)) desc, x.deal_id collate "C", x.position) as number
      from ${rows}
    ) numbered
    where number > ${skip} and number <= ${skip + limit}
    order by number`.execute(tx.db);
  return listed.map(({ content }) => content);
}
