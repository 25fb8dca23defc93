import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { overlap } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { periodRange } from '../../kernel/period.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { saveFreshnessMark } from '../../ledger/lane-freshness.js';
import { LaneRunner } from '../../ledger/lane-runner.js';
import { loadWorkspaceTerms } from '../../ledger/rep-terms.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type Input, operation } from '../../platform/operation.js';
import { pathId, period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { repNotFound } from '../../reps/rep.js';
import { assertNotOwnStatement, identifyApprover } from '../approvers.js';
import { readLedgerLines } from '../ledger-lines.js';
import { isCalculationPending, lockRep } from '../rep-lane.js';
import { contentHash, snapshotOf } from '../snapshot.js';
import {
  type StatementContent,
  type StatementKey,
  statement,
  statementAnswer,
  statementNotFound,
} from '../statement.js';
import { approveHead, insertVersion, recordStatementEntry } from '../statement-store.js';
import { findHead, findVersion, listFrozenPeriods, type StoredStatement } from '../statement-views.js';
import { unlockStatement } from '../unlock-statement.js';

const params = z.strictObject({ repId: pathId });
/** Lacking either field is told in the words of the specification, whatever else is wrong with the body. */
const body = z.preprocess(
  (given, context) => {
    const { period: of, status } = (given ?? {}) as Record<string, unknown>;
    if ((of ?? null) !== null && (status ?? null) !== null) return given;
    context.addIssue({ code: 'custom', message: 'period and status required' });
    return z.NEVER;
  },
  z.strictObject({
    period,
    status: z.enum(['approved', 'draft']),
    version: z
      .int()
      .min(1)
      .optional()
      .describe('The version that was checked. When it is not the latest, or is stale, nothing is approved'),
  }),
);

/** Calculations may keep arriving; a rep that never comes to rest within so many tries is told to the caller. */
const maxTries = 10;

const approvalAnswer = z.object({
  ...statement.shape,
  regenerated: z
    .literal(true)
    .optional()
    .describe('The ledger had changed since the latest draft, so a new version was generated and approved'),
});
type ApprovalAnswer = z.input<typeof approvalAnswer>;

export const approvalFailures = {
  rep_not_found: 404,
  statement_not_found: 404,
  statement_overlap: 409,
  statement_changed: 409,
  calculation_pending: 409,
} as const;

@injectable()
export class ApproveStatement {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CommissionChanges) private readonly changes: CommissionChanges,
    @inject(LaneRunner) private readonly laneRunner: LaneRunner,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(
    { params: { repId }, body: wanted }: Input<{ repId: string }, unknown, z.infer<typeof body>>,
    caller: Caller,
  ): Promise<ApprovalAnswer> {
    if (!isUuid(repId)) throw repNotFound();
    const key = { workspaceId: caller.workspaceId, repId, period: wanted.period };
    if (wanted.status === 'approved') return this.approve(key, wanted.version ?? null, caller);
    return this.changes.run(caller, 'shared', (trx, recalculate) =>
      unlockStatement(trx, recalculate, key, caller, this.clock.now()),
    );
  }

  /** What is asked of the rep's ledger is calculated before it is frozen. */
  async approve(key: StatementKey, version: number | null, caller: Caller): Promise<ApprovalAnswer> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      await this.laneRunner.calculateNow(key.workspaceId, [key.repId]);
      await failpoint('approve.afterDrain');
      const answer = await this.unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (trx) =>
        tryApprove(trx, key, version, caller, this.clock.now()),
      );
      if (answer !== null) return answer;
    }
    throw new Failure(
      'calculation_pending',
      'The commission of this rep is still being calculated. Try again shortly.',
    );
  }
}

/** Null when something is still to be calculated; then nothing is frozen. */
async function tryApprove(
  trx: Work,
  key: StatementKey,
  version: number | null,
  caller: Caller,
  at: Date,
): Promise<ApprovalAnswer | null> {
  const repName = await lockRep(trx, key.workspaceId, key.repId);
  await failpoint('approve.afterLock');
  await assertNotOwnStatement(trx, caller, key.repId);
  const head = await findHead(trx, key);
  const latest = head === null ? null : await findVersion(trx, key, head.version);
  if (head === null || latest === null) throw statementNotFound();
  if (version !== null && version !== head.version) throw statementChanged(version, latest, null);
  if (head.status === 'approved') return statementAnswer(key, repName, head, latest, caller);
  if (await isCalculationPending(trx, key)) return null;
  await failpoint('approve.afterCheck');
  await assertNoOverlap(trx, key);
  const approved = await upToDate(trx, key, latest, version, { at, actor: caller.actor });
  await approveHead(trx, key, approved, { at, actor: caller.actor, approver: await identifyApprover(trx, caller) });
  saveFreshnessMark(trx, key, null);
  await recordStatementEntry(trx, caller, {
    runId: newId(),
    trigger: 'statement_approved',
    repId: key.repId,
    period: key.period,
    details: { version: approved.version, generatedBefore: latest.version, netPayout: approved.summary.netPayout },
    at,
  });
  await failpoint('approve.beforeCommit');
  const answer = statementAnswer(key, repName, await findHead(trx, key), approved, caller);
  return approved.version === latest.version ? answer : { ...answer, regenerated: true };
}

function statementChanged(version: number, latest: StoredStatement, liveNetPayout: string | null): Failure {
  const { version: newest, currency, summary } = latest;
  const message =
    liveNetPayout === null
      ? `Version ${version} is not the latest, which is version ${newest}. Check that one and approve it by its version.`
      : `Version ${version} shows ${summary.netPayout} ${currency}, but the ledger has changed and comes to ${liveNetPayout}. Generate the statement again, check it and approve the new version.`;
  return new Failure('statement_changed', message, {
    version: newest,
    netPayout: Number(summary.netPayout),
    ...(liveNetPayout === null ? {} : { liveNetPayout: Number(liveNetPayout) }),
  });
}

async function assertNoOverlap(trx: Work, key: StatementKey): Promise<void> {
  const range = periodRange(key.period);
  const other = (await listFrozenPeriods(trx, key.workspaceId, key.repId)).find((one) => overlap(one.range, range));
  if (other !== undefined)
    throw new Failure(
      'statement_overlap',
      `The approved statement for ${other.period} holds days of ${key.period}. No day is approved twice.`,
      { period: other.period },
    );
}

/** The latest version while it equals the ledger; otherwise a new one, unless a certain version was to be approved. */
async function upToDate(
  trx: Work,
  key: StatementKey,
  latest: StoredStatement,
  version: number | null,
  by: { readonly at: Date; readonly actor: string },
): Promise<StatementContent> {
  const { currency } = await loadWorkspaceTerms(trx, key.workspaceId);
  const now = snapshotOf(await readLedgerLines(trx, key), currency);
  if (contentHash(now) === latest.contentHash) return latest;
  if (version !== null) throw statementChanged(version, latest, now.summary.netPayout);
  return insertVersion(trx, key, now, { status: 'approved', ...by });
}

export const approveStatement = operation({
  id: 'approveStatement',
  summary:
    'Approve a version, or unlock it with status draft. Without version, approves what the ledger has now, as a new version when it has changed',
  method: 'post',
  path: '/v1/statements/:repId/approve',
  access: 'manager',
  params,
  body,
  response: approvalAnswer,
  failures: approvalFailures,
  handler: ApproveStatement,
});
