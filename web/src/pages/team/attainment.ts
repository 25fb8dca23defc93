import { type Attainment } from '../../api/team-queries.js';
import { type CountedQuota, isCounted } from '../../features/plans/attainment.js';
import { lengthOf } from '../../shared/format/periods.js';

/** The attainment that stands for a person: of the shortest counted quota that covers the period, the largest target. */
export function mainAttainment(all: readonly Attainment[], period: string): CountedQuota | null {
  const withTarget = all.filter(isCounted).filter(({ target }) => target > 0);
  const covering = withTarget.filter((one) => lengthOf(one.period) >= lengthOf(period));
  const shortest = Math.min(...covering.map((one) => lengthOf(one.period)));
  const candidates = covering.filter((one) => lengthOf(one.period) === shortest);
  return candidates.reduce<CountedQuota | null>(
    (largest, one) => (largest === null || one.target > largest.target ? one : largest),
    null,
  );
}
