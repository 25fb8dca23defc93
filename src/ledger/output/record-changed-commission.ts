import { type Transaction } from '../../platform/database/unit-of-work.js';
import { storeDeliveries } from '../../platform/outbound/outgoing-events.js';

/** Events of one rep whose amounts a run has changed. */
interface ChangedCommission {
  readonly repId: string;
  readonly runId: string;
  /** Null for all events that the run has changed. */
  readonly eventIds: readonly string[] | null;
}

const maxListedEvents = 1000;

/**
 * Stores one delivery of `commission.changed` for each endpoint, rep and run. The amounts are read from the history when
 * the delivery is sent. The caller holds the lanes of the reps.
 */
export async function recordChangedCommission(tx: Transaction, changes: readonly ChangedCommission[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ repId, runId, eventIds }) => ({
    type: 'commission.changed' as const,
    sequence: repId,
    run: runId,
    events: eventIds !== null && eventIds.length <= maxListedEvents ? eventIds : null,
  }));
  await storeDeliveries(tx, rows);
}
