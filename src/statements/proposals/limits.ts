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

interface EnteredAmount {
  readonly repId: string;
  readonly period: Period;
  readonly amount: string;
  readonly currency: string;
  readonly day: Day;
  /** An adjustment that the amount replaces; null for a new one. */
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
 * The highest limit that the amount exceeds, together with the adjustments of the person and period in the last 24 hours
 * that no other person has approved. Null if there is none. The caller holds the rep's lane.
 */
export async function findLimit(tx: Transaction, entered: EnteredAmount): Promise<AdjustmentLimit | null> {
  const limits = await loadLimits(tx);
  if (limits.length === 0) return null;
  const amounts = [entered, ...(await listRecent(tx, entered))];
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

/** Adjustments that were entered or changed in the last 24 hours, and those that wait. */
async function listRecent(
  tx: Transaction,
  { repId, period, replaces }: EnteredAmount,
): Promise<{ readonly amount: string; readonly currency: string }[]> {
  const { rows } = await sql<{ amount: string; currency: string }>`
    select e.amount::text as amount, e.currency from commission_events e
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.period = ${period}
      and e.kind in ('adjustment', 'clawback') and e.status = 'earned' and e.updated_at > now() - interval '24 hours'
      and e.event_id is distinct from ${replaces}::uuid
      and not exists (
        select from adjustment_proposals p
        where p.workspace_id = e.workspace_id and p.event_id = e.event_id)
    union all
    select p.amount::text, p.currency from adjustment_proposals p
    where p.workspace_id = ${tx.workspaceId} and p.rep_id = ${repId} and p.period = ${period}
      and p.status = 'proposed' and p.proposed_at > now() - interval '24 hours'`.execute(tx.db);
  return rows;
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
