import { expect } from 'chai';
import { civilMonths } from '#src/finance/book-calendar.js';
import { foreseeLot, type Lot, replayLot } from '#src/finance/lot.js';
import { listMonths } from '#src/finance/month.js';
import { type SpreadTerms, toSchedule } from '#src/finance/schedule.js';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { Random } from '../support/random.js';

interface Example {
  readonly cost: string;
  readonly earnedOn: string;
  readonly months: number;
  readonly convention?: SpreadTerms['convention'];
  /** Other months of the period from a month on. */
  readonly later?: readonly (readonly [from: string, months: number])[];
  /** What tests of impairment write down. */
  readonly writtenDown?: readonly (readonly [month: string, amount: string])[];
  readonly terminatedOn?: string;
  /** Days on which parts of the deal end, as a numerator and a denominator. */
  readonly ends?: readonly (readonly [day: string, ended: number, of: number])[];
  readonly takenBack?: readonly (readonly [day: string, amount: string])[];
  /** What closed months keep. */
  readonly kept?: readonly (readonly [month: string, cost: string])[];
}

function lot(example: Example): Lot {
  const { cost, earnedOn, months, convention = 'full_month', later = [], ends = [], takenBack = [], kept } = example;
  const first = civilMonths.monthOf(earnedOn);
  const spreadOver = (number: number) =>
    toSchedule({ length: { months: number }, convention, start: null }, earnedOn, civilMonths);
  const toAmounts = (amounts: readonly (readonly [string, string])[]) =>
    new Map(amounts.map(([month, amount]) => [month, Decimal.of(amount)]));
  return {
    calendar: civilMonths,
    first,
    digits: 2,
    schedules: [[first, months] as const, ...later].map(([from, number]) => ({ from, schedule: spreadOver(number) })),
    cost: Decimal.of(cost),
    ...(kept === undefined ? {} : { kept: toAmounts(kept) }),
    ends: ends.map(([day, ended, of]) => ({ day, ended: Decimal.of(ended), of: Decimal.of(of) })),
    terminatedOn: example.terminatedOn ?? null,
    takenBack: takenBack.map(([day, amount], index) => ({ key: `R${index}`, day, amount: Decimal.of(amount) })),
    writtenDown: toAmounts(example.writtenDown ?? []),
  };
}

const text = (amount: Decimal | undefined) => (amount ?? Decimal.zero).toNumber().toFixed(2);
const amortised = (example: Example, until: string) =>
  replayLot(lot(example), until).map((month) => text(month.amortised));
const last = (example: Example, until: string) => {
  const { clawedBack, ended, carrying } = replayLot(lot(example), until).at(-1) as ReturnType<typeof replayLot>[0];
  return { clawedBack: text(sum(clawedBack.values())), ended: text(ended), carrying: text(carrying) };
};

const a1 = { cost: '4800', earnedOn: '2026-01-15', months: 36 };

describe('the life of a lot', () => {
  it('is rounded cumulatively, and ends at zero (A1, A2, A4, A18, A19, N11)', () => {
    expect(amortised(a1, '2026-03')).to.deep.equal(['133.33', '133.34', '133.33']);
    const future = [...foreseeLot(lot(a1), '2026-12').future.values()];
    expect(text(sum(future.slice(0, 12)))).to.equal('1600.00');
    expect(text(sum(future.slice(12)))).to.equal('1600.00');
    const filing = amortised({ cost: '1000', earnedOn: '2025-06-01', months: 14 }, '2026-07');
    expect(filing.filter((amount) => amount === '71.43')).to.have.length(12);
    expect([filing[3], filing[10]]).to.deep.equal(['71.42', '71.42']);
    expect(amortised({ cost: '22680', earnedOn: '2026-01-01', months: 48 }, '2026-01')).to.deep.equal(['472.50']);
    expect(amortised({ cost: '15000', earnedOn: '2026-01-01', months: 36 }, '2026-01')).to.deep.equal(['416.67']);
    const year = amortised({ cost: '10000', earnedOn: '2026-01-01', months: 60 }, '2026-12');
    expect(text(sum(year.map((amount) => Decimal.of(amount))))).to.equal('2000.00');
    expect(amortised({ cost: '100', earnedOn: '2026-01-01', months: 3 }, '2026-04')).to.deep.equal([
      '33.33',
      '33.34',
      '33.33',
      '0.00',
    ]);
  });

  it('follows the convention of the policy (A15, N41)', () => {
    expect(amortised({ ...a1, convention: 'daily' }, '2026-02')).to.deep.equal(['74.45', '122.63']);
    expect(amortised({ ...a1, convention: 'next_month' }, '2026-03')).to.deep.equal(['0.00', '133.33', '133.34']);
    expect(last({ ...a1, convention: 'next_month' }, '2028-12').carrying).to.equal('133.33');
  });

  it('ends with the deal, and what is not taken back is impairment (A6, A7, A8, A9)', () => {
    expect(last({ ...a1, ends: [['2026-10-20', 1, 1]] }, '2026-10').ended).to.equal('3466.67');
    const a7 = { cost: '7200', earnedOn: '2026-02-10', months: 24, ends: [['2026-04-20', 1, 1]] as const };
    expect(last({ ...a7, takenBack: [['2026-04-20', '4440']] }, '2026-04')).to.deep.equal({
      clawedBack: '4440.00',
      ended: '1860.00',
      carrying: '0.00',
    });
    const a8 = {
      ...a1,
      months: 24,
      ends: [['2026-12-10', 1, 1]] as const,
      takenBack: [['2026-12-10', '4800']] as const,
    };
    expect(last(a8, '2026-12')).to.deep.equal({ clawedBack: '2400.00', ended: '0.00', carrying: '0.00' });
    const a9 = { ...a1, ends: [['2026-04-20', 15, 60]] as const, takenBack: [['2026-04-20', '1200']] as const };
    expect(last(a9, '2026-04')).to.deep.equal({ clawedBack: '1066.67', ended: '0.00', carrying: '3200.00' });
    expect(amortised(a9, '2026-05').at(-1)).to.equal('100.00');
  });

  it('spreads a change over what is left if corrections are prospective (A10, N29, N52)', () => {
    const kept = [
      ['2026-01', '4800'],
      ['2026-02', '4800'],
    ] as const;
    expect(amortised({ ...a1, cost: '7200', kept }, '2026-03')).to.deep.equal(['133.33', '133.34', '203.92']);
    expect(amortised({ ...a1, cost: '100', kept }, '2026-04').slice(2)).to.deep.equal(['-166.67', '0.00']);
    expect(last({ ...a1, cost: '100', kept }, '2026-03').carrying).to.equal('0.00');
    const half = { ...a1, cost: '9600', ends: [['2026-02-20', 1, 2]] as const };
    expect(amortised({ ...half, kept }, '2026-03').at(-1)).to.equal('137.26');
    expect(last({ ...half, kept }, '2026-03')).to.include({ ended: '2400.00', carrying: '4529.41' });
    expect(last(half, '2026-03').carrying).to.equal('4400.00');
    const late = { ...a1, kept: [['2026-01', '0']] as const };
    expect(amortised(late, '2026-02')).to.deep.equal(['0.00', '137.14']);
  });

  it('spreads what is left over what is left of other terms (A11, N14, N53)', () => {
    const a11 = { cost: '30000', earnedOn: '2026-01-15', months: 60, later: [['2028-01', 48]] as const };
    expect(amortised(a11, '2028-02').slice(-3)).to.deep.equal(['500.00', '750.00', '750.00']);
    const n14 = {
      ...a1,
      later: [
        ['2026-07', 24],
        ['2026-10', 6],
      ] as const,
    };
    expect(amortised(n14, '2026-10').slice(5)).to.deep.equal(['133.33', '222.22', '222.22', '222.23', '3333.33']);
    const n53 = {
      ...a1,
      later: [['2026-07', 24]] as const,
      ends: [
        ['2026-02-20', 2, 4],
        ['2026-08-20', 1, 4],
      ] as const,
    };
    expect(amortised(n53, '2026-09').slice(-3)).to.deep.equal(['111.11', '111.11', '55.56']);
    expect(last(n53, '2026-08').ended).to.equal('888.89');
    const { future } = foreseeLot(lot(n14), '2026-06');
    expect(text(sum(future.values()))).to.equal('4000.00');
    expect(text(future.get('2026-07'))).to.equal('133.33');
  });

  it('ends when the contract is terminated (N21), and is written down by a test (N22)', () => {
    expect(last({ ...a1, terminatedOn: '2026-04-20' }, '2026-04')).to.include({ ended: '4266.67', carrying: '0.00' });
    const tested = { ...a1, writtenDown: [['2026-06', '1000']] as const };
    expect(amortised(tested, '2026-07').at(-1)).to.equal('100.00');
    expect(last({ ...a1, writtenDown: [...tested.writtenDown, ['2026-09', '-900']] }, '2026-09').carrying).to.equal(
      '3600.00',
    );
  });

  it('is foreseen until the month after its last one, whatever its cost is', () => {
    const { future } = foreseeLot(lot({ cost: '100.005', earnedOn: '2026-01-15', months: 3 }), '2026-01');
    expect([...future.keys()]).to.deep.equal(['2026-02', '2026-03', '2026-04']);
  });

  it('adds up to its cost in random lives, and is never below zero', () => {
    const random = new Random(7);
    const day = () =>
      `2026-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`;
    for (let run = 0; run < 500; run += 1) {
      const parts = Array.from({ length: random.below(4) }, () => [day(), 1 + random.below(30), 100] as const);
      const cost = Decimal.of(random.below(1_000_000) / 100);
      const example = lot({
        cost: cost.toString(),
        earnedOn: day(),
        months: 1 + random.below(30),
        convention: random.of(['full_month', 'next_month', 'daily']),
        ends: parts.toSorted(([a], [b]) => (a < b ? -1 : 1)),
        takenBack: parts.map(([on]) => [on, String(random.below(100_000) / 100)] as const),
        ...(random.below(2) === 0
          ? {}
          : {
              kept: listMonths('2026-01', '2026-06').map(
                (month) => [month, String(random.below(900_000) / 100)] as const,
              ),
            }),
      });
      const { kept } = example;
      let known = Decimal.zero;
      let rest = Decimal.zero;
      for (const { month, amortised: part, clawedBack, ended, carrying } of replayLot(example, '2029-12')) {
        rest = rest.plus(kept?.get(month) ?? cost).minus(known);
        known = kept?.get(month) ?? cost;
        rest = rest.minus(part).minus(sum(clawedBack.values())).minus(ended);
        expect(carrying.toString(), `run ${run}, ${month}`).to.equal(rest.toString());
        expect(
          [carrying.sign(), ...(kept === undefined ? [part.sign(), ended.sign()] : [])].every((sign) => sign >= 0),
          `run ${run}`,
        ).to.equal(true);
      }
      expect(rest.isZero(), `run ${run}`).to.equal(true);
      const { future } = foreseeLot(example, '2026-12');
      const before = replayLot(example, '2026-12').at(-1)?.carrying ?? Decimal.zero;
      expect(sum(future.values()).toString()).to.equal(before.toString());
    }
  });

  it('keeps closed months whatever the cost becomes, if corrections are prospective', () => {
    const random = new Random(8);
    for (let run = 0; run < 50; run += 1) {
      const kept: (readonly [string, string])[] = [];
      const closed: string[] = [];
      for (const month of listMonths('2026-01', '2026-12')) {
        const cost = String(random.below(900_000) / 100);
        const replayed = amortised({ ...a1, months: 6, cost, kept }, month);
        expect(replayed.slice(0, closed.length), `run ${run}`).to.deep.equal(closed);
        if (random.below(2) === 0) break;
        closed.push(replayed.at(-1) as string);
        kept.push([month, cost]);
      }
    }
  });

  it('ends in parts, in the month in which it is earned at the earliest (N1, N42, N48, N49)', () => {
    const half = [['2026-02-20', 1, 2]] as const;
    const carrying = (cost: string) =>
      last({ cost, earnedOn: '2026-02-01', months: 36, ends: half }, '2026-02').carrying;
    expect(['8400', '2400', '2160'].map(carrying)).to.deep.equal(['4083.33', '1166.67', '1050.00']);
    const thirds = ['2026-02-10', '2026-03-10', '2026-04-10'];
    const n42 = {
      cost: '1000',
      earnedOn: '2026-01-15',
      months: 36,
      ends: thirds.map((day) => [day, 1, 3] as const),
      takenBack: thirds.map((day, index) => [day, index === 1 ? '333.34' : '333.33'] as const),
    };
    expect(amortised(n42, '2026-04')).to.deep.equal(['27.78', '27.78', '18.52', '9.26']);
    expect(last(n42, '2026-04').carrying).to.equal('0.00');
    const n48 = {
      cost: '7200',
      earnedOn: '2026-02-10',
      months: 24,
      ends: [['2026-02-01', 1, 1]] as const,
      takenBack: [['2026-02-10', '7200']] as const,
    };
    expect(last(n48, '2026-02')).to.deep.equal({ clawedBack: '6900.00', ended: '0.00', carrying: '0.00' });
  });
});
