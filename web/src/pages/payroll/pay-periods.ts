import { type PayoutBatch } from '../../api/payout-queries.js';
import { type Handover, type WaitingPeriod } from '../../api/payroll-queries.js';
import { daysOf, periodAt, shiftPeriod } from '../../shared/format/periods.js';

/** A file that was handed over, a payout batch, or what waits for one. */
export interface PayPeriod {
  readonly period: string;
  readonly handover: Handover | null;
  readonly batch: PayoutBatch | null;
  /** Approved amounts that are in no file. Null for a file, and for a month without approvals. */
  readonly waiting: WaitingPeriod | null;
}

interface Handovers {
  readonly handovers: readonly Handover[];
  readonly waiting: readonly WaitingPeriod[];
  readonly batches?: readonly PayoutBatch[];
}

/**
 * The files and batches by period, the latest period first, the periods with approved amounts that are in no file, and between them
 * the ended months since the first file that are in none: without any file, only the month that ended last.
 */
export function listPayPeriods({ handovers, waiting, batches = [] }: Handovers, today: string): readonly PayPeriod[] {
  const known = new Set(waiting.map(({ period }) => period));
  const rows = [
    ...waiting.map((each) => ({ period: each.period, handover: null, batch: null, waiting: each })),
    ...monthsInNoFile([...handovers, ...batches.filter(({ status }) => status !== 'cancelled')], today)
      .filter((month) => !known.has(month))
      .map((period) => ({ period, handover: null, batch: null, waiting: null })),
    ...handovers.map((handover) => ({ period: handover.period, handover, batch: null, waiting: null })),
    ...batches.map((batch) => ({ period: batch.period, handover: null, batch, waiting: null })),
  ];
  const latestFirst = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1);
  return rows.sort(
    (a, b) =>
      latestFirst(daysOf(a.period).to, daysOf(b.period).to) ||
      Number(createdAt(a) !== '') - Number(createdAt(b) !== '') ||
      latestFirst(createdAt(a), createdAt(b)),
  );
}

function createdAt({ handover, batch }: PayPeriod): string {
  return (handover ?? batch)?.createdAt ?? '';
}

function monthsInNoFile(files: readonly { readonly period: string }[], today: string): readonly string[] {
  // The days of a fiscal period are unknown when its year was deleted.
  const covered = files.map(({ period }) => daysOf(period)).filter(({ from }) => from !== '');
  const isHandedOver = (month: string) => {
    const { from, to } = daysOf(month);
    return covered.some((range) => range.from <= to && from <= range.to);
  };
  const last = shiftPeriod(periodAt(today, 1), -1);
  const first = covered.reduce((earliest, { from }) => (from < earliest ? from : earliest), daysOf(last).from);
  const months = [];
  for (let month = last; daysOf(month).to >= first; month = shiftPeriod(month, -1))
    if (!isHandedOver(month)) months.push(month);
  return months;
}
