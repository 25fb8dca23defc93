import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { dealOfKey } from '../engine/clawback.js';
import { addTo } from '../kernel/add-to.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type MovedRow } from '../simulation/moved-rows.js';
import { type Movement } from '../simulation/write-effect.js';
import { findDealNames } from './deal-views.js';

const amounts = {
  before: z.number().describe('Commission before the change'),
  after: z.number().describe('Commission after the change'),
  delta: z.number().describe('after minus before'),
};

/** What a change of credit lines does to each person. */
export const creditsEffect = {
  byRep: z
    .array(
      z
        .object({
          repId: fields.repId,
          repName: fields.repName,
          currency: fields.currency,
          ...amounts,
          deals: z
            .array(
              z
                .object({
                  dealKey: z.string().describe('The deal, or the period of a rule that pays once a period'),
                  dealName: fields.dealName.nullable(),
                  ...amounts,
                })
                .describe('One deal'),
            )
            .describe('The deals whose commission changes, largest change first'),
        })
        .describe('One person and currency'),
    )
    .nullable()
    .describe('The people whose commission of open periods changes. null: they have more deals than can be calculated'),
  locked: z
    .array(
      z
        .object({
          repId: fields.repId,
          repName: fields.repName,
          period: fields.period,
          currency: fields.currency,
          delta: z.number().describe('What the period would owe in addition; negative if it paid too much'),
        })
        .describe('An approved period'),
    )
    .describe('Approved periods in which the change opens a discrepancy. The periods do not change'),
};
export type CreditsEffect = { readonly [Name in keyof typeof creditsEffect]: z.input<(typeof creditsEffect)[Name]> };

export async function describeEffect(tx: Transaction, moves: Movement | null): Promise<CreditsEffect> {
  if (moves === null) return { byRep: null, locked: [] };
  const { moved, locked } = moves;
  const repNames = await findRepNames(
    tx,
    [...moved, ...locked].map(({ repId }) => repId),
  );
  const dealNames = await findDealNames(
    tx,
    moved.map(({ dealKey }) => dealOfKey(dealKey)),
  );
  const toName = (repId: string) => repNames.get(repId) ?? '';
  const byRep = [...groupBy(moved.flatMap(toSides), ({ repId, currency }) => `${repId} ${currency}`).values()].map(
    (sides) => {
      const { repId, currency } = sides[0] as Side;
      const deals = [...groupBy(sides, ({ dealKey }) => dealKey)]
        .map(([dealKey, ofDeal]) => ({
          dealKey,
          dealName: dealNames.get(dealOfKey(dealKey)) ?? null,
          ...addSides(ofDeal),
        }))
        .filter(({ delta }) => delta !== 0)
        .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || (a.dealKey < b.dealKey ? -1 : 1));
      return { repId, repName: toName(repId), currency, ...addSides(sides), deals };
    },
  );
  return {
    byRep: byRep.filter(({ deals }) => deals.length > 0).sort((a, b) => (a.repName < b.repName ? -1 : 1)),
    locked: locked.map((period) => ({ ...period, repName: toName(period.repId) })),
  };
}

/** A row in one currency, before and after. */
interface Side {
  readonly repId: string;
  readonly dealKey: string;
  readonly currency: string;
  readonly before: Decimal;
  readonly after: Decimal;
}

function toSides({ repId, dealKey, before, after }: MovedRow): Side[] {
  const currencies = new Set([before?.currency, after?.currency].filter((currency) => currency !== undefined));
  const amountIn = (state: MovedRow['before'], currency: string) =>
    state?.currency === currency ? Decimal.of(state.amount) : Decimal.zero;
  return [...currencies].map((currency) => ({
    repId,
    dealKey,
    currency,
    before: amountIn(before, currency),
    after: amountIn(after, currency),
  }));
}

function addSides(sides: readonly Side[]): { before: number; after: number; delta: number } {
  const [before, after] = [sum(sides.map((side) => side.before)), sum(sides.map((side) => side.after))];
  return { before: before.toNumber(), after: after.toNumber(), delta: after.minus(before).toNumber() };
}

/**
 * What is paid to two people until the discrepancies are resolved, by currency: what approved periods paid too much, as
 * far as open periods pay it to others.
 */
export function computePaidTwice({ moved, locked }: Movement): { currency: string; amount: number }[] {
  const overpaid = sumsByCurrency(
    locked.filter(({ delta }) => delta < 0).map(({ currency, delta }) => ({ currency, amount: String(-delta) })),
  );
  const gained = new Map<string, Decimal>();
  for (const { currency, before, after } of moved.flatMap(toSides)) addTo(gained, currency, after.minus(before));
  return [...overpaid].flatMap(([currency, over]) => {
    const gain = gained.get(currency) ?? Decimal.zero;
    const twice = gain.isLessThan(over) ? gain : over;
    return twice.sign() > 0 ? [{ currency, amount: twice.toNumber() }] : [];
  });
}
