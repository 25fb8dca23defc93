import { hash } from 'node:crypto';
import { addTo } from '../../kernel/add-to.js';
import { chunk } from '../../kernel/chunk.js';
import { type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { readBasis } from '../../platform/database/cache-versions.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type PayPeriods } from './pay-periods.js';
import { type PayableStatus } from './payable-entry.js';
import { type Entry, loadEntries, type RepEntries } from './payable-views.js';

/** The groups of so many people are in memory together. A longer list is calculated once for all of its pages. */
const loadedReps = 100;
/** What the counts of a person count in memory, as characters. */
const sizeOfPerson = 100;

/** What the people of a list have together, and the numbers of amounts of each of them, in the order of the list. */
export interface PayableSums {
  readonly totals: ReadonlyMap<string, Readonly<Record<PayableStatus | 'balance', Decimal>>>;
  /** What batches have paid, by the currency in which they paid it. */
  readonly paidOut: ReadonlyMap<string, Decimal>;
  readonly counts: readonly ReadonlyMap<PayableStatus, number>[];
}

interface Wanted {
  /** In the order of the list. */
  readonly repIds: readonly string[];
  readonly dealId: string | undefined;
  readonly status: PayableStatus | undefined;
  readonly limit: number;
  readonly offset: number;
}

interface PayablePage extends Pick<PayableSums, 'totals' | 'paidOut'> {
  readonly entries: readonly Entry[];
  readonly count: number;
}

type LoadReps = (repIds: readonly string[]) => Promise<RepEntries[]>;

/** A page of what the people have, and the sums of all of it. The transaction sees one instant. */
export async function loadPayablePage(
  tx: Transaction,
  payPeriods: PayPeriods,
  { repIds, dealId, status, limit, offset }: Wanted,
  today: Day,
): Promise<PayablePage> {
  const load: LoadReps = async (some) => {
    const reps = [...(await loadEntries(tx, payPeriods, some, today)).values()];
    return dealId === undefined ? reps : reps.map((rep) => onlyOfDeal(rep, dealId));
  };
  const all = repIds.length <= loadedReps ? await load(repIds) : null;
  const sums = all === null ? await loadSums(tx, { repIds, dealId, today }, load) : new PayableTally().add(all);
  const counts = sums.counts.map((ofRep) => countOf(ofRep, status));
  const { first, end, skipped } = findPeople(counts, { limit, offset });
  const reps: RepEntries[] = all?.slice(first, end) ?? [];
  const withAmounts = repIds.slice(first, end).filter((_, index) => counts[first + index] !== 0);
  if (all === null) for (const some of chunk(withAmounts, loadedReps)) reps.push(...(await load(some)));
  const entries = reps
    .flatMap((rep) => rep.entries)
    .filter((entry) => status === undefined || entry.status === status)
    .slice(skipped, skipped + limit);
  const { totals, paidOut } = sums;
  return { entries, totals, paidOut, count: counts.reduce((before, count) => before + count, 0) };
}

/** Everyone's amounts are calculated once for all pages, until anything changes: the versions identify the instant. */
async function loadSums(
  tx: Transaction,
  {
    repIds,
    dealId = '',
    today,
  }: { readonly repIds: readonly string[]; readonly dealId?: string | undefined; readonly today: Day },
  load: LoadReps,
): Promise<PayableSums> {
  const cache = tx.cacheOf<PayableSums>();
  const revision = await readBasis(tx, today);
  const key = `payables ${tx.workspaceId} ${tx.until} ${hash('sha256', repIds.join())} ${dealId}`;
  const known = cache.get(revision, key);
  if (known !== null) return known;
  const sums = new PayableTally();
  for (const some of chunk(repIds, loadedReps)) sums.add(await load(some));
  cache.set(revision, key, sums, key.length + revision.length + repIds.length * sizeOfPerson);
  return sums;
}

/** The people whose amounts are on the page, and how many amounts of the first of them are before it. */
function findPeople(counts: readonly number[], { limit, offset }: Pick<Wanted, 'limit' | 'offset'>) {
  let [first, skipped] = [0, offset];
  for (const count of counts) {
    if (skipped < count) break;
    skipped -= count;
    first += 1;
  }
  let [end, rest] = [first, skipped + limit];
  for (const count of counts.slice(first)) {
    if (rest <= 0) break;
    rest -= count;
    end += 1;
  }
  return { first, end, skipped };
}

function countOf(counts: ReadonlyMap<PayableStatus, number>, status: PayableStatus | undefined): number {
  if (status !== undefined) return counts.get(status) ?? 0;
  return [...counts.values()].reduce((before, count) => before + count, 0);
}

function onlyOfDeal({ entries }: RepEntries, dealId: string): RepEntries {
  return { entries: entries.filter((entry) => entry.dealId === dealId), balances: new Map(), paidOut: new Map() };
}

class PayableTally implements PayableSums {
  readonly totals = new Map<string, Record<PayableStatus | 'balance', Decimal>>();
  readonly paidOut = new Map<string, Decimal>();
  readonly counts: Map<PayableStatus, number>[] = [];

  add(reps: readonly RepEntries[]): this {
    for (const { entries, balances, paidOut } of reps) {
      const counts = new Map<PayableStatus, number>();
      for (const { currency, status, amount } of entries) {
        this.addTo(currency, status, amount);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      for (const [currency, amount] of balances) if (!amount.isZero()) this.addTo(currency, 'balance', amount);
      for (const [currency, amount] of paidOut) addTo(this.paidOut, currency, amount);
      this.counts.push(counts);
    }
    return this;
  }

  private addTo(currency: string, field: PayableStatus | 'balance', amount: Decimal): void {
    const { zero } = Decimal;
    const totals = getOrInsert(this.totals, currency, () => ({
      waiting: zero,
      held: zero,
      payable: zero,
      approved: zero,
      paid: zero,
      balance: zero,
    }));
    totals[field] = totals[field].plus(amount);
  }
}
