import { expect } from 'chai';
import { Decimal, sum } from '#src/kernel/decimal.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** Checks that the lines of the payslip add up, in their order, to what the statement pays in each currency. */
export function assertAddsUp({ payable, payslip }: Loose): void {
  if (payable === undefined) {
    expect(payslip).to.equal(undefined);
    return;
  }
  for (const { currency, lines } of payslip.parts) {
    for (const field of ['amount', 'converted']) {
      if (lines.at(-1)[field] === undefined) continue;
      const added = total(lines.slice(1, -1), field);
      expect(added.toNumber(), `${field} of the lines in ${currency}`).to.equal(lines.at(-1)[field]);
    }
    for (const line of lines.slice(1, -1)) expect(total(line.rows, 'amount').toNumber()).to.equal(line.amount);
    const stored = payable.totals.find((each: Loose) => each.currency === currency);
    expect(lines.at(-1)).to.include({ kind: 'payable', amount: stored?.payable ?? 0 });
  }
}

function total(rows: readonly Loose[], field: string): Decimal {
  return sum(rows.map((row) => Decimal.of(String(row[field]))));
}
