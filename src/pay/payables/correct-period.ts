import { type Day } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { type CountedRow } from '../../ledger/input/counted-rows.js';
import { type FrozenPeriod } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import {
  amountsIn,
  loadRepPayables,
  type RepPayables,
  readTotals,
  toStoredLine,
  toStoredTotals,
} from './build-payables.js';
import { computeOffsets } from './compute-draws.js';
import { openBalance, toStoredDrawLine } from './load-draws.js';
import { correctPay, loadPayTerms, type PayTerms } from './pay-currency.js';
import { type PayPeriods } from './pay-periods.js';
import { loadPayPeriods } from './payout-settings.js';
import { computeCorrection } from './release.js';
import {
  type StoredCorrection,
  type StoredDrawLine,
  type StoredPayable,
  type StoredPayLine,
} from './stored-payable.js';
import { computeCorrectedTotals, noTotals } from './totals.js';

/** A correction of an approved period while its rows are replaced; null in a workspace without payouts. */
export interface StartedCorrection {
  readonly repId: string;
  readonly frozen: FrozenPeriod;
  readonly payPeriods: PayPeriods;
  readonly before: RepPayables;
  readonly payTerms: PayTerms | null;
}

/** Reads what the rows before a correction release. */
export async function startCorrection(
  tx: Transaction,
  repId: string,
  frozen: FrozenPeriod,
): Promise<StartedCorrection | null> {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return null;
  const load = await loadRepPayables(tx, [repId], payPeriods.firstDay);
  return { repId, frozen, payPeriods, before: load(repId), payTerms: await loadPayTerms(tx, [repId]) };
}

interface CorrectedRows {
  readonly before: readonly CountedRow[];
  readonly after: readonly CountedRow[];
  /** The last day of the period that pays the correction. */
  readonly paidUntil: Day;
  /** The day on which the approved period itself pays it. */
  readonly today?: Day;
}

/** Stores, once the rows are replaced, what the correction pays, with the true-ups of its currencies. */
export async function finishCorrection(
  tx: Transaction,
  { repId, frozen, payPeriods, before }: StartedCorrection,
  eventIds: ReadonlyMap<string, string>,
  rows: CorrectedRows,
): Promise<StoredCorrection> {
  const { period, range } = frozen;
  const heldOn = rows.today === undefined ? [rows.paidUntil] : [rows.paidUntil, rows.today];
  const lines = payPeriods.includes(period)
    ? listReleases(before, await reload(tx, repId, payPeriods), { lastDay: range.to, heldOn })
    : listDifferences(rows.before, rows.after);
  const draws = offsetDraws(before, frozen, lines, rows.paidUntil);
  await storeCorrection(tx, eventIds, { lines, draws });
  return toCorrection(lines, draws);
}

/** With the true-up of each currency what is paid in it, and with the first one the rest. */
async function storeCorrection(
  tx: Transaction,
  eventIds: ReadonlyMap<string, string>,
  { lines, draws }: { readonly lines: readonly StoredPayLine[]; readonly draws: readonly StoredDrawLine[] },
): Promise<void> {
  const [first] = eventIds.keys();
  for (const [currency, eventId] of eventIds) {
    const isOwn = (line: { readonly currency: string }) =>
      line.currency === currency || (currency === first && !eventIds.has(line.currency));
    await tx.db
      .updateTable('true_ups')
      .set({ payable: JSON.stringify(toCorrection(lines.filter(isOwn), draws.filter(isOwn))) })
      .where('workspace_id', '=', tx.workspaceId)
      .where('event_id', '=', eventId)
      .execute();
  }
}

function toCorrection(lines: readonly StoredPayLine[], draws: readonly StoredDrawLine[]): StoredCorrection {
  return { lines, ...(draws.length === 0 ? {} : { draws }) };
}

/** How the correction changes what guarantees of the period have paid. */
function offsetDraws(
  { history, draws }: RepPayables,
  { period, range }: FrozenPeriod,
  lines: readonly StoredPayLine[],
  paidUntil: Day,
): StoredDrawLine[] {
  const approved = history.findApproved(period);
  if (approved === null || draws.length === 0) return [];
  const corrections = [...history.listCorrectionsOf(period).flat(), ...lines];
  const granted = draws.map((draw) => ({
    terms: draw.terms,
    granted: grantedOf(approved, draw.terms.drawId).plus(history.offsetsOf(period, draw.terms.drawId)),
    open: openBalance(draw, history, paidUntil),
  }));
  return [...new Set(draws.map(({ terms }) => terms.currency))].flatMap((currency) => {
    const total = approved.totals.find((candidate) => candidate.currency === currency);
    const released = sum([Decimal.of(total?.released ?? '0'), ...amountsIn(corrections, currency)]);
    const own = granted.filter(({ terms }) => terms.currency === currency);
    return computeOffsets(own, range, released, paidUntil).map(toStoredDrawLine);
  });
}

function grantedOf({ draws = [] }: StoredPayable, drawId: string): Decimal {
  const granted = draws.filter((line) => line.drawId === drawId && line.kind === 'draw');
  return sum(granted.map(({ amount }) => Decimal.of(amount)));
}

async function reload(tx: Transaction, repId: string, { firstDay }: PayPeriods): Promise<RepPayables> {
  return (await loadRepPayables(tx, [repId], firstDay))(repId);
}

function listReleases(
  before: RepPayables,
  after: RepPayables,
  days: { readonly lastDay: Day; readonly heldOn: readonly Day[] },
): StoredPayLine[] {
  const groups = new Map([...before.groups, ...after.groups].map((group) => [group.key, group]));
  const amounts = computeCorrection(before.groups, after.groups, days);
  return [...amounts].map(([key, amount]) => ({
    ...toStoredLine({ key, amount, late: false }, groups.get(key), undefined, days.lastDay),
    kind: 'correction',
  }));
}

/** What was earned before the first pay period is released in full. */
function listDifferences(before: readonly CountedRow[], after: readonly CountedRow[]): StoredPayLine[] {
  const toKey = ({ planId, ruleName, dealKey, currency }: CountedRow) => `${planId}|${ruleName}|${dealKey}|${currency}`;
  const was = new Map([...groupBy(before, toKey)].map(([key, rows]) => [key, amountOf(rows)]));
  const is = groupBy(after, toKey);
  const rows = new Map([...before, ...after].map((row) => [toKey(row), row]));
  return [...rows].flatMap(([key, row]) => {
    const earned = amountOf(is.get(key) ?? []);
    const amount = earned.minus(was.get(key) ?? Decimal.zero);
    if (amount.isZero()) return [];
    const { planId, ruleName, category, currency } = row;
    return {
      key,
      kind: 'correction' as const,
      dealId: row.phase === 'periodic' ? null : row.dealKey,
      planId,
      ruleName,
      category,
      currency,
      amount: amount.toString(),
      earned: earned.toString(),
      released: earned.toString(),
    };
  });
}

function amountOf(rows: readonly CountedRow[]): Decimal {
  return sum(rows.map(({ amount }) => Decimal.of(amount)));
}

/** What the approved statement pays with the correction. Null if its period is no pay period. */
export function addCorrection(
  { frozen, before: { history, maxPercent }, payTerms }: StartedCorrection,
  { lines, draws: offsets = [] }: StoredCorrection,
): StoredPayable | null {
  const period: Period = frozen.period;
  const approved = history.findApproved(period);
  if (approved === null) return null;
  const all = [...approved.lines, ...lines.map((line) => ({ ...line, sourcePeriod: period }))];
  const currencies = [...new Set([...approved.totals, ...lines, ...offsets].map(({ currency }) => currency))].sort();
  const totals = currencies.map((currency) => {
    const stored = approved.totals.find((total) => total.currency === currency);
    const corrected = computeCorrectedTotals(stored === undefined ? noTotals(currency) : readTotals(stored), {
      result: sum([...amountsIn(lines, currency), ...amountsIn(offsets, currency)]),
      balance: history.balanceIn(currency),
      maxPercent,
    });
    return toStoredTotals(corrected, all);
  });
  const { pay } = approved;
  const draws = [...(approved.draws ?? []), ...offsets.map((line) => ({ ...line, sourcePeriod: period }))];
  return {
    totals,
    lines: all,
    ...(draws.length === 0 ? {} : { draws }),
    ...(pay === undefined ? {} : { pay: correctPay(payTerms, pay, frozen.range, totals) }),
  };
}
