import { z } from 'zod';
import { type Day, latestDay } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { toNumber } from './fraction.js';
import { loadGroups } from './load-groups.js';
import { wait } from './payable-entry.js';
import { loadPayPeriods } from './payout-settings.js';
import { computeEarned, computeReleased, isHeld, type PayGroup } from './release.js';
import { computeShare, listWaits } from './share.js';

export const eventPayable = z
  .object({
    share: z.number().describe('Share of the amount that is released today, from 0 to 1'),
    released: z.number().describe('What is released today'),
    waiting: z.number().describe('The rest'),
    because: z
      .enum(['customer_not_paid', 'date_not_reached', 'on_hold'])
      .nullable()
      .describe('Why not all of it is paid; null if nothing waits and it is not held'),
    waitsFor: z.array(wait).describe('What the rest waits for, the earliest day first'),
  })
  .describe('When the amount is paid. Absent without payouts, and for what was earned before them');

/** The event with the id is the row with the id or, after a true-up, with the natural key. */
export async function findEventPayable(
  tx: Transaction,
  event: { readonly repId: string; readonly eventId: string; readonly key: string },
  today: Day,
): Promise<z.input<typeof eventPayable> | null> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return null;
  const groups = (await loadGroups(tx, [event.repId], payPeriods.firstDay)).get(event.repId) ?? [];
  const group = groups.find(({ row }) => row.eventId === event.eventId || row.key === event.key);
  return group === undefined ? null : describeGroup(group, today);
}

/** How much of the group is released on the day, and what the rest waits for. */
export function describeGroup(group: PayGroup, today: Day): z.input<typeof eventPayable> {
  const released = computeReleased(group, today);
  const waiting = computeEarned(group, latestDay).minus(released);
  const waitsFor = waiting.isZero() ? [] : listWaits(group.share, today);
  const because = isHeld(group, today)
    ? 'on_hold'
    : (waitsFor[0]?.because ?? (waiting.isZero() ? null : 'date_not_reached'));
  return {
    share: toNumber(computeShare(group.share, today)),
    released: released.toNumber(),
    waiting: waiting.toNumber(),
    because,
    waitsFor,
  };
}
