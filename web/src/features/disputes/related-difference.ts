import { overlap } from '#src/client.js';
import { type Dispute } from '../../api/queries.js';
import { type Discrepancy } from '../../api/team-queries.js';
import { daysOf } from '../../shared/format/periods.js';

/**
 * The open difference that may answer the question: the one to which its deal adds; for a question about no deal, that of
 * an approved period with days of the question's period.
 */
export function findRelatedDifference(
  discrepancies: readonly Discrepancy[],
  { repId, dealId, period }: Pick<Dispute, 'repId' | 'dealId' | 'period'>,
): Discrepancy | null {
  const isRelated = ({ lines, period: approved }: Discrepancy) =>
    dealId === null ? overlap(daysOf(approved), daysOf(period)) : lines.some((line) => line.dealId === dealId);
  return discrepancies.find((discrepancy) => discrepancy.repId === repId && isRelated(discrepancy)) ?? null;
}
