import { type Caller, personBehind } from '../kernel/caller.js';
import { sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookTotal } from './closing.js';
import { type JournalLine } from './journal-line.js';
import { type Month } from './month.js';

/** The books of a month as someone has found them right. Another person closes it. */
export interface Preparation {
  readonly month: Month;
  readonly hash: string;
  readonly totals: readonly BookTotal[];
  readonly actor: string;
  readonly authorId: string | null;
  readonly preparedAt: Date;
}

export async function findPreparations(tx: Transaction): Promise<Preparation[]> {
  return tx.db
    .selectFrom('accounting_preparations')
    .select(['month', 'hash', 'totals', 'actor', 'author_id as authorId', 'prepared_at as preparedAt'])
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}

export async function savePreparation(
  tx: Transaction,
  caller: Caller,
  { month, hash, totals, at }: Pick<Preparation, 'month' | 'hash' | 'totals'> & { readonly at: Date },
): Promise<void> {
  const values = {
    hash,
    totals: JSON.stringify(totals),
    actor: caller.actor,
    author_id: personBehind(caller),
    prepared_at: at,
  };
  await tx.db
    .insertInto('accounting_preparations')
    .values({ workspace_id: tx.workspaceId, month, ...values })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'month']).doUpdateSet(values))
    .execute();
}

export async function deletePreparation(tx: Transaction, month: Month): Promise<void> {
  await tx.db
    .deleteFrom('accounting_preparations')
    .where('workspace_id', '=', tx.workspaceId)
    .where('month', '=', month)
    .execute();
}

/** The sums of the accounts by entity and currency. */
export function totalLines(lines: readonly JournalLine[]): BookTotal[] {
  return [...groupBy(lines, ({ entity, account, currency }) => `${entity} ${account} ${currency}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, ofKey]) => {
      const [{ entity, account, currency }] = ofKey as [JournalLine];
      return {
        entity,
        account,
        currency,
        amount: sum(ofKey.map(({ amount }) => amount)).toString(),
        value: sum(ofKey.map(({ value }) => value)).toString(),
      };
    });
}
