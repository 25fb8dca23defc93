import { type Updates } from '../../api/updates-query.js';
import { formatMoney } from '../../shared/format/numbers.js';

/** Which rules pay it, why it was calculated, and what it was before: "New business. A deal changed. Before: $800.00." */
export function changeWords({
  dealId,
  ruleNames,
  causeText,
  before,
  currency,
}: Pick<Updates['changes'][number], 'dealId' | 'ruleNames' | 'causeText' | 'before' | 'currency'>): string {
  const parts = [
    dealId === null ? '' : ruleNames.join(', '),
    causeText ?? '',
    before === 0 ? '' : `Before: ${formatMoney(before, currency)}`,
  ];
  return parts
    .filter((part) => part !== '')
    .map((part) => `${part}.`)
    .join(' ');
}
