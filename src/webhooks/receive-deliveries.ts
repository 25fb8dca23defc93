import { type CrmProvider } from '../crm/port.js';
import { type Clock } from '../kernel/clock.js';
import { type Config } from '../platform/config.js';
import { Inbox, type InboxMessage } from '../platform/inbox/inbox.js';
import { CLOCK, CONFIG } from '../platform/injection-tokens.js';
import { type Example, operation, type RawBody } from '../platform/operation.js';
import { badSignature, deliveryAnswer, deliveryLimitBytes, deliveryQuery } from './delivery.js';
import { DeliveryOutcomes } from './delivery-outcomes.js';
import { UnverifiedDeliveries } from './unverified-deliveries.js';
import { WebhookLimits } from './webhook-limits.js';

/** A delivery whose signature or secret is valid. */
export interface VerifiedDelivery {
  /** What the rate limit counts: each connection or account that the delivery is for. */
  readonly routes: readonly string[];
  readonly messages: readonly InboxMessage[];
  /** Number of events of other types. */
  readonly ignored: number;
}

export interface DeliverySource<Id extends string> {
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
  /** Throws if the signature or the secret is invalid. */
  verify(
    raw: RawBody,
    parts: { readonly inbox: Inbox; readonly config: Config; readonly clock: Clock },
  ): VerifiedDelivery | Promise<VerifiedDelivery>;
}

/** The operation that receives the deliveries of a CRM: verifies them, limits their rate and stores their messages. */
export function receiveDeliveries<const Id extends string>({
  provider,
  secretPerConnection,
  verify,
  ...declared
}: DeliverySource<Id>) {
  return operation({
    method: 'post',
    path: `/webhooks/${provider}`,
    access: 'public',
    query: deliveryQuery,
    raw: { limitBytes: deliveryLimitBytes },
    response: deliveryAnswer,
    failures: { bad_signature: 401, rate_limited: 429 },
    uses: [Inbox, WebhookLimits, UnverifiedDeliveries, DeliveryOutcomes, CONFIG, CLOCK],
    async execute({ query, body }, { address }, inbox, limits, unverified, outcomes, config, clock) {
      const { routes, messages, ignored } = await unverified.limit(address, async () =>
        verify(body, { inbox, config, clock }),
      );
      limits.admit(provider, routes);
      const received = await inbox.receive(messages);
      if (secretPerConnection && messages.length > 0 && received.size === 0) throw badSignature();
      return outcomes.answer(query, { messages, received, ignored });
    },
    ...declared,
  });
}
