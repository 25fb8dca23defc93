import { SessionProofs } from '../../access/auth/session-proofs.js';
import { CallLog } from '../../audit/call-log.js';
import { DealExplainer } from '../../commissions/deal-explainer.js';
import { ExceptionReports } from '../../commissions/exception-reports.js';
import { Forecaster } from '../../commissions/forecast/forecaster.js';
import { simulationLimits, simulationThreads } from '../../commissions/simulation-limits.js';
import { SimulationRunner } from '../../commissions/simulation-runner.js';
import { REMOVE_PAY_FACTS } from '../../deals/purge-deal.js';
import { ExportRequests } from '../../exports/export-requests.js';
import { MonthReports } from '../../finance/month-reports.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { operations } from '../../operations.js';
import { ScheduledImportMails } from '../../outgoing/notifications/scheduled-import-mails.js';
import { removePayFacts } from '../../pay/payouts/remove-pay-facts.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { PdfPrinter } from '../../platform/documents/browser.js';
import { CLOCK, CONFIG, LOG } from '../../platform/injection-tokens.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { ToolRunner } from '../../platform/mcp/tool-runner.js';
import { OperationDispatcher } from '../../platform/operations/operation-dispatcher.js';
import { type PartContainer } from '../../platform/part-container.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { importSlots } from '../../scheduled-imports/scheduled-import-job.js';
import { type RunnerSettings, ScheduledImportRunner } from '../../scheduled-imports/scheduled-import-runner.js';
import { SourceThreads } from '../../scheduled-imports/sources/source-threads.js';
import { importsThrough, uploadLimits } from '../import-operations.js';
import { RUN_SOURCES, SIMULATION_THREADS } from './tokens.js';

/** The operations, and what only they use: simulations, explanations, exports, scheduled imports. */
export function provideOperations(parts: PartContainer): void {
  const limits = () => simulationLimits(parts.resolve(CONFIG));
  parts
    .provide(
      SIMULATION_THREADS,
      () => simulationThreads(limits()),
      (threads) => threads.close(),
    )
    .provide(SimulationRunner, () => new SimulationRunner(parts.resolve(SIMULATION_THREADS), limits()))
    .provide(
      DealExplainer,
      () => new DealExplainer(parts.resolve(UnitOfWork), parts.resolve(SIMULATION_THREADS), limits()),
    )
    .provide(Forecaster, () => new Forecaster(parts.resolve(UnitOfWork), parts.resolve(SIMULATION_THREADS), limits()))
    .provideClass(ExceptionReports, [UnitOfWork, DealExplainer, JobQueue, CLOCK])
    .provideClass(MonthReports, [UnitOfWork, CLOCK])
    .provide(REMOVE_PAY_FACTS, () => removePayFacts)
    .provideClass(ExportRequests, [UnitOfWork, JobStatuses, JobQueue])
    .provide(
      PdfPrinter,
      () => new PdfPrinter(parts.resolve(CONFIG).CHROMIUM_PATH, parts.resolve(LOG)),
      (printer) => printer.close(),
    )
    .provide(ToolRunner, () => new ToolRunner(operations, () => parts.resolve(OperationDispatcher), parts.resolve(LOG)))
    .provideClass(CallLog, [UnitOfWork, LOG])
    .provide(OperationDispatcher, createDispatcher)
    .provide(
      SourceThreads,
      () => new SourceThreads(importSlots),
      (threads) => threads.close(),
    )
    .provide(
      RUN_SOURCES,
      () => new SourceThreads(importSlots),
      (threads) => threads.close(),
    )
    .provide(ScheduledImportRunner, createScheduledImports);
}

function createDispatcher(parts: PartContainer): OperationDispatcher {
  return new OperationDispatcher(operations, parts, parts.resolve(CallLog), parts.resolve(SessionProofs));
}

const sourceMs = timeLimit(5 * 60_000);
/** The provider is no stranger, and a page of 100 invoices takes up to a second. */
const stripeMs = timeLimit(30 * 60_000);

function createScheduledImports(parts: PartContainer): ScheduledImportRunner {
  const config = parts.resolve(CONFIG);
  const settings: RunnerSettings = {
    allowLoopback: config.CRM_ALLOW_LOOPBACK,
    timeoutMs: timeLimit(30_000),
    stripeBase: config.BILLING_API_BASE,
    maxFileBytes: uploadLimits,
    sourceMs: { url: sourceMs, s3: sourceMs, sftp: sourceMs, stripe: stripeMs },
  };
  return new ScheduledImportRunner(
    importsThrough(parts.resolve(OperationDispatcher)),
    parts.resolve(RUN_SOURCES),
    parts.resolve(Secrets),
    parts.resolve(ScheduledImportMails),
    settings,
  );
}
