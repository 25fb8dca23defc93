import { expect } from 'chai';
import pg from 'pg';
import { type LedgerRow } from './oracle/world.js';

const types = {
  getTypeParser: (oid, format) => (oid === 1082 ? (value: string) => value : pg.types.getTypeParser(oid, format)),
} as pg.CustomTypesConfig;

/** A new connection for each query takes twelve times the CPU time. */
const pools = new Map<string, pg.Pool>();

function openPool(ownerUrl: string): pg.Pool {
  const opened = pools.get(ownerUrl);
  if (opened !== undefined) return opened;
  const pool = new pg.Pool({
    connectionString: ownerUrl,
    types,
    max: 4,
    idleTimeoutMillis: 1000,
    allowExitOnIdle: true,
  });
  // Fault tests stop the server at any moment, and databases are dropped with their connections.
  pool.on('error', () => undefined);
  pools.set(ownerUrl, pool);
  return pool;
}

/** Reads the ledger as its owner, without row-level security. */
export async function query<Row extends pg.QueryResultRow>(
  ownerUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await openPool(ownerUrl).query<Row>(text, values)).rows;
}

const state = `rep_id, event_id, kind, status, deal_key, plan_id, plan_version_id, rule_id, rule_name, phase, category, amount,
  base, credit, tier_name, attainment_key, currency, period, earned_on, idempotency_key, trace`;

/**
 * Checks the invariants of every committed transaction: the history replays to the rows, and counters are the sums
 * of credit.
 */
export async function expectSoundLedger(ownerUrl: string, workspaceId: string): Promise<void> {
  const replayed = await query(
    ownerUrl,
    `
    with last as (
      select distinct on (rep_id, event_id) * from commission_event_history where workspace_id = $1
      order by rep_id, event_id, revision desc
    ), replay as (select ${state} from last where change <> 'deleted'),
    current as (select ${state} from commission_events where workspace_id = $1)
    (select 'only in history' as side, * from (select * from replay except all select * from current) a limit 3)
    union all (select 'only in ledger', * from (select * from current except all select * from replay) b limit 3)`,
    [workspaceId],
  );
  expect(replayed, 'history replays to the current rows').to.deep.equal([]);
  const gaps = await query(
    ownerUrl,
    `
    select rep_id, event_id from commission_event_history where workspace_id = $1
    group by rep_id, event_id having min(revision) <> 1 or max(revision) <> count(*)`,
    [workspaceId],
  );
  expect(gaps, 'revisions are 1..n').to.deep.equal([]);
  const counters = await query(
    ownerUrl,
    `
    with counted as (
      select rep_id, plan_id, attainment_key, period, credit from commission_events e
      where workspace_id = $1 and status = 'earned' and kind = 'commission_earned' and not exists (select from statement_periods s
        where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.trued_up and e.earned_on between s.from_day and s.to_day)
      union all select rep_id, plan_id, attainment_key, period, credit from trued_up_rows where workspace_id = $1
    ), sums as (
      -- before the join, which compares every quota with every row where the tables were never analyzed
      select rep_id, plan_id, attainment_key, period, sum(credit) as credit from counted group by 1, 2, 3, 4
    )
    select q.quota_id, q.period, q.attainment_key, q.current_value, coalesce(e.credit, 0) as credited
    from quotas q left join sums e on e.rep_id = q.rep_id and e.plan_id = q.plan_id
      and e.attainment_key = q.attainment_key and e.period = q.period
    where q.workspace_id = $1 and q.current_value <> coalesce(e.credit, 0)`,
    [workspaceId],
  );
  expect(counters, 'current_value is the credited sum').to.deep.equal([]);
  const owners = await query(
    ownerUrl,
    `
    select t.rep_id, t.frozen_period, t.deal_key from trued_up_rows t
    left join statement_periods s on s.workspace_id = t.workspace_id and s.rep_id = t.rep_id and s.period = t.frozen_period
    where t.workspace_id = $1 and (s.status is distinct from 'approved' or not s.trued_up or exists (
      select from commission_events e join statement_periods o on o.workspace_id = e.workspace_id and o.rep_id = e.rep_id
        and o.status = 'approved' and o.period <> t.frozen_period and e.earned_on between o.from_day and o.to_day
      where e.workspace_id = t.workspace_id and e.rep_id = t.rep_id and e.plan_id = t.plan_id and e.rule_name = t.rule_name
        and e.deal_key = t.deal_key and e.status = 'earned'))`,
    [workspaceId],
  );
  expect(owners, 'every trued-up row belongs to one approved period').to.deep.equal([]);
  const months = await query(
    ownerUrl,
    `
    select coalesce(m.rep_id, e.rep_id) as rep_id from (
      select rep_id, month, currency, commission + bonus + adjustments as total, periods from rep_months where workspace_id = $1) m
    full join (
      select rep_id, date_trunc('month', earned_on)::date as month, currency, sum(amount) as total, array_agg(distinct period) as periods
      from commission_events where workspace_id = $1 and status = 'earned' group by 1, 2, 3) e using (rep_id, month, currency)
    where coalesce(m.total, 0) <> coalesce(e.total, 0) or m.periods is distinct from e.periods`,
    [workspaceId],
  );
  expect(months, 'months hold the sums and the periods of their events').to.deep.equal([]);
}

/** The current earned rows without the ids and times that differ between equal ledgers. */
export async function ledgerRows(ownerUrl: string, workspaceId: string): Promise<string[]> {
  const rows = await query<{ row: string }>(
    ownerUrl,
    `
    select concat_ws('|', r.email, e.deal_key, e.rule_name, e.status, trim_scale(e.amount), trim_scale(e.base), trim_scale(e.credit),
      e.tier_name, e.attainment_key, e.currency, e.period, e.earned_on, e.category,
      -- the trace of a cascade names the reps below by their ids
      case when e.phase = 'cascade' then null else e.trace end) as row
    from commission_events e join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
    where e.workspace_id = $1 and e.status = 'earned' order by 1`,
    [workspaceId],
  );
  return rows.map(({ row }) => row);
}

/** The columns of an oracle row, from `commission_events` or `trued_up_rows`. */
export const ledgerColumns = `rep_id as "repId", deal_key as "dealId", plan_id as "planId",
  plan_version_id as "planVersionId", rule_name as "ruleName", trim_scale(amount)::text as amount,
  trim_scale(base)::text as base, trim_scale(credit)::text as credit, tier_name as "tierName", category,
  attainment_key as "attainmentKey", currency, period, earned_on as "earnedOn",
  json_build_object('credit', split_part(coalesce(share, ''), ' ', 1), 'pay', split_part(coalesce(share, ''), ' ', 2)) as share`;

/** The earned rows as oracle rows. */
export async function earnedRows(ownerUrl: string, workspaceId: string): Promise<LedgerRow[]> {
  const rows = await query<LedgerRow & Record<string, unknown>>(
    ownerUrl,
    `
    select ${ledgerColumns}
    from commission_events where workspace_id = $1 and status = 'earned' and kind = 'commission_earned'`,
    [workspaceId],
  );
  return rows.map(withoutWholeShare);
}

/** The row of the oracle, which has no share where it is the whole. */
export function withoutWholeShare<Row extends LedgerRow>(row: Row): Row {
  if (row.share?.credit !== '') return row;
  const { share: _, ...whole } = row;
  return whole as Row;
}
