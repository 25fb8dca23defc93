import { calculateRep } from '../engine/calculate.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { eventIdOf } from './difference.js';
import { calculationWindow } from './load-window.js';
import { loadRepInput } from './rep-input.js';
import { loadRepTerms } from './rep-terms.js';

export interface Amount {
  readonly currency: string;
  readonly amount: Decimal;
}

/**
 * What the rep would have earned on the days if none of the rep's periods were frozen: a dry run over everything that
 * the days depend on, with the historical rows that a calculation would keep.
 */
export async function unfrozenAmounts(
  trx: Work,
  workspaceId: string,
  repId: string,
  days: DayRange,
  asOf: Day,
): Promise<Amount[]> {
  const terms = { ...(await loadRepTerms(trx, workspaceId, repId)), frozen: [] };
  const input = await loadRepInput(trx, terms, calculationWindow(terms, days), asOf, { explain: false });
  const { decisions } = calculateRep(input);
  const decided = new Set(decisions.map((decision) => eventIdOf(repId, decision)));
  const standing = new Map(input.standing.map((row) => [row.eventId, row]));
  const kept = input.held
    .filter((held) => isWithin(held.earnedOn, days))
    .flatMap((held) => standing.get(eventIdOf(repId, held)) ?? [])
    .filter((row) => !decided.has(row.eventId));
  return [
    ...decisions.filter((decision) => isWithin(decision.earnedOn, days)),
    ...kept.map((row) => ({ currency: row.currency, amount: Decimal.of(row.amount) })),
  ];
}
