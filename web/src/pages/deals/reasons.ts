import { type Breakdown, type Dashboard } from '../../api/queries.js';
import { fieldWords, reasonWords } from '../../features/plans/words.js';
import { formatMoney } from '../../shared/format/numbers.js';

type Outcome = Breakdown['outcomes'][number];

/** Reasons that say more about the deal than that another rule does not apply. */
const order = ['rule_condition_failed', 'deal_condition_failed'];

/** The reason to show first when no rule paid. */
export function mainReason(outcomes: readonly Outcome[]): string {
  const unpaid = outcomes.filter(({ paid }) => !paid);
  const [first] = [...unpaid].sort((a, b) => order.indexOf(a.reason ?? '') - order.indexOf(b.reason ?? ''));
  return first === undefined ? 'No rule applies to it.' : outcomeWords(first);
}

/** What came after an approval, or is still open. Null if nothing. */
export function lateWords({
  corrected,
  openDifference,
  commissionCurrency,
}: Pick<Dashboard['closedDeals'][number], 'corrected' | 'openDifference' | 'commissionCurrency'>): string | null {
  const words = [
    corrected === 0 ? null : `${formatMoney(corrected, commissionCurrency, { signed: true })} paid as a correction`,
    openDifference === 0 ? null : `${formatMoney(openDifference, commissionCurrency, { signed: true })} not paid yet`,
  ].filter((reason) => reason !== null);
  return words.length === 0 ? null : words.join(', ');
}

export function outcomeWords({ reason, missing }: Outcome): string {
  const words = reasonWords[reason ?? ''] ?? 'The tier that was reached pays nothing.';
  return missing.length === 0 ? words : `${words} Missing: ${missing.map(fieldWords).join(', ')}.`;
}
