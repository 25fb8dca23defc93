import { inject, injectable } from 'tsyringe';
import { type z } from 'zod';
import { readCrmbDelivery, verifyCrmbSignature } from '../../crm/crmb/webhook.js';
import { type Clock } from '../../kernel/clock.js';
import { type Config } from '../../platform/config.js';
import { parseJson } from '../../platform/http/json-body.js';
import { Inbox } from '../../platform/inbox/inbox.js';
import { type Input, operation, type RawBody } from '../../platform/operation.js';
import { CLOCK, CONFIG } from '../../platform/tokens.js';
import {
  badSignature,
  type DeliveryAnswer,
  deliveryAnswer,
  deliveryLimitBytes,
  deliveryQuery,
  toInboxMessage,
} from '../delivery.js';
import { DeliveryOutcomes } from '../delivery-outcomes.js';
import { WebhookLimits } from '../webhook-limits.js';

@injectable()
export class ReceiveCrmb {
  constructor(
    @inject(Inbox) private readonly inbox: Inbox,
    @inject(WebhookLimits) private readonly limits: WebhookLimits,
    @inject(DeliveryOutcomes) private readonly outcomes: DeliveryOutcomes,
    @inject(CONFIG) private readonly config: Config,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * All accounts share the secret of our app. Each event names its account and is assigned to the workspaces
   * connected to it.
   */
  async execute({ query, body }: Input<unknown, z.infer<typeof deliveryQuery>>): Promise<DeliveryAnswer> {
    const raw = body as RawBody;
    if (!this.isSigned(raw)) throw badSignature();
    const json = parseJson(raw.bytes);
    const hints = readCrmbDelivery(json);
    const accounts = new Set(hints.map((hint) => hint.accountId as string));
    this.limits.admit('crmb', [...accounts]);
    const messages = hints.map((hint) => toInboxMessage('crmb', hint.accountId as string, hint));
    const received = await this.inbox.receive(messages);
    return this.outcomes.answer(query, { messages, received, ignored: (json as unknown[]).length - hints.length });
  }

  /** The signed URL is the registered one, whatever a proxy made of the request. */
  private isSigned(raw: RawBody): boolean {
    const { CRMB_CLIENT_SECRET: secret, PUBLIC_URL: publicUrl } = this.config;
    if (secret === undefined || publicUrl === undefined) return false;
    return verifyCrmbSignature({
      secret,
      method: 'POST',
      uri: `${publicUrl.replace(/\/+$/, '')}${raw.url}`,
      rawBody: raw.bytes,
      timestamp: raw.header('X-HubSpot-Request-Timestamp'),
      signatureV3: raw.header('X-HubSpot-Signature-v3'),
      signatureV1: raw.header('X-HubSpot-Signature'),
      now: this.clock.now(),
      allowV1: this.config.CRMB_ALLOW_SIGNATURE_V1,
    });
  }
}

export const receiveCrmb = operation({
  id: 'receiveCrmb',
  summary: 'Deliveries of crm-b for every account that has installed the app, signed with its secret',
  method: 'post',
  path: '/webhooks/crmb',
  access: 'public',
  query: deliveryQuery,
  raw: { limitBytes: deliveryLimitBytes },
  response: deliveryAnswer,
  failures: { bad_signature: 401, rate_limited: 429 },
  example: {
    body: [{ portalId: 62515, objectId: 123, subscriptionType: 'deal.creation', occurredAt: 1732180001456 }],
    answer: { accepted: 1, ignored: 0 },
  },
  handler: ReceiveCrmb,
});
