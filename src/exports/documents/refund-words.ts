import { type Trace } from '../../engine/trace.js';
import { Decimal } from '../../kernel/decimal.js';
import { grouped, money } from '../../kernel/money-text.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { percent } from './figures.js';

/** What a refund takes back of a line, in words; null for a line that no refund causes. */
export function describeRefund(
  { refundId, earnedOn, currency }: Pick<StatementLine, 'refundId' | 'earnedOn' | 'currency'>,
  trace: Trace | null,
): string | null {
  if (refundId === undefined) return null;
  const name = `Refund ${refundId} of ${earnedOn}`;
  if (trace?.refund === undefined) return name;
  const { refunded, dealAmount, elapsedDays, percent: policy, waivedPercent, takenBefore, taken } = trace.refund;
  const number = (amount: number) => grouped(Decimal.of(amount).toString());
  const part =
    dealAmount === null || dealAmount === 0
      ? []
      : [
          `${number(refunded)} of ${number(dealAmount)} given back, ${percent(Decimal.of(refunded).dividedBy(Decimal.of(dealAmount)), 2)}`,
        ];
  const window = elapsedDays === undefined ? [] : [`day ${elapsedDays}: ${policy ?? 100}% is taken back`];
  const waived = waivedPercent === undefined ? [] : [`${waivedPercent}% is waived`];
  const share = Decimal.of(taken).minus(Decimal.of(takenBefore));
  const taking = `${percent(share, 4)} of ${money(String(Math.abs(trace.base)), currency)}`;
  return [`${name}: ${[...part, ...window, ...waived].join('; ')}`, taking].join('; ');
}
