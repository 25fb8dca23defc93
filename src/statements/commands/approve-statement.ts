import { z } from 'zod';
import { findWorkspace } from '../../access/workspaces/workspace-views.js';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { overlap } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { saveFreshnessMarks } from '../../ledger/lanes/lane-freshness.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { freezeDealAmounts } from '../../ledger/output/frozen-deal-amounts.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { requestChecks } from '../../ledger/requests/period-checks.js';
import { assertPayable } from '../../pay/payables/approval-rules.js';
import { assertPayRates } from '../../pay/payables/pay-currency.js';
import { repNotFound } from '../../people/reps/rep.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period } from '../../platform/operations/schemas.js';
import { openDisputesIn } from '../approval-holds.js';
import { assertNotOwnStatement, identifyApprover } from '../approvers.js';
import { type StatementParts } from '../generate-one.js';
import { readSnapshot } from '../read-snapshots.js';
import { isCalculationPending, lockRep } from '../rep-lane.js';
import { contentHash } from '../snapshot.js';
import {
  type StatementContent,
  type StatementKey,
  statement,
  statementExample,
  statementNotFound,
  toStatementResponse,
} from '../statement.js';
import { approveHead, insertVersion, recordStatementEntry } from '../statement-store.js';
import { findHead, findLatest, listFrozenPeriods, type StoredStatement } from '../statement-views.js';
import { unlockStatement } from '../unlock-statement.js';

const params = z.strictObject({ repId: pathIds.repId });
/**
 * A body without period or status always returns the message that the specification defines, whatever else is
 * invalid.
 */
const body = z.preprocess(
  (input, context) => {
    const { period: requestedPeriod, status } = (input ?? {}) as Record<string, unknown>;
    if ((requestedPeriod ?? null) !== null && (status ?? null) !== null) return input;
    context.addIssue({ code: 'custom', message: 'period and status required' });
    return z.NEVER;
  },
  z.strictObject({
    period: period.describe('Period of the statement'),
    status: z.enum(['approved', 'draft']).describe('approved freezes the period; draft opens it again'),
    version: z
      .int()
      .min(1)
      .optional()
      .describe('The version that was checked. If it is not the latest version, or is stale, the request fails'),
    force: z
      .boolean()
      .default(false)
      .describe('true: approve although an earlier pay period with amounts to pay is open'),
  }),
);

/**
 * New calculation requests can arrive during an approval. After this many tries the caller receives
 * calculation_pending.
 */
const maxTries = 10;

const approvalResponse = z
  .object({
    ...statement.shape,
    regenerated: z
      .literal(true)
      .optional()
      .describe('The ledger had changed after the latest draft, so a new version was generated and approved'),
  })
  .describe('The statement after the change');
type ApprovalResponse = z.input<typeof approvalResponse>;

const approvalFailures = {
  rep_not_found: 404,
  statement_not_found: 404,
  statement_overlap: 409,
  statement_changed: 409,
  calculation_pending: 409,
  open_dispute: 409,
  carried_forward: 409,
  not_a_pay_period: 409,
  earlier_period_open: 409,
  fx_rate_missing: 409,
  later_statement_approved: 409,
  already_paid: 409,
  batch_open: 409,
} as const;

interface ApprovalTerms {
  /** The version that was checked; null for the current content. */
  readonly version: number | null;
  /** Approves also while an earlier pay period is open. */
  readonly force: boolean;
}

/** Runs the rep's outstanding calculations before the period is frozen. */
export async function approve(
  { unitOfWork, laneRunner, clock }: StatementParts,
  key: StatementKey,
  { version, force }: ApprovalTerms,
  caller: Caller,
): Promise<ApprovalResponse> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    await laneRunner.calculateNow(caller.workspaceId, [key.repId]);
    await failpoint('approve.afterDrain');
    const outcome = await unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (tx) =>
      tryApprove(tx, key, { version, force }, caller, clock.now()),
    );
    if (outcome === null) continue;
    await laneRunner.wakeChecks(caller.workspaceId, [key.repId]);
    return outcome;
  }
  throw new Failure('calculation_pending', 'The commission of this rep is still being calculated. Try again shortly.');
}

/** Null if calculation requests exist; then nothing is approved. */
async function tryApprove(
  tx: Transaction,
  key: StatementKey,
  { version, force }: ApprovalTerms,
  caller: Caller,
  at: Date,
): Promise<ApprovalResponse | null> {
  const repName = await lockRep(tx, key.repId);
  await failpoint('approve.afterLock');
  assertNotOwnStatement(caller, key.repId);
  const stored = await findLatest(tx, key);
  if (stored === null) throw statementNotFound();
  const { head, latest } = stored;
  if (version !== null && version !== head.version) throw statementChanged(version, latest, null);
  if (head.status === 'approved') return toStatementResponse(key, repName, head, latest, caller);
  await assertNoOpenDispute(tx, key);
  if (await isCalculationPending(tx, key)) return null;
  await failpoint('approve.afterCheck');
  await assertNoOverlap(tx, key);
  await assertPayable(tx, key, force);
  const approved = await currentVersion(tx, key, latest, version, { at, actor: caller.actor });
  assertPayRates(approved);
  await approveHead(tx, key, approved, { at, actor: caller.actor, approver: await identifyApprover(tx, caller) });
  await freezeDealAmounts(tx, key);
  // The period of a manager may owe differences of approved periods below already.
  requestChecks(tx, [{ ...key, causes: [{ kind: 'statement_approved', dealId: null }] }]);
  saveFreshnessMarks(tx, [{ repId: key.repId, mark: null }]);
  await recordStatementEntry(tx, caller, {
    runId: newId(),
    trigger: 'statement_approved',
    repId: key.repId,
    period: key.period,
    details: { version: approved.version, generatedBefore: latest.version, netPayout: approved.summary.netPayout },
    at,
  });
  await failpoint('approve.beforeCommit');
  const response = await toStatementResponse(key, repName, await findHead(tx, key), approved, caller);
  return approved.version === latest.version ? response : { ...response, regenerated: true };
}

function statementChanged(version: number, latest: StoredStatement, liveNetPayout: string | null): Failure {
  const { version: newest, currency, summary } = latest;
  const message =
    liveNetPayout === null
      ? `Version ${version} is not the latest version. Check version ${newest} and approve it.`
      : `Version ${version} shows ${summary.netPayout} ${currency}, but the ledger has changed to ${liveNetPayout}. Generate the statement again, check it and approve the new version.`;
  return new Failure('statement_changed', message, {
    version: newest,
    netPayout: Number(summary.netPayout),
    ...(liveNetPayout === null ? {} : { liveNetPayout: Number(liveNetPayout) }),
  });
}

async function assertNoOpenDispute(tx: Transaction, key: StatementKey): Promise<void> {
  const disputes = (await openDisputesIn(tx, key.period, [key.repId])).get(key.repId) ?? [];
  if (disputes.length === 0) return;
  const disputeIds = disputes.map(({ disputeId }) => disputeId);
  const { blockApprovalOnDispute } = await findWorkspace(tx);
  if (!blockApprovalOnDispute) return;
  throw new Failure(
    'open_dispute',
    `A question about this statement, or about another period with the same days, is open (${disputeIds.length}). Decide it first, or let an admin allow approvals before that in the settings of the workspace (blockApprovalOnDispute).`,
    { disputeIds: disputeIds.slice(0, maxDisputeIds) },
  );
}

const maxDisputeIds = 20;

async function assertNoOverlap(tx: Transaction, key: StatementKey): Promise<void> {
  const range = await loadRange(tx, key.period);
  const other = (await listFrozenPeriods(tx, key.repId)).find((frozen) => overlap(frozen.range, range));
  if (other !== undefined)
    throw new Failure(
      'statement_overlap',
      `The approved statement for ${other.period} covers days of ${key.period}. A day can be approved only once.`,
      { period: other.period },
    );
}

/**
 * The latest version if it equals the ledger. Otherwise generates a new version, or fails if the caller named a
 * version.
 */
async function currentVersion(
  tx: Transaction,
  key: StatementKey,
  latest: StoredStatement,
  version: number | null,
  by: { readonly at: Date; readonly actor: string },
): Promise<StatementContent> {
  const { currency } = await loadWorkspaceTerms(tx);
  const now = await readSnapshot(tx, key, currency);
  if ((await contentHash(now)) === latest.contentHash) return latest;
  if (version !== null) throw statementChanged(version, latest, now.summary.netPayout);
  return insertVersion(tx, key, now, { status: 'approved', ...by });
}

export const approveStatement = operation({
  id: 'approveStatement',
  summary:
    'Approve a statement, or unlock it with status draft. Without version, approves the current ledger and generates a new version if it has changed',
  method: 'post',
  path: '/v1/statements/:repId/approve',
  access: 'manager',
  params,
  body,
  response: approvalResponse,
  failures: approvalFailures,
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02', status: 'approved', version: 1 },
    response: {
      ...statementExample,
      status: 'approved',
      approvedAt: '2026-03-03T09:00:00.000Z',
      approvedBy: { repId: sampleIds.managerId, name: 'Mia Manager' },
    },
  },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, laneRunner: LaneRunner, clock: CLOCK },
  async execute({ params: { repId }, body: request }, caller, { unitOfWork, changes, laneRunner, clock }) {
    if (!isUuid(repId)) throw repNotFound();
    const key = { repId, period: request.period };
    if (request.status === 'approved')
      return approve(
        { unitOfWork, laneRunner, clock },
        key,
        { version: request.version ?? null, force: request.force },
        caller,
      );
    return changes.run(caller, 'shared', (tx, recalculate) =>
      unlockStatement(tx, recalculate, key, caller, clock.now()),
    );
  },
});
