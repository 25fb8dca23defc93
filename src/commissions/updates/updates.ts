import { sql } from 'kysely';
import { findNamesOnStatement } from '../../deals/deal-names.js';
import { Decimal } from '../../kernel/decimal.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { inParallel } from '../../kernel/waiting.js';
import { dealOfKeyColumn } from '../../ledger/input/deal-keys.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** What a person earns for a deal in one currency, before and now. Amounts are exact decimal texts. */
interface ChangedAmount {
  readonly dealId: string | null;
  readonly dealName: string | null;
  readonly ruleNames: readonly string[];
  /** The reason of an adjustment. */
  readonly reason: string | null;
  readonly currency: string;
  readonly before: string;
  readonly now: string;
  /** The trigger of the run that changed it; null if no run did. */
  readonly cause: string | null;
  readonly changedAt: Date;
}

interface NewStatement {
  readonly period: string;
  readonly status: 'draft' | 'approved';
  readonly at: Date;
}

interface NewPayment {
  readonly period: string;
  readonly currency: string;
  readonly amount: string;
  readonly paidOn: string;
}

export interface Updates {
  /** The latest first. */
  readonly changes: readonly ChangedAmount[];
  /** The sum of the changes by currency. */
  readonly totals: ReadonlyMap<string, Decimal>;
  readonly statements: readonly NewStatement[];
  readonly payments: readonly NewPayment[];
}

/** What is new for the person since the instant. Deals have the names that a statement of the person shows. */
export async function loadUpdates(tx: Transaction, repId: string, since: Date): Promise<Updates> {
  const [changes, statements, payments] = await inParallel(
    () => listChanges(tx, repId, since),
    () => listStatements(tx, repId, since),
    () => listPayments(tx, repId, since),
  );
  const deltas = changes.map(({ currency, before, now }) => ({
    currency,
    amount: Decimal.of(now).minus(Decimal.of(before)).toString(),
  }));
  return { changes, totals: sumsByCurrency(deltas), statements, payments };
}

/** The deals, and the events without a deal, whose sum in a currency differs from the sum at the instant. */
async function listChanges(tx: Transaction, repId: string, since: Date): Promise<ChangedAmount[]> {
  const earned = sql`case when h.change <> 'deleted' and h.status = 'earned' then h.amount else 0 end`;
  const isNew = sql`changed_at > ${since}::timestamptz`;
  const { rows } = await sql<Omit<ChangedAmount, 'dealName'>>`
    with revisions as (
      select h.event_id, h.changed_at, h.run_id, h.deal_key, h.rule_name, h.reason, h.currency, ${earned} as amount,
        lag(${earned}) over in_order as amount_before, lag(h.currency) over in_order as currency_before,
        lead(h.changed_at) over in_order as next_at
      from commission_event_history h
      where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId}
      window in_order as (partition by h.event_id order by h.revision)
    ), states as (
      -- The revision of each event at the instant, and those since then. Most of them do not change the amount.
      select event_id, run_id, deal_key, rule_name, reason, currency, next_at,
        case when ${isNew} then 0 else amount end as amount_then,
        case when next_at is null then amount else 0 end as amount_now,
        case when ${isNew} and (amount <> coalesce(amount_before, 0) or currency <> currency_before)
          then changed_at end as moved_at
      from revisions where ${isNew} or next_at > ${since}::timestamptz
    ), changed as (
      select ${dealOfKeyColumn(sql`deal_key`)} as deal_id, min(event_id::text) as first_id,
        array_agg(distinct rule_name) filter (where rule_name is not null) as rule_names, max(reason) as reason, currency,
        sum(amount_then) as amount_then, sum(amount_now) as amount_now,
        coalesce(max(moved_at), max(next_at)) as changed_at,
        (array_agg(run_id order by moved_at desc) filter (where moved_at is not null))[1] as run_id
      from states
      group by 1, case when deal_key is null then event_id end, currency
      having sum(amount_then) <> sum(amount_now)
    )
    select c.deal_id as "dealId", coalesce(c.rule_names, '{}') as "ruleNames", c.reason, c.currency,
      c.amount_then::text as "before", c.amount_now::text as "now", r.trigger as cause, c.changed_at as "changedAt"
    from changed c
    left join audit_runs r on r.workspace_id = ${tx.workspaceId} and r.run_id = c.run_id
    order by c.changed_at desc, c.deal_id, c.first_id`.execute(tx.db);
  const dealIds = rows.flatMap(({ dealId }) => dealId ?? []);
  const names = await findNamesOnStatement(tx, repId, dealIds);
  return rows.map(({ dealId, ...changed }) => ({
    dealId,
    dealName: dealId === null ? null : (names.get(dealId) ?? null),
    ...changed,
  }));
}

/** The statements whose current version was generated, or that were approved, since the instant. */
async function listStatements(tx: Transaction, repId: string, since: Date): Promise<NewStatement[]> {
  const { rows } = await sql<NewStatement>`
    select p.period, p.status, greatest(s.generated_at, p.approved_at) as at
    from statement_periods p
    join statements s on s.workspace_id = p.workspace_id and s.rep_id = p.rep_id and s.period = p.period
      and s.version = p.current_version
    where p.workspace_id = ${tx.workspaceId} and p.rep_id = ${repId}
      and greatest(s.generated_at, p.approved_at) > ${since}::timestamptz
    order by at desc, p.period`.execute(tx.db);
  return rows;
}

async function listPayments(tx: Transaction, repId: string, since: Date): Promise<NewPayment[]> {
  const { rows } = await sql<NewPayment>`
    select l.period, l.currency, l.amount::text as amount, b.paid_on as "paidOn"
    from payout_batch_lines l
    join payout_batches b on b.workspace_id = l.workspace_id and b.batch_id = l.batch_id
    where l.workspace_id = ${tx.workspaceId} and l.rep_id = ${repId} and b.status = 'paid'
      and b.decided_at > ${since}::timestamptz
    order by b.decided_at desc, l.period, l.currency`.execute(tx.db);
  return rows;
}
