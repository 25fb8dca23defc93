import { sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { inParallel } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadRepDraws, openBalance } from './load-draws.js';
import { loadPayHistories } from './load-pay-history.js';

/** What a person owes in one currency after all approved statements. */
export interface Balance {
  readonly repId: string;
  readonly repName: string;
  readonly currency: string;
  /** What was taken back and not yet recovered. */
  readonly takenBack: Decimal;
  readonly draws: readonly { readonly drawId: string; readonly owed: Decimal }[];
  readonly owed: Decimal;
}

/** What people owe on the day, also people who left; without those who owe nothing. */
export async function loadBalances(tx: Transaction, repIds: readonly string[] | null, day: Day): Promise<Balance[]> {
  const { rows } = await sql<{ repId: string; repName: string }>`
    select rep_id as "repId", name as "repName" from reps
    where workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`}
    order by lower(name), rep_id`.execute(tx.db);
  const ids = rows.map(({ repId }) => repId);
  const [histories, draws] = await inParallel(
    () => loadPayHistories(tx, ids),
    () => loadRepDraws(tx, ids),
  );
  return rows.flatMap(({ repId, repName }) => {
    const history = histories(repId);
    const ofRep = draws.get(repId) ?? [];
    const currencies = [...new Set([...history.currencies(), ...ofRep.map(({ terms }) => terms.currency)])].sort();
    return currencies.flatMap((currency) => {
      const takenBack = history.balanceIn(currency);
      const open = ofRep
        .filter(({ terms }) => terms.currency === currency)
        .map((draw) => ({ drawId: draw.terms.drawId, owed: openBalance(draw, history, day) }))
        .filter(({ owed }) => !owed.isZero());
      const owed = sum([takenBack, ...open.map((draw) => draw.owed)]);
      return owed.isZero() ? [] : [{ repId, repName, currency, takenBack, draws: open, owed }];
    });
  });
}
