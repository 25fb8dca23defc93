import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { isDigest } from '../../../platform/secrets/signature.js';
import { type CrmHint } from '../port.js';

/** Whether the hexadecimal signature belongs to these bytes. */
export function verifyCrmaSignature(secret: string, rawBody: Buffer, header: string | undefined): boolean {
  return isDigest(header, createHmac('sha256', secret).update(rawBody).digest());
}

interface CrmaDelivery {
  /**
   * Identifies the secret that signed the delivery. It must not be trusted for anything else before the signature is
   * verified.
   */
  readonly webhookId: string;
  readonly hints: readonly CrmHint[];
  /** The delivery reports a change of some deal and does not say which. */
  readonly namesNoDeal: boolean;
}

const delivery = z.object({ webhook_id: z.string().max(200), events: z.array(z.unknown()).max(500) });
const eventType = z.enum(['record.created', 'record.updated', 'record.deleted', 'record.merged']);
const event = z.object({
  event_type: eventType,
  id: z.object({ record_id: z.string(), attribute_id: z.string().max(200).optional() }),
  duplicate_record_id: z.string().optional(),
});
const anyEvent = z.object({ event_type: eventType });

/**
 * The deals that a delivery reports. It contains no values and no times, so two changes of one deal look alike: only
 * the Idempotency-Key identifies a repetition. Without a key every delivery counts as new.
 */
export function readCrmaDelivery(json: unknown, idempotencyKey: string | undefined): CrmaDelivery {
  const { success, data } = delivery.safeParse(json);
  if (!success) throw invalid({ path: '', message: 'must be a delivery of crm-a' });
  const deliveryKey = idempotencyKey ?? randomUUID();
  const hints = data.events.flatMap((eventJson, index) => readHints(eventJson, `${deliveryKey}:${index}`));
  const [only, ...others] = data.events;
  const namesNoDeal = hints.length === 0 && others.length === 0 && anyEvent.safeParse(only).success;
  return { webhookId: data.webhook_id, hints, namesNoDeal };
}

/** Events of types that we did not subscribe to are ignored. */
function readHints(json: unknown, key: string): CrmHint[] {
  const { success, data } = event.safeParse(json);
  if (!success) return [];
  const { record_id: dealId, attribute_id: property } = data.id;
  switch (data.event_type) {
    case 'record.created':
      return [hint(dealId, 'changed', key)];
    case 'record.updated':
      return [{ ...hint(dealId, 'changed', key), ...(property === undefined ? {} : { property }) }];
    case 'record.deleted':
      return [hint(dealId, 'deleted', key)];
    case 'record.merged': {
      const duplicate = data.duplicate_record_id;
      const survivor = hint(dealId, 'changed', key);
      return duplicate === undefined ? [survivor] : [survivor, hint(duplicate, 'deleted', `${key}:duplicate`)];
    }
  }
}

function hint(dealId: string, change: CrmHint['change'], key: string): CrmHint {
  return { dealId, accountId: null, change, occurredAt: null, key, values: {} };
}
