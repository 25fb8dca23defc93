import { timeLimit } from '../../kernel/time-limit.js';
import { DeliveryRunner, type DeliverySettings } from '../../outgoing/events/delivery-runner.js';
import { Notifications } from '../../outgoing/notifications/notifications.js';
import { ScheduledImportMails } from '../../outgoing/notifications/scheduled-import-mails.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG, LOG } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { Leases } from '../../platform/jobs/leases.js';
import { MailServer } from '../../platform/mail/mail-server.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { type PartContainer } from '../../platform/part-container.js';
import { Secrets } from '../../platform/secrets/secrets.js';

/** Mails to people, and outgoing events to other systems. */
export function provideMessages(parts: PartContainer): void {
  parts
    .provideClass(Outbox, [UnitOfWork, Secrets, JobQueue])
    .provideClass(MailServer, [CONFIG, UnitOfWork, Secrets])
    .provideClass(Notifications, [Outbox, MailServer, CONFIG])
    .provideClass(ScheduledImportMails, [Notifications])
    .provide(DeliveryRunner, createDeliveryRunner);
}

function createDeliveryRunner(parts: PartContainer): DeliveryRunner {
  const settings: DeliverySettings = {
    allowLoopback: parts.resolve(CONFIG).CRM_ALLOW_LOOPBACK,
    timeoutMs: timeLimit(10_000),
    maxResponseBytes: 64 * 1024,
    onDisabled: (tx, url, reason) => parts.resolve(Notifications).endpointDisabled(tx, new URL(url).host, reason),
  };
  return new DeliveryRunner(
    parts.resolve(UnitOfWork),
    parts.resolve(Leases),
    parts.resolve(Secrets),
    settings,
    parts.resolve(LOG),
  );
}
