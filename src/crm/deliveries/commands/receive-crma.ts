import { invalid } from '../../../kernel/failure.js';
import { parseJson } from '../../../platform/http/json-body.js';
import { readCrmaDelivery, verifyCrmaSignature } from '../../adapters/crma/webhook.js';
import { badSignature, toInboxMessage } from '../delivery.js';
import { receiveDeliveries } from '../receive-deliveries.js';

export const receiveCrma = receiveDeliveries({
  id: 'receiveCrma',
  summary: 'Deliveries of crm-a, signed with the secret of the webhook that was registered on connecting',
  provider: 'crma',
  secretPerConnection: true,
  example: {
    body: {
      webhook_id: '23e42eaf-323a-41da-b5bb-fd67eebda553',
      events: [{ event_type: 'record.updated', id: { record_id: 'bf071e1f-6035-429d-b874-d83ea64ea13b' } }],
    },
    response: { accepted: 1, ignored: 0 },
  },
  claimedRoutes: (raw) => [readCrmaDelivery(parseJson(raw.bytes), undefined).webhookId],
  /** The body names the webhook; its secret then decides whether the body is trusted. */
  verify: async (raw, { inbox }) => {
    const { webhookId, hints, namesNoDeal } = readCrmaDelivery(parseJson(raw.bytes), raw.header('Idempotency-Key'));
    const route = await inbox.findRoute('crma', webhookId);
    const signature = raw.header('Attio-Signature') ?? raw.header('X-Attio-Signature');
    if (route === null || route.secret === null || !verifyCrmaSignature(route.secret, raw.bytes, signature))
      throw badSignature();
    if (namesNoDeal) throw invalid({ path: 'events.0.id.record_id', message: 'is missing' });
    return { routes: [webhookId], messages: hints.map((hint) => toInboxMessage('crma', webhookId, hint)), ignored: 0 };
  },
});
