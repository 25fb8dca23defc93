import { type Day, type DayRange } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { inParallel } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { computeDraws, type DrawLine, prorate, sumGuarantees } from './compute-draws.js';
import { loadRepDraws, owedOf, type RepDraw, toStoredDrawLine } from './load-draws.js';
import { loadGroups } from './load-groups.js';
import { amountsByKey, loadPayHistories, type PaidCorrection, type PayHistory } from './load-pay-history.js';
import { addPay, loadPayTerms } from './pay-currency.js';
import { type LoadedGroup } from './pay-groups.js';
import { type NamedPeriod, type PayPeriods } from './pay-periods.js';
import { loadPayPeriods, loadRecoveryLimits } from './payout-settings.js';
import {
  computeEarned,
  computePayLines,
  computeReleased,
  findHeld,
  type GroupAmounts,
  type PayLine,
  type PayLines,
  type PayPeriod,
} from './release.js';
import { type StoredPayable, type StoredPayLine, type StoredTotals } from './stored-payable.js';
import { addDraws, computeTotals, type PayTotals, recoveredFromReleased } from './totals.js';

/** What the statements of a rep pay, calculated from one read of everything that decides it. */
export interface RepPayables {
  readonly groups: readonly LoadedGroup[];
  readonly history: PayHistory;
  readonly maxPercent: Decimal;
  /** In the order of their first days. */
  readonly draws: readonly RepDraw[];
}

export async function loadRepPayables(
  tx: Transaction,
  repIds: readonly string[],
  firstDay: Day,
): Promise<(repId: string) => RepPayables> {
  const [groups, histories, limits, draws] = await inParallel(
    () => loadGroups(tx, repIds, firstDay),
    () => loadPayHistories(tx, repIds),
    () => loadRecoveryLimits(tx, repIds),
    () => loadRepDraws(tx, repIds),
  );
  return (repId) => ({
    groups: groups.get(repId) ?? [],
    history: histories(repId),
    maxPercent: limits.get(repId) ?? Decimal.of(100),
    draws: draws.get(repId) ?? [],
  });
}

/** What was read to calculate the statements of reps in pay periods. */
export interface PayableInputs {
  readonly payPeriods: PayPeriods;
  readonly findRep: (repId: string) => RepPayables;
}

/** Null if the period is no pay period. */
async function loadPayableInputs(
  tx: Transaction,
  period: Period,
  repIds: readonly string[],
): Promise<PayableInputs | null> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null || !payPeriods.includes(period)) return null;
  return { payPeriods, findRep: await loadRepPayables(tx, repIds, payPeriods.firstDay) };
}

/**
 * What the statement of the period pays for each of the reps: approved as it is stored, open as it is calculated now. Null
 * if the period is no pay period. A caller that has already read the inputs passes them.
 */
export async function loadPayables(
  tx: Transaction,
  period: Period,
  repIds: readonly string[],
  read?: PayableInputs | null,
): Promise<ReadonlyMap<string, StoredPayable> | null> {
  const inputs = read === undefined ? await loadPayableInputs(tx, period, repIds) : read;
  if (inputs === null) return null;
  const { payPeriods, findRep } = inputs;
  const terms = await loadPayTerms(tx, repIds);
  return new Map(
    repIds.map((repId) => {
      const payables = findRep(repId);
      const approved = payables.history.findApproved(period);
      if (approved !== null) return [repId, approved];
      const { payable, range } = buildPayable(payables, payPeriods, period);
      return [repId, addPay(terms, repId, range, payable)];
    }),
  );
}

/** The pay lines of the rep in all pay periods until the one of the day. */
export function computeLines(
  payables: Pick<RepPayables, 'groups' | 'history'>,
  periods: readonly NamedPeriod[],
): PayLines {
  return computePayLines(payables.groups, toPayPeriods(payables, periods));
}

function toPayPeriods(payables: Pick<RepPayables, 'groups' | 'history'>, periods: readonly NamedPeriod[]): PayPeriod[] {
  const { history } = payables;
  return periods.map((named) => ({
    ...named,
    approved: toReleases(history.findApproved(named.period)),
    corrections: history.listCorrectionsOf(named.period).map(amountsByKey),
    unpaid: findUnpaid(payables, named),
  }));
}

/** What the statement leaves out of the corrections that were carried into it, since it is held. */
function findUnpaid(payables: Pick<RepPayables, 'groups' | 'history'>, named: NamedPeriod): GroupAmounts {
  const { history } = payables;
  const carried = history.listCarriedInto(named.period, named.range).flatMap(({ payable }) => payable.lines);
  if (carried.length === 0) return new Map();
  const approved = history.findApproved(named.period);
  const paid =
    approved === null
      ? listCarried(payables, named).flatMap(({ payable }) => payable.lines)
      : approved.lines.filter(({ kind, sourcePeriod }) => kind === 'correction' && sourcePeriod !== named.period);
  const paidByKey = amountsByKey(paid);
  const unpaid = [...amountsByKey(carried)].map(
    ([key, amount]) => [key, amount.minus(paidByKey.get(key) ?? Decimal.zero)] as const,
  );
  return new Map(unpaid.filter(([, amount]) => !amount.isZero()));
}

/** The corrections of other periods that the open statement pays: without what is held on its last day. */
export function listCarried(
  { groups, history }: Pick<RepPayables, 'groups' | 'history'>,
  { period, range }: NamedPeriod,
): PaidCorrection[] {
  return history.listCarriedInto(period, range).map(({ payable, ...correction }) => ({
    ...correction,
    payable: {
      ...payable,
      lines: payable.lines.filter(
        ({ key, amount }) => findHeld(groups, new Map([[key, Decimal.of(amount)]]), [range.to]).size === 0,
      ),
    },
  }));
}

function toReleases(approved: StoredPayable | null) {
  return approved === null ? null : amountsByKey(approved.lines.filter(({ kind }) => kind === 'release'));
}

/** The earlier pay periods that are open and have lines, oldest first. */
export function listOpenBefore(payables: RepPayables, payPeriods: PayPeriods, period: Period): Period[] {
  const earlier = periodsUntil(payPeriods, period).slice(0, -1);
  const { byPeriod } = computeLines(payables, earlier);
  const { history } = payables;
  return earlier
    .filter((candidate) => history.findApproved(candidate.period) === null)
    .filter(
      (candidate) =>
        (byPeriod.get(candidate.period) ?? []).length > 0 ||
        listCarried(payables, candidate).some(
          ({ payable }) => payable.lines.length > 0 || payable.draws !== undefined,
        ) ||
        payables.draws.some(({ terms }) => !prorate(terms, candidate.range).isZero()),
    )
    .map((candidate) => candidate.period);
}

function periodsUntil(payPeriods: PayPeriods, period: Period): NamedPeriod[] {
  const all: NamedPeriod[] = [];
  for (let next = payPeriods.findOn(payPeriods.firstDay); next !== null; next = payPeriods.findAfter(next)) {
    all.push(next);
    if (next.period === period) break;
  }
  return all;
}

/** What the open statement of the period pays. */
function buildPayable(
  payables: RepPayables,
  payPeriods: PayPeriods,
  period: Period,
): { readonly payable: StoredPayable; readonly range: DayRange } {
  const periods = periodsUntil(payPeriods, period);
  const named = periods.at(-1) as NamedPeriod;
  const known = knownLines(payables.history, periods);
  const lines = computeLines(payables, periods).byPeriod.get(period) ?? [];
  return { payable: payableOf(payables, named, lines, known), range: named.range };
}

/** The lines and totals of the open statement. `known` describes lines whose group has no rows left. */
function payableOf(
  payables: RepPayables,
  { period, range }: NamedPeriod,
  computed: readonly PayLine[],
  known: ReadonlyMap<string, StoredPayLine>,
): StoredPayable {
  const { groups } = payables;
  const byKey = new Map(groups.map((group) => [group.key, group]));
  const lines = inOrder(computed.map((line) => toStoredLine(line, byKey.get(line.key), known.get(line.key), range.to)));
  const carried = listCarried(payables, { period, range });
  const corrections = carried.flatMap(({ sourcePeriod, payable }) =>
    payable.lines.map((line): StoredPayLine => ({ ...line, kind: 'correction', sourcePeriod })),
  );
  const currencies = currenciesOf(payables, [...lines, ...corrections]);
  const results = currencies.map((currency) => totalIn(payables, { period, range }, currency, lines));
  const totals = results.flatMap(({ total }) => (isEmpty(total) ? [] : [toStoredTotals(total, lines)]));
  const offsets = carried.flatMap(({ sourcePeriod, payable }) =>
    (payable.draws ?? []).map((line) => ({ ...line, sourcePeriod })),
  );
  const draws = [...results.flatMap((result) => result.draws.map(toStoredDrawLine)), ...offsets];
  return { totals, lines: [...lines, ...corrections], ...(draws.length === 0 ? {} : { draws }) };
}

/** An open statement that would be approved as it is calculated now, after those before it. */
interface ForecastStatement extends NamedPeriod {
  readonly payable: StoredPayable;
  /** The history with this statement and those before it. */
  readonly history: PayHistory;
}

/** What the open statements of the periods, which begin with the first one, would pay if each was approved in turn. */
export function forecastPayables(payables: RepPayables, periods: readonly NamedPeriod[]): ForecastStatement[] {
  const { byPeriod } = computeLines(payables, periods);
  const known = new Map(knownLines(payables.history, periods));
  let { history } = payables;
  return periods.flatMap((named) => {
    const { period, range } = named;
    if (history.findApproved(period) !== null) return [];
    const payable = payableOf({ ...payables, history }, named, byPeriod.get(period) ?? [], known);
    for (const line of payable.lines) known.set(line.key, line);
    history = history.withApproved(period, range, payable);
    return [{ ...named, payable, history }];
  });
}

/** What the open statement pays in one currency, with its draws. */
function totalIn(
  payables: RepPayables,
  { period, range }: NamedPeriod,
  currency: string,
  lines: readonly StoredPayLine[],
): { readonly total: PayTotals; readonly draws: readonly DrawLine[] } {
  const { history, maxPercent, draws } = payables;
  const own = draws.filter(({ terms }) => terms.currency === currency);
  const guaranteed = sumGuarantees(
    own.map(({ terms }) => terms),
    range,
  );
  const total = computeTotals({
    currency,
    lines: amountsIn(lines, currency),
    carried: listCarried(payables, { period, range }).map(({ payable }) =>
      sum([...amountsIn(payable.lines, currency), ...amountsIn(payable.draws ?? [], currency)]),
    ),
    opening: history.openingOf(period, range.from, currency),
    maxPercent,
    guaranteed,
  });
  const drawn = computeDraws({
    currency,
    range,
    draws: own.map((draw) => ({ terms: draw.terms, opening: owedOf(draw, history, { period, range }) })),
    released: total.released,
    recovered: recoveredFromReleased(total),
  });
  const amounts = drawn.map(({ amount }) => amount);
  return { total: addDraws(total, amounts), draws: drawn };
}

/** Lines of earlier periods, which describe groups that no longer have rows. */
export function knownLines(history: PayHistory, periods: readonly NamedPeriod[]): ReadonlyMap<string, StoredPayLine> {
  const lines = periods.flatMap(({ period }) => [
    ...(history.findApproved(period)?.lines ?? []),
    ...history.listCorrectionsOf(period).flat(),
  ]);
  return new Map(lines.map((line) => [line.key, line]));
}

export function toStoredLine(
  { key, amount, late }: PayLine,
  group: LoadedGroup | undefined,
  known: StoredPayLine | undefined,
  lastDay: Day,
): StoredPayLine {
  if (group === undefined) {
    // The rows of a group that has none were in a line before.
    const { dealId, planId, ruleName, category, currency } = known as StoredPayLine;
    const described = { dealId, planId, ruleName, category, currency, earned: '0', released: '0' };
    return { key, kind: 'release', amount: amount.toString(), ...(late ? { late } : {}), ...described };
  }
  const { dealKey, planId, ruleName, category, currency } = group.row;
  return {
    key,
    kind: 'release',
    amount: amount.toString(),
    ...(late ? { late } : {}),
    dealId: dealKey,
    planId,
    ruleName,
    category,
    currency,
    earned: computeEarned(group, lastDay).toString(),
    released: computeReleased(group, lastDay).toString(),
  };
}

/** By deal: the same order for the same lines. */
function inOrder(lines: readonly StoredPayLine[]): StoredPayLine[] {
  const keyed = lines.map((line) => ({ line, text: `${line.dealId ?? '\uffff'}|${line.ruleName}|${line.key}` }));
  return keyed.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ line }) => line);
}

export function amountsIn(lines: readonly Pick<StoredPayLine, 'currency' | 'amount'>[], currency: string): Decimal[] {
  return lines.filter((line) => line.currency === currency).map(({ amount }) => Decimal.of(amount));
}

function currenciesOf({ history, draws }: RepPayables, lines: readonly StoredPayLine[]): string[] {
  const drawn = draws.map(({ terms }) => terms.currency);
  return [...new Set([...history.currencies(), ...lines.map(({ currency }) => currency), ...drawn])].sort();
}

function isEmpty({ released, carriedIn, opening, added, drawn, repaid }: PayTotals): boolean {
  return [released, carriedIn, opening, added, drawn, repaid].every((amount) => amount.isZero());
}

export function toStoredTotals(totals: PayTotals, lines: readonly StoredPayLine[]): StoredTotals {
  const { currency, released, carriedIn, opening, added, recovered, closing, payable, drawn, repaid } = totals;
  const positiveOf = (category: StoredPayLine['category']) =>
    sum(
      amountsIn(
        lines.filter((line) => line.kind === 'release' && line.category === category),
        currency,
      ).filter((amount) => amount.sign() > 0),
    ).toString();
  return {
    currency,
    released: released.toString(),
    commission: positiveOf('commission'),
    bonus: positiveOf('bonus'),
    carriedIn: carriedIn.toString(),
    opening: opening.toString(),
    added: added.toString(),
    recovered: recovered.toString(),
    closing: closing.toString(),
    payable: payable.toString(),
    ...(drawn.isZero() && repaid.isZero() ? {} : { drawn: drawn.toString(), repaid: repaid.toString() }),
  };
}

export function readTotals(stored: StoredTotals): PayTotals {
  return {
    currency: stored.currency,
    released: Decimal.of(stored.released),
    carriedIn: Decimal.of(stored.carriedIn),
    opening: Decimal.of(stored.opening),
    added: Decimal.of(stored.added),
    recovered: Decimal.of(stored.recovered),
    closing: Decimal.of(stored.closing),
    payable: Decimal.of(stored.payable),
    drawn: Decimal.of(stored.drawn ?? '0'),
    repaid: Decimal.of(stored.repaid ?? '0'),
  };
}
