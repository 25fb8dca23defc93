import { isPayPeriod } from '../pay/payables/payout-settings.js';
import { loadStatementPayouts } from '../pay/payables/statement-payouts.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { describePay, type PayHeadline } from './payslip.js';
import { loadOnlyCurrencies } from './read-payslip.js';
import { type StatementKey } from './statement.js';
import { hasAmount, readTeamStatements } from './team-statements.js';

/** What the statement pays, as lists show it, without reading its lines. Null where the period is no pay period. */
export async function loadHeadline(
  tx: Transaction,
  { repId, period }: StatementKey,
  currency: string,
): Promise<PayHeadline | null> {
  if (!(await isPayPeriod(tx, period))) return null;
  const [member] = await readTeamStatements(tx, period, currency, { repIds: [repId], everyone: true });
  if (member === undefined || member.payTotals === null) return null;
  const { payTotals, pay, main, others, status } = member;
  const only = hasAmount(member) ? undefined : (await loadOnlyCurrencies(tx, [repId])).get(repId);
  return describePay({
    ...{ totals: payTotals, pay, summaries: [main, ...others], isApproved: status === 'approved' },
    payouts: (await loadStatementPayouts(tx, period, [repId])).get(repId) ?? [],
    otherwise: only ?? currency,
  });
}
