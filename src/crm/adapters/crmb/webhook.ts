import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { isDigest } from '../../../platform/secrets/signature.js';
import { type CrmHint } from '../port.js';
import { crmbChange } from './values.js';

export interface CrmbRequest {
  readonly secret: string;
  readonly method: string;
  /** The full URL that the CRM called, built from the configuration and never from the Host header. */
  readonly uri: string;
  readonly rawBody: Buffer;
  /** X-HubSpot-Request-Timestamp */
  readonly timestamp: string | undefined;
  /** X-HubSpot-Signature-v3 */
  readonly signatureV3: string | undefined;
  /** X-HubSpot-Signature */
  readonly signatureV1: string | undefined;
  readonly now: Date;
  /** Private apps may use the old signature, which does not protect against replays. */
  readonly allowV1: boolean;
}

const oldestMs = 300_000;
const newestMs = 60_000;

/** Whether the request was signed with the app's secret within the accepted time. */
export function verifyCrmbSignature(request: CrmbRequest): boolean {
  if (request.signatureV3 !== undefined) return isSignedV3(request, request.signatureV3);
  return request.allowV1 && isSignedV1(request);
}

function isSignedV3({ secret, method, uri, rawBody, timestamp, now }: CrmbRequest, signature: string): boolean {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(signature)) return false;
  if (timestamp === undefined || !/^\d{1,15}$/.test(timestamp)) return false;
  const ageMs = now.getTime() - Number(timestamp);
  if (ageMs > oldestMs || ageMs < -newestMs) return false;
  const expected = createHmac('sha256', secret)
    .update(`${method}${decodedUri(uri)}`)
    .update(rawBody)
    .update(timestamp)
    .digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'base64'));
}

function isSignedV1({ secret, rawBody, signatureV1 }: CrmbRequest): boolean {
  return isDigest(signatureV1, createHash('sha256').update(secret).update(rawBody).digest());
}

/** The CRM signs the URL with these characters decoded and all others encoded. */
function decodedUri(uri: string): string {
  return uri.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent);
}

const id = z.union([z.int(), z.string().regex(/^\d{1,20}$/)]).transform(String);
const event = z.object({
  /** Called `eventType` in older documentation. */
  subscriptionType: z.string().optional(),
  eventType: z.string().optional(),
  eventId: z.union([z.number(), z.string()]).optional(),
  portalId: id,
  objectId: id,
  objectTypeId: z.string().optional(),
  occurredAt: z.int().nonnegative().max(8.64e15).optional(),
  propertyName: z.string().max(500).optional(),
  propertyValue: z.string().nullish(),
  primaryObjectId: id.nullish(),
  mergedObjectIds: z.array(id).max(500).nullish(),
  newObjectId: id.nullish(),
});
type CrmbEvent = z.infer<typeof event>;
const eventWithoutDeal = event.omit({ objectId: true }).extend({ objectId: z.null().optional() });

/** The CRM's object type id of deals. */
const dealTypeId = '0-3';

const verbs = ['creation', 'restore', 'propertyChange', 'deletion', 'privacyDeletion', 'merge'] as const;

/**
 * The deals that a delivery reports. Events of other objects and unreadable events are skipped. A delivery that
 * consists of one change of an unnamed deal is rejected.
 */
export function readCrmbDelivery(json: unknown): CrmHint[] {
  const { success, data } = z.array(z.unknown()).max(500).safeParse(json);
  if (!success) throw invalid({ path: '', message: 'must be a delivery of crm-b' });
  if (data.length === 1 && isWithoutDeal(data[0])) throw invalid({ path: '0.objectId', message: 'is missing' });
  return data.flatMap((eventJson) => {
    const parsed = event.safeParse(eventJson);
    return parsed.success ? toHints(parsed.data) : [];
  });
}

const claim = z.array(z.object({ portalId: id })).max(500);

/** The accounts that a delivery without a valid signature names; none if it is unreadable. */
export function claimedCrmbAccounts(rawBody: Buffer): string[] {
  try {
    const { data = [] } = claim.safeParse(JSON.parse(rawBody.toString('utf8')));
    return [...new Set(data.map(({ portalId }) => portalId))];
  } catch {
    return [];
  }
}

function isWithoutDeal(json: unknown): boolean {
  const { success, data } = eventWithoutDeal.safeParse(json);
  return success && readVerb(data) !== undefined;
}

function toHints(event: CrmbEvent): CrmHint[] {
  switch (readVerb(event)) {
    case 'creation':
    case 'restore':
      return [hint(event, event.objectId, 'changed')];
    case 'propertyChange':
      return [{ ...hint(event, event.objectId, 'changed', readChange(event)), ...readProperty(event) }];
    case 'deletion':
    case 'privacyDeletion':
      return [hint(event, event.objectId, 'deleted')];
    case 'merge':
      return mergeHints(event);
    case undefined:
      return [];
  }
}

/** The action of `deal.*` events and of `object.*` events about deals; undefined for other events. */
function readVerb({
  subscriptionType,
  eventType,
  objectTypeId,
}: Pick<CrmbEvent, 'subscriptionType' | 'eventType' | 'objectTypeId'>): (typeof verbs)[number] | undefined {
  const [kind, action] = (subscriptionType ?? eventType ?? '').split('.');
  const isOfDeal = kind === 'deal' || (kind === 'object' && objectTypeId === dealTypeId);
  return isOfDeal ? verbs.find((verb) => verb === action) : undefined;
}

function readChange({ propertyName, propertyValue }: CrmbEvent): CrmHint['values'] {
  return propertyName === undefined || propertyValue === undefined ? {} : crmbChange(propertyName, propertyValue);
}

function readProperty({ propertyName }: CrmbEvent): Pick<CrmHint, 'property'> {
  return propertyName === undefined ? {} : { property: propertyName };
}

/** If the merge created a new deal, both source deals are gone. */
function mergeHints(event: CrmbEvent): CrmHint[] {
  const primary = event.primaryObjectId ?? event.objectId;
  const survivor = event.newObjectId ?? primary;
  const gone = new Set([primary, ...(event.mergedObjectIds ?? [])]);
  gone.delete(survivor);
  return [hint(event, survivor, 'changed'), ...[...gone].map((dealId) => hint(event, dealId, 'deleted'))];
}

function hint(event: CrmbEvent, dealId: string, change: CrmHint['change'], values: CrmHint['values'] = {}): CrmHint {
  const { portalId, occurredAt, propertyName = '', eventId = '' } = event;
  // Event ids are not unique, so the time identifies a change. The same change reported under both event names
  // counts once.
  const moment = occurredAt ?? `event ${eventId}`;
  return {
    dealId,
    accountId: portalId,
    change,
    occurredAt: occurredAt === undefined ? null : new Date(occurredAt),
    key: [portalId, readVerb(event), dealId, propertyName, moment].join(':'),
    values,
  };
}
