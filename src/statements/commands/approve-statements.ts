import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, maySee } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { toStoredCaller } from '../../kernel/stored-caller.js';
import { mapConcurrently } from '../../kernel/waiting.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { notYours, repNotFound } from '../../people/reps/rep.js';
import { knownReps } from '../../people/reps/rep-views.js';
import { isUnavailable } from '../../platform/database/database-errors.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { pathId, period } from '../../platform/operations/schemas.js';
import { insertJobItems } from '../../platform/stored-jobs/job-items.js';
import { wakeOf } from '../../platform/stored-jobs/stored-job.js';
import { insertStoredJob } from '../../platform/stored-jobs/stored-job-store.js';
import {
  type ApprovalJob,
  approvalJob,
  maxApproved,
  rejectedStatement,
  toJobResponse,
} from '../approval-jobs/approval-job.js';
import { findApprovalJobs } from '../approval-jobs/approval-job-views.js';
import { approval } from '../approvals/approval.js';
import { type StatementParts } from '../generate-one.js';
import { approve } from './approve-statement.js';

const body = z.strictObject({
  period: period.describe('Period of the statements'),
  statements: z
    .array(
      z
        .strictObject({
          repId: pathId.describe('Id of the rep (UUID)'),
          version: z.int().min(1).describe('The version that was checked'),
        })
        .describe('The statement of one rep'),
    )
    .min(1)
    .max(maxApproved)
    .describe('The statements to approve, each with the version that was checked'),
  force: z.boolean().default(false).describe('true: approve although earlier pay periods with amounts to pay are open'),
  async: z
    .boolean()
    .default(false)
    .describe('true: store the approval as a job and respond with it at once; false: wait until all are approved'),
});

const response = z.object({
  period: fields.period,
  approved: z
    .array(
      z
        .object({
          repId: fields.repId,
          version: fields.version,
          statementId: fields.statementId,
          netPayout: z.number().describe('Net payout in `currency`'),
          currency: fields.currency,
        })
        .describe('An approved statement'),
    )
    .describe('The statements that were approved'),
  signed: z
    .array(
      z
        .object({ repId: fields.repId, version: fields.version, approval })
        .describe('A statement of which further steps wait'),
    )
    .optional()
    .describe('The statements that were signed and wait for further steps; absent where one person approves'),
  refused: z
    .array(rejectedStatement)
    .describe('The statements that were not approved, each with the error that approveStatement returns for it'),
  job: approvalJob
    .optional()
    .describe('Present with `async`: the job that approves the statements, with their outcomes'),
});

type Response = z.input<typeof response>;
type Outcome =
  | { readonly approved: Response['approved'][number] }
  | { readonly signed: NonNullable<Response['signed']>[number] }
  | { readonly refused: Response['refused'][number] };

/** Reps are independent. This limit leaves database capacity for other requests. */
const concurrency = 4;

async function approveRep(
  requestedPeriod: string,
  { repId, version, force }: { readonly repId: string; readonly version: number; readonly force: boolean },
  known: ReadonlySet<string>,
  caller: Caller,
  parts: StatementParts,
): Promise<Outcome> {
  try {
    if (!known.has(repId)) throw repNotFound();
    if (!maySee(caller, repId)) throw notYours();
    const key = { repId, period: requestedPeriod };
    const statement = await approve(parts, key, { version, force }, caller);
    const { statementId, summary, currency, status, approval: chain, ...approved } = statement;
    if (status === 'draft' && chain !== undefined)
      return { signed: { repId, version: approved.version, approval: chain } };
    const { netPayout } = summary;
    return { approved: { repId, version: approved.version, statementId: statementId as string, netPayout, currency } };
  } catch (error) {
    const { code, message } = error instanceof Failure ? error : toFailure(error);
    return { refused: { repId, code, message } };
  }
}

/** An unexpected failure does not stop the other statements. */
function toFailure(error: unknown): Failure {
  if (isUnavailable(error))
    return new Failure('database_unavailable', 'The database cannot be reached. Try this statement again.');
  return new Failure(
    'internal_error',
    'The statement could not be approved because of an internal error. Approve it alone for details.',
  );
}

/** A worker approves exactly these versions, also when the caller is no longer there. */
async function startJob(
  { period: requestedPeriod, force, statements }: Pick<z.output<typeof body>, 'period' | 'force' | 'statements'>,
  caller: Caller,
  { unitOfWork, queue }: { readonly unitOfWork: UnitOfWork; readonly queue: JobQueue },
): Promise<Reply<Response>> {
  const { workspaceId } = caller;
  const job = await unitOfWork.write(caller, async (tx) => {
    const confirmed = { period: requestedPeriod, subject: { force }, total: statements.length };
    const jobId = await insertStoredJob(tx, { kind: 'approval', ...confirmed, caller: toStoredCaller(caller) });
    await insertJobItems(tx, { jobId }, statements);
    return (await findApprovalJobs(tx, { jobId }))[0] as ApprovalJob;
  });
  await queue.add(wakeOf('approval'), { workspaceId });
  return new Reply(202, { period: requestedPeriod, approved: [], refused: [], job: toJobResponse(job, caller) });
}

export const approveStatements = operation({
  id: 'approveStatements',
  summary:
    'Approve many statements by their versions. Each is approved independently; a failure does not stop the others',
  method: 'post',
  path: '/v1/statements/approve',
  access: 'manager',
  body,
  maxKeys: 100_000,
  response,
  otherStatus: 202,
  failures: {},
  example: {
    body: {
      period: '2026-02',
      statements: [
        { repId: sampleIds.repId, version: 1 },
        { repId: sampleIds.managerId, version: 2 },
      ],
    },
    response: {
      period: '2026-02',
      approved: [
        { repId: sampleIds.repId, version: 1, statementId: sampleIds.statementId, netPayout: 10650, currency: 'USD' },
      ],
      refused: [
        {
          repId: sampleIds.managerId,
          code: 'statement_changed',
          message: 'Version 2 is not the latest version. Check version 3 and approve it.',
        },
      ],
    },
  },
  uses: { unitOfWork: UnitOfWork, laneRunner: LaneRunner, queue: JobQueue, clock: CLOCK },
  async execute({ body: request }, caller, { unitOfWork, laneRunner, queue, clock }) {
    const { period: requestedPeriod, force } = request;
    const requested = [...new Map(request.statements.map((statement) => [statement.repId, statement])).values()];
    if (request.async) return startJob({ ...request, statements: requested }, caller, { unitOfWork, queue });
    // Unknown ids are found in one query: an approval needs several transactions.
    const repIds = requested.map(({ repId }) => repId);
    const known = await unitOfWork.read(caller, (tx) => knownReps(tx, repIds));
    const parts = { unitOfWork, laneRunner, clock };
    const outcomes = await mapConcurrently(requested, concurrency, (statement) =>
      approveRep(requestedPeriod, { ...statement, force }, known, caller, parts),
    );
    const signed = outcomes.flatMap((outcome) => ('signed' in outcome ? outcome.signed : []));
    return {
      period: requestedPeriod,
      approved: outcomes.flatMap((outcome) => ('approved' in outcome ? outcome.approved : [])),
      ...(signed.length === 0 ? {} : { signed }),
      refused: outcomes.flatMap((outcome) => ('refused' in outcome ? outcome.refused : [])),
    };
  },
});
