import { recordAuditEntry } from '../../audit/audit-entry.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type Leases } from '../../platform/jobs/leases.js';
import { type Log } from '../../platform/log.js';
import { PostFailure, type PostLimits, postGuarded } from '../../platform/outbound/guarded-post.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { serviceVersion } from '../../platform/version.js';
import { type Attempt, claimDue, type DueDelivery, recordAttempts } from './delivery-store.js';
import { signedHeaders } from './signature.js';
import { secretEncryptionContext } from './webhook-endpoint.js';
import { recordEnabledEndpoints } from './webhook-endpoint-store.js';

const sliceMs = 5000;
/** With these statuses, the receiver or a proxy before it says that it can process no event at present. */
const unreachableStatuses: readonly number[] = [429, 502, 503, 504];

export interface DeliverySettings extends PostLimits {
  /** Informs the admins, in the transaction that disables the endpoint. */
  onDisabled(tx: Transaction, endpointUrl: string, reason: string): Promise<void>;
}

/**
 * Sends the pending deliveries of endpoints. Running it twice is harmless: one worker holds the lease of an endpoint. A
 * worker that dies between a response and its record leaves the delivery pending, so it is sent again with the same id.
 */
export class DeliveryRunner {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly leases: Leases,
    private readonly secrets: Secrets,
    private readonly settings: DeliverySettings,
    private readonly log: Log,
  ) {}

  /** Runs until nothing is due or the time slice ends. Returns false at once if another worker holds the lease. */
  async run(workspaceId: string, endpointId: string, stopping: AbortSignal): Promise<boolean> {
    const sliceEnd = performance.now() + sliceMs;
    const held = await this.leases.hold(workspaceId, `webhook ${endpointId}`, async (lease) => {
      while (performance.now() < sliceEnd && !stopping.aborted) {
        const due = await this.unitOfWork.write({ workspaceId }, async (tx) => {
          await lease.assertHeld(tx);
          return claimDue(tx, endpointId);
        });
        if (due.length === 0) return true;
        const attempts = await mapInParallel(due, (delivery) => this.attempt(endpointId, delivery));
        await failpoint('delivery.afterSend');
        await this.unitOfWork.write({ workspaceId }, async (tx) => {
          await lease.assertHeld(tx);
          await this.record(tx, endpointId, attempts);
        });
      }
      return true;
    });
    return held === true;
  }

  private async record(tx: Transaction, endpointId: string, attempts: readonly Attempt[]): Promise<void> {
    const reason = await recordAttempts(tx, endpointId, attempts);
    if (reason === null) return;
    await recordEnabledEndpoints(tx);
    const details = { endpointId };
    await recordAuditEntry(
      tx,
      { actor: 'orchestrator' },
      { trigger: 'webhook_endpoint_disabled', scope: 'workspace', outcome: 'failed', error: reason, details },
    );
    await this.settings.onDisabled(tx, attempts[0]?.delivery.url ?? '', reason);
    this.log.warn({ workspaceId: tx.workspaceId, endpointId, reason }, 'webhook endpoint disabled');
  }

  private async attempt(endpointId: string, delivery: DueDelivery): Promise<Attempt> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    try {
      const encryptionContext = secretEncryptionContext(endpointId);
      const secrets = delivery.secrets.map((sealed) => this.secrets.open(encryptionContext, sealed));
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(delivery.body)),
        'User-Agent': `commissions/${serviceVersion}`,
        ...signedHeaders(secrets, delivery.deliveryId, delivery.body, new Date()),
      };
      const { status, body } = await postGuarded(new URL(delivery.url), headers, delivery.body, this.settings);
      const error = findProblem(status);
      const result = error === null ? 'delivered' : unreachableStatuses.includes(status) ? 'unreachable' : 'rejected';
      return { delivery, result, status, responseBody: storable(body), error, durationMs: durationMs() };
    } catch (error) {
      if (!(error instanceof PostFailure)) this.log.error({ err: error, endpointId }, 'sending an event failed');
      const message = error instanceof PostFailure ? error.message : 'the event could not be sent';
      const failed = { status: null, responseBody: null, error: message, durationMs: durationMs() };
      return { delivery, result: 'unreachable', ...failed };
    }
  }
}

function findProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `status ${status}: redirects are not followed`;
  return `status ${status}`;
}

/** PostgreSQL stores no NUL, and other control characters would distort a display. */
function storable(body: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  return body.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
}
