import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { toStoredCaller } from '../../kernel/stored-caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { period, text } from '../../platform/operations/schemas.js';
import { wakeOf } from '../../platform/stored-jobs/stored-job.js';
import { insertStoredJob } from '../../platform/stored-jobs/stored-job-store.js';
import { listRepsOfPeriod } from '../../statements/generate-many.js';
import { type HandoverJob, type HandoverSubject, handoverJob, toHandoverJobResponse } from '../handover-job.js';
import { handoverJobs } from '../handover-job-views.js';
import { assertPaidByHandover } from '../load-payroll-file.js';
import {
  describePayrollFile,
  type PayrollHandover,
  payrollHandover,
  payrollHandoverExample,
} from '../payroll-handover.js';
import { insertHandover } from '../payroll-handover-store.js';
import { countHandovers, listHandovers } from '../payroll-handover-views.js';
import { layouts, scopes } from '../payroll-layouts.js';

/** With more statements than this, a worker records the hand-over: 2,000 take about a quarter of a second. */
const maxAwaited = 2000;

const body = z.strictObject({
  period: period.describe('The period that was handed over'),
  layout: z.enum(layouts).describe('The layout of the file'),
  scope: z
    .enum(scopes)
    .default('full')
    .describe('new: the file contains only what earlier hand-overs of the period do not, and adds to them'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
    .optional()
    .describe('SHA-256 of the file that was handed over. If the file is different now, nothing is recorded'),
  note: text(1000).optional().describe('Free text, for example the recipient'),
  async: z
    .boolean()
    .optional()
    .describe(
      'true: store the hand-over as a job and respond with it at once; false: wait until it is recorded. By default, hand-overs of periods with more than 2,000 statements are jobs',
    ),
});

function fileChanged(details?: { readonly sha256: string }): Failure {
  return new Failure(
    'payroll_file_changed',
    'The file has changed since it was exported. Export it again, check it, and hand over the new file.',
    details,
  );
}

export const recordPayrollHandover = operation({
  id: 'recordPayrollHandover',
  summary: 'Record that the payroll file of a period was handed over, with its hash and totals',
  method: 'post',
  path: '/v1/payroll-handovers',
  access: 'manager',
  payroll: true,
  stepUp: 'always',
  body,
  response: z.union([payrollHandover, handoverJob]),
  status: 201,
  otherStatus: 202,
  failures: { payroll_file_changed: 409, payouts_enabled: 409 },
  example: {
    body: { period: '2026-02', layout: 'generic', note: 'Sent to payroll' },
    response: payrollHandoverExample,
  },
  uses: { unitOfWork: UnitOfWork, queue: JobQueue, clock: CLOCK },
  /** Writes the file again from one database snapshot. Its hash later shows whether payroll has the same file. */
  async execute(
    { body: { async: isAsync, ...requested } },
    caller,
    { unitOfWork, queue, clock },
  ): Promise<PayrollHandover | Reply<ReturnType<typeof toHandoverJobResponse>>> {
    if (isAsync ?? (await isLarge(requested.period, caller, unitOfWork)))
      return startJob(requested, caller, { unitOfWork, queue });
    const { sha256, ...request } = requested;
    const file = await unitOfWork.run(
      caller,
      { lock: 'none', access: 'read', isolation: 'repeatable read' },
      async (tx) => {
        await assertPaidByHandover(tx, request.period);
        return describePayrollFile(tx, caller, request, clock);
      },
    );
    if (sha256 !== undefined && sha256 !== file.sha256) throw fileChanged({ sha256: file.sha256 });
    const lock = request.scope === 'new' ? 'exclusive' : 'shared';
    return unitOfWork.run(caller, { lock, access: 'write' }, async (tx) => {
      // Payouts may have been enabled since the file was written.
      await assertPaidByHandover(tx, request.period);
      // Of two people who record the same file with what is new, one is the first.
      if (request.scope === 'new' && (await countHandovers(tx, request.period)) >= file.part) throw fileChanged();
      const handoverId = await insertHandover(tx, caller, { ...file, ...request, note: request.note ?? null });
      const [handover] = await listHandovers(tx, { handoverId });
      return handover as PayrollHandover;
    });
  },
});

async function isLarge(requestedPeriod: Period, caller: Caller, unitOfWork: UnitOfWork): Promise<boolean> {
  const repIds = await unitOfWork.read(caller, (tx) => listRepsOfPeriod(tx, caller, requestedPeriod, true));
  return repIds.length > maxAwaited;
}

/** A worker records the hand-over, also when the caller is no longer there. */
async function startJob(
  { period: requestedPeriod, ...subject }: HandoverSubject & { readonly period: Period },
  caller: Caller,
  { unitOfWork, queue }: { readonly unitOfWork: UnitOfWork; readonly queue: JobQueue },
) {
  const job = await unitOfWork.write(caller, async (tx) => {
    await assertPaidByHandover(tx, requestedPeriod);
    const requested = { period: requestedPeriod, subject, total: 1, caller: toStoredCaller(caller) };
    const jobId = await insertStoredJob(tx, { kind: 'handover', ...requested });
    return (await handoverJobs.find(tx, jobId)) as HandoverJob;
  });
  await queue.add(wakeOf('handover'), { workspaceId: caller.workspaceId });
  return new Reply(202, toHandoverJobResponse(job));
}
