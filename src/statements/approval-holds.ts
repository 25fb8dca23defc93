import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Caller, seesTeam } from '../kernel/caller.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period } from '../kernel/period.js';
import { inParallel } from '../kernel/waiting.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadRange } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DisputeType, disputeTypes, openStatuses } from './dispute-types.js';
import { listOwnChanges, type OwnChange, ownChanges } from './own-changes.js';
import { sharesDaysWith } from './shared-days.js';

/** What prevents the approval of a statement, or what its approver must know, besides the statement itself. */
export const approvalHolds = {
  coveredBy: z
    .array(fields.period)
    .describe(
      'Other periods with days of this one whose statement is approved: these days are paid with it, and this statement cannot be approved',
    ),
  openDisputes: z
    .array(
      z
        .object({
          disputeId: z.string().describe('Id of the dispute (UUID)'),
          period: fields.period.describe('The period of the dispute, which shares days with this one'),
          type: z.enum(disputeTypes).describe('What is wrong'),
          description: z.string().describe('What is wrong, in the words of who opened the dispute'),
          openedBy: z.string().nullable().describe('Name of the person who opened it; null if they are unknown'),
        })
        .describe('A dispute that waits for a decision'),
    )
    .describe('Disputes that wait for a decision. By default they prevent the approval'),
  ownChanges,
};

type OpenDispute = z.input<typeof approvalHolds.openDisputes>[number];

export interface ApprovalHolds {
  readonly coveredBy: readonly Period[];
  readonly openDisputes: readonly OpenDispute[];
  readonly ownChanges: readonly OwnChange[];
}

/** The holds of the statements of the period, by rep; of those reps where ids are given. */
export async function readApprovalHolds(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<(repId: string) => ApprovalHolds> {
  const [covering, disputes, own] = await inParallel(
    () => coveringPeriods(tx, period, repIds),
    () => openDisputesIn(tx, period, repIds),
    () => listOwnChanges(tx, period, repIds),
  );
  return (repId) => ({
    coveredBy: covering.get(repId) ?? [],
    openDisputes: disputes.get(repId) ?? [],
    ownChanges: own.get(repId) ?? [],
  });
}

/** Finds, for each rep, the other approved periods with days of the period, earliest first. */
export async function coveringPeriods(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, Period[]>> {
  const { from, to } = await loadRange(tx, period);
  const { rows } = await sql<{ repId: string; period: Period }>`
    select s.rep_id as "repId", s.period from ${statementPeriodsTable(tx)} s
    where s.workspace_id = ${tx.workspaceId} and s.status = 'approved' and s.period <> ${period}
      and s.from_day <= ${to}::date and s.to_day >= ${from}::date
      ${repIds === null ? sql`` : sql`and s.rep_id = any(${repIds}::uuid[])`}
    order by s.from_day, s.period`.execute(tx.db);
  const byRep = new Map<string, Period[]>();
  for (const { repId, period: covering } of rows) getOrInsert(byRep, repId, () => []).push(covering);
  return byRep;
}

/**
 * By rep, the disputes that wait for a decision and whose period shares days with this one, oldest first. Disputes have a
 * history of steps only, so an earlier instant has none.
 */
export async function openDisputesIn(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, OpenDispute[]>> {
  if (tx.asOf !== null) return new Map();
  const { rows } = await sql<OpenDispute & { repId: string; type: DisputeType; period: Period }>`
    select d.rep_id as "repId", d.dispute_id as "disputeId", d.period, d.type, d.description, o.name as "openedBy"
    from disputes d
    left join reps o on o.workspace_id = d.workspace_id and o.rep_id = d.opened_by
    where d.workspace_id = ${tx.workspaceId} and d.status = any(${[...openStatuses]}::text[])
      ${repIds === null ? sql`` : sql`and d.rep_id = any(${repIds}::uuid[])`}
    order by d.opened_at, d.dispute_id`.execute(tx.db);
  const byRep = new Map<string, OpenDispute[]>();
  if (rows.length === 0) return byRep;
  const sharesDays = await sharesDaysWith(tx, period);
  for (const { repId, ...dispute } of rows)
    if (sharesDays(dispute.period)) getOrInsert(byRep, repId, () => []).push(dispute);
  return byRep;
}

/** By rep, when the last dispute was decided or withdrawn whose period shares days with this one. */
export async function lastDecisionsIn(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await sql<{ repId: string; period: Period; at: Date }>`
    select rep_id as "repId", period, max(updated_at) as at from disputes
    where workspace_id = ${tx.workspaceId} and status <> all(${[...openStatuses]}::text[])
      ${repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`}
    group by rep_id, period
    order by at`.execute(tx.db);
  if (rows.length === 0) return new Map();
  const sharesDays = await sharesDaysWith(tx, period);
  return new Map(rows.filter((row) => sharesDays(row.period)).map(({ repId, at }) => [repId, at]));
}

export function toHoldsResponse({ coveredBy, openDisputes, ownChanges: own }: ApprovalHolds) {
  return { coveredBy: [...coveredBy], openDisputes: [...openDisputes], ownChanges: [...own] };
}

/** Omits empty lists, because a single statement shows only the holds that exist. Approvers see what the person changed. */
export function presentHolds({ coveredBy, openDisputes, ownChanges: own }: ApprovalHolds, caller: Caller) {
  return {
    ...(coveredBy.length === 0 ? {} : { coveredBy: [...coveredBy] }),
    ...(openDisputes.length === 0 ? {} : { openDisputes: [...openDisputes] }),
    ...(own.length === 0 || !seesTeam(caller) ? {} : { ownChanges: [...own] }),
  };
}
