import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type CountedRow, loadRowsOfPeriod } from '../ledger/counted-rows.js';
import { dryRunPeriod } from '../ledger/period-dry-run.js';
import { type FrozenPeriod, type RepTerms } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type StatementContent } from './statement.js';
import { type TrueUpLine, trueUpLines } from './true-up-line.js';

/** Totals by currency. */
type Totals = ReadonlyMap<string, Decimal>;

/** The difference between an approved period and a new calculation of it. */
export interface Owed {
  /** In the statement's currency. */
  readonly delta: Decimal;
  readonly lines: readonly TrueUpLine[];
  readonly otherCurrencies: readonly { readonly currency: string; readonly delta: Decimal }[];
  /** The rows that count for the period now, and the rows that count once the true-up is written. */
  readonly rows: { readonly before: readonly CountedRow[]; readonly after: readonly CountedRow[] };
}

/** Compares the approved statement with a calculation of the period as if no period were frozen. */
export async function calculateOwed(
  trx: Work,
  terms: RepTerms,
  frozen: FrozenPeriod,
  approved: StatementContent,
  asOf: Day,
): Promise<Owed> {
  const { workspaceId, repId } = terms;
  const before = await loadRowsOfPeriod(trx, { workspaceId, repId, period: frozen.period }, frozen);
  const after = await dryRunPeriod(trx, terms, frozen, asOf);
  const live = totalsOf([...after, ...(await loadAdjustments(trx, terms, frozen))]);
  const owed = differences(live, approvedTotals(approved));
  const lines = trueUpLines(before, after, approved.currency);
  const names = await loadDealNames(trx, workspaceId, lines);
  return {
    delta: owed.get(approved.currency) ?? Decimal.zero,
    lines: lines.map((line) => ({ ...line, dealName: names.get(line.dealId ?? '') ?? null })),
    otherCurrencies: [...owed]
      .filter(([currency]) => currency !== approved.currency)
      .map(([currency, delta]) => ({ currency, delta })),
    rows: { before, after },
  };
}

interface Amount {
  readonly currency: string;
  readonly amount: string;
}

async function loadAdjustments(
  trx: Work,
  { workspaceId, repId }: RepTerms,
  { range }: FrozenPeriod,
): Promise<Amount[]> {
  return trx
    .selectFrom('commission_events')
    .select(['currency', 'amount'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('kind', 'in', ['adjustment', 'clawback'])
    .where('status', '=', 'earned')
    .where('earned_on', '>=', range.from)
    .where('earned_on', '<=', range.to)
    .execute();
}

async function loadDealNames(
  trx: Work,
  workspaceId: string,
  lines: readonly Pick<TrueUpLine, 'dealId'>[],
): Promise<ReadonlyMap<string, string | null>> {
  const dealIds = [...new Set(lines.flatMap(({ dealId }) => dealId ?? []))];
  if (dealIds.length === 0) return new Map();
  const deals = await trx
    .selectFrom('deals')
    .select(['deal_id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('deal_id', 'in', dealIds)
    .execute();
  return new Map(deals.map((deal) => [deal.deal_id, deal.name]));
}

function totalsOf(amounts: readonly Amount[]): Totals {
  const totals = new Map<string, Decimal>();
  for (const { currency, amount } of amounts)
    totals.set(currency, (totals.get(currency) ?? Decimal.zero).plus(Decimal.of(amount)));
  return totals;
}

function approvedTotals({ currency, summary, otherCurrencies }: StatementContent): Totals {
  return new Map([
    [currency, Decimal.of(summary.netPayout)] as const,
    ...otherCurrencies.map((other) => [other.currency, Decimal.of(other.summary.netPayout)] as const),
  ]);
}

/** The differences from the approved totals, by currency. Currencies without a difference are left out. */
function differences(live: Totals, approved: Totals): Totals {
  const currencies = [...new Set([...live.keys(), ...approved.keys()])].sort();
  const all = currencies.map(
    (currency) =>
      [currency, (live.get(currency) ?? Decimal.zero).minus(approved.get(currency) ?? Decimal.zero)] as const,
  );
  return new Map(all.filter(([, delta]) => !delta.isZero()));
}
