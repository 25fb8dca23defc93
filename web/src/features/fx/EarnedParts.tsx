import { type EarnedSums, earnedParts } from './earned-sum.js';

/** What was earned in each currency, below the sum, one line for each. */
export function EarnedParts({ sums }: { readonly sums: EarnedSums }) {
  return earnedParts(sums).map((part) => (
    <p key={part} className="num">
      {part}
    </p>
  ));
}
