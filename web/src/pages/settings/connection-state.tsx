import { type Integration } from '../../api/settings-queries.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatInstant } from '../../shared/format/dates.js';

/** State of a connection: why it is broken, and that nothing is lost. */
export function connectionWords(integration: Integration): string {
  const { connected, broken, brokenReason, lastSyncAt, provider, syncEnabled } = integration;
  if (!connected) return 'Not connected';
  if (broken) return `${brokenReason ?? 'The CRM rejects the credentials'}. Changes wait, and none is lost.`;
  const synced =
    lastSyncAt === null
      ? 'The first sync is not complete; what it and webhooks have read is here'
      : `Synced ${formatInstant(lastSyncAt)}`;
  const webhooks = provider === 'crmc' ? '' : ', webhooks on';
  return `${synced}${webhooks}${syncEnabled ? ', polled' : ''}`;
}

export function ConnectionBadge({ connected, broken }: Integration) {
  if (!connected) return null;
  return broken ? <Badge tone="negative">Broken</Badge> : <Badge tone="good">Healthy</Badge>;
}
