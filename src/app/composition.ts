import { CallLog } from '../audit/call-log.js';
import { FailedSignIns } from '../auth/failed-sign-ins.js';
import { IdentityProviders } from '../auth/oidc/identity-providers.js';
import { SessionProofs } from '../auth/session-proofs.js';
import { SignIns } from '../auth/sign-ins.js';
import { StartLinks } from '../auth/start-links.js';
import { BillingInboxHandler } from '../billing/billing-inbox-handler.js';
import { BillingIntake } from '../billing/billing-intake.js';
import { type BillingProvider } from '../billing/billing-provider.js';
import { billingProvider, billingTerms } from '../billing/billing-settings.js';
import { DealExplainer } from '../commissions/deal-explainer.js';
import { ExceptionReports } from '../commissions/exception-reports.js';
import { simulationLimits, simulationThreads } from '../commissions/simulation-limits.js';
import { SimulationRunner } from '../commissions/simulation-runner.js';
import { CrmAccounts } from '../crm/connections/crm-accounts.js';
import { crmAdapters } from '../crm/connections/crm-adapters.js';
import { CrmConnector } from '../crm/connections/crm-connector.js';
import { CrmConsents } from '../crm/connections/crm-consents.js';
import { CrmInboxHandler } from '../crm/deliveries/crm-inbox-handler.js';
import { DeliveryHealth } from '../crm/deliveries/delivery-health.js';
import { DeliveryOutcomes } from '../crm/deliveries/delivery-outcomes.js';
import { UnverifiedDeliveries } from '../crm/deliveries/unverified-deliveries.js';
import { WebhookLimits } from '../crm/deliveries/webhook-limits.js';
import { CrmSync } from '../crm/sync/crm-sync.js';
import { CrmSyncRunner, type SyncSettings } from '../crm/sync/crm-sync-runner.js';
import { type SyncRunPayload, syncRunJob } from '../crm/sync/sync-run.js';
import { WriteBackRunner } from '../crm/write-back/write-back-runner.js';
import { deriveFromPeople } from '../deals/derive-from-people.js';
import { ExportRequests } from '../exports/export-requests.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import { timeLimit } from '../kernel/time-limit.js';
import { mapInParallel } from '../kernel/waiting.js';
import { wakeLanesThrough } from '../ledger/lanes/calculate-job.js';
import { LaneRunner } from '../ledger/lanes/lane-runner.js';
import { LocalLaneDispatcher } from '../ledger/lanes/local-lane-dispatcher.js';
import { CommissionChanges } from '../ledger/requests/commission-changes.js';
import { Notifications } from '../notifications/notifications.js';
import { ScheduledImportMails } from '../notifications/scheduled-import-mails.js';
import { operations } from '../operations.js';
import { DeliveryRunner, type DeliverySettings } from '../outgoing-events/delivery-runner.js';
import { type Config } from '../platform/config.js';
import { createDatabase, type Database } from '../platform/database/pool.js';
import { ReadReplica } from '../platform/database/read-replica.js';
import { mainShard } from '../platform/database/shard-settings.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { PdfPrinter } from '../platform/documents/browser.js';
import { Inbox } from '../platform/inbox/inbox.js';
import { InboxRunner } from '../platform/inbox/inbox-runner.js';
import { InboxWake } from '../platform/inbox/inbox-wake.js';
import { CLOCK, CONFIG } from '../platform/injection-tokens.js';
import { chooseQueueBackend, JobQueue, type QueueBackend } from '../platform/jobs/job-queue.js';
import { Leases } from '../platform/jobs/leases.js';
import { AttemptLimits } from '../platform/limits/attempt-limits.js';
import { type Log } from '../platform/log.js';
import { MailServer } from '../platform/mail/mail-server.js';
import { Outbox } from '../platform/mail/outbox.js';
import { ToolRunner } from '../platform/mcp/tool-runner.js';
import { OperationDispatcher } from '../platform/operations/operation-dispatcher.js';
import { deliverEventsJob } from '../platform/outbound/delivery-job.js';
import { PartRegistry } from '../platform/part-registry.js';
import { openSecrets } from '../platform/secrets/master-key.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { importSlots } from '../scheduled-imports/scheduled-import-job.js';
import { type RunnerSettings, ScheduledImportRunner } from '../scheduled-imports/scheduled-import-runner.js';
import { SourceThreads } from '../scheduled-imports/sources/source-threads.js';
import { wakeChecksThrough } from '../statements/discrepancies/check-job.js';
import { importsThrough, uploadLimits } from './import-operations.js';

/** The parts of a running process. Processes differ only in which of them they start. */
export interface Service {
  readonly config: Config;
  readonly database: Database;
  readonly replica: ReadReplica | undefined;
  readonly unitOfWork: UnitOfWork;
  readonly leases: Leases;
  readonly queueBackend: QueueBackend;
  readonly queue: JobQueue;
  readonly laneRunner: LaneRunner;
  readonly signIns: SignIns;
  readonly inboxRunner: InboxRunner;
  readonly crmSyncRunner: CrmSyncRunner;
  readonly writeBackRunner: WriteBackRunner;
  readonly localLanes: LocalLaneDispatcher;
  readonly changes: CommissionChanges;
  readonly secrets: Secrets;
  readonly deliveryRunner: DeliveryRunner;
  readonly notifications: Notifications;
  readonly scheduledImports: ScheduledImportRunner;
  readonly scheduledImportMails: ScheduledImportMails;
  readonly outbox: Outbox;
  readonly mailServer: MailServer;
  readonly identityProviders: IdentityProviders;
  readonly pdfPrinter: PdfPrinter;
  readonly attemptLimits: AttemptLimits;
  readonly dispatcher: OperationDispatcher;
  /** Null if no billing provider is configured. */
  readonly billingProvider: BillingProvider | null;
  /** Links that sign in or create a workspace, which the terminal shows. */
  readonly startLinks: StartLinks;
  readonly registry: PartRegistry;
  readonly clock: Clock;
  readonly log: Log;
  close(): Promise<void>;
}

/** The composition root: the only place that constructs the parts. `appUrl` is the database of the service's tables. */
export function compose(
  config: Config,
  appUrl: string,
  log: Log,
  clock: Clock = systemClock,
  /** The name of the database among several. */
  shard: string = mainShard,
): Service {
  const core = composeCore(config, appUrl, log, clock, shard);
  const { unitOfWork, leases, changes, secrets, queue } = core;
  const startLinks = new StartLinks();
  const deliveryHealth = new DeliveryHealth(unitOfWork, log);
  const inboxWake = new InboxWake(queue);
  const crmAccounts = new CrmAccounts(crmAdapters(config), unitOfWork, leases, secrets);
  const billing = billingProvider(config);
  const inboxHandlers = [
    new CrmInboxHandler(crmAccounts, unitOfWork, changes),
    new BillingInboxHandler(unitOfWork, billing, billingTerms(config), clock, log),
  ];
  const wakeSync = (work: SyncRunPayload) => queue.add(syncRunJob, work);
  const threads = simulationThreads(simulationLimits(config));
  const sources = new SourceThreads(importSlots);
  const testedSources = new SourceThreads(importSlots);
  const toolRunner = new ToolRunner(operations, log);
  const connector = new CrmConnector(crmAccounts, unitOfWork, secrets, config, log);
  const own = { crmAccounts, connector, inboxWake, startLinks, deliveryHealth, toolRunner, threads, testedSources };
  const registry = registerParts(core, own);
  const syncSettings = toSyncSettings(config, core.notifications, connector);
  const proofs = new SessionProofs(unitOfWork);
  const dispatcher = new OperationDispatcher(operations, registry, new CallLog(unitOfWork, log), proofs);
  toolRunner.attach(dispatcher);
  const scheduledImportMails = new ScheduledImportMails(core.notifications);
  const callImport = importsThrough(dispatcher);
  return {
    ...core,
    inboxRunner: new InboxRunner(unitOfWork, leases, inboxHandlers, inboxWake, log),
    crmSyncRunner: new CrmSyncRunner(crmAccounts, unitOfWork, changes, leases, syncSettings, wakeSync, log),
    writeBackRunner: new WriteBackRunner(crmAccounts, unitOfWork, leases, queue, config.CRM_RETRY_MS, log),
    dispatcher,
    deliveryRunner: new DeliveryRunner(unitOfWork, leases, secrets, deliverySettings(config, core.notifications), log),
    scheduledImports: new ScheduledImportRunner(
      callImport,
      sources,
      secrets,
      scheduledImportMails,
      sourceSettings(config),
    ),
    scheduledImportMails,
    billingProvider: billing,
    startLinks,
    registry,
    close: async () => {
      await mapInParallel([threads, sources, testedSources], (pool) => pool.close());
      await deliveryHealth.flush();
      await core.pdfPrinter.close();
      await queue.close();
      await core.replica?.close();
      await core.database.destroy();
    },
  };
}

/** The parts that the slices share: databases, queue, calculation, secrets, mail, PDF. */
function composeCore(config: Config, appUrl: string, log: Log, clock: Clock, shard: string) {
  const size = config.DATABASE_POOL_SIZE;
  const onError = (error: Error) => log.warn({ err: error }, 'database connection lost');
  const database = createDatabase({ url: appUrl, size, onError });
  const replica = composeReplica(config, database, log);
  const queueBackend = chooseQueueBackend(config, appUrl, shard);
  const queue = new JobQueue(queueBackend, log);
  const localLanes = new LocalLaneDispatcher(wakeLanesThrough(queue), log);
  const unitOfWork = new UnitOfWork(database, {
    concurrency: Math.max(2, Math.floor(size / 3)),
    replica,
    onReleased: (workspaceId, repIds) => laneRunner.wakeReleased(workspaceId, repIds),
    onEvents: (workspaceId) => void queue.add(deliverEventsJob, { workspaceId }),
    onRecorded: (tx, events) => notifications.send(tx, events),
  });
  const laneRunner: LaneRunner = new LaneRunner(unitOfWork, clock, localLanes.wake, log, wakeChecksThrough(queue));
  const secrets = openSecrets(config);
  const outbox = new Outbox(unitOfWork, secrets, queue);
  const mailServer = new MailServer(config, unitOfWork, secrets);
  const notifications: Notifications = new Notifications(outbox, mailServer, config);
  return {
    config,
    log,
    clock,
    database,
    replica,
    queueBackend,
    queue,
    localLanes,
    unitOfWork,
    leases: new Leases(unitOfWork),
    laneRunner,
    changes: new CommissionChanges(unitOfWork, localLanes.wake, laneRunner, clock, deriveFromPeople),
    secrets,
    outbox,
    mailServer,
    identityProviders: new IdentityProviders(config, unitOfWork, secrets, log),
    notifications,
    signIns: new SignIns(unitOfWork, clock),
    attemptLimits: new AttemptLimits(database, config.FAILED_SIGN_INS_PER_MINUTE),
    pdfPrinter: new PdfPrinter(config.CHROMIUM_PATH, log),
  };
}

function composeReplica(config: Config, primary: Database, log: Log): ReadReplica | undefined {
  const { DATABASE_READ_URL: url, DATABASE_READ_MAX_LAG_SECONDS: maxLagSeconds, DATABASE_POOL_SIZE: size } = config;
  return url === undefined ? undefined : new ReadReplica({ url, size, maxLagSeconds, primary, log });
}

/** The parts that only the operations and the runners use. */
interface OwnParts {
  readonly crmAccounts: CrmAccounts;
  readonly connector: CrmConnector;
  readonly inboxWake: InboxWake;
  readonly startLinks: StartLinks;
  readonly deliveryHealth: DeliveryHealth;
  readonly toolRunner: ToolRunner;
  readonly threads: ReturnType<typeof simulationThreads>;
  readonly testedSources: SourceThreads;
}

/** Registers everything that an operation may use. */
function registerParts(core: ReturnType<typeof composeCore>, own: OwnParts): PartRegistry {
  const { config, clock, log, unitOfWork, changes, laneRunner, secrets, outbox, attemptLimits, queue } = core;
  const { crmAccounts, connector, threads } = own;
  const inbox = new Inbox(core.database, secrets, own.inboxWake);
  const limits = simulationLimits(config);
  const explainer = new DealExplainer(unitOfWork, threads, limits);
  return new PartRegistry()
    .register(UnitOfWork, unitOfWork)
    .register(CommissionChanges, changes)
    .register(LaneRunner, laneRunner)
    .register(CLOCK, clock)
    .register(CONFIG, config)
    .register(Secrets, secrets)
    .register(Outbox, outbox)
    .register(MailServer, core.mailServer)
    .register(AttemptLimits, attemptLimits)
    .register(FailedSignIns, new FailedSignIns(unitOfWork, secrets, attemptLimits, log))
    .register(IdentityProviders, core.identityProviders)
    .register(SignIns, core.signIns)
    .register(StartLinks, own.startLinks)
    .register(JobQueue, queue)
    .register(CrmAccounts, crmAccounts)
    .register(CrmConnector, connector)
    .register(CrmConsents, new CrmConsents(crmAccounts, connector, unitOfWork, attemptLimits, secrets, config, clock))
    .register(CrmSync, new CrmSync(unitOfWork, queue))
    .register(Inbox, inbox)
    .register(BillingIntake, new BillingIntake(unitOfWork, inbox, log))
    .register(DeliveryHealth, own.deliveryHealth)
    .register(DeliveryOutcomes, new DeliveryOutcomes(unitOfWork))
    .register(UnverifiedDeliveries, new UnverifiedDeliveries(attemptLimits))
    .register(WebhookLimits, new WebhookLimits(config.WEBHOOKS_PER_SECOND))
    .register(ToolRunner, own.toolRunner)
    .register(SimulationRunner, new SimulationRunner(threads, limits))
    .register(DealExplainer, explainer)
    .register(SourceThreads, own.testedSources)
    .register(ExceptionReports, new ExceptionReports(unitOfWork, explainer, queue, clock))
    .register(ExportRequests, new ExportRequests(unitOfWork, queue));
}

function toSyncSettings(config: Config, notifications: Notifications, connector: CrmConnector): SyncSettings {
  return {
    pollSeconds: config.CRM_POLL_SECONDS,
    retryMs: config.CRM_RETRY_MS,
    repairWebhook: (workspaceId, provider) => connector.repairWebhook(workspaceId, provider),
    onGivenUp: (tx, provider, reason) => notifications.syncGivenUp(tx, provider, reason),
  };
}

/** How long a source may take, and the largest file: that of an upload. */
const sourceMs = timeLimit(5 * 60_000);
/** The provider is no stranger, and a page of 100 invoices takes up to a second. */
const stripeMs = timeLimit(30 * 60_000);

function sourceSettings(config: Config): RunnerSettings {
  return {
    allowLoopback: config.CRM_ALLOW_LOOPBACK,
    timeoutMs: timeLimit(30_000),
    stripeBase: config.BILLING_API_BASE,
    maxFileBytes: uploadLimits,
    sourceMs: { url: sourceMs, s3: sourceMs, sftp: sourceMs, stripe: stripeMs },
  };
}

/** How outgoing events are sent. */
function deliverySettings(config: Config, notifications: Notifications): DeliverySettings {
  return {
    allowLoopback: config.CRM_ALLOW_LOOPBACK,
    timeoutMs: timeLimit(10_000),
    maxResponseBytes: 64 * 1024,
    onDisabled: (tx, url, reason) => notifications.endpointDisabled(tx, new URL(url).host, reason),
  };
}
