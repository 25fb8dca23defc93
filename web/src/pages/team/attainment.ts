import { type Attainment } from '../../api/team-queries.js';
import { isCounted } from '../../features/plans/attainment.js';
import { toPeriodLength } from '../../shared/format/periods.js';

/** The attainment that stands for a person: of the shortest counted quota that covers the period, the largest target. */
export function mainAttainment(all: readonly Attainment[], period: string): Attainment | null {
  const withTarget = all.filter(isCounted).filter(({ target }) => target > 0);
  const covering = withTarget.filter((quota) => toPeriodLength(quota.period) >= toPeriodLength(period));
  const shortest = Math.min(...covering.map((quota) => toPeriodLength(quota.period)));
  const candidates = covering.filter((quota) => toPeriodLength(quota.period) === shortest);
  return candidates.reduce<Attainment | null>(
    (largest, candidate) => (largest === null || candidate.target > largest.target ? candidate : largest),
    null,
  );
}
