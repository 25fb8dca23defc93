import { z } from 'zod';

/**
 * The trusted part of a provider's event: something happened to a customer, and whose customer it is. Events arrive
 * late, twice and in any order, so the customer's present state is read from the provider.
 */
export interface BillingEvent {
  readonly eventId: string;
  readonly type: string;
  readonly customerId: string;
  /** Workspace id from the payment's metadata, as text. */
  readonly workspaceId: string | null;
}

/** Event types that can change what a customer has. */
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
/** An id, or the whole object if it was expanded. */
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
  // Location of an invoice's subscription metadata in older API versions.
  subscription_details: z.object({ metadata }).nullish(),
});

/** Null if the JSON is not an event; `ignored` for other types and for events without a customer. */
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
