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
  /** The subscription that a completed checkout created; null for other events. */
  readonly checkoutSubscription: string | null;
}

export const checkoutCompleted = 'checkout.session.completed';

/** Event types that can change what a customer has. */
export const billingEventTypes = [
  checkoutCompleted,
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
  subscription: reference.nullish(),
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
  const checkoutSubscription = type === checkoutCompleted ? (about.subscription ?? null) : null;
  return { eventId, type, customerId, workspaceId: workspaceIn(about), checkoutSubscription };
}

/** The object of a thin event, which contains its id and no values. */
export interface ThinEvent {
  readonly eventId: string;
  readonly type: string;
  readonly objectId: string;
  readonly objectType: string;
}

const thin = z.object({
  id,
  object: z.literal('v2.core.event'),
  type: z.string().max(255),
  related_object: z.object({ id, type: z.string().max(255) }).nullish(),
});

/** Null if the JSON is not a thin event; `ignored` for other types and for events about no object. */
export function readThinEvent(json: unknown): ThinEvent | 'ignored' | null {
  const { success, data } = thin.safeParse(json);
  if (!success) return null;
  // Events about objects of the first version of the API have its types, with a prefix.
  const type = data.type.replace(/^v1\./, '');
  if (data.related_object == null || !billingEventTypes.some((known) => known === type)) return 'ignored';
  return { eventId: data.id, type, objectId: data.related_object.id, objectType: data.related_object.type };
}

function workspaceIn(about: z.infer<typeof subject>): string | null {
  const details = about.parent?.subscription_details ?? about.subscription_details;
  return about.client_reference_id ?? about.metadata?.['workspace_id'] ?? details?.metadata?.['workspace_id'] ?? null;
}
