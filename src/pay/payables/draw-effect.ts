import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { addMonths, type Day } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { forecastPayables, loadRepPayables, type RepPayables } from './build-payables.js';
import { owedOn } from './load-draws.js';
import { type NamedPeriod } from './pay-periods.js';
import { loadPayPeriods } from './payout-settings.js';

/** How many months from today on are forecast. */
const forecastMonths = 12;

export const drawEffect = z
  .object({
    byPeriod: z
      .array(
        z
          .object({
            repId: fields.repId,
            period: z.string().describe('The pay period, such as 2026-01'),
            currency: fields.currency,
            before: z.number().describe('What the statement would pay without the change'),
            after: z.number().describe('What it would pay with the change'),
            delta: z.number().describe('after minus before'),
            owedBefore: z.number().describe('What the person would owe after the statement without the change'),
            owedAfter: z.number().describe('What the person would owe after it with the change'),
          })
          .describe('What the change does to one statement'),
      )
      .describe(
        `Open statements that would change, earliest first, until ${forecastMonths} months from today, with what is earned by now`,
      ),
  })
  .describe('What the change would do to pay, if the open statements were approved in turn');
export type DrawEffect = z.input<typeof drawEffect>;

interface Pay {
  readonly payable: Decimal;
  readonly owed: Decimal;
}

/** What open statements would pay, by rep, period and currency. */
export type PayForecast = ReadonlyMap<string, Pay>;

export async function loadPayForecast(tx: Transaction, repIds: readonly string[], today: Day): Promise<PayForecast> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return new Map();
  const load = await loadRepPayables(tx, repIds, payPeriods.firstDay);
  const periods = payPeriods.until(addMonths(today, forecastMonths));
  return new Map(repIds.flatMap((repId) => forecastRep(repId, load(repId), periods)));
}

function forecastRep(repId: string, payables: RepPayables, periods: readonly NamedPeriod[]): [string, Pay][] {
  return forecastPayables(payables, periods).flatMap(({ period, range, payable: { totals }, history }) => {
    const currencies = [
      ...totals.map(({ currency }) => currency),
      ...payables.draws.map(({ terms }) => terms.currency),
    ];
    return [...new Set(currencies)].map((currency): [string, Pay] => {
      const total = totals.find((candidate) => candidate.currency === currency);
      const own = payables.draws.filter(({ terms }) => terms.currency === currency);
      const owed = sum([
        history.balanceIn(currency),
        ...own.map((draw) => owedOn(draw, history.drawChanges(draw.terms.drawId), range.to)),
      ]);
      return [`${repId} ${period} ${currency}`, { payable: Decimal.of(total?.payable ?? '0'), owed }];
    });
  });
}

/** What differs between two forecasts. */
export function compareForecasts(before: PayForecast, after: PayForecast): DrawEffect {
  const none: Pay = { payable: Decimal.zero, owed: Decimal.zero };
  const byPeriod = [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [was, is] = [before.get(key) ?? none, after.get(key) ?? none];
    if (was.payable.equals(is.payable) && was.owed.equals(is.owed)) return [];
    const [repId = '', period = '', currency = ''] = key.split(' ');
    const amounts = { before: was.payable.toNumber(), after: is.payable.toNumber() };
    const delta = is.payable.minus(was.payable).toNumber();
    return [
      { repId, period, currency, ...amounts, delta, owedBefore: was.owed.toNumber(), owedAfter: is.owed.toNumber() },
    ];
  });
  return { byPeriod: byPeriod.sort((a, b) => (`${a.period} ${a.repId}` < `${b.period} ${b.repId}` ? -1 : 1)) };
}
