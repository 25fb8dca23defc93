import { z } from 'zod';
import { type ApprovalStep, isConsent } from '../../access/workspaces/approval-steps.js';
import { findWorkspace } from '../../access/workspaces/workspace-views.js';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { overlap } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { assertPayable } from '../../pay/payables/approval-rules.js';
import { type PayableInputs } from '../../pay/payables/build-payables.js';
import { assertPayRates } from '../../pay/payables/pay-currency.js';
import { repNotFound } from '../../people/reps/rep.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period, text, uuid } from '../../platform/operations/schemas.js';
import { openDisputesIn } from '../approval-holds.js';
import { presentApproval } from '../approvals/approval-response.js';
import { compareContent } from '../approvals/content-change.js';
import { assertOwnLastSignature, signAsApprover, signAsRep, signAsUnanswered } from '../approvals/sign-step.js';
import { loadSteps } from '../approvals/signature-store.js';
import { assertNotOwnStatement } from '../approvers.js';
import { freezeStatement } from '../freeze-statement.js';
import { type StatementParts } from '../generate-one.js';
import { listPending } from '../proposals/proposal-views.js';
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
import { type Generation, insertVersion } from '../statement-store.js';
import {
  findHead,
  findLatest,
  findVersionWithContent,
  listFrozenPeriods,
  type StoredStatement,
} from '../statement-views.js';
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
    contentHash: uuid
      .optional()
      .describe('The `approval.contentHash` that was checked. With another content, the request fails'),
    step: text(100).optional().describe('Name of the step to sign. If another step waits, the request fails'),
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

export const approvalFailures = {
  rep_not_found: 404,
  statement_not_found: 404,
  statement_overlap: 409,
  statement_changed: 409,
  already_signed: 403,
  not_your_step: 403,
  already_signed_by: 409,
  step_not_next: 409,
  calculation_pending: 409,
  open_dispute: 409,
  adjustments_pending: 409,
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
  /** The content that was checked; undefined for the current one. */
  readonly contentHash?: string | undefined;
  /** The step of the chain to sign; undefined for the one that waits. */
  readonly step?: string | undefined;
  /** The rep consents to their own statement. */
  readonly asRep?: true;
  /** The rep has not consented in time, which is recorded in place of a signature. */
  readonly asUnanswered?: true;
  /** Approves also while an earlier pay period is open. */
  readonly force: boolean;
}

/** Runs the rep's outstanding calculations before the period is frozen. */
export async function approve(
  { unitOfWork, laneRunner, clock }: StatementParts,
  key: StatementKey,
  terms: ApprovalTerms,
  caller: Caller,
): Promise<ApprovalResponse> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    await laneRunner.calculateNow(caller.workspaceId, [key.repId]);
    await failpoint('approve.afterDrain');
    const outcome = await unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (tx) =>
      tryApprove(tx, key, terms, caller, clock.now()),
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
  terms: ApprovalTerms,
  caller: Caller,
  at: Date,
): Promise<ApprovalResponse | null> {
  const repName = await lockRep(tx, key.repId);
  await failpoint('approve.afterLock');
  if (terms.asRep !== true) assertNotOwnStatement(caller, key.repId);
  const stored = await findLatest(tx, key);
  if (stored === null) throw statementNotFound();
  const { head, latest } = stored;
  const { version, force } = terms;
  if (version !== null && version !== head.version) throw statementChanged(version, latest, null);
  const steps = await loadSteps(tx);
  if (head.status === 'approved') {
    if (steps !== null) await assertOwnLastSignature(tx, key, caller);
    return present(tx, { ...key, steps }, repName, latest, caller, at);
  }
  await assertNoOpenDispute(tx, key, steps?.some(isConsent) === true);
  await assertNoProposal(tx, key);
  if (await isCalculationPending(tx, key)) return null;
  await failpoint('approve.afterCheck');
  await assertNoOverlap(tx, key);
  const inputs = await assertPayable(tx, key, force);
  const generation = { status: steps !== null ? 'draft' : 'approved', at, actor: caller.actor } as const;
  const current = await currentVersion(tx, key, latest, version, { generation, inputs });
  await assertSameContent(tx, key, current, terms.contentHash);
  assertPayRates(current);
  const signer = { caller, steps, step: terms.step, at };
  const signed = await signerOf(terms)(tx, key, current, signer);
  if (signed === null || signed.isLast) await freezeStatement(tx, key, current, latest.version, caller, at);
  await failpoint('approve.beforeCommit');
  const response = await present(tx, { ...key, steps }, repName, current, caller, at);
  return current.version === latest.version ? response : { ...response, regenerated: true };
}

function signerOf({ asRep, asUnanswered }: ApprovalTerms) {
  if (asUnanswered === true) return signAsUnanswered;
  return asRep === true ? signAsRep : signAsApprover;
}

/** The statement as it is at the end of the transaction. */
async function present(
  tx: Transaction,
  { steps, ...key }: StatementKey & { readonly steps: readonly ApprovalStep[] | null },
  repName: string,
  content: StatementContent,
  caller: Caller,
  at: Date,
): Promise<ApprovalResponse> {
  const head = await findHead(tx, key);
  const response = await toStatementResponse(key, repName, head, content, caller);
  return { ...response, ...(await presentApproval(tx, { repId: key.repId, head, content, steps }, caller, at)) };
}

/** Rejects a signature for another content than the one that was checked, and says what differs. */
async function assertSameContent(
  tx: Transaction,
  key: StatementKey,
  current: StoredContent,
  checked: string | undefined,
): Promise<void> {
  if (checked === undefined || checked === current.contentHash) return;
  const earlier = await findVersionWithContent(tx, key, checked);
  const { currency, summary, version } = current;
  throw new Failure(
    'statement_changed',
    `The content that was checked is not that of version ${version}, which shows ${summary.netPayout} ${currency}. Check it and sign again.`,
    {
      version,
      netPayout: Number(summary.netPayout),
      contentHash: current.contentHash,
      ...(earlier === null ? {} : { changes: compareContent(earlier, current) }),
    },
  );
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

/** A dispute holds every statement to which the rep consents. */
async function assertNoOpenDispute(tx: Transaction, key: StatementKey, needsConsent: boolean): Promise<void> {
  const disputes = (await openDisputesIn(tx, key.period, [key.repId])).get(key.repId) ?? [];
  if (disputes.length === 0) return;
  const disputeIds = disputes.map(({ disputeId }) => disputeId);
  const { blockApprovalOnDispute } = await findWorkspace(tx);
  if (!blockApprovalOnDispute && !needsConsent) return;
  throw new Failure(
    'open_dispute',
    `A question about this statement, or about another period with the same days, is open (${disputeIds.length}). Decide it first, or let an admin allow approvals before that in the settings of the workspace (blockApprovalOnDispute).`,
    { disputeIds: disputeIds.slice(0, maxIds) },
  );
}

const maxIds = 20;

/** A proposed adjustment would be lost with the approval, which freezes the period. */
async function assertNoProposal(tx: Transaction, { repId, period: frozen }: StatementKey): Promise<void> {
  const pending = await listPending(tx, frozen, repId);
  if (pending.length === 0) return;
  throw new Failure(
    'adjustments_pending',
    `Adjustments of this statement wait for the approval of another person (${pending.length}). Decide them first.`,
    { adjustmentIds: pending.slice(0, maxIds) },
  );
}

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

type StoredContent = StatementContent & { readonly contentHash: string };

/**
 * The latest version if it equals the ledger. Otherwise generates a new version, or fails if the caller named a
 * version.
 */
async function currentVersion(
  tx: Transaction,
  key: StatementKey,
  latest: StoredStatement,
  version: number | null,
  { generation, inputs }: { readonly generation: Generation; readonly inputs: PayableInputs | null },
): Promise<StoredContent> {
  const { currency } = await loadWorkspaceTerms(tx);
  const now = await readSnapshot(tx, key, currency, inputs);
  const hash = await contentHash(now);
  if (hash === latest.contentHash) return latest;
  if (version !== null) throw statementChanged(version, latest, now.summary.netPayout);
  return { ...(await insertVersion(tx, key, now, generation)), contentHash: hash };
}

export const approveStatement = operation({
  id: 'approveStatement',
  summary:
    'Approve a statement, or unlock it with status draft. Without version, approves the current ledger and generates a new version if it has changed. In workspaces with approvalSteps, signs the step that waits; the last signature approves, and status draft withdraws the own last signature',
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
      return approve({ unitOfWork, laneRunner, clock }, key, { ...request, version: request.version ?? null }, caller);
    return changes.run(caller, 'shared', (tx, recalculate) =>
      unlockStatement(tx, recalculate, key, caller, clock.now()),
    );
  },
});
