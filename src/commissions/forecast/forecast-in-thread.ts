import { sumEarnings } from '../../earnings/commission-views.js';
import { type RepInput } from '../../engine/model.js';
import { addTo } from '../../kernel/add-to.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { addDays, isWithin } from '../../kernel/day.js';
import { Decimal, maximum } from '../../kernel/decimal.js';
import { naturalKey } from '../../ledger/input/ledger-rows.js';
import { computeWindow, loadStoredRank } from '../../ledger/input/load-window.js';
import { type LoadedRepInput, loadRepInput } from '../../ledger/input/rep-input.js';
import { loadTerms, type RepTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RequestOfThread } from '../../platform/threads/serve-thread.js';
import {
  type ForecastDeal,
  type ForecastedAmounts,
  type ForecastedGoal,
  type ForecastPart,
  type ForecastResult,
  type ForecastTask,
  paysOfSecond,
  type SentPay,
} from './forecast-task.js';
import { findGoal } from './goal.js';
import { type Amounts, OutcomePay } from './outcome-pay.js';
import { type Outcomes, outcomesOf } from './outcomes.js';

/** Forecasts the pay of a person in a worker thread; the second part returns the pays of its outcomes. */
export async function forecastPay(
  tx: Transaction,
  task: ForecastTask,
  part: ForecastPart,
  request: RequestOfThread,
): Promise<ForecastResult | readonly SentPay[]> {
  const pay = await loadOutcomePay(tx, task);
  const uncertain = task.deals.flatMap(({ dealId, probability }) =>
    probability === null ? [] : [{ dealId, probability: Decimal.of(probability) }],
  );
  const outcomes = outcomesOf(uncertain, task.seed);
  const isOwn = (index: number) => part === 'all' || (index % 2 === 1) === (part === 'second');
  const own = outcomes.won.filter((_, index) => isOwn(index)).map((won) => pay.of(won));
  if (part === 'second') return own.map(sentPay);
  const others = part === 'first' ? ((await request(paysOfSecond)) as readonly SentPay[]).map(receivedPay) : [];
  const pays = outcomes.won.map(
    (_, index) => (part === 'all' ? own : index % 2 === 1 ? others : own)[halved(index, part)],
  );
  return summarize(task, { outcomes, pays: pays as Amounts[], pay, dealIds: uncertain.map(({ dealId }) => dealId) });
}

function halved(index: number, part: ForecastPart): number {
  return part === 'all' ? index : Math.floor(index / 2);
}

function sentPay(amounts: Amounts): SentPay {
  return Object.fromEntries([...amounts].map(([currency, amount]) => [currency, amount.toString()]));
}

function receivedPay(sent: SentPay): Amounts {
  return new Map(Object.entries(sent).map(([currency, amount]) => [currency, Decimal.of(amount)]));
}

/** The engine's input once all periodic rules of the days have counted. A rank stays as it is: it must not show the credit of a peer. */
async function loadOutcomePay(tx: Transaction, { repId, range, workspace, today, deals }: ForecastTask) {
  const [terms] = (await loadTerms(tx, [repId], workspace)) as [RepTerms];
  const window = computeWindow(terms, range);
  const ended = addDays(range.to, 1);
  const input = await loadRepInput(tx, terms, window, today > ended ? today : ended, { explain: false });
  const rank = await loadStoredRank(tx, terms, window);
  const peerCredits: RepInput['peerCredits'] = (planId, key, period) =>
    rank(planId, key, period) ?? input.peerCredits(planId, key, period);
  const open = new Map(deals.map(({ dealId, won }) => [dealId, won]));
  return new OutcomePay({ ...input, peerCredits }, open, range, await loadKept(tx, input, range));
}

/** What the ledger pays on the days and the calculation does not replace: adjustments, approved rows and those that stay. */
async function loadKept(tx: Transaction, input: LoadedRepInput, range: ForecastTask['range']): Promise<Amounts> {
  const fixed = new Set(input.fixed.map(naturalKey));
  const kept = new Map<string, Decimal>();
  const add = (currency: string, amount: Decimal) => addTo(kept, currency, amount);
  for (const { currency, commission, bonus, adjustments } of await sumEarnings(tx, range, [input.repId]))
    for (const amount of [commission, bonus, adjustments]) add(currency, Decimal.of(amount));
  for (const row of input.stored)
    if (row.status === 'earned' && isWithin(row.earnedOn, range))
      if (!input.frozenIds.has(row.eventId) && !fixed.has(naturalKey(row)))
        add(row.currency, Decimal.of(row.amount).negated());
  return new Map([...kept].filter(([, amount]) => !amount.isZero()));
}

interface Calculated {
  readonly outcomes: Outcomes;
  readonly pays: readonly Amounts[];
  readonly pay: OutcomePay;
  /** The deals with a probability. */
  readonly dealIds: readonly string[];
}

function summarize(task: ForecastTask, { outcomes, pays, pay, dealIds }: Calculated): ForecastResult {
  const sure = pay.of([]);
  const currencies = currenciesOf(task.workspace.currency, [sure, ...pays]);
  const amounts = currencies.map((currency): ForecastedAmounts => {
    const inCurrency = (given: Amounts) => given.get(currency) ?? Decimal.zero;
    const round = (amount: Decimal) => roundToCurrency(amount, currency).toNumber();
    const { expected, p10, p90, worth } = outcomes.distribution(pays.map(inCurrency));
    return {
      currency,
      sure: round(inCurrency(sure)),
      expected: round(expected),
      p10: round(p10),
      p90: round(p90),
      worth: Object.fromEntries(
        dealIds.map((dealId, index) => {
          const ofDeal = worth[index] ?? null;
          return [dealId, ofDeal === null ? null : round(ofDeal)];
        }),
      ),
    };
  });
  return {
    method: outcomes.method,
    amounts: amounts as unknown as ForecastResult['amounts'],
    goal: task.goal === null ? null : reachGoal(task, task.goal, currencies[0], pay),
  };
}

/** The currencies of the pays, that of the workspace first. */
function currenciesOf(ofWorkspace: string, pays: readonly Amounts[]): readonly [string, ...string[]] {
  const paid = new Set(pays.flatMap((amounts) => [...amounts.keys()]));
  const [first = ofWorkspace, ...others] = [...paid].sort(
    (a, b) => Number(b === ofWorkspace) - Number(a === ofWorkspace) || (a < b ? -1 : 1),
  );
  return [first, ...others];
}

function reachGoal({ deals }: ForecastTask, goal: number, currency: string, pay: OutcomePay): ForecastedGoal {
  const known = new Map<string, Decimal>();
  const payOf = (won: readonly string[]) => {
    const key = JSON.stringify(won);
    const amount = known.get(key) ?? pay.of(won).get(currency) ?? Decimal.zero;
    known.set(key, amount);
    return amount;
  };
  const target = Decimal.of(goal);
  const found = findGoal(deals.map(toGoalDeal), target, payOf);
  const missing = maximum(target.minus(found.pay), Decimal.zero);
  return {
    isReached: found.isReached,
    isExact: found.isExact,
    dealIds: found.dealIds,
    pay: roundToCurrency(found.pay, currency).toNumber(),
    missing: roundToCurrency(missing, currency).toNumber(),
  };
}

function toGoalDeal({ dealId, amount }: ForecastDeal) {
  return { dealId, amount: Decimal.of(amount ?? '0') };
}
