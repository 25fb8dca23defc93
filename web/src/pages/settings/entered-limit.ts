import { type Workspace } from '../../api/settings-queries.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { currencyDecimals, formatMoney } from '../../shared/format/numbers.js';

type Limits = NonNullable<Workspace['adjustmentLimits']>;

/** The limit as the form has it, with texts. */
interface EnteredLimit {
  readonly above: string;
  readonly by: 'admin' | 'manager';
}

export function toEnteredLimit(limits: Limits | undefined): EnteredLimit {
  const first = limits?.[0];
  return {
    above: writeNumber(first?.above),
    by: first !== undefined && 'role' in first.by ? first.by.role : 'admin',
  };
}

/** What is sent: null for no limit, and undefined while the amount is none. */
export function readLimit({ above, by }: EnteredLimit): Limits | null | undefined {
  if (above.trim() === '') return null;
  const amount = readNumber(above);
  return amount === null || amount < 0 ? undefined : [{ above: amount, by: { role: by } }];
}

/** What the limit will do, such as "1,000.00 counts at once; 1,000.01 waits for another admin". */
export function describeLimit(limits: Limits | null, currency: string): string {
  const first = limits?.[0];
  if (first === undefined) return 'An admin adds any amount alone.';
  const above = first.above + 10 ** -currencyDecimals(currency);
  const who = 'role' in first.by && first.by.role === 'manager' ? 'a manager' : 'another admin';
  return `${formatMoney(first.above, currency)} counts at once; ${formatMoney(above, currency)} waits for ${who}.`;
}
