import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { type FrozenPeriod, type RepTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Overlay } from './overlay.js';
import { dryRunPeriods } from './period-dry-run.js';

/** An approved period of a rep. */
export interface ApprovedPeriod {
  readonly repId: string;
  readonly period: Period;
}

/** What an approved period would owe in addition, in one currency. */
interface OwedDelta extends ApprovedPeriod {
  readonly currency: string;
  readonly delta: number;
}

type Amounts = ReadonlyMap<string, Decimal>;

/** What approved periods would pay if no period were frozen, by currency. */
export class OwedByPeriods {
  private constructor(private readonly amounts: readonly (ApprovedPeriod & { readonly amounts: Amounts })[]) {}

  /** `selectPeriods` chooses the approved periods of a rep. */
  static async load(
    tx: Transaction,
    terms: Iterable<RepTerms>,
    selectPeriods: (terms: RepTerms) => readonly FrozenPeriod[],
    asOf: Day,
    overlay?: Overlay,
  ): Promise<OwedByPeriods> {
    const all: (ApprovedPeriod & { readonly amounts: Amounts })[] = [];
    for (const stored of terms) {
      const periods = selectPeriods(stored);
      if (periods.length === 0) continue;
      const rows = await dryRunPeriods(tx, stored, periods, asOf, overlay);
      for (const { period } of periods)
        all.push({ repId: stored.repId, period, amounts: sumsByCurrency(rows.get(period) ?? []) });
    }
    return new OwedByPeriods(all);
  }

  /** The periods whose amount differs from that before, largest difference first. */
  since(before: OwedByPeriods): OwedDelta[] {
    const known = new Map(before.amounts.map(({ repId, period, amounts }) => [`${repId} ${period}`, amounts]));
    const deltas = this.amounts.flatMap(({ repId, period, amounts }) => {
      const was: Amounts = known.get(`${repId} ${period}`) ?? new Map();
      return [...new Set([...was.keys(), ...amounts.keys()])].map((currency) => {
        const delta = (amounts.get(currency) ?? Decimal.zero).minus(was.get(currency) ?? Decimal.zero).toNumber();
        return { repId, period, currency, delta };
      });
    });
    return deltas
      .filter(({ delta }) => delta !== 0)
      .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || (a.repId < b.repId ? -1 : 1));
  }
}
