import { Decimal } from '../../kernel/decimal.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AppliedDifference, type LaneDifference } from './apply-difference.js';
import { type Write } from './difference.js';
import { recordChangedCommission } from './record-changed-commission.js';

/** Stores an outgoing event for each lane whose run changed amounts. */
export async function recordChangedAmounts(
  tx: Transaction,
  lanes: readonly LaneDifference[],
  applied: readonly AppliedDifference[],
): Promise<void> {
  const changes = lanes.flatMap(({ repId, runId, writes, reversals }, lane) => {
    const written = writes.filter(changesAmount).map((write) => write.eventId);
    const reversed = reversals.filter((row) => !isZero(row.amount)).map((row) => row.eventId);
    const eventIds = [
      ...new Set([...written, ...reversed, ...(applied[lane]?.displaced ?? []).map(({ eventId }) => eventId)]),
    ];
    return eventIds.length === 0 ? [] : [{ repId, runId, eventIds }];
  });
  await recordChangedCommission(tx, changes);
}

/** Whether the amount, its currency or the time to which it belongs changes. */
function changesAmount({ decision, before }: Write): boolean {
  if (before === null || before.status === 'reversed' || isZero(before.amount)) return !decision.amount.isZero();
  return (
    !decision.amount.equals(Decimal.of(before.amount)) ||
    decision.currency !== before.currency ||
    decision.period !== before.period ||
    decision.earnedOn !== before.earnedOn
  );
}

function isZero(amount: string): boolean {
  return Decimal.of(amount).isZero();
}
