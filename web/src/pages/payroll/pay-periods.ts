import { type Handover } from '../../api/payroll-queries.js';
import { daysOf, periodAt, shiftPeriod } from '../../shared/format/periods.js';

/** A file that was handed over, or a month that waits for its first one. */
export interface PayPeriod {
  readonly period: string;
  readonly handover: Handover | null;
}

/**
 * The files by period, the latest period first, and between them the ended months since the first file that are in none:
 * without any file, only the month that ended last.
 */
export function listPayPeriods(handovers: readonly Handover[], today: string): readonly PayPeriod[] {
  // The days of a fiscal period are unknown when its year was deleted.
  const covered = handovers.map(({ period }) => daysOf(period)).filter(({ from }) => from !== '');
  const isHandedOver = (month: string) => {
    const { from, to } = daysOf(month);
    return covered.some((range) => range.from <= to && from <= range.to);
  };
  const last = shiftPeriod(periodAt(today, 1), -1);
  const first = covered.reduce((earliest, { from }) => (from < earliest ? from : earliest), daysOf(last).from);
  const waiting = [];
  for (let month = last; daysOf(month).to >= first; month = shiftPeriod(month, -1))
    if (!isHandedOver(month)) waiting.push(month);
  const rows = [
    ...waiting.map((period) => ({ period, handover: null })),
    ...handovers.map((handover) => ({ period: handover.period, handover })),
  ];
  const latestFirst = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1);
  return rows.sort(
    (a, b) =>
      latestFirst(daysOf(a.period).to, daysOf(b.period).to) ||
      latestFirst(a.handover?.createdAt ?? '', b.handover?.createdAt ?? ''),
  );
}
