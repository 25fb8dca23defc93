import { randomUUID } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import { type z } from 'zod';
import { readCrmcDelivery } from '../../crm/crmc/webhook.js';
import { routeOfSecret } from '../../integrations/crm-connector.js';
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
export class ReceiveCrmc {
  constructor(
    @inject(Inbox) private readonly inbox: Inbox,
    @inject(WebhookLimits) private readonly limits: WebhookLimits,
    @inject(DeliveryOutcomes) private readonly outcomes: DeliveryOutcomes,
  ) {}

  /** A Flow reports which deals have changed: every call counts as new, and only ids are read. */
  async execute({ query, body }: Input<unknown, z.infer<typeof deliveryQuery>>): Promise<DeliveryAnswer> {
    const raw = body as RawBody;
    const secret = secretIn(raw);
    const route = secret === undefined ? '' : routeOfSecret(secret);
    if (secret === undefined || (await this.inbox.findRoute('crmc', route)) === null) throw badSignature();
    const dealIds = readCrmcDelivery(parseJson(raw.bytes));
    if (dealIds === null) throw invalid({ path: '', message: 'names no opportunity: send {"opportunityId": "006…"}' });
    this.limits.admit('crmc', [route]);
    const messages = dealIds.map((dealId) =>
      toInboxMessage('crmc', route, {
        dealId,
        accountId: null,
        change: 'changed',
        occurredAt: null,
        key: randomUUID(),
        values: {},
      }),
    );
    const received = await this.inbox.receive(messages);
    if (received.size === 0) throw badSignature();
    return this.outcomes.answer(query, { messages, received, ignored: 0 });
  }
}

function secretIn(raw: RawBody): string | undefined {
  const given =
    /^bearer ([!-~]{1,200})$/i.exec(raw.header('Authorization') ?? '')?.[1] ?? raw.header('X-Webhook-Secret');
  return given === undefined || given.length > 200 ? undefined : given;
}

export const receiveCrmc = operation({
  id: 'receiveCrmc',
  summary:
    'Ids of opportunities that have changed, as a Flow of crm-c sends them with the secret returned on connecting',
  method: 'post',
  path: '/webhooks/crmc',
  access: 'public',
  query: deliveryQuery,
  raw: { limitBytes: deliveryLimitBytes },
  response: deliveryAnswer,
  status: 202,
  failures: { bad_signature: 401, rate_limited: 429 },
  example: { body: { opportunityId: '006RO000000abcdYAA' }, answer: { accepted: 1, ignored: 0 } },
  handler: ReceiveCrmc,
});
