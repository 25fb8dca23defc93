import { BillingInboxHandler } from '../../billing/billing-inbox-handler.js';
import { BillingIntake } from '../../billing/billing-intake.js';
import { type BillingProvider } from '../../billing/billing-provider.js';
import { billingProvider, billingTerms } from '../../billing/billing-settings.js';
import { CrmAccounts } from '../../crm/connections/crm-accounts.js';
import { crmAdapters } from '../../crm/connections/crm-adapters.js';
import { CrmConnector } from '../../crm/connections/crm-connector.js';
import { CrmConsents } from '../../crm/connections/crm-consents.js';
import { CrmInboxHandler } from '../../crm/deliveries/crm-inbox-handler.js';
import { DeliveryHealth } from '../../crm/deliveries/delivery-health.js';
import { DeliveryOutcomes } from '../../crm/deliveries/delivery-outcomes.js';
import { UnverifiedDeliveries } from '../../crm/deliveries/unverified-deliveries.js';
import { WebhookLimits } from '../../crm/deliveries/webhook-limits.js';
import { CrmSync } from '../../crm/sync/crm-sync.js';
import { CrmSyncRunner, type SyncSettings } from '../../crm/sync/crm-sync-runner.js';
import { syncRunJob } from '../../crm/sync/sync-run.js';
import { WriteBackRunner } from '../../crm/write-back/write-back-runner.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { Notifications } from '../../outgoing/notifications/notifications.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Inbox } from '../../platform/inbox/inbox.js';
import { InboxRunner } from '../../platform/inbox/inbox-runner.js';
import { InboxWake } from '../../platform/inbox/inbox-wake.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { Leases } from '../../platform/jobs/leases.js';
import { AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type PartContainer } from '../../platform/part-container.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { BILLING_PROVIDER } from './tokens.js';

/** The CRMs and the billing provider: connections, what they send, syncs, and what is written back. */
export function provideCrm(parts: PartContainer): void {
  parts
    .provide(CrmAccounts, createAccounts)
    .provideClass(CrmConnector, [CrmAccounts, UnitOfWork, Secrets, CONFIG, LOG])
    .provideClass(CrmConsents, [CrmAccounts, CrmConnector, UnitOfWork, AttemptLimits, Secrets, CONFIG, CLOCK])
    .provideClass(CrmSync, [UnitOfWork, JobQueue])
    .provide(CrmSyncRunner, createSyncRunner)
    .provide(WriteBackRunner, createWriteBackRunner)
    .provideClass(InboxWake, [JobQueue])
    .provideClass(Inbox, [DATABASE, Secrets, InboxWake])
    .provide(InboxRunner, createInboxRunner)
    .provideClass(DeliveryHealth, [UnitOfWork, LOG], (health) => health.flush())
    .provideClass(DeliveryOutcomes, [UnitOfWork])
    .provideClass(UnverifiedDeliveries, [AttemptLimits])
    .provide(WebhookLimits, () => new WebhookLimits(parts.resolve(CONFIG).WEBHOOKS_PER_SECOND))
    .provide(BILLING_PROVIDER, (): BillingProvider | null => billingProvider(parts.resolve(CONFIG)))
    .provideClass(BillingIntake, [UnitOfWork, Inbox, LOG]);
}

function createAccounts(parts: PartContainer): CrmAccounts {
  const adapters = crmAdapters(parts.resolve(CONFIG));
  return new CrmAccounts(adapters, parts.resolve(UnitOfWork), parts.resolve(Leases), parts.resolve(Secrets));
}

function createSyncRunner(parts: PartContainer): CrmSyncRunner {
  const config = parts.resolve(CONFIG);
  const settings: SyncSettings = {
    pollSeconds: config.CRM_POLL_SECONDS,
    retryMs: config.CRM_RETRY_MS,
    repairWebhook: (workspaceId, provider) => parts.resolve(CrmConnector).repairWebhook(workspaceId, provider),
    onGivenUp: (tx, provider, reason) => parts.resolve(Notifications).syncGivenUp(tx, provider, reason),
  };
  return new CrmSyncRunner(
    parts.resolve(CrmAccounts),
    parts.resolve(UnitOfWork),
    parts.resolve(CommissionChanges),
    parts.resolve(Leases),
    settings,
    (work) => parts.resolve(JobQueue).add(syncRunJob, work),
    parts.resolve(LOG),
  );
}

function createWriteBackRunner(parts: PartContainer): WriteBackRunner {
  return new WriteBackRunner(
    parts.resolve(CrmAccounts),
    parts.resolve(UnitOfWork),
    parts.resolve(Leases),
    parts.resolve(JobQueue),
    parts.resolve(CONFIG).CRM_RETRY_MS,
    parts.resolve(LOG),
  );
}

function createInboxRunner(parts: PartContainer): InboxRunner {
  const unitOfWork = parts.resolve(UnitOfWork);
  const log = parts.resolve(LOG);
  const billing = parts.resolve(BILLING_PROVIDER);
  const handlers = [
    new CrmInboxHandler(parts.resolve(CrmAccounts), unitOfWork, parts.resolve(CommissionChanges)),
    new BillingInboxHandler(unitOfWork, billing, billingTerms(parts.resolve(CONFIG)), parts.resolve(CLOCK), log),
  ];
  return new InboxRunner(unitOfWork, parts.resolve(Leases), handlers, parts.resolve(InboxWake), log);
}
