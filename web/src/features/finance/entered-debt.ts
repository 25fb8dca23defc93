import { type LiabilityRow } from '../../api/finance-queries.js';
import { writeNumber } from '../../shared/format/entered-numbers.js';

export const debtKey = ({ repId, currency }: Pick<LiabilityRow, 'repId' | 'currency'>) => `${repId} ${currency}`;

/** The choice of a debt, with all of it as the amount to write off. */
export function enteredDebt(row: Pick<LiabilityRow, 'repId' | 'currency' | 'receivable'>) {
  return { debtor: debtKey(row), amount: writeNumber(row.receivable) };
}
