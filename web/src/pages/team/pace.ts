import { countDays } from '#src/client.js';
import { type Attainment, type CountedQuota } from '../../features/plans/attainment.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod, hasDays } from '../../shared/format/periods.js';

/** The share of the days of a running period that are over; null before it begins and after it ends. */
export function elapsedShare(period: string, today: string): number | null {
  if (!hasDays(period)) return null;
  const { from, to } = daysOf(period);
  if (today < from || today > to) return null;
  return countDays({ from, to: today }) / countDays({ from, to });
}

type Progress = Pick<CountedQuota<Attainment>, 'period' | 'attainment'>;

/** How much of the period is over, and how many people have attained less; null when no period is running. */
export function paceWords(quotas: readonly Progress[], today: string): string | null {
  const running = quotas.flatMap(({ period, attainment }) => {
    const elapsed = elapsedShare(period, today);
    return elapsed === null ? [] : [{ period, elapsed, attainment }];
  });
  const [first] = running;
  if (first === undefined) return null;
  const behind = running.filter(({ attainment, elapsed }) => attainment < elapsed).length;
  const people = `${behind} of ${running.length === 1 ? '1 person' : `${running.length} people`}`;
  if (running.some(({ period }) => period !== first.period))
    return `${people} attained less of their quota than the share of its period that is over.`;
  const percent = formatNumber(Math.round(first.elapsed * 100));
  return `${percent} % of ${formatPeriod(first.period)} is over. ${people} attained less of their quota.`;
}
