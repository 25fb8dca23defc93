import { type Decision } from '../../engine/model.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { Decimal } from '../../kernel/decimal.js';
import { naturalKey } from '../../ledger/input/ledger-rows.js';
import { type PayableRow } from '../../pay/payables/payable-rows.js';
import { toDecidedRow } from '../simulated-payables.js';

interface RowSum {
  readonly row: PayableRow;
  readonly amount: Decimal;
}

/** The sums of what outcomes pay, by event, so that it can be said when they are paid. */
export class RowSums {
  private readonly sums = new Map<string, RowSum>();

  constructor(private readonly repId: string) {}

  addOutcome(decisions: readonly Decision[], weight: Decimal): void {
    if (weight.isZero()) return;
    const isWhole = weight.equals(Decimal.one);
    for (const decision of decisions) {
      const key = `${naturalKey(decision)}|${decision.currency}|${decision.earnedOn}`;
      const amount = isWhole ? decision.amount : decision.amount.times(weight);
      this.add(key, amount, () => toDecidedRow(this.repId, decision));
    }
  }

  addRows(rows: readonly PayableRow[]): void {
    for (const row of rows) this.add(`${row.key}|${row.currency}|${row.day}`, Decimal.of(row.amount), () => row);
  }

  private add(key: string, amount: Decimal, toRow: () => PayableRow): void {
    const known = this.sums.get(key);
    this.sums.set(
      key,
      known === undefined ? { row: toRow(), amount } : { ...known, amount: known.amount.plus(amount) },
    );
  }

  /** In the order of their keys. */
  list(): PayableRow[] {
    const keyed = [...this.sums].sort(([a], [b]) => (a < b ? -1 : 1));
    return keyed.map(([, { row, amount }]) => ({ ...row, amount: amount.toString() }));
  }

  /** The rows as a share of the total, less the given ones. They are rounded so that they add up to the rounded sum. */
  listRounded(total: Decimal, less: readonly PayableRow[]): PayableRow[] {
    const shares = new RowSums(this.repId);
    const shareOf = (amount: Decimal) => (total.equals(Decimal.one) ? amount : amount.dividedBy(total));
    shares.addRows([...this.sums.values()].map(({ row, amount }) => ({ ...row, amount: shareOf(amount).toString() })));
    shares.addRows(less.map((row) => ({ ...row, amount: Decimal.of(row.amount).negated().toString() })));
    const before = new Map<string, Decimal>();
    const rounded = shares.list().map((row) => {
      const was = before.get(row.currency) ?? Decimal.zero;
      const is = was.plus(Decimal.of(row.amount));
      before.set(row.currency, is);
      const amount = roundToCurrency(is, row.currency).minus(roundToCurrency(was, row.currency));
      return { ...row, amount: amount.toString() };
    });
    return rounded.filter(({ amount }) => Number(amount) !== 0);
  }
}
