import { Decimal, sum } from '../../kernel/decimal.js';
import { maxEnumerated } from './outcomes.js';

/** An open deal that may be closed to reach a goal. */
export interface GoalDeal {
  readonly dealId: string;
  readonly amount: Decimal;
}

export interface FoundGoal {
  /** The deals to win; all that are searched if these do not reach the goal. */
  readonly dealIds: readonly string[];
  readonly pay: Decimal;
  readonly isReached: boolean;
  /** Whether every set of open deals was searched. */
  readonly isExact: boolean;
}

/**
 * The fewest open deals that reach the goal, and of sets of as many deals the one with the smallest sum of amounts. Of more than
 * {@link maxEnumerated} deals, sets of those that pay most alone are searched; if all of these do not reach it, the others
 * are added one by one.
 */
export function findGoal(
  deals: readonly GoalDeal[],
  goal: Decimal,
  pay: (won: readonly string[]) => Decimal,
): FoundGoal {
  const isExact = deals.length <= maxEnumerated;
  const ordered = isExact ? deals : byPayAlone(deals, pay);
  const reaches = (won: readonly string[]) => !pay(won).isLessThan(goal);
  const found = (dealIds: readonly string[], isReached: boolean) => ({
    dealIds,
    pay: pay(dealIds),
    isReached,
    isExact,
  });
  const searched = ordered.slice(0, maxEnumerated);
  if (isExact || reaches(idsOf(searched))) {
    const first = setsBySize(searched).find((set) => reaches(idsOf(set)));
    if (first !== undefined) return found(idsOf(first), true);
  }
  for (let count = searched.length + 1; count <= ordered.length; count += 1) {
    const won = idsOf(ordered.slice(0, count));
    if (reaches(won)) return found(won, true);
  }
  return found(idsOf(ordered), false);
}

function idsOf(deals: readonly GoalDeal[]): string[] {
  return deals.map(({ dealId }) => dealId);
}

/** The deals, the one that pays most alone first. */
function byPayAlone(deals: readonly GoalDeal[], pay: (won: readonly string[]) => Decimal): GoalDeal[] {
  const alone = new Map(deals.map((deal) => [deal, pay([deal.dealId])]));
  return deals.toSorted((a, b) => (alone.get(b) as Decimal).compare(alone.get(a) as Decimal));
}

/** Every set of the deals, smaller ones first, then those with the smaller sum of amounts. */
function setsBySize(deals: readonly GoalDeal[]): GoalDeal[][] {
  const sets = Array.from({ length: 2 ** deals.length }, (_, bits) =>
    deals.filter((_deal, index) => (bits & (1 << index)) !== 0),
  );
  const sized = sets.map((set) => ({ set, amount: sum(set.map(({ amount }) => amount)) }));
  return sized.sort((a, b) => a.set.length - b.set.length || a.amount.compare(b.amount)).map(({ set }) => set);
}
