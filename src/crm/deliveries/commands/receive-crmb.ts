import { type Config } from '../../../platform/config.js';
import { parseJson } from '../../../platform/http/json-body.js';
import { type RawBody } from '../../../platform/operations/operation.js';
import { claimedCrmbAccounts, readCrmbDelivery, verifyCrmbSignature } from '../../adapters/crmb/webhook.js';
import { badSignature, toInboxMessage } from '../delivery.js';
import { receiveDeliveries } from '../receive-deliveries.js';

export const receiveCrmb = receiveDeliveries({
  id: 'receiveCrmb',
  summary: 'Deliveries of crm-b for every account that has installed the app, signed with its secret',
  provider: 'crmb',
  secretPerConnection: false,
  example: {
    body: [{ portalId: 62515, objectId: 123, subscriptionType: 'deal.creation', occurredAt: 1732180001456 }],
    response: { accepted: 1, ignored: 0 },
  },
  claimedRoutes: (raw) => claimedCrmbAccounts(raw.bytes),
  /** Each event names its account and is assigned to the workspaces that are connected to it. */
  verify: (raw, { config, clock }) => {
    if (!isSigned(raw, config, clock.now())) throw badSignature();
    const json = parseJson(raw.bytes);
    const hints = readCrmbDelivery(json);
    const messages = hints.map((hint) => toInboxMessage('crmb', hint.accountId as string, hint));
    const routes = [...new Set(messages.map(({ route }) => route))];
    return { routes, messages, ignored: (json as unknown[]).length - hints.length };
  },
});

/** The signed URL is the registered one, whatever a proxy made of the request. */
function isSigned(raw: RawBody, config: Config, now: Date): boolean {
  const { CRMB_CLIENT_SECRET: secret, PUBLIC_URL: publicUrl } = config;
  if (secret === undefined || publicUrl === undefined) return false;
  return verifyCrmbSignature({
    secret,
    method: 'POST',
    uri: `${publicUrl}${raw.url}`,
    rawBody: raw.bytes,
    timestamp: raw.header('X-HubSpot-Request-Timestamp'),
    signatureV3: raw.header('X-HubSpot-Signature-v3'),
    signatureV1: raw.header('X-HubSpot-Signature'),
    now,
    allowV1: config.CRMB_ALLOW_SIGNATURE_V1,
  });
}
