import { sql } from 'kysely';
import { approveThrough } from '#src/app/approve-operation.js';
import { type Service } from '#src/app/composition.js';
import { describeRights } from '#src/app/describe-rights.js';
import { generateThrough } from '#src/app/generate-operation.js';
import { handOverThrough } from '#src/app/handover-operation.js';
import { BILLING_PROVIDER } from '#src/app/parts/tokens.js';
import { passUnanswered } from '#src/app/pass-unanswered.js';
import { readPagesThrough } from '#src/app/read-pages.js';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { BillingIntake } from '#src/billing/billing-intake.js';
import { DealExplainer } from '#src/commissions/deal-explainer.js';
import { CrmSyncRunner } from '#src/crm/sync/crm-sync-runner.js';
import { WriteBackRunner } from '#src/crm/write-back/write-back-runner.js';
import { DocumentMaker } from '#src/exports/documents/document-maker.js';
import { MonthReports } from '#src/finance/month-reports.js';
import { mapInParallel } from '#src/kernel/waiting.js';
import { calculateJob } from '#src/ledger/lanes/calculate-job.js';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { LocalLaneDispatcher } from '#src/ledger/lanes/local-lane-dispatcher.js';
import { CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { DeliveryRunner } from '#src/outgoing/events/delivery-runner.js';
import { ApprovalReminders } from '#src/outgoing/notifications/approval-reminders.js';
import { Notifications } from '#src/outgoing/notifications/notifications.js';
import { RepDigest } from '#src/outgoing/notifications/rep-digest.js';
import { ScheduledImportMails } from '#src/outgoing/notifications/scheduled-import-mails.js';
import { WeeklyDigest } from '#src/outgoing/notifications/weekly-digest.js';
import { PdfPrinter } from '#src/platform/documents/browser.js';
import { InboxRunner } from '#src/platform/inbox/inbox-runner.js';
import { QUEUE_BACKEND } from '#src/platform/injection-tokens.js';
import { type JobHandler, JobQueue, JobWorker, runUnqueued } from '#src/platform/jobs/job-queue.js';
import { Leases } from '#src/platform/jobs/leases.js';
import { MailServer } from '#src/platform/mail/mail-server.js';
import { Outbox } from '#src/platform/mail/outbox.js';
import { deliverEventsJob } from '#src/platform/outbound/delivery-job.js';
import { PeriodicTask } from '#src/platform/periodic-task.js';
import { wakeOf } from '#src/platform/stored-jobs/stored-job.js';
import { runScheduledImportsJob } from '#src/scheduled-imports/scheduled-import-job.js';
import { ScheduledImportRunner } from '#src/scheduled-imports/scheduled-import-runner.js';
import { PeriodChecker } from '#src/statements/discrepancies/period-checker.js';
import { ApprovalJobs } from './approval-jobs.js';
import { BillingSweep } from './billing-sweep.js';
import { CorrectionSearch } from './correction-search.js';
import { CrmSweep } from './crm-sweep.js';
import { DiscrepancySweep } from './discrepancy-sweep.js';
import { wakeDueWork } from './due-work.js';
import { ExceptionJobs } from './exception-jobs.js';
import { ExportJobs } from './export-jobs.js';
import { GenerationJobs } from './generation-jobs.js';
import { HandoverJobs } from './handover-jobs.js';
import {
  calculateHandler,
  checkPeriodsHandler,
  inboxHandler,
  syncRunHandler,
  wakeHandler,
  writeBackHandler,
} from './job-handlers.js';
import { LaneSweep } from './lane-sweep.js';
import { LeasedJobRunner, type LeasedJobs } from './leased-job-runner.js';
import { LeasedWorker, type WorkKind, type WorkRunner } from './leased-worker.js';
import { requestPeriodEnds } from './period-ends.js';
import { PreparationJobs } from './preparation-jobs.js';
import { PreviewJobs } from './preview-jobs.js';
import { ScheduledImportJobs } from './scheduled-import-jobs.js';
import { sendMailHandler } from './send-mail.js';
import { Sweep, type SweptWork } from './sweep.js';
import {
  approvalWork,
  deliveryWork,
  exceptionWork,
  exportWork,
  generationWork,
  handoverWork,
  preparationWork,
  previewWork,
  scheduledImportWork,
} from './work-kinds.js';

export interface Workers {
  stop(): Promise<void>;
}

/** Starts the background work of this process: the job handlers, the workers with their own slots, and the periodic tasks. */
export async function startWorkers(service: Service): Promise<Workers> {
  const { config, unitOfWork, clock, log, parts } = service;
  const queueBackend = parts.resolve(QUEUE_BACKEND);
  const laneRunner = parts.resolve(LaneRunner);
  const localLanes = parts.resolve(LocalLaneDispatcher);
  const outbox = parts.resolve(Outbox);
  const leased = leasedWorkersOf(service);
  const leasedWorkers = Object.values(leased);
  const checker = new PeriodChecker(unitOfWork, clock);
  const handlers = [
    calculateHandler(laneRunner, parts.resolve(JobQueue)),
    checkPeriodsHandler(checker),
    inboxHandler(parts.resolve(InboxRunner)),
    syncRunHandler(parts.resolve(CrmSyncRunner)),
    writeBackHandler(parts.resolve(WriteBackRunner)),
    sendMailHandler(outbox, parts.resolve(MailServer), log, config.NODE_ENV === 'production'),
    wakeHandler(wakeOf('export'), leased.exports),
    wakeHandler(wakeOf('preview'), leased.previews),
    wakeHandler(wakeOf('approval'), leased.approvals),
    wakeHandler(wakeOf('exceptions'), leased.exceptions),
    wakeHandler(wakeOf('generation'), leased.generations),
    wakeHandler(wakeOf('handover'), leased.handovers),
    wakeHandler(wakeOf('preparation'), leased.preparations),
    wakeHandler(runScheduledImportsJob, leased.imports),
    wakeHandler(deliverEventsJob, leased.deliveries),
  ];
  const worker = new JobWorker(
    queueBackend,
    handlers as unknown as JobHandler<never>[],
    config.WORKER_CONCURRENCY,
    log,
  );
  await worker.start();
  localLanes.open((workspaceId, repId) => runUnqueued(calculateJob.name, () => laneRunner.run(workspaceId, [repId])));
  const sweeps = sweepsOf(service, checker);
  for (const sweep of sweeps) sweep.wake();
  const stored = [...leasedWorkers, ...sweeps];
  // Work whose wake-up was lost starts within a second.
  const lookout = new PeriodicTask('look for due work', 1000, () => wakeDueWork(service.database, stored), log);
  const tasks = [lookout, ...periodicTasks(service)];
  for (const task of tasks) void task.start();
  const inTurn = deletions(service);
  void startInTurn(inTurn);
  return {
    stop: async () => {
      await localLanes.close();
      await mapInParallel([...tasks, ...inTurn], (task) => task.stop());
      await mapInParallel(stored, (work) => work.stop());
      await worker.close();
      parts.resolve(MailServer).close();
    },
  };
}

/** The workers with slots of their own, each for one kind of work that is stored in the database. */
function leasedWorkersOf(service: Service) {
  const { database, unitOfWork, clock, log, parts } = service;
  const leases = parts.resolve(Leases);
  const pdfPrinter = parts.resolve(PdfPrinter);
  const withRunner = (kind: WorkKind, runner: WorkRunner) => new LeasedWorker(database, kind, runner, log);
  const ofJobs = <Job extends { readonly attempts: number }>(kind: WorkKind, jobs: LeasedJobs<Job>) =>
    withRunner(kind, new LeasedJobRunner(unitOfWork, leases, jobs, log));
  const explainer = parts.resolve(DealExplainer);
  return {
    exports: ofJobs(exportWork, new ExportJobs(new DocumentMaker(unitOfWork, pdfPrinter, clock, describeRights()))),
    previews: ofJobs(previewWork, new PreviewJobs(unitOfWork, clock)),
    approvals: ofJobs(approvalWork, new ApprovalJobs(unitOfWork, approveThrough(service.dispatcher))),
    exceptions: ofJobs(exceptionWork, new ExceptionJobs(unitOfWork, explainer, clock)),
    generations: ofJobs(generationWork, new GenerationJobs(unitOfWork, generateThrough(service.dispatcher))),
    handovers: ofJobs(handoverWork, new HandoverJobs(unitOfWork, handOverThrough(service.dispatcher))),
    preparations: ofJobs(preparationWork, new PreparationJobs(unitOfWork, parts.resolve(MonthReports), clock)),
    imports: ofJobs(
      scheduledImportWork,
      new ScheduledImportJobs(parts.resolve(ScheduledImportRunner), parts.resolve(ScheduledImportMails)),
    ),
    deliveries: withRunner(deliveryWork, parts.resolve(DeliveryRunner)),
  };
}

/** Nothing waits for the first runs, so a start opens one connection for them and not one for each. */
async function startInTurn(tasks: readonly PeriodicTask[]): Promise<void> {
  for (const task of tasks) await task.start();
}

/** Tasks that delete rows which have expired, and end those that their process has left. Each does nothing the second time. */
function deletions({ database, log }: Service): PeriodicTask[] {
  const task = (name: string, everyMs: number, statement: ReturnType<typeof sql>) =>
    new PeriodicTask(name, everyMs, async () => void (await statement.execute(database)), log);
  return [
    task('deletion of requests', 60_000, sql`select delete_old_request_data()`),
    task('deletion of messages of CRMs', 60_000, sql`select delete_old_messages(), delete_old_syncs()`),
    task('deletion of sign-in data', 300_000, sql`select delete_old_sign_ins()`),
    task('deletion of limited uses', 3_600_000, sql`select delete_old_uses()`),
    task('deletion of stored jobs', 60_000, sql`select delete_old_stored_jobs()`),
    task('deletion of deliveries', 3_600_000, sql`select delete_old_deliveries()`),
    task('deletion of change requests', 3_600_000, sql`select delete_old_change_requests()`),
    task('end of lost change requests', 10_000, sql`select end_lost_change_requests()`),
  ];
}

/** What finds lost work of the kinds that the queue wakes. Each also runs when the process starts. */
function sweepsOf({ database, unitOfWork, parts, log }: Service, checker: PeriodChecker): Sweep[] {
  const queue = parts.resolve(JobQueue);
  const outbox = parts.resolve(Outbox);
  const mails: SweptWork = {
    due: () => sql`select from due_mails(1)`,
    run: async () => outbox.wake(await outbox.due(200)),
  };
  const sealing: SweptWork = {
    due: () => sql`select from audit_work()`,
    run: () => sealAuditEntries(unitOfWork),
  };
  return [
    new Sweep('lane sweep', new LaneSweep(database, unitOfWork, parts.resolve(LaneRunner), queue, log), log),
    new Sweep('mail sweep', mails, log),
    new Sweep('audit sealing', sealing, log),
    new Sweep('discrepancy sweep', new DiscrepancySweep(database, unitOfWork, checker, log), log),
    new Sweep('CRM sweep', new CrmSweep(database, unitOfWork, queue, log), log),
  ];
}

function periodicTasks({ unitOfWork, dispatcher, parts, clock, log }: Service): PeriodicTask[] {
  const digest = new WeeklyDigest(unitOfWork, parts.resolve(Notifications), clock, log);
  const repDigest = new RepDigest(unitOfWork, parts.resolve(Notifications), readPagesThrough(dispatcher), clock, log);
  const reminders = new ApprovalReminders(
    unitOfWork,
    parts.resolve(Notifications),
    clock,
    passUnanswered({ unitOfWork, laneRunner: parts.resolve(LaneRunner), clock }),
    log,
  );
  const corrections = new CorrectionSearch(unitOfWork, parts.resolve(MonthReports), clock, log);
  const periodEnds = { unitOfWork, changes: parts.resolve(CommissionChanges), clock, log };
  const tasks = [
    new PeriodicTask('ends of periods', 10_000, (stopping) => requestPeriodEnds(periodEnds, stopping), log),
    new PeriodicTask('weekly digest', 600_000, (stopping) => digest.run(stopping), log),
    new PeriodicTask('weekly mail about pay', 600_000, (stopping) => repDigest.run(stopping), log),
    new PeriodicTask('reminders of signers', 600_000, (stopping) => reminders.run(stopping), log),
    new PeriodicTask('search for corrections', 600_000, (stopping) => corrections.run(stopping), log),
  ];
  const billingProvider = parts.resolve(BILLING_PROVIDER);
  if (billingProvider === null) return tasks;
  const billingSweep = new BillingSweep(unitOfWork, billingProvider, parts.resolve(BillingIntake), clock, log);
  return [...tasks, new PeriodicTask('billing sweep', 60_000, () => billingSweep.run(), log)];
}
