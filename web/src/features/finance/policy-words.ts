import { type Company, type Policy } from '../../api/finance-queries.js';
import { rounded } from '../../shared/format/exact.js';
import { currencyDecimals, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod, shiftPeriod } from '../../shared/format/periods.js';

/** What a version of a policy says, in a sentence. */
export function describePolicy({ from, scope, treatment, period, match, convention, correction }: Policy): string {
  const which = match.ruleNames === undefined ? 'all rows of deals' : match.ruleNames.join(', ');
  if (treatment === 'expense') return `from ${formatPeriod(from)}, ${which} are expense`;
  const start = { full_month: 'the month it is earned in', next_month: 'the month after it', daily: 'its day' }[
    convention
  ];
  const changes = correction === 'prospective' ? '; changes are spread over what is left' : '';
  const of = scope === 'all' ? `${which}, also earlier ones,` : which;
  return `from ${formatPeriod(from)}, ${of} are amortised ${describePeriod(period)} from ${start} on${changes}`;
}

function describePeriod(period: Policy['period']): string {
  if ('months' in period) return `over ${period.months} months`;
  return 'until' in period ? `until the day ${period.until} of the contract` : 'over the contract';
}

const exampleCost = 4800;

/** What becomes of a cost that is earned in the first month of the version, in a sentence; null if the contract decides. */
export function exampleOfPolicy(
  { from, treatment, period, convention, expedientMonths }: Policy,
  [main]: readonly Pick<Company, 'currency'>[],
): string | null {
  if (treatment === 'expense' || !('months' in period)) return null;
  const { months } = period;
  const currency = main?.currency ?? '';
  const plain = (amount: number) =>
    formatMoney(rounded(amount, currencyDecimals(currency)), currency, { unit: 'none' });
  const of = `${plain(exampleCost)} for ${months} months`;
  if (months <= expedientMonths) return `${of}: expense at once`;
  const monthly = `${of}: ${plain(exampleCost / months)} a month`;
  if (convention === 'daily') return `${monthly} on average, by days`;
  return `${monthly} until ${formatPeriod(shiftPeriod(from, convention === 'full_month' ? months - 1 : months))}`;
}

/** What a company may decide about the commission on renewals. */
export const renewalDecisions = { commensurate: 'commensurate', not_commensurate: 'not commensurate' } as const;
