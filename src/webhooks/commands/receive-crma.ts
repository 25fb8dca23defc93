import { inject, injectable } from 'tsyringe';
import { type z } from 'zod';
import { readCrmaDelivery, verifyCrmaSignature } from '../../crm/crma/webhook.js';
import { invalid } from '../../kernel/failure.js';
import { parseJson } from '../../platform/http/json-body.js';
import { Inbox } from '../../platform/inbox/inbox.js';
import { type Input, operation, type RawBody } from '../../platform/operation.js';
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
export class ReceiveCrma {
  constructor(
    @inject(Inbox) private readonly inbox: Inbox,
    @inject(WebhookLimits) private readonly limits: WebhookLimits,
    @inject(DeliveryOutcomes) private readonly outcomes: DeliveryOutcomes,
  ) {}

  /** The body names the webhook; its secret then decides whether the body is trusted. */
  async execute({ query, body }: Input<unknown, z.infer<typeof deliveryQuery>>): Promise<DeliveryAnswer> {
    const raw = body as RawBody;
    const { webhookId, hints, namesNoDeal } = readCrmaDelivery(parseJson(raw.bytes), raw.header('Idempotency-Key'));
    const route = await this.inbox.findRoute('crma', webhookId);
    const signature = raw.header('Attio-Signature') ?? raw.header('X-Attio-Signature');
    if (route === null || route.secret === null || !verifyCrmaSignature(route.secret, raw.bytes, signature))
      throw badSignature();
    if (namesNoDeal) throw invalid({ path: 'events.0.id.record_id', message: 'is missing' });
    this.limits.admit('crma', [webhookId]);
    const messages = hints.map((hint) => toInboxMessage('crma', webhookId, hint));
    const received = await this.inbox.receive(messages);
    // The connection ended while its secret was still cached.
    if (messages.length > 0 && received.size === 0) throw badSignature();
    return this.outcomes.answer(query, { messages, received, ignored: 0 });
  }
}

export const receiveCrma = operation({
  id: 'receiveCrma',
  summary: 'Deliveries of crm-a, signed with the secret of the webhook that was registered on connecting',
  method: 'post',
  path: '/webhooks/crma',
  access: 'public',
  query: deliveryQuery,
  raw: { limitBytes: deliveryLimitBytes },
  response: deliveryAnswer,
  failures: { bad_signature: 401, rate_limited: 429 },
  example: {
    body: {
      webhook_id: '23e42eaf-323a-41da-b5bb-fd67eebda553',
      events: [{ event_type: 'record.updated', id: { record_id: 'bf071e1f-6035-429d-b874-d83ea64ea13b' } }],
    },
    answer: { accepted: 1, ignored: 0 },
  },
  handler: ReceiveCrma,
});
