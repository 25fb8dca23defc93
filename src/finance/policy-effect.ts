import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Day } from '../kernel/day.js';
import { sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AccountRole } from './accounts.js';
import { loadBooks } from './load-books.js';
import { listMonths } from './month.js';

export const policyEffect = z
  .array(
    z
      .object({
        month: z.string().describe('The month'),
        entity: z.string().describe('Code of the company'),
        currency: fields.currency,
        assetBefore: z.number().describe('Carrying amount at the end of the month without the version'),
        assetAfter: z.number().describe('Carrying amount at the end of the month with it'),
        expenseBefore: z.number().describe('Expense of the month without the version'),
        expenseAfter: z.number().describe('Expense of the month with it'),
      })
      .describe('What the version does to an open month of a company'),
  )
  .optional()
  .describe('With dryRun=true: what the version does to open months, where it does something');
type Effect = NonNullable<z.input<typeof policyEffect>>;

interface PolicyAmounts extends Pick<Effect[number], 'month' | 'entity' | 'currency'> {
  readonly asset: number;
  readonly expense: number;
}

const expenses: ReadonlySet<AccountRole> = new Set([
  'commission_expense',
  'amortisation_expense',
  'impairment_expense',
  'payroll_tax_expense',
  'unassigned',
]);

/** What changes in the amounts of the months that are open. */
export function comparePolicyAmounts(before: readonly PolicyAmounts[], after: readonly PolicyAmounts[]): Effect {
  return after.flatMap(({ asset: assetAfter, expense: expenseAfter, ...place }, index) => {
    const { asset: assetBefore, expense: expenseBefore } = before[index] as PolicyAmounts;
    const isSame = assetBefore === assetAfter && expenseBefore === expenseAfter;
    return isSame ? [] : [{ ...place, assetBefore, assetAfter, expenseBefore, expenseAfter }];
  });
}

/** The asset and the expense of each open month and company, with the policies as they are. */
export async function listPolicyAmounts(tx: Transaction, today: Day): Promise<PolicyAmounts[]> {
  const {
    lines,
    entities,
    firstOpen,
    month: current,
  } = await loadBooks(tx, {
    month: null,
    repIds: null,
    entity: null,
    today,
  });
  const byEntity = groupBy(lines, ({ entity }) => entity);
  return listMonths(firstOpen, current).flatMap((month) =>
    entities.map(({ code: entity, currency }) => {
      const own = byEntity.get(entity) ?? [];
      const asset = own.filter((line) => line.account === 'contract_cost' && line.month <= month);
      const expense = own.filter((line) => expenses.has(line.account) && line.month === month);
      const [assetSum, expenseSum] = [asset, expense].map((some) => sum(some.map(({ value }) => value)).toNumber());
      return { month, entity, currency, asset: assetSum as number, expense: expenseSum as number };
    }),
  );
}
