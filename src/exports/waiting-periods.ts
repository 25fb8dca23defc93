import { sql } from 'kysely';
import { groupBy } from '../kernel/group-by.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { handedByPerson } from '../statements/handed-amounts.js';

/** Approved amounts of a period that no file contains that was handed over. */
export interface WaitingPeriod {
  readonly period: string;
  /** The number of people whose amounts, or parts of them, are in no file. */
  readonly people: number;
  readonly totals: readonly { readonly currency: string; readonly netPayout: number }[];
}

/** Older approvals are not compared with files. */
const maxPeriods = 24;

interface WaitingRow {
  readonly period: string;
  readonly people: number;
  readonly currency: string;
  readonly netPayout: string;
}

/**
 * The approved periods whose amounts were not handed over, or only in part, the latest first. Pay periods are absent:
 * their batches say what is paid. So are periods with a file whose content is not known.
 */
export async function listWaitingPeriods(
  tx: Transaction,
  repIds: readonly string[] | null,
): Promise<readonly WaitingPeriod[]> {
  const payPeriods = await loadPayPeriods(tx);
  const rows = (await selectWaiting(tx, repIds)).filter(({ period }) => payPeriods?.includes(period) !== true);
  return [...groupBy(rows, ({ period }) => period)].map(([period, sums]) => ({
    period,
    people: sums[0]?.people ?? 0,
    totals: sums.map(({ currency, netPayout }) => ({ currency, netPayout: Number(netPayout) })),
  }));
}

async function selectWaiting(tx: Transaction, repIds: readonly string[] | null): Promise<readonly WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    with periods as (
      select period, max(to_day) as to_day from statement_periods p
      where workspace_id = ${tx.workspaceId} and status = 'approved'
        and not exists (
          select from payroll_handovers h
          where h.workspace_id = ${tx.workspaceId} and h.period = p.period and h.amounts is null)
      group by period order by max(to_day) desc limit ${maxPeriods}
    ), approved as (
      select p.period, p.rep_id, amount.currency, amount.net
      from statement_periods p
      join statements s on s.workspace_id = ${tx.workspaceId} and s.rep_id = p.rep_id and s.period = p.period
        and s.version = p.current_version
      cross join lateral (
        select s.currency, (s.summary->>'netPayout')::numeric
        union all
        select o->>'currency', (o->'summary'->>'netPayout')::numeric from jsonb_array_elements(s.other_currencies) o
      ) amount (currency, net)
      where p.workspace_id = ${tx.workspaceId} and p.status = 'approved' and p.period in (select period from periods)
        and (${repIds}::uuid[] is null or p.rep_id = any(${repIds}::uuid[]))
    ), files as (
      select period, scope, amounts, row_number() over (order by created_at, handover_id) as position
      from payroll_handovers
      where workspace_id = ${tx.workspaceId} and period in (select period from periods)
    ), ${handedByPerson}, waiting as (
      select period, rep_id, currency, a.net - coalesce(h.net, 0) as net
      from approved a left join handed h using (period, rep_id, currency)
      where a.net <> coalesce(h.net, 0)
    ), counted as (
      select period, count(distinct rep_id)::int as people from waiting group by period
    )
    select period, people, currency, sum(net)::text as "netPayout"
    from waiting join counted using (period) join periods using (period)
    group by period, people, currency, to_day
    order by to_day desc, period, currency`.execute(tx.db);
  return rows;
}
