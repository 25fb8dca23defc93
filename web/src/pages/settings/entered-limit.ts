import { type Workspace } from '../../api/settings-queries.js';
import { describeSigners } from '../../features/approvals/chain-words.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { currencyDecimals, formatMoney } from '../../shared/format/numbers.js';

type Limits = NonNullable<Workspace['adjustmentLimits']>;

/** The first limit as the form has it, with texts, and what the form only displays. */
interface EnteredLimit {
  readonly above: string;
  readonly by: 'admin' | 'manager' | 'people';
  /** The people of the stored limit. */
  readonly repIds: readonly string[];
  readonly others: Limits;
}

export function toEnteredLimit(limits: Limits | undefined): EnteredLimit {
  const [first, ...others] = limits ?? [];
  const by = first?.by ?? { role: 'admin' };
  return {
    above: writeNumber(first?.above),
    by: 'role' in by ? by.role : 'people',
    repIds: 'repIds' in by ? by.repIds : [],
    others,
  };
}

/** What is sent: null for no limit, and undefined while the amount is none. */
export function readLimit({ above, by, repIds, others }: EnteredLimit): Limits | null | undefined {
  if (above.trim() === '') return others.length === 0 ? null : others;
  const amount = readNumber(above);
  if (amount === null || amount < 0) return undefined;
  return [{ above: amount, by: by === 'people' ? { repIds: [...repIds] } : { role: by } }, ...others];
}

/** What the limits will do, such as "1,000.00 counts at once; 1,000.01 waits for another admin". */
export function describeLimits(limits: Limits | null, currency: string, nameOf: (repId: string) => string): string {
  const [first, ...others] = (limits ?? []).toSorted((a, b) => a.above - b.above);
  if (first === undefined) return 'An admin adds any amount alone.';
  const waits = ({ above, by }: Limits[number]) => {
    const who = 'role' in by && by.role === 'admin' ? 'another admin' : describeSigners({ by }, nameOf);
    return `${formatMoney(above + 10 ** -currencyDecimals(currency), currency)} waits for ${who}`;
  };
  return `${[`${formatMoney(first.above, currency)} counts at once`, ...[first, ...others].map(waits)].join('; ')}.`;
}
