import { sql } from 'kysely';
import { findNamesOnStatement } from '../deals/deal-names.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { type CountedRow, loadRowsOfPeriod } from '../ledger/input/counted-rows.js';
import { type FrozenPeriod, type RepTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { dryRunPeriods } from '../simulation/period-dry-run.js';
import { listSummaries } from './snapshot.js';
import { type StatementContent } from './statement.js';
import { type TrueUpLine, trueUpLines } from './true-up-line.js';

type Totals = ReadonlyMap<string, Decimal>;

/** What an approved period owes in one currency. */
export interface OwedAmount {
  readonly currency: string;
  /** What the approved statement pays. */
  readonly approved: Decimal;
  /** What later periods have paid for this one. */
  readonly carriedForward: Decimal;
  readonly delta: Decimal;
  readonly lines: readonly TrueUpLine[];
}

/** The difference between an approved period and a new calculation of it. */
export interface Owed {
  /** By currency, that of the statement first. Currencies without a difference are left out. */
  readonly amounts: readonly OwedAmount[];
  /** The rows that count for the period now, and the rows that count once the true-up is written. */
  readonly rows: { readonly before: readonly CountedRow[]; readonly after: readonly CountedRow[] };
}

/** An approved period with the totals of its approved statement. */
export interface ApprovedPeriod {
  readonly frozen: FrozenPeriod;
  readonly statement: Pick<StatementContent, 'currency' | 'summary' | 'otherCurrencies'>;
}

/** Compares approved statements of the rep with one calculation as if no period were frozen. */
export async function calculateOwedByPeriod(
  tx: Transaction,
  terms: RepTerms,
  periods: readonly ApprovedPeriod[],
  asOf: Day,
): Promise<Owed[]> {
  if (periods.length === 0) return [];
  const rows = await dryRunPeriods(
    tx,
    terms,
    periods.map(({ frozen }) => frozen),
    asOf,
  );
  const owed: Owed[] = [];
  for (const period of periods) owed.push(await calculateOwed(tx, terms, period, rows.get(period.frozen.period) ?? []));
  return owed;
}

async function calculateOwed(
  tx: Transaction,
  terms: RepTerms,
  { frozen, statement: approved }: ApprovedPeriod,
  after: readonly CountedRow[],
): Promise<Owed> {
  const { repId } = terms;
  const before = await loadRowsOfPeriod(tx, { repId, period: frozen.period }, frozen);
  const live = sumsByCurrency([...after, ...(await loadAdjustments(tx, terms, frozen))]);
  const carried = sumsByCurrency(await loadCarriedForward(tx, terms, frozen));
  const paid = sumsByCurrency(approvedAmounts(approved));
  const amounts = differences(live, paid, carried)
    .sort((a, b) => compareCurrencies(approved.currency, a, b))
    .map((amount) => ({ ...amount, lines: trueUpLines(before, after, amount.currency) }));
  const dealIds = amounts.flatMap(({ lines }) => lines.flatMap(({ dealId }) => dealId ?? []));
  const names = await findNamesOnStatement(tx, repId, dealIds);
  const named = amounts.map((amount) => ({
    ...amount,
    lines: amount.lines.map((line) => ({ ...line, dealName: names.get(line.dealId ?? '') ?? null })),
  }));
  return { amounts: named, rows: { before, after } };
}

function compareCurrencies(first: string, a: { currency: string }, b: { currency: string }): number {
  if (a.currency === first || b.currency === first) return a.currency === first ? -1 : 1;
  return a.currency < b.currency ? -1 : 1;
}

interface Amount {
  readonly currency: string;
  readonly amount: string;
}

/** The adjustments, the clawbacks and what was carried into the period; without its own true-ups. */
async function loadAdjustments(
  tx: Transaction,
  { repId }: RepTerms,
  { period, range }: FrozenPeriod,
): Promise<Amount[]> {
  const { rows } = await sql<Amount>`
    select e.currency, e.amount from commission_events e
    left join true_ups t on t.workspace_id = e.workspace_id and t.event_id = e.event_id
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.status = 'earned'
      and e.earned_on between ${range.from}::date and ${range.to}::date
      and (e.kind in ('adjustment', 'clawback') or (e.kind = 'true_up' and t.period <> ${period}))`.execute(tx.db);
  return rows;
}

/** What other periods have paid for this one. */
async function loadCarriedForward(tx: Transaction, { repId }: RepTerms, { period }: FrozenPeriod): Promise<Amount[]> {
  const { rows } = await sql<Amount>`
    select e.currency, e.amount from true_ups t
    join commission_events e on e.workspace_id = t.workspace_id and e.rep_id = t.rep_id and e.event_id = t.event_id
    where t.workspace_id = ${tx.workspaceId} and t.rep_id = ${repId} and t.period = ${period} and e.status = 'earned'
      and e.period <> t.period`.execute(tx.db);
  return rows;
}

function approvedAmounts(statement: ApprovedPeriod['statement']): Amount[] {
  return listSummaries(statement).map(({ currency, summary }) => ({ currency, amount: summary.netPayout }));
}

/** What is not paid of each currency. Currencies without a difference are left out. */
function differences(live: Totals, paid: Totals, carried: Totals): Omit<OwedAmount, 'lines'>[] {
  const totalIn = (totals: Totals, currency: string) => totals.get(currency) ?? Decimal.zero;
  return [...new Set([...live.keys(), ...paid.keys(), ...carried.keys()])]
    .map((currency) => {
      const [approved, carriedForward] = [totalIn(paid, currency), totalIn(carried, currency)];
      const delta = totalIn(live, currency).minus(approved).minus(carriedForward);
      return { currency, approved, carriedForward, delta };
    })
    .filter(({ delta }) => !delta.isZero());
}
