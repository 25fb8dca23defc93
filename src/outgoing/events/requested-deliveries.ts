import { type Transaction } from '../../platform/database/unit-of-work.js';
import { admitUse, type UseLimit } from '../../platform/limits/use-limits.js';
import { assertEnabled } from './webhook-endpoint-views.js';

/** Tests and replays share this limit. */
const perEndpoint: UseLimit = { uses: 10, seconds: 60 };

/**
 * A delivery that a person requests is sent at once, so the endpoint must exist and be enabled. The limit protects the
 * receiver, which need not belong to the workspace.
 */
export async function admitRequestedDelivery(tx: Transaction, endpointId: string): Promise<void> {
  await assertEnabled(tx, endpointId);
  const message = 'Test events and replays are limited to 10 a minute for each endpoint.';
  await admitUse(tx, 'requested delivery', endpointId, perEndpoint, message);
}
