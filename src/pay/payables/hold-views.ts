import { sql } from 'kysely';
import { type Day, earliestDay } from '../../kernel/day.js';
import { isUuid } from '../../kernel/ids.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Hold } from './hold.js';
import { type PayableRow } from './payable-rows.js';

/** What a hold selects, and its days. */
export interface HoldTerms {
  readonly holdId: string;
  readonly repId: string | null;
  readonly dealId: string | null;
  readonly ruleName: string | null;
  /** Only of a plan that waits for its acceptance. */
  readonly planVersionId?: string;
  readonly from: Day;
  readonly to: Day | null;
}

/** The holds of the workspace, in a transaction with `asOf` as they were at that instant. */
export async function loadHoldTerms(tx: Transaction): Promise<HoldTerms[]> {
  const columns = sql`hold_id as "holdId", rep_id as "repId", deal_id as "dealId", rule_name as "ruleName",
    from_day as "from", to_day as "to"`;
  const stored = tx.asOf === null ? sql`payout_holds` : latestRows(tx, 'payout_hold_history', ['hold_id']);
  const { rows: entered } = await sql<HoldTerms>`
    select ${columns} from ${stored} where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return [...entered, ...(await loadUnacceptedPlans(tx))];
}

/** The reason of a hold that ends with the acceptance of the plan. */
export const planNotAccepted = 'plan_not_accepted';

/**
 * What versions with `hold_pay` pay to people who have not accepted the configuration, or had not until a day. The
 * acceptance of a version that replaces another one releases that too, since a replaced version cannot be accepted.
 */
async function loadUnacceptedPlans(tx: Transaction): Promise<HoldTerms[]> {
  const { rows } = await sql<HoldTerms>`
    with recursive accepted_by as (
      select v.plan_id, v.plan_version_id as held, v.plan_version_id as accepted
      from plan_versions v where v.workspace_id = ${tx.workspaceId} and v.acceptance = 'hold_pay'
      union
      select b.plan_id, b.held, s.plan_version_id
      from accepted_by b
      join plan_versions s on s.workspace_id = ${tx.workspaceId} and s.supersedes = b.accepted and s.has_been_active
    )
    select b.held as "holdId", b.held as "planVersionId", a.rep_id as "repId", null as "dealId",
      null as "ruleName", ${earliestDay} as "from", (min(x.decided_on) - 1)::date as "to"
    from accepted_by b
    join plan_versions v on v.workspace_id = ${tx.workspaceId} and v.plan_version_id = b.accepted
    join (select distinct workspace_id, plan_id, rep_id from assignments where deleted_at is null) a
      on a.workspace_id = v.workspace_id and a.plan_id = v.plan_id
    left join plan_acceptances x on x.workspace_id = v.workspace_id and x.plan_id = v.plan_id and x.rep_id = a.rep_id
      and x.decision = 'accepted' and x.configuration_sha256 = plan_configuration_sha256(v)
      and x.decided_at <= ${tx.until}::timestamptz
    group by b.held, a.rep_id`.execute(tx.db);
  return rows;
}

/** Whether everything that the hold names is the row's. A hold of a deal or a rule matches no adjustment. */
export function matches({ repId, dealId, ruleName, planVersionId }: HoldTerms, row: PayableRow): boolean {
  return (
    (planVersionId === undefined || planVersionId === row.planVersionId) &&
    (repId === null || repId === row.repId) &&
    (dealId === null || dealId === row.dealKey) &&
    (ruleName === null || ruleName === row.ruleName)
  );
}

interface HoldFilter {
  readonly holdId?: string;
  readonly repIds?: readonly string[] | null;
  readonly dealId?: string | undefined;
}

/** Holds, the latest first; of the reps also those of all reps. */
export async function listHolds(tx: Transaction, { holdId, repIds, dealId }: HoldFilter): Promise<Hold[]> {
  const { rows } = await sql<Omit<Hold, 'createdAt'> & { createdAt: Date }>`
    select h.hold_id as "holdId", h.rep_id as "repId", r.name as "repName", h.deal_id as "dealId",
      h.rule_name as "ruleName", h.from_day as "from", h.to_day as "to", h.reason, h.note, h.created_by as "createdBy",
      h.created_at as "createdAt"
    from payout_holds h
    left join reps r on r.workspace_id = h.workspace_id and r.rep_id = h.rep_id
    where h.workspace_id = ${tx.workspaceId}
      ${holdId === undefined ? sql`` : sql`and h.hold_id = ${holdId}`}
      ${dealId === undefined ? sql`` : sql`and h.deal_id = ${dealId}`}
      ${repIds ? sql`and (h.rep_id is null or h.rep_id = any(${repIds}::uuid[]))` : sql``}
    order by h.created_at desc, h.hold_id`.execute(tx.db);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}

export async function findHold(tx: Transaction, holdId: string): Promise<Hold | null> {
  if (!isUuid(holdId)) return null;
  return (await listHolds(tx, { holdId }))[0] ?? null;
}

/** The reps with pay that the hold selects, and the rep that it names. */
export async function listHeldReps(tx: Transaction, { repId, dealId, ruleName }: HoldTerms): Promise<string[]> {
  if (repId !== null) return [repId];
  const { rows } = await sql<{ repId: string }>`
    select distinct rep_id as "repId" from commission_events
    where workspace_id = ${tx.workspaceId} and kind = 'commission_earned' and status = 'earned'
      and (${dealId}::text is null or deal_key = ${dealId}) and (${ruleName}::text is null or rule_name = ${ruleName})
    order by 1`.execute(tx.db);
  return rows.map((row) => row.repId);
}
