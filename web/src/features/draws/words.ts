import { type Draw } from '../../api/draw-queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

const kindWords = { guarantee: 'Guarantee', advance: 'Advance' } as const;

const lineWords = {
  draw: 'Paid by the draw',
  draw_recovery: 'Kept to repay it',
  draw_offset: 'Changed by a correction',
} as const;

type DrawTerms = Pick<Draw, 'kind' | 'amount' | 'currency' | 'from' | 'to'>;

/** Such as "Guarantee of $2,000.00 for each pay period". */
export function describeDraw({ kind, amount, currency }: DrawTerms): string {
  return `${kindWords[kind]} of ${formatMoney(amount, currency)} for each pay period`;
}

export function describeDrawDays({ from, to }: DrawTerms): string {
  return to === null ? `since ${formatDay(from, 'year')}` : `${formatDay(from, 'year')} to ${formatDay(to, 'year')}`;
}

/** How and when the draw is paid back, as one sentence or two. */
export function describeRecovery({ recoverable, recovery, to }: Pick<Draw, 'recoverable' | 'recovery' | 'to'>): string {
  if (!recoverable) return 'It is not paid back.';
  const { start, day, maxPercent, forgiveOn } = recovery;
  const when =
    start === 'day' && day !== null
      ? `From ${formatDay(day, 'year')} on`
      : start === 'after_end'
        ? `From the first statement after ${to === null ? 'its end' : formatDay(to, 'year')} on`
        : 'From the next statement on';
  const limit =
    maxPercent === 100
      ? 'what is released above a guarantee'
      : `at most ${formatNumber(maxPercent)} % of what is released`;
  const forgiven = forgiveOn === null ? '' : ` What is still owed on ${formatDay(forgiveOn, 'year')} is forgiven.`;
  return `${when}, each statement keeps ${limit} until it is repaid.${forgiven}`;
}

/** What a draw has paid, and what became of it; the parts add up to what was paid. */
export interface DrawShares {
  readonly paid: string;
  readonly repaid: string;
  readonly owed: number;
  /** What was forgiven or is not paid back. */
  readonly forgiven: string;
}

export function shareDraw({ lines, owed }: Pick<Draw, 'lines' | 'owed'>): DrawShares {
  const sum = (ofKind: (kind: Draw['lines'][number]['kind']) => boolean) =>
    sumAmounts(lines.filter(({ kind }) => ofKind(kind)).map(({ amount }) => amount));
  const paid = sum((kind) => kind !== 'draw_recovery');
  const recovered = sum((kind) => kind === 'draw_recovery');
  const repaid = sumAmounts([-Number(recovered)]);
  return { paid, repaid, owed, forgiven: sumAmounts([paid, recovered, -owed]) };
}

export function describeLine({ kind, sourcePeriod }: Pick<Draw['lines'][number], 'kind' | 'sourcePeriod'>): string {
  return sourcePeriod === undefined ? lineWords[kind] : `Correction of ${formatPeriod(sourcePeriod)}`;
}
