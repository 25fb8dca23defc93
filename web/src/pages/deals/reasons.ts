import { type Breakdown } from '../../api/queries.js';
import { fieldWords, reasonWords } from '../../plans/words.js';

type Outcome = Breakdown['outcomes'][number];

/** Reasons that say more about the deal than that another rule does not apply. */
const order = ['rule_condition_failed', 'deal_condition_failed'];

/** The reason to show first when no rule paid. */
export function mainReason(outcomes: readonly Outcome[]): string {
  const unpaid = outcomes.filter(({ paid }) => !paid);
  const [first] = [...unpaid].sort((a, b) => order.indexOf(a.reason ?? '') - order.indexOf(b.reason ?? ''));
  return first === undefined ? 'No rule applies to it.' : outcomeWords(first);
}

export function outcomeWords({ reason, missing }: Outcome): string {
  const words = reasonWords[reason ?? ''] ?? 'The tier that was reached pays nothing.';
  return missing.length === 0 ? words : `${words} Missing: ${missing.map(fieldWords).join(', ')}.`;
}
