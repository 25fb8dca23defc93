import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { type Config } from '../../platform/config.js';
import { parseJson } from '../../platform/http/json-body.js';
import { CLOCK, CONFIG } from '../../platform/injection-tokens.js';
import { operation, type RawBody } from '../../platform/operation.js';
import { badSignature, type DeliveryAnswer, deliveryAnswer, deliveryLimitBytes } from '../../webhooks/delivery.js';
import { UnverifiedDeliveries } from '../../webhooks/unverified-deliveries.js';
import { readBillingEvent } from '../billing-event.js';
import { BillingIntake } from '../billing-intake.js';
import { verifyBillingSignature } from '../billing-signature.js';

function verify(raw: RawBody, config: Config, clock: Clock): void {
  const secret = config.BILLING_WEBHOOK_SECRET;
  const signature = raw.header('Stripe-Signature');
  if (secret === undefined || !verifyBillingSignature(secret, raw.bytes, signature, clock.now())) throw badSignature();
}

export const receiveBillingEvent = operation({
  id: 'receiveBillingEvent',
  summary:
    'Receive signed events of the billing provider; the tier follows from the customer state read from the provider',
  method: 'post',
  path: '/webhooks/billing',
  access: 'public',
  raw: { limitBytes: deliveryLimitBytes },
  response: deliveryAnswer,
  failures: { bad_signature: 401, rate_limited: 429 },
  example: {
    body: {
      id: 'evt_1QabcXYZ',
      object: 'event',
      type: 'customer.subscription.updated',
      data: { object: { id: 'sub_1Q', object: 'subscription', customer: 'cus_Q1', status: 'active' } },
    },
    answer: { accepted: 1, ignored: 0 },
  },
  uses: [BillingIntake, UnverifiedDeliveries, CONFIG, CLOCK],
  async execute({ body: raw }, { address }, intake, unverified, config, clock): Promise<DeliveryAnswer> {
    await unverified.limit(address, async () => verify(raw, config, clock));
    const event = readBillingEvent(parseJson(raw.bytes));
    if (event === null) throw invalid({ path: '', message: 'must be an event of the billing provider' });
    const isStored = event !== 'ignored' && (await intake.take(event));
    return isStored ? { accepted: 1, ignored: 0 } : { accepted: 0, ignored: 1 };
  },
});
