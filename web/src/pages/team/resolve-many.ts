import { describeError } from '../../api/describe-error.js';
import { type Discrepancy } from '../../api/team-queries.js';
import { formatCount } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

export interface ManyResolved {
  readonly done: number;
  /** The discrepancies that stay open, each with its reason in words. */
  readonly failed: readonly { readonly discrepancy: Discrepancy; readonly reason: string }[];
}

/** Resolves one discrepancy after another. One that fails does not stop the others. */
export async function resolveMany(
  discrepancies: readonly Discrepancy[],
  resolve: (discrepancy: Discrepancy) => Promise<{ readonly result: { readonly action: string } }>,
): Promise<ManyResolved> {
  const failed: { discrepancy: Discrepancy; reason: string }[] = [];
  for (const discrepancy of discrepancies)
    try {
      const { result } = await resolve(discrepancy);
      if (result.action === 'requires_approval')
        failed.push({ discrepancy, reason: 'the difference is above the limit, so it is confirmed alone' });
    } catch (error) {
      failed.push({ discrepancy, reason: describeError(error).message });
    }
  return { done: discrepancies.length - failed.length, failed };
}

/** What was done, and the first discrepancy that stays. */
export function describeResolved({ done, failed }: ManyResolved): string {
  const resolved = `${formatCount(done, 'discrepancy', 'discrepancies')} resolved`;
  const [first] = failed;
  if (first === undefined) return `${resolved}.`;
  const { repName, period } = first.discrepancy;
  return `${resolved}, ${failed.length} not. ${repName}, ${formatPeriod(period)}: ${first.reason}`;
}
