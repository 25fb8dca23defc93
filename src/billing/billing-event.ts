import { z } from 'zod';

/**
 * An event of the provider, as far as it is believed: that something happened to a customer, and whose customer it is.
 * What the customer has now is asked of the provider, since events come late, twice and in any order.
 */
export interface BillingEvent {
  readonly eventId: string;
  readonly type: string;
  readonly customerId: string;
  /** The workspace that the payment was said to be for, as text. */
  readonly workspaceId: string | null;
}

/** Events that may change what a customer has. */
export const billingEventTypes = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.deleted',
  'invoice.paid',
  'invoice.payment_failed',
] as const;

const id = z.string().min(1).max(255);
/** The provider writes an id, or the whole object where it was asked to. */
const reference = z.union([id, z.object({ id }).transform((object) => object.id)]);
const metadata = z.record(z.string(), z.string()).nullish();

const envelope = z.object({ id, type: z.string().max(255), data: z.object({ object: z.looseObject({}) }) });
const subject = z.object({
  id: id.nullish(),
  object: z.string().nullish(),
  customer: reference.nullish(),
  client_reference_id: z.string().nullish(),
  metadata,
  parent: z.object({ subscription_details: z.object({ metadata }).nullish() }).nullish(),
  // Where the metadata of an invoice's subscription stood in older versions.
  subscription_details: z.object({ metadata }).nullish(),
});

/** Null for what is no event at all; `ignored` for those of other kinds, or of no customer. */
export function readBillingEvent(json: unknown): BillingEvent | 'ignored' | null {
  const event = envelope.safeParse(json);
  if (!event.success) return null;
  const { id: eventId, type, data } = event.data;
  if (!billingEventTypes.some((known) => known === type)) return 'ignored';
  const object = subject.safeParse(data.object);
  if (!object.success) return null;
  const { data: about } = object;
  const customerId = about.object === 'customer' ? about.id : about.customer;
  if (customerId == null) return 'ignored';
  return { eventId, type, customerId, workspaceId: workspaceIn(about) };
}

function workspaceIn(about: z.infer<typeof subject>): string | null {
  const details = about.parent?.subscription_details ?? about.subscription_details;
  return about.client_reference_id ?? about.metadata?.['workspace_id'] ?? details?.metadata?.['workspace_id'] ?? null;
}
