import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { loadBookMonths } from './book-months.js';
import { loadRenewalTests } from './load-renewal-tests.js';
import { type PolicyTerms, type ProposedTerms } from './policy.js';

/** The terms with the test of renewals at this instant, if the company has decided about them. */
export async function storeDecision(
  tx: Transaction,
  name: string,
  { renewals, ...terms }: ProposedTerms,
  today: Day,
): Promise<PolicyTerms> {
  if (renewals === undefined) return terms;
  if (renewals.decision === 'commensurate' && 'months' in terms.period)
    throw new Failure(
      'period_not_of_contract',
      'Where renewals pay for themselves, the cost is spread over the contract: {"contract": true}, or until one of its days.',
    );
  const months = await loadBookMonths(tx, today);
  const tests = await loadRenewalTests(tx, months.current, months, today);
  return { ...terms, renewals: { ...renewals, test: tests.find(({ policy }) => policy === name) ?? null } };
}
