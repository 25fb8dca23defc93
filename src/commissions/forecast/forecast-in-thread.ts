import { sumEarnings } from '../../earnings/commission-views.js';
import { type RepInput } from '../../engine/model.js';
import { addTo } from '../../kernel/add-to.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { addDays, isWithin } from '../../kernel/day.js';
import { Decimal, maximum } from '../../kernel/decimal.js';
import { type LedgerRow, naturalKey } from '../../ledger/input/ledger-rows.js';
import { computeWindow, loadStoredRank } from '../../ledger/input/load-window.js';
import { type LoadedRepInput, loadRepInput } from '../../ledger/input/rep-input.js';
import { loadTerms, type RepTerms } from '../../ledger/input/rep-terms.js';
import { type PayableRow, toComputedRow } from '../../pay/payables/payable-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RequestOfThread } from '../../platform/threads/serve-thread.js';
import {
  type ForecastDeal,
  type ForecastedAmounts,
  type ForecastedGoal,
  type ForecastPart,
  type ForecastResult,
  type ForecastTask,
  outcomesOfSecond,
  type SentOutcomes,
  type SentPay,
} from './forecast-task.js';
import { findGoal } from './goal.js';
import { type Amounts, OutcomePay } from './outcome-pay.js';
import { type Outcomes, outcomesOf } from './outcomes.js';
import { RowSums } from './row-sums.js';

/** Forecasts the pay of a person in a worker thread; the second part returns its outcomes. */
export async function forecastPay(
  tx: Transaction,
  task: ForecastTask,
  part: ForecastPart,
  request: RequestOfThread,
): Promise<ForecastResult | SentOutcomes> {
  const { pay, replaced } = await loadOutcomePay(tx, task);
  const uncertain = task.deals.flatMap(({ dealId, probability }) =>
    probability === null ? [] : [{ dealId, probability: Decimal.of(probability) }],
  );
  const outcomes = outcomesOf(uncertain, task.seed);
  const isOwn = (index: number) => part === 'all' || (index % 2 === 1) === (part === 'second');
  const rows = new RowSums(task.repId);
  const own = outcomes.won.flatMap((won, index) => {
    if (!isOwn(index)) return [];
    const decisions = pay.decide(won);
    if (task.withRows) rows.addOutcome(decisions, outcomes.weights[index] as Decimal);
    return [pay.sum(decisions)];
  });
  if (part === 'second') return { pays: own.map(sentPay), rows: rows.list() };
  const second = part === 'first' ? ((await request(outcomesOfSecond)) as SentOutcomes) : { pays: [], rows: [] };
  rows.addRows(second.rows);
  const others = second.pays.map(receivedPay);
  const pays = outcomes.won.map(
    (_, index) => (part === 'all' ? own : index % 2 === 1 ? others : own)[halved(index, part)],
  );
  const result = summarize(task, {
    outcomes,
    pays: pays as Amounts[],
    pay,
    dealIds: uncertain.map(({ dealId }) => dealId),
  });
  if (!task.withRows) return result;
  const ifNoneIsWon = new RowSums(task.repId);
  ifNoneIsWon.addOutcome(pay.decide([]), Decimal.one);
  return {
    ...result,
    rows: {
      sure: ifNoneIsWon.listRounded(Decimal.one, replaced),
      expected: rows.listRounded(outcomes.total, replaced),
    },
  };
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
  const replaced = listReplaced(input, range);
  const certain = await loadCertain(tx, repId, range, replaced);
  return {
    pay: new OutcomePay({ ...input, peerCredits }, open, range, certain),
    replaced: replaced.map(toReplacedRow(repId)),
  };
}

/** The stored rows of the days in place of which the calculation pays. */
function listReplaced(input: LoadedRepInput, range: ForecastTask['range']): LedgerRow[] {
  const fixed = new Set(input.fixed.map(naturalKey));
  return input.stored.filter(
    (row) =>
      row.status === 'earned' &&
      isWithin(row.earnedOn, range) &&
      !input.frozenIds.has(row.eventId) &&
      !fixed.has(naturalKey(row)),
  );
}

const toReplacedRow =
  (repId: string) =>
  ({ planId, ruleName, phase, category, amount, currency, earnedOn, dealKey }: LedgerRow): PayableRow => {
    const ids = { repId, planId, planVersionId: null, ruleId: null, ruleName, dealKey };
    return toComputedRow({ ...ids, phase, category, amount, currency, earnedOn, inputs: null });
  };

/** What the ledger pays on the days and the calculation does not replace: adjustments, approved rows and those that stay. */
async function loadCertain(
  tx: Transaction,
  repId: string,
  range: ForecastTask['range'],
  replaced: readonly LedgerRow[],
): Promise<Amounts> {
  const certain = new Map<string, Decimal>();
  const add = (currency: string, amount: Decimal) => addTo(certain, currency, amount);
  for (const { currency, commission, bonus, adjustments } of await sumEarnings(tx, range, [repId]))
    for (const amount of [commission, bonus, adjustments]) add(currency, Decimal.of(amount));
  for (const { currency, amount } of replaced) add(currency, Decimal.of(amount).negated());
  return new Map([...certain].filter(([, amount]) => !amount.isZero()));
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
    const inCurrency = (amounts: Amounts) => amounts.get(currency) ?? Decimal.zero;
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
    rows: null,
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
