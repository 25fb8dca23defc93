import { z } from 'zod';
import { type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { draw } from '../draws/draw.js';
import { loadRepDraws, openBalance, owedOn, type RepDraw } from './load-draws.js';
import { loadPayHistories, type PaidDrawLine, type PayHistory } from './load-pay-history.js';
import { type PayPeriods } from './pay-periods.js';
import { loadPayPeriods } from './payout-settings.js';

const paidLine = z
  .object({
    period: z.string().nullable().describe('The pay period of the statement; null before the first pay period'),
    kind: z
      .enum(['draw', 'draw_recovery', 'draw_offset'])
      .describe('draw: the draw paid; draw_recovery: it was repaid; draw_offset: a guaranteed period was corrected'),
    amount: z.number().describe('What the statement paid; negative if it kept'),
    owed: z.number().describe('What the person owed of the draw after it'),
    formula: z.string().describe('How the amount was calculated, in words'),
    sourcePeriod: z.string().optional().describe('The approved period that was corrected'),
  })
  .describe('What an approved statement granted, recovered or offset');

/** A draw with what approved statements did with it. */
export const paidDraw = draw
  .extend({
    owed: z.number().describe('What the person owes of it after all approved statements'),
    lines: z.array(paidLine).describe('What approved statements granted and recovered, earliest first'),
  })
  .describe('A draw, and what approved statements did with it');

interface DrawState {
  readonly owed: number;
  readonly lines: z.input<typeof paidLine>[];
}

/** What approved statements did with the draws of the people, by id of the draw, seen from a day. */
export async function loadDrawStates(
  tx: Transaction,
  repIds: readonly string[],
  day: Day,
): Promise<ReadonlyMap<string, DrawState>> {
  const histories = await loadPayHistories(tx, repIds);
  const draws = await loadRepDraws(tx, repIds);
  const payPeriods = await loadPayPeriods(tx);
  return new Map(
    [...draws].flatMap(([repId, ofRep]) => {
      const history = histories(repId);
      return ofRep.map((one): [string, DrawState] => [one.terms.drawId, stateOf(one, history, payPeriods, day)]);
    }),
  );
}

function stateOf(one: RepDraw, history: PayHistory, payPeriods: PayPeriods | null, day: Day): DrawState {
  let changes = Decimal.zero;
  const lines = history
    .listDrawLines()
    .filter(({ drawId }) => drawId === one.terms.drawId)
    .map((line) => {
      changes = changes.plus(Decimal.of(line.change));
      return toResponse(line, owedOn(one, changes, line.paidOn), payPeriods);
    });
  return { owed: openBalance(one, history, day).toNumber(), lines };
}

function toResponse(
  { kind, amount, formula, period, paidOn, sourcePeriod }: PaidDrawLine,
  owed: Decimal,
  payPeriods: PayPeriods | null,
) {
  return {
    period: period ?? payPeriods?.findOn(paidOn)?.period ?? null,
    ...{ kind, amount: Number(amount), owed: owed.toNumber(), formula },
    ...(sourcePeriod === undefined ? {} : { sourcePeriod }),
  };
}
