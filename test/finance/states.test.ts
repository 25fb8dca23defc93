import { expect } from 'chai';
import { divideByState } from '#src/finance/states.js';
import { Decimal } from '#src/kernel/decimal.js';

const money = (amount: number) => Decimal.of(amount);

describe('the states of what a person is owed', () => {
  const statement = { period: '2026-01', currency: 'USD', approvedOn: '2026-02-03', amount: money(1600) };
  const batch = { period: '2026-01', currency: 'USD', createdOn: '2026-02-20', isPaid: false, amount: money(1600) };
  const input = { currency: 'USD', owed: money(4800), waiting: money(3000), held: money(200), approved: [statement] };

  function divide(day: string, batched: Parameters<typeof divideByState>[0]['batched'], owed = money(4800)) {
    const states = Object.entries(divideByState({ ...input, day, owed, batched }));
    const amounts = Object.fromEntries(states.map(([name, amount]) => [name, amount.toNumber()]));
    const sum = Object.values(amounts).reduce((total, amount) => total + amount, 0);
    expect(sum).to.equal(owed.toNumber());
    return amounts;
  }

  it('are those of the last day of the month: in a batch, and approved after its cancellation (N6)', () => {
    const cancelled = [{ ...batch, endedOn: '2026-03-02' }];
    expect(divide('2026-02-28', cancelled)).to.include({ inBatch: 1600, approved: 0, payable: 0 });
    expect(divide('2026-03-31', cancelled)).to.include({ inBatch: 0, approved: 1600, payable: 0 });
  });

  it('are payable before the approval, and approved with what a correction adds to a paid statement', () => {
    expect(divide('2026-01-31', [])).to.include({ approved: 0, payable: 1600 });
    const paid = [{ ...batch, amount: money(1200), isPaid: true, endedOn: '2026-02-25' }];
    expect(divide('2026-02-28', paid, money(3600))).to.include({ approved: 400, payable: 0, toRecover: 0 });
  });

  it('are to be recovered where more was paid than is released', () => {
    const paid = [{ ...batch, isPaid: true, endedOn: '2026-02-25' }];
    expect(divide('2026-02-28', paid, money(2700))).to.include({ approved: 0, payable: 0, toRecover: -500 });
  });
});
