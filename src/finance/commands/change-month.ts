import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day } from '../../kernel/day.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { text } from '../../platform/operations/schemas.js';
import { wakeOf } from '../../platform/stored-jobs/stored-job.js';
import { computeBeforeLock } from '../before-lock.js';
import { noFindings } from '../checklist.js';
import {
  assertMayPrepare,
  closeMonth,
  loadClosable,
  postJournals,
  prepareComputed,
  prepareMonth,
  reopenMonth,
  requireOpen,
} from '../close-month.js';
import { MonthReports } from '../month-reports.js';
import { deletePreparation } from '../preparation.js';
import { startPreparation } from '../preparation-job.js';
import {
  loadMonth,
  monthParams,
  monthWithChecklist,
  monthWithChecklistExample,
  readMonth,
} from '../queries/get-accounting-month.js';

const failures = { accounting_off: 409, month_not_found: 404 } as const;
const blocked = {
  ...failures,
  month_closed: 409,
  close_in_order: 409,
  month_not_over: 409,
  no_fiscal_period: 409,
  calculation_pending: 409,
  fx_rate_missing: 409,
  unassigned_lots: 409,
  policy_proposed: 409,
} as const;
const uses = { unitOfWork: UnitOfWork, clock: CLOCK, reports: MonthReports };
const params = { month: '2026-02' };
const open = { ...monthWithChecklistExample, status: 'open', version: null, closedBy: null, closedAt: null } as const;

type Response = z.input<typeof monthWithChecklist>;

interface Parts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly reports: MonthReports;
}

interface Now {
  readonly today: Day;
  readonly at: Date;
}

/** Works on the months alone in the workspace. */
function inBooks<T>(
  caller: Caller,
  { unitOfWork, clock }: Parts,
  work: (tx: Transaction, now: Now) => Promise<T>,
): Promise<T> {
  return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) =>
    work(tx, { today: await workspaceToday(tx, clock), at: clock.now() }),
  );
}

/** Changes a month, and returns it. */
async function change(
  caller: Caller,
  parts: Parts,
  month: string,
  work: (tx: Transaction, now: Now) => Promise<void>,
): Promise<Response> {
  await inBooks(caller, parts, work);
  return readMonth(caller, parts, month);
}

/** A worker prepares the month, also when the caller is no longer there. */
async function startJob(caller: Caller, parts: Parts & { readonly queue: JobQueue }, month: string) {
  const { unitOfWork, clock, queue } = parts;
  await unitOfWork.write(caller, async (tx) => {
    await assertMayPrepare(tx, month, noFindings, await workspaceToday(tx, clock));
    await startPreparation(tx, caller, month);
  });
  await queue.add(wakeOf('preparation'), { workspaceId: caller.workspaceId });
  return new Reply(202, await readMonth(caller, parts, month));
}

export const prepareAccountingMonth = operation({
  id: 'prepareAccountingMonth',
  summary: 'Say that the books of a month are right, so that another person closes it',
  method: 'post',
  path: '/v1/accounting/months/:month/prepare',
  access: 'admin',
  payroll: true,
  scope: null,
  params: monthParams,
  response: monthWithChecklist.describe(
    'The month. With status 202, its books are large: `job` computes them, and prepares the month when nothing stops it',
  ),
  otherStatus: 202,
  failures: blocked,
  example: { params, response: { ...open, status: 'prepared', preparedAt: '2026-03-04T09:00:00.000Z' } },
  uses: { ...uses, queue: JobQueue },
  async execute({ params: { month } }, caller, parts) {
    const { isLarge, stored } = await parts.reports.find(caller, month);
    if (isLarge && stored === null) return startJob(caller, parts, month);
    return inBooks(caller, parts, async (tx, now) => {
      const known =
        stored === null
          ? await prepareMonth(tx, caller, month, now)
          : await prepareComputed(tx, caller, stored.head, now);
      return loadMonth(tx, month, now.today, async () => known);
    });
  },
});

export const cancelAccountingPreparation = operation({
  id: 'cancelAccountingPreparation',
  summary: 'Take the preparation of a month back',
  method: 'delete',
  path: '/v1/accounting/months/:month/prepare',
  access: 'admin',
  payroll: true,
  scope: null,
  params: monthParams,
  response: monthWithChecklist,
  failures: { ...failures, month_closed: 409 },
  example: { params, response: { ...open, hash: null, preparedBy: null } },
  uses,
  async execute({ params: { month } }, caller, parts) {
    return change(caller, parts, month, async (tx, { today }) => {
      await requireOpen(tx, month, today);
      await deletePreparation(tx, month);
    });
  },
});

export const closeAccountingMonth = operation({
  id: 'closeAccountingMonth',
  summary: 'Close a month that another person has prepared; its books never change after that',
  method: 'post',
  path: '/v1/accounting/months/:month/close',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  params: monthParams,
  body: z.strictObject({ hash: text(64).describe('The hash that was prepared: the books are still the same') }),
  response: monthWithChecklist,
  failures: { ...blocked, month_not_prepared: 409, books_changed: 409, second_person_required: 403 },
  example: { params, body: { hash: monthWithChecklistExample.hash }, response: monthWithChecklistExample },
  uses,
  async execute({ params: { month }, body: { hash } }, caller, parts) {
    const compute = await computeBeforeLock(caller, parts, (tx, today) => loadClosable(tx, caller, month, today));
    return change(caller, parts, month, (tx, now) => closeMonth(tx, caller, { month, hash, compute }, now));
  },
});

export const reopenAccountingMonth = operation({
  id: 'reopenAccountingMonth',
  summary: 'Request to reopen the latest closed month, or reopen it after another person has requested it',
  method: 'post',
  path: '/v1/accounting/months/:month/reopen',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  params: monthParams,
  body: z.strictObject({ reason: text(1000).describe('Why, for the audit log') }),
  response: monthWithChecklist,
  failures: {
    ...failures,
    month_open: 409,
    close_in_order: 409,
    journals_posted: 409,
    second_person_required: 403,
  },
  example: { params, body: { reason: 'A batch was missing' }, response: { ...open, hash: null, preparedBy: null } },
  uses,
  async execute({ params: { month }, body: { reason } }, caller, parts) {
    return change(caller, parts, month, (tx, now) => reopenMonth(tx, caller, { month, reason }, now));
  },
});

export const recordPostedJournals = operation({
  id: 'recordPostedJournals',
  summary: 'Record that the journals of a closed month were posted, after which it stays closed',
  method: 'post',
  path: '/v1/accounting/journals/:month/posted',
  access: 'admin',
  payroll: true,
  scope: null,
  params: monthParams,
  body: z.strictObject({ reference: text(200).describe('Reference in the books of the company') }),
  response: monthWithChecklist,
  failures: { ...failures, month_open: 409, journals_posted: 409 },
  example: { params, body: { reference: 'JE-2026-02' }, response: monthWithChecklistExample },
  uses,
  async execute({ params: { month }, body: { reference } }, caller, parts) {
    return change(caller, parts, month, (tx, now) => postJournals(tx, caller, { month, reference }, now));
  },
});
