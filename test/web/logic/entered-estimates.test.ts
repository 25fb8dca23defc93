import { expect } from 'chai';
import {
  type EnteredEstimate,
  estimateColumns,
  readEstimates,
  toEnteredEstimates,
  withCells,
} from '#web/features/finance/entered-estimates.js';

describe('estimates that are entered', () => {
  const context = {
    people: [
      { id: 'R1', name: 'Ben Ode', email: 'ben@acme.test' },
      { id: 'R2', name: 'Ann Lee', email: 'ann@acme.test' },
      { id: 'R3', name: 'Ann Lee', email: 'lee@acme.test' },
    ],
    plans: [{ planId: 'P1', name: 'AE' }],
  };
  const row: EnteredEstimate = {
    person: 'ben ode',
    plan: 'AE',
    rule: 'Quarterly bonus',
    period: 'Q1 2026',
    currency: 'usd',
    pay: '4,000.00',
    toDate: '',
    method: '',
  };
  const sent = { repId: 'R1', planId: 'P1', ruleName: 'Quarterly bonus', period: '2026-Q1', currency: 'USD' };

  it('are read as people write them', () => {
    const read = (part: Partial<EnteredEstimate>) => readEstimates([{ ...row, ...part }], context).estimates;
    expect(read({})).to.deep.equal([{ ...sent, method: 'elapsed', pay: 4000 }]);
    expect(read({ pay: '', toDate: '1,200' })).to.deep.equal([{ ...sent, method: 'forecast', toDate: 1200 }]);
    expect(read({ person: 'lee@acme.test' })).to.deep.equal([{ ...sent, repId: 'R3', method: 'elapsed', pay: 4000 }]);
  });

  it('say which cell cannot be read, and are not sent', () => {
    for (const [part, column] of [
      [{ person: 'Ann Lee' }, 'person'],
      [{ person: 'Nobody' }, 'person'],
      [{ plan: '' }, 'plan'],
      [{ rule: ' ' }, 'rule'],
      [{ pay: 'many' }, 'pay'],
      [{ pay: '' }, 'pay'],
      [{ toDate: '1' }, 'pay'],
      [{ method: 'guess' }, 'method'],
    ] as const) {
      const { estimates, problems } = readEstimates([{ ...row, ...part }], context);
      expect([estimates, [...problems.keys()].map((key) => key.split(' ').at(-1))]).to.deep.equal([[], [column]]);
    }
  });

  it('are the stored ones unless something is changed; empty rows are none', () => {
    const stored = [{ ...sent, method: 'forecast', pay: null, toDate: 1200.5 }] as unknown as Parameters<
      typeof toEnteredEstimates
    >[0];
    const rows = toEnteredEstimates(stored, context);
    const { estimates, problems } = readEstimates(withCells(rows, [[1, 'person', '']]), context);
    expect(estimates).to.deep.equal([{ ...sent, method: 'forecast', toDate: 1200.5 }]);
    expect(problems.size).to.equal(0);
    expect(estimateColumns.map(({ key }) => key)).to.have.members(Object.keys(row));
  });
});
