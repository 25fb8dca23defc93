import { type DealLine } from '../engine/deal-line.js';
import { type Caller, peopleBehind } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { affectedByCredits } from './affected-reps.js';
import { type ChangedFacts } from './change-deal-facts.js';
import { dealNotFound } from './deal-credit-views.js';
import { repsIn } from './deal-credits.js';
import { dealsWithReadLines, replaceDealLines } from './deal-line-store.js';
import { lockDeals } from './deal-store.js';
import { type CreditsChange, refreshCredits } from './refresh-credits.js';

/** What a change of lines affects. */
export interface ChangedLines extends ChangedFacts {
  /** The deals on which other lines count than before. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Replaces the lines that people or the API gave for the deals, with the credits that rules derive from them; no lines
 * remove them. Rejects a change of lines that pay
 * a person behind the request. Affects no one where neither a rule nor a refund reads lines.
 */
export async function changeLines(
  tx: Transaction,
  caller: Caller,
  deals: ReadonlyMap<string, readonly DealLine[]>,
): Promise<ChangedLines> {
  const stored = await lockDeals(tx, [...deals.keys()]);
  for (const dealId of deals.keys()) if (stored.get(dealId)?.deleted !== false) throw dealNotFound();
  const changed = new Set(await replaceDealLines(tx, 'api', deals));
  const credits = new Map((await refreshCredits(tx, [...changed])).map((change) => [change.dealId, change]));
  const changes = [...stored.values()]
    .filter(({ dealId }) => changed.has(dealId))
    .map(
      ({ dealId, repId, closeDate, credits: same }): CreditsChange =>
        credits.get(dealId) ?? { dealId, repId, closeDate, before: same, after: same },
    );
  tx.markAffected(changes.flatMap(({ repId, before, after }) => [repId, ...repsIn(before), ...repsIn(after)]));
  const affected = await affectedByCredits(tx, changes);
  const paid = new Set([
    ...changes.flatMap(({ repId, before, after }) => [repId, ...repsIn(before), ...repsIn(after)]),
    ...[...affected.values()].flatMap((reps) => [...reps.keys()]),
  ]);
  if (peopleBehind(caller).some((person) => paid.has(person)))
    throw new Failure(
      'forbidden',
      'You cannot change lines of deals that pay you, also not with a key that you created or by approving the request of an agent. Another admin must do it.',
    );
  const read = await dealsWithReadLines(tx, [...changed]);
  return { changed, affected: new Map([...affected].filter(([dealId]) => read.has(dealId))) };
}
