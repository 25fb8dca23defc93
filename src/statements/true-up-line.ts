import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { dealOfKey } from '../engine/clawback.js';
import { Decimal } from '../kernel/decimal.js';
import { type CountedRow } from '../ledger/input/counted-rows.js';
import { naturalKey } from '../ledger/input/ledger-rows.js';

/** The part of a true-up that one rule on one deal adds. Amounts are exact decimal text. */
export interface TrueUpLine {
  /** Null for a periodic rule, which pays for a period instead of a deal. */
  readonly dealId: string | null;
  readonly dealName: string | null;
  readonly planId: string;
  readonly ruleName: string;
  readonly approved: string;
  readonly live: string;
  readonly delta: string;
}

export const trueUpLine = z
  .object({
    dealId: z
      .string()
      .nullable()
      .describe('Id of the deal in the CRM; null for a periodic rule, which pays for a period instead of a deal'),
    dealName: z
      .string()
      .nullable()
      .describe(
        'Name of the deal at the time of the true-up; null if its owner then was someone whom the rep may not see',
      ),
    planId: fields.planId,
    ruleName: fields.ruleName,
    approved: z.number().describe('Amount that the period has paid, including earlier true-ups'),
    live: z.number().describe('Amount that the period would pay if no period were approved'),
    delta: z
      .number()
      .describe('live - approved. The deltas of all lines of a currency add up to the amount of the true-up'),
    currency: fields.currency,
  })
  .describe('The difference of one deal and rule');

export function toTrueUpLineResponse(
  { approved, live, delta, ...same }: TrueUpLine,
  currency: string,
): z.input<typeof trueUpLine> {
  return { ...same, approved: Number(approved), live: Number(live), delta: Number(delta), currency };
}

/** The differences between two states of a period in one currency, by deal and rule, largest first. */
export function trueUpLines(
  before: readonly CountedRow[],
  after: readonly CountedRow[],
  currency: string,
): Omit<TrueUpLine, 'dealName'>[] {
  const byKey = (rows: readonly CountedRow[]) =>
    new Map(rows.filter((row) => row.currency === currency).map((row) => [naturalKey(row), row]));
  const [approved, live] = [byKey(before), byKey(after)];
  const lines = [...new Map([...approved, ...live])].map(([key, row]) => {
    const was = Decimal.of(approved.get(key)?.amount ?? '0');
    const is = Decimal.of(live.get(key)?.amount ?? '0');
    return { row, key, was, is, delta: is.minus(was) };
  });
  return lines
    .filter(({ delta }) => !delta.isZero())
    .sort((a, b) => b.delta.absolute().compare(a.delta.absolute()) || (a.key < b.key ? -1 : 1))
    .map(({ row, was, is, delta }) => ({
      dealId: row.phase === 'periodic' ? null : dealOfKey(row.dealKey),
      planId: row.planId,
      ruleName: row.ruleName,
      approved: was.toString(),
      live: is.toString(),
      delta: delta.toString(),
    }));
}
