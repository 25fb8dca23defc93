import {
  badSignature,
  type DeliveryResponse,
  deliveryLimitBytes,
  deliveryResponse,
} from '../../crm/deliveries/delivery.js';
import { UnverifiedDeliveries } from '../../crm/deliveries/unverified-deliveries.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { type Config } from '../../platform/config.js';
import { parseJson } from '../../platform/http/json-body.js';
import { CLOCK, CONFIG } from '../../platform/injection-tokens.js';
import { type Destination, operation, type RawBody } from '../../platform/operations/operation.js';
import { type BillingEvent, readBillingEvent, readThinEvent } from '../billing-event.js';
import { BillingIntake } from '../billing-intake.js';
import { billingProvider } from '../billing-settings.js';
import { verifyBillingSignature } from '../billing-signature.js';
import { BillingUnavailable } from '../stripe-client.js';

function verify(raw: RawBody, config: Config, clock: Clock): void {
  const secret = config.BILLING_WEBHOOK_SECRET;
  const signature = raw.header('Stripe-Signature');
  if (secret === undefined || !verifyBillingSignature(secret, raw.bytes, signature, clock.now())) throw badSignature();
}

/** The event that a thin event announces, with its object read from the provider; null if it is none. */
async function thinEvent(json: unknown, config: Config): Promise<BillingEvent | 'ignored' | null> {
  const thin = readThinEvent(json);
  if (thin === null || thin === 'ignored') return thin;
  const provider = billingProvider(config);
  if (provider === null) return 'ignored';
  try {
    return await provider.completeEvent(thin);
  } catch (error) {
    // The provider sends the event again.
    if (error instanceof BillingUnavailable) throw new Failure('billing_unavailable', error.message);
    throw error;
  }
}

/**
 * A checkout may name the workspace, whose customer is not known yet. A thin event names an object and not its customer:
 * the sweep of each database then reads it from the provider.
 */
function namedAccounts(raw: RawBody): readonly Destination[] {
  const event = readBillingEvent(parseJson(raw.bytes));
  if (event === null || event === 'ignored') return [];
  const customer = { source: 'billing', route: event.customerId };
  return event.workspaceId !== null && isUuid(event.workspaceId)
    ? [customer, { workspaceId: event.workspaceId }]
    : [customer];
}

export const receiveBillingEvent = operation({
  id: 'receiveBillingEvent',
  summary:
    'Receive signed events of the billing provider; the tier follows from the customer state read from the provider',
  method: 'post',
  path: '/webhooks/billing',
  access: 'public',
  raw: { limitBytes: deliveryLimitBytes, destinations: namedAccounts },
  response: deliveryResponse,
  failures: { bad_signature: 401, rate_limited: 429, billing_unavailable: 503 },
  example: {
    body: {
      id: 'evt_1QabcXYZ',
      object: 'event',
      type: 'customer.subscription.updated',
      data: { object: { id: 'sub_1Q', object: 'subscription', customer: 'cus_Q1', status: 'active' } },
    },
    response: { accepted: 1, ignored: 0 },
  },
  uses: { intake: BillingIntake, unverified: UnverifiedDeliveries, config: CONFIG, clock: CLOCK },
  async execute({ body: raw }, { address }, { intake, unverified, config, clock }): Promise<DeliveryResponse> {
    await unverified.limit(address, async () => verify(raw, config, clock));
    const json = parseJson(raw.bytes);
    const event = (await thinEvent(json, config)) ?? readBillingEvent(json);
    if (event === null) throw invalid({ path: '', message: 'must be an event of the billing provider' });
    const isStored = event !== 'ignored' && (await intake.take(event));
    return isStored ? { accepted: 1, ignored: 0 } : { accepted: 0, ignored: 1 };
  },
});
