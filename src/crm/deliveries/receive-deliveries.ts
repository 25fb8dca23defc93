import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { type Config } from '../../platform/config.js';
import { Inbox, type InboxMessage } from '../../platform/inbox/inbox.js';
import { CLOCK, CONFIG } from '../../platform/injection-tokens.js';
import { createCounter } from '../../platform/metrics.js';
import { type Example, operation, type RawBody } from '../../platform/operations/operation.js';
import { type CrmProvider } from '../adapters/port.js';
import { badSignature, deliveryLimitBytes, deliveryQuery, deliveryResponse } from './delivery.js';
import { DeliveryHealth } from './delivery-health.js';
import { DeliveryOutcomes } from './delivery-outcomes.js';
import { UnverifiedDeliveries } from './unverified-deliveries.js';
import { WebhookLimits } from './webhook-limits.js';

/** A delivery whose signature or secret is valid. */
interface VerifiedDelivery {
  /** What the rate limit counts: each connection or account that the delivery is for. */
  readonly routes: readonly string[];
  readonly messages: readonly InboxMessage[];
  /** Counts events of other types. */
  readonly ignored: number;
}

interface DeliverySource<Id extends string> {
  readonly id: Id;
  readonly summary: string;
  readonly provider: CrmProvider;
  readonly status?: number;
  readonly example: Example;
  /**
   * Whether each connection has its own secret. A delivery of a connection that ended while its secret was cached is
   * rejected; with the secret of the app, events of unknown accounts are ignored.
   */
  readonly secretPerConnection: boolean;
  /** The accounts that a delivery without a valid signature names. Anyone may have sent it. */
  claimedRoutes(raw: RawBody): readonly string[];
  /** The accounts that a delivery names in a way that others must not see, where they differ from the claimed ones. */
  namedRoutes?(raw: RawBody): readonly string[];
  /** Throws if the signature or the secret is invalid. */
  verify(
    raw: RawBody,
    parts: { readonly inbox: Inbox; readonly config: Config; readonly clock: Clock },
  ): VerifiedDelivery | Promise<VerifiedDelivery>;
}

const deliveries = createCounter('webhook_deliveries_total', 'Webhook deliveries received from CRMs', [
  'crm',
  'result',
]);

/** The operation that receives the deliveries of a CRM: verifies them, limits their rate and stores their messages. */
export function receiveDeliveries<const Id extends string>({
  provider,
  secretPerConnection,
  claimedRoutes,
  namedRoutes,
  verify,
  ...declared
}: DeliverySource<Id>) {
  return operation({
    method: 'post',
    path: `/webhooks/${provider}`,
    access: 'public',
    query: deliveryQuery,
    raw: {
      limitBytes: deliveryLimitBytes,
      destinations: (body: RawBody) =>
        (namedRoutes ?? claimedRoutes)(body).map((route) => ({ source: provider, route })),
    },
    response: deliveryResponse,
    failures: { bad_signature: 401, rate_limited: 429 },
    uses: {
      inbox: Inbox,
      limits: WebhookLimits,
      unverified: UnverifiedDeliveries,
      health: DeliveryHealth,
      outcomes: DeliveryOutcomes,
      config: CONFIG,
      clock: CLOCK,
    },
    async execute({ query, body }, { address }, { inbox, limits, unverified, health, outcomes, config, clock }) {
      const { routes, messages, ignored } = await unverified.limit(address, async () => {
        try {
          return await verify(body, { inbox, config, clock });
        } catch (error) {
          if (isBadSignature(error)) {
            deliveries.inc({ crm: provider, result: 'rejected' });
            health.note(provider, claimedRoutes(body), 'rejected');
          }
          throw error;
        }
      });
      deliveries.inc({ crm: provider, result: 'verified' });
      health.note(provider, routes, 'verified');
      limits.admit(provider, routes);
      const received = await inbox.receive(messages);
      if (secretPerConnection && messages.length > 0 && received.size === 0) throw badSignature();
      return outcomes.respond(query, { messages, received, ignored });
    },
    ...declared,
  });
}

function isBadSignature(error: unknown): boolean {
  return error instanceof Failure && error.code === 'bad_signature';
}
