import { randomUUID } from 'node:crypto';
import { invalid } from '../../../kernel/failure.js';
import { parseJson } from '../../../platform/http/json-body.js';
import { type RawBody } from '../../../platform/operations/operation.js';
import { readCrmcDelivery } from '../../adapters/crmc/webhook.js';
import { hashRouteSecret } from '../../connections/crm-connector.js';
import { badSignature, toInboxMessage } from '../delivery.js';
import { receiveDeliveries } from '../receive-deliveries.js';

const changed = { accountId: null, change: 'changed', occurredAt: null, values: {} } as const;

export const receiveCrmc = receiveDeliveries({
  id: 'receiveCrmc',
  summary:
    'Ids of opportunities that have changed, as a Flow of crm-c sends them with the secret returned on connecting',
  provider: 'crmc',
  secretPerConnection: true,
  status: 202,
  example: { body: { opportunityId: '006RO000000abcdYAA' }, response: { accepted: 1, ignored: 0 } },
  // The secret alone names the account.
  claimedRoutes: () => [],
  namedRoutes: (raw) => {
    const secret = secretIn(raw);
    return secret === undefined ? [] : [hashRouteSecret(secret)];
  },
  /** A Flow reports which deals have changed: every call counts as new, and only ids are read. */
  verify: async (raw, { inbox }) => {
    const secret = secretIn(raw);
    const route = secret === undefined ? '' : hashRouteSecret(secret);
    if (secret === undefined || (await inbox.findRoute('crmc', route)) === null) throw badSignature();
    const dealIds = readCrmcDelivery(parseJson(raw.bytes));
    if (dealIds === null) throw invalid({ path: '', message: 'names no opportunity: send {"opportunityId": "006…"}' });
    const messages = dealIds.map((dealId) => toInboxMessage('crmc', route, { ...changed, dealId, key: randomUUID() }));
    return { routes: [route], messages, ignored: 0 };
  },
});

function secretIn(raw: RawBody): string | undefined {
  const secret =
    /^bearer ([!-~]{1,200})$/i.exec(raw.header('Authorization') ?? '')?.[1] ?? raw.header('X-Webhook-Secret');
  return secret === undefined || secret.length > 200 ? undefined : secret;
}
