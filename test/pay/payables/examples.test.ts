import { expect } from 'chai';
import { money, type OracleEvent, OraclePayables } from '../../support/oracle/payables.js';
import { dealEvent, months, PayWorld } from './pay-world.js';

/** The service and the oracle beside each other: every figure of an example is compared with both. */
class Example {
  private readonly world: PayWorld;
  private readonly oracle: OraclePayables;

  constructor(...lastDays: string[]) {
    this.world = new PayWorld(months(...lastDays));
    this.oracle = new OraclePayables(months(...lastDays), 100);
    this.oracle.payCurrency = 'USD';
  }

  set(...events: OracleEvent[]): this {
    this.world.events = events;
    this.oracle.events = events;
    return this;
  }

  approve(...names: string[]): this {
    for (const name of names) {
      this.world.approve(this.index(name), ['USD']);
      this.oracle.approve(this.index(name), ['USD']);
    }
    return this;
  }

  correct(name: string, target: string | null, ...after: OracleEvent[]): this {
    const to = target === null ? null : this.index(target);
    this.world.correct(this.index(name), after, to, ['USD']);
    this.oracle.correct(this.index(name), after, to, ['USD']);
    return this;
  }

  line(name: string, expected: string): this {
    const own = this.world.lines(this.index(name)).get('D USD')?.amount.toNumber() ?? 0;
    const other = this.oracle.lines(this.index(name)).get('D USD');
    expect(own.toFixed(2), name).to.equal(expected);
    expect(other === undefined ? '0.00' : money(other), `oracle, ${name}`).to.equal(expected);
    return this;
  }

  payable(name: string, expected: string): this {
    expect(this.world.totals(this.index(name), 'USD').payable.toNumber().toFixed(2), name).to.equal(expected);
    expect(money(this.oracle.totals(this.index(name), 'USD').payable), `oracle, ${name}`).to.equal(expected);
    return this;
  }

  balance(expected: string): this {
    expect(this.world.balance('USD').toNumber().toFixed(2)).to.equal(expected);
    expect(money(this.oracle.balance('USD')), 'oracle').to.equal(expected);
    return this;
  }

  late(name: string, expected: boolean): this {
    expect(this.world.lines(this.index(name)).get('D USD')?.late).to.equal(expected);
    return this;
  }

  private index(name: string): number {
    return this.world.periods.findIndex((period) => period.name === name);
  }
}

const first = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'];
const earned = { amount: '4800', closes: '2026-01-15' };

describe('payables: the examples of the money model, for the service and for the oracle', () => {
  it('P1: as the customer pays', () => {
    const paid = dealEvent({
      ...earned,
      paid: [
        ['2026-02-15', '20000'],
        ['2026-04-03', '40000'],
      ],
    });
    new Example(...first).set(paid).line('2026-01', '0.00').line('2026-02', '1600.00').line('2026-04', '3200.00');
  });

  it('P2: parts are rounded so that they add up', () => {
    const event = dealEvent({
      amount: '1000.01',
      closes: '2026-01-10',
      deal: '10000',
      payout: {
        schedule: [
          { on: 'close', percent: 50 },
          { on: 'paid', percent: 50 },
        ],
      },
      paid: [
        ['2026-02-01', '3333.33'],
        ['2026-03-01', '3333.33'],
        ['2026-04-01', '3333.34'],
      ],
    });
    const example = new Example(...first).set(event);
    example.line('2026-01', '500.01').line('2026-02', '166.66').line('2026-03', '166.67').line('2026-04', '166.67');
  });

  it('P3: a payment that is charged back', () => {
    const event = dealEvent({
      ...earned,
      paid: [
        ['2026-02-15', '20000'],
        ['2026-03-10', '-20000'],
        ['2026-04-20', '60000'],
      ],
    });
    const example = new Example(...first).set(event).approve('2026-01', '2026-02');
    example.line('2026-02', '1600.00').line('2026-03', '-1600.00').line('2026-04', '4800.00');
    example.payable('2026-02', '1600.00').payable('2026-03', '0.00').approve('2026-03').balance('1600.00');
    example.payable('2026-04', '3200.00').approve('2026-04').balance('0.00');
  });

  it('P4: a true-up of a deal that is half paid', () => {
    const paid: [string, string][] = [['2026-01-20', '30000']];
    const example = new Example(...first).set(dealEvent({ ...earned, paid })).approve('2026-01');
    const larger = { amount: '5280', closes: '2026-01-15', deal: '66000' };
    example.payable('2026-01', '2400.00').correct('2026-01', null, dealEvent({ ...larger, paid }));
    example.payable('2026-01', '2400.00').line('2026-02', '0.00');
    example.set(dealEvent({ ...larger, paid: [...paid, ['2026-02-10', '36000']] })).line('2026-02', '2880.00');
  });

  it('P5: equal parts', () => {
    const event = dealEvent({ amount: '100', closes: '2026-01-31', payout: { parts: 3, everyMonths: 1 } });
    const example = new Example(...first).set(event);
    example.line('2026-01', '33.33').line('2026-02', '33.34').line('2026-03', '33.33').line('2026-04', '0.00');
  });

  it('P6: a hold', () => {
    const event = dealEvent({
      ...earned,
      paid: [['2026-02-15', '60000']],
      holds: [{ from: '2026-02-20', to: '2026-04-01' }],
    });
    const example = new Example(...first).set(event).approve('2026-01', '2026-02', '2026-03');
    example.payable('2026-02', '0.00').payable('2026-03', '0.00').payable('2026-04', '4800.00');
  });

  it('P7 and P12: a manager follows the inputs', () => {
    const half = dealEvent({ amount: '1', closes: '2026-01-10', paid: [['2026-01-11', '30000']] });
    const full = dealEvent({ amount: '1', closes: '2026-01-10', paid: [['2026-01-11', '60000']] });
    const manager = (amount: string, inputs: readonly (readonly [string, OracleEvent])[]): OracleEvent => ({
      key: 'D USD',
      currency: 'USD',
      rows: [{ amount, day: '2026-01-10' }],
      source: { inputs: inputs.map(([input, of]) => ({ amount: input, of })) },
      holds: [],
    });
    new Example(...first)
      .set(
        manager('2160', [
          ['8400', half],
          ['2400', full],
        ]),
      )
      .line('2026-01', '1320.00');
    new Example(...first)
      .set(
        manager('20', [
          ['1000', half],
          ['-900', full],
        ]),
      )
      .line('2026-01', '14.74');
    new Example(...first).set(manager('20', [])).line('2026-01', '20.00');
  });

  it('P8: a cancelled deal gives back what was released', () => {
    const paid: [string, string][] = [['2026-02-15', '30000']];
    const takenBack = [{ amount: '-4800', day: '2026-03-05' }];
    const refunds = [{ day: '2026-03-05', amount: '60000' }];
    const example = new Example(...first).set(dealEvent({ ...earned, paid }));
    example.approve('2026-01', '2026-02').set(dealEvent({ ...earned, paid, takenBack, refunds }));
    example.line('2026-03', '-2400.00');
    const unpaid = {
      takenBack: [{ amount: '-2400', day: '2026-03-05' }],
      refunds: [{ day: '2026-03-05', amount: '30000' }],
    };
    example.set(dealEvent({ ...earned, paid, ...unpaid })).line('2026-03', '0.00');
  });

  it('P9: a declining clawback follows what was released', () => {
    const terms = {
      amount: '7200',
      closes: '2026-02-10',
      takenBack: [{ amount: '-4440', day: '2026-04-20' }],
      refunds: [{ day: '2026-04-20', amount: '60000' }],
    };
    const everything = dealEvent({ ...terms, paid: [['2026-02-20', '60000']] });
    new Example(...first).set(everything).line('2026-02', '7200.00').line('2026-04', '-4440.00');
    new Example(...first).set(dealEvent(terms)).line('2026-02', '0.00').line('2026-04', '0.00');
  });

  it('P10: a payment that is entered late', () => {
    const example = new Example(...first).set(dealEvent({ ...earned, paid: [['2026-02-15', '20000']] }));
    example.approve('2026-01', '2026-02');
    example.set(
      dealEvent({
        ...earned,
        paid: [
          ['2026-02-15', '20000'],
          ['2026-02-27', '10000'],
        ],
      }),
    );
    example.payable('2026-02', '1600.00').line('2026-03', '800.00').late('2026-03', true);
  });

  it('P11: offsets, a date of the deal, and gross payments', () => {
    const event = dealEvent({
      amount: '6000',
      closes: '2026-01-15',
      gross: ['60000', '71400'],
      dates: { go_live: '2026-03-05' },
      payout: {
        schedule: [
          { on: 'close', percent: 20, offsetDays: 30 },
          { on: 'go_live', percent: 30 },
          { on: 'paid_in_full', percent: 50 },
        ],
      },
      paid: [
        ['2026-03-05', '42840'],
        ['2026-05-02', '28560'],
      ],
    });
    const example = new Example(...first).set(event).line('2026-01', '0.00').line('2026-02', '1200.00');
    example.line('2026-03', '1800.00').line('2026-04', '0.00').line('2026-05', '3000.00');
  });

  it('P13: a carry-forward beside a late payment', () => {
    const example = new Example(...first).set(dealEvent({ ...earned, paid: [['2026-01-20', '30000']] }));
    example.approve('2026-01');
    const paid: [string, string][] = [['2026-01-20', '66000']];
    example.set(dealEvent({ ...earned, paid }));
    const after = dealEvent({ amount: '5280', closes: '2026-01-15', deal: '66000', paid });
    example.correct('2026-01', '2026-02', after);
    example.payable('2026-01', '2400.00').line('2026-02', '2400.00').payable('2026-02', '2880.00');
  });

  it('P14: a row of an approved period stays in it', () => {
    const terms = { closes: '2026-01-15', payout: null };
    const example = new Example(...first).set(dealEvent({ ...terms, amount: '4800' })).approve('2026-01');
    example.correct('2026-01', null, dealEvent({ closes: '2026-01-31', payout: null, amount: '4880', deal: '61000' }));
    example.payable('2026-01', '4880.00').line('2026-03', '0.00');
  });

  it('P15: a true-up recovers the balance first', () => {
    const clawback = (amount: string): OracleEvent => ({
      key: 'D USD',
      currency: 'USD',
      rows: [{ amount, day: '2026-01-31' }],
      source: 'whole',
      holds: [],
    });
    const february: OracleEvent = {
      ...clawback('500'),
      key: 'E USD',
      rows: [{ amount: '500', day: '2026-02-10' }],
    };
    const example = new Example(...first).set(clawback('-500'), february).approve('2026-01').balance('500.00');
    example.correct('2026-01', null, clawback('-200'), february);
    example.payable('2026-01', '0.00').balance('200.00').payable('2026-02', '300.00');
  });
});
