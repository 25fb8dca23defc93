import { sql } from 'kysely';
import { type AdjustmentLimit } from '../../access/workspaces/adjustment-limits.js';
import { convertAmount, defaultRateTable } from '../../engine/exchange-rates.js';
import { type Day } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { exchangeRatesOf } from '../../ledger/input/exchange-rates.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { sharesDaysWith } from '../shared-days.js';

interface EnteredAmount {
  readonly repId: string;
  readonly period: Period;
  /** Zero for an adjustment that is deleted. */
  readonly amount: string;
  readonly currency: string;
  readonly day: Day;
  /** The adjustment whose amount it replaces; null for a new one. */
  readonly replaces: string | null;
}

/** The limits of the workspace, the highest first; empty while an admin adds any amount. */
async function loadLimits(tx: Transaction): Promise<readonly AdjustmentLimit[]> {
  const { adjustment_limits: limits } = await tx.db
    .selectFrom('workspaces')
    .select('adjustment_limits')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return [...(limits ?? [])].sort((a, b) => b.above - a.above);
}

/**
 * The highest limit that the amount exceeds, together with what the last 24 hours have changed without the approval of
 * another person. Null if there is none. The caller holds the rep's lane.
 */
export async function findLimit(tx: Transaction, entered: EnteredAmount): Promise<AdjustmentLimit | null> {
  const limits = await loadLimits(tx);
  if (limits.length === 0) return null;
  const amounts = await listUnapproved(tx, entered);
  const workspace = await loadWorkspaceTerms(tx);
  const rates = workspace.fx === null ? null : exchangeRatesOf(workspace.fx, workspace.currency);
  const toWorkspace = ({ amount, currency }: { readonly amount: string; readonly currency: string }) => {
    const value = Decimal.of(amount).absolute();
    if (currency === workspace.currency) return value;
    const on = { day: entered.day, isProvisional: true };
    const rate = rates?.find(defaultRateTable, currency, workspace.currency, on) ?? null;
    return rate === null ? null : convertAmount(value, rate);
  };
  const converted = amounts.map(toWorkspace);
  // An amount that cannot be compared needs the approval of the highest limit.
  if (converted.some((amount) => amount === null)) return limits[0] as AdjustmentLimit;
  const total = sum(converted.filter((amount) => amount !== null));
  return limits.find(({ above }) => Decimal.of(above).isLessThan(total)) ?? null;
}

interface Unapproved {
  readonly period: Period;
  readonly amount: string;
  readonly currency: string;
}

/**
 * By how much each adjustment on days of the period differs from what it was 24 hours ago, or from what another person has
 * approved since; the entered one as it will be. And the amounts that wait.
 */
async function listUnapproved(tx: Transaction, entered: EnteredAmount): Promise<Unapproved[]> {
  const { repId, replaces, amount } = entered;
  const { rows } = await sql<Unapproved>`
    with changed as (
      select distinct h.event_id, h.period, h.currency from commission_event_history h
      where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId} and h.kind in ('adjustment', 'clawback')
        and (h.changed_at > now() - interval '24 hours' or h.event_id = ${replaces}::uuid)
    )
    select c.period, c.currency,
      (coalesce(case when c.event_id = ${replaces}::uuid then ${amount}::numeric else e.amount end, 0)
        - coalesce(before.amount, 0))::text as amount
    from changed c
    left join commission_events e
      on e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.event_id = c.event_id
    left join lateral (
      select h.amount from commission_event_history h
      where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId} and h.event_id = c.event_id
        and (h.changed_at <= now() - interval '24 hours' or (h.change = 'inserted' and exists (
          select from adjustment_proposals p where p.workspace_id = h.workspace_id and p.event_id = h.event_id)))
      order by h.revision desc limit 1
    ) before on true
    union all
    select p.period, p.currency, p.amount::text from adjustment_proposals p
    where p.workspace_id = ${tx.workspaceId} and p.rep_id = ${repId} and p.status = 'proposed'
      and p.proposed_at > now() - interval '24 hours'`.execute(tx.db);
  const sharesDays = await sharesDaysWith(tx, entered.period);
  return [...rows, ...(replaces === null ? [entered] : [])].filter(
    (changed) => !Decimal.of(changed.amount).isZero() && sharesDays(changed.period),
  );
}

/** Rejects a change of an adjustment above a limit: only a new one can wait for another person. */
export async function assertWithinLimit(tx: Transaction, entered: EnteredAmount): Promise<void> {
  const limit = await findLimit(tx, entered);
  if (limit === null) return;
  throw new Failure(
    'adjustment_limit',
    `This change, with the adjustments of the last 24 hours, is above the limit of ${limit.above}. Add the difference as an adjustment, which another person then approves.`,
    { above: limit.above },
  );
}
