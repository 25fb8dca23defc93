import { countDays } from '#src/client.js';
import { type Attainment } from '../../features/plans/attainment.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod, hasDays } from '../../shared/format/periods.js';

type Counted = Pick<Attainment, 'period' | 'through'>;

/**
 * The share of the days of a running period that are over, or were on the last day whose deals are counted; null before it
 * begins and after it ends.
 */
export function elapsedShare({ period, through }: Counted, today: string): number | null {
  if (!hasDays(period)) return null;
  const { from, to } = daysOf(period);
  if (today < from || today > to) return null;
  return countDays({ from, to: through < today ? through : today }) / countDays({ from, to });
}

type Progress = Pick<Attainment, 'period' | 'attainment' | 'through'>;

/** How much of the period is over, and how many people have attained less; null when no period is running. */
export function paceWords(quotas: readonly Progress[], today: string): string | null {
  const running = quotas.flatMap(({ period, attainment, through }) => {
    const elapsed = elapsedShare({ period, through }, today);
    return elapsed === null ? [] : [{ period, elapsed, attainment, through }];
  });
  const [first] = running;
  if (first === undefined) return null;
  const behind = running.filter(({ attainment, elapsed }) => attainment < elapsed).length;
  const people = `${behind} of ${running.length === 1 ? '1 person' : `${running.length} people`}`;
  if (running.some(({ period }) => period !== first.period))
    return `${people} attained less of their quota than the share of its period that is over.`;
  const share = `${formatNumber(Math.round(first.elapsed * 100))} % of ${formatPeriod(first.period)}`;
  return first.through < today
    ? `By ${formatDay(first.through)}, ${share} was over, and ${people} had attained less of their quota.`
    : `${share} is over. ${people} attained less of their quota.`;
}
