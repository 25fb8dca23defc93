import { sql } from 'kysely';
import { type Payouts } from '../../access/workspaces/workspace.js';
import { type PayPeriodSegment } from '../../access/workspaces/workspace-tables.js';
import { loadPayPeriodSegments } from '../../access/workspaces/workspace-views.js';
import { addDays, type Day, type DayRange } from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { type PeriodCalendar } from '../../kernel/period-calendar.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listApprovedAfter, savePayouts } from './payout-settings.js';

/**
 * Turns payouts on or off, or changes their periods. Approved statements keep the pay periods that they have, so a new kind
 * begins after them. Returns whether pay periods begin on another day now, or on none.
 */
export async function changePayouts(tx: Transaction, requested: Payouts): Promise<boolean> {
  const present = await loadPayPeriodSegments(tx);
  if (!requested.enabled) return turnOff(tx, present);
  const last = present?.at(-1);
  const from = requested.from ?? present?.[0]?.from;
  if (from === undefined) throw invalid({ path: 'payouts.from', message: 'is required to enable payouts' });
  const kind = {
    period: requested.period ?? last?.period ?? 'monthly',
    calendar: requested.calendar ?? last?.calendar ?? 'calendar',
  } as const;
  const calendar = await loadCalendar(tx);
  if (present === null || from !== present[0]?.from) {
    await assertNothingApproved(tx, present === null ? from : earlier(from, present[0]?.from ?? from));
    await assertNothingHandedOver(tx, calendar, from);
    assertFirstDay(calendar, { from, ...kind }, 'payouts.from');
    await savePayouts(tx, [{ from, ...kind }]);
    return true;
  }
  if (last?.period !== kind.period || last.calendar !== kind.calendar)
    await savePayouts(tx, await changeKind(tx, calendar, present, kind));
  return false;
}

async function turnOff(tx: Transaction, present: readonly PayPeriodSegment[] | null): Promise<boolean> {
  const [first] = present ?? [];
  if (first === undefined) return false;
  await assertNothingApproved(tx, first.from);
  await savePayouts(tx, null);
  return true;
}

async function changeKind(
  tx: Transaction,
  calendar: PeriodCalendar,
  present: readonly PayPeriodSegment[],
  kind: Omit<PayPeriodSegment, 'from'>,
): Promise<PayPeriodSegment[]> {
  const [first] = present as readonly [PayPeriodSegment];
  const [latest] = await listApprovedAfter(tx, first.from);
  const from = latest === undefined ? first.from : addDays(latest.to, 1);
  const segment = { from, ...kind };
  if (latest === undefined) assertFirstDay(calendar, segment, 'payouts.period');
  else if (!isFirstDay(calendar, segment))
    throw inUse(
      `The latest approved statement is for ${latest.period}. The kind of pay periods can change where one of the new kind ends too.`,
      latest.period,
    );
  return [...present.filter((earlierSegment) => earlierSegment.from < from), segment];
}

/**
 * Rejects fiscal years under which the pay periods of a kind no longer begin on their first day, or no longer end on the
 * day before those of the next kind: days would then be in two pay periods, or in none.
 */
export async function assertPayPeriodsStay(
  tx: Transaction,
  before: PeriodCalendar,
  after: PeriodCalendar,
): Promise<void> {
  const segments = (await loadPayPeriodSegments(tx)) ?? [];
  const ends = segments.flatMap((segment, index): PeriodEnd[] => {
    const next = segments[index + 1];
    const first = { ...segment, side: 'from', day: segment.from } as const;
    return next === undefined ? [first] : [first, { ...segment, side: 'to', day: addDays(next.from, -1) }];
  });
  for (const end of ends) {
    const period = findPeriodWith(before, end);
    if (period === null || findPeriodWith(after, end) !== null) continue;
    const verb = end.side === 'from' ? 'begin' : 'end';
    throw inUse(
      `Fiscal pay periods ${verb} with ${period}: a period of the same length must ${verb} on ${end.day}. Change the pay periods first.`,
      period,
    );
  }
}

async function assertNothingApproved(tx: Transaction, day: Day): Promise<void> {
  const [latest] = await listApprovedAfter(tx, day);
  if (latest !== undefined)
    throw inUse(
      `The statement for ${latest.period} is approved, and its days are in pay periods from ${day} on. Unlock it first, or choose a later day.`,
      latest.period,
    );
}

/** What payroll files contain was paid with them, and no batch pays it again. */
async function assertNothingHandedOver(tx: Transaction, calendar: PeriodCalendar, day: Day): Promise<void> {
  const { rows } = await sql<{ period: string }>`
    select distinct period from payroll_handovers where workspace_id = ${tx.workspaceId} order by period`.execute(
    tx.db,
  );
  const handed = rows.map(({ period }) => ({ period, to: calendar.range(period).to }));
  const [latest] = handed.filter(({ to }) => to >= day).sort((a, b) => (a.to < b.to ? 1 : -1));
  if (latest !== undefined)
    throw inUse(
      `A payroll file of ${latest.period} was handed over, and pay periods from ${day} on would pay its days again. Choose a day after ${latest.to}.`,
      latest.period,
    );
}

function inUse(message: string, period: string): Failure {
  return new Failure('pay_period_in_use', message, { period });
}

function assertFirstDay(calendar: PeriodCalendar, segment: PayPeriodSegment, path: string): void {
  if (isFirstDay(calendar, segment)) return;
  const kind = segment.period === 'monthly' ? 'month' : 'quarter';
  throw invalid({
    path,
    message: `${segment.from} is not the first day of a ${kind} of the ${segment.calendar === 'fiscal' ? 'fiscal calendar' : 'calendar'}`,
  });
}

function isFirstDay(calendar: PeriodCalendar, segment: PayPeriodSegment): boolean {
  return findPeriodWith(calendar, { ...segment, side: 'from', day: segment.from }) !== null;
}

/** The first or the last day of a pay period. */
interface PeriodEnd extends Omit<PayPeriodSegment, 'from'> {
  readonly side: keyof DayRange;
  readonly day: Day;
}

function findPeriodWith(calendar: PeriodCalendar, { side, day, period, calendar: name }: PeriodEnd): Period | null {
  const found = calendar.findPeriod(day, period, name);
  return found !== null && calendar.range(found)[side] === day ? found : null;
}

function earlier(a: Day, b: Day): Day {
  return a < b ? a : b;
}
