import { expect } from 'chai';
import { type RateTable, type RateValue } from '#src/engine/rate-table.js';
import { decode, payLines, tiersOf } from './one-deal.js';
import { run } from './scenario.js';

function tableOf(noMatch: RateTable['noMatch'], values: Readonly<Record<string, RateValue>>): RateTable {
  return {
    name: 'T',
    keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
    columns: [{ name: 'rate', kind: 'rate' }],
    rows: Object.entries(values).map(([family, rate]) => ({ keys: { family }, values: { rate } })),
    noMatch,
  };
}

const terms = { tiers: tiersOf({ minThreshold: 0, table: 'T' }) };

/** What a rule without lines pays on a deal whose rate is looked up by its region. */
function payWhole(value: RateValue) {
  const table: RateTable = {
    ...tableOf('exception', {}),
    keys: [{ name: 'region', field: 'region', match: 'exact' }],
    rows: [{ keys: { region: 'EMEA' }, values: { rate: value } }],
  };
  const { decisions } = run({
    config: { rules: [{ name: 'Rule', measure: 'amount', ...terms }] },
    deals: 'D | 2026-02-10 | 1000 | region=EMEA',
    tables: [table],
  });
  const [decision] = decisions;
  if (decision === undefined) throw new Error('nothing fired');
  return decode(decision);
}

describe('a rate that a rule looks up for a whole deal', () => {
  it('is the rate of the part, with the look-up beside it', () => {
    const { parts, lookups, raw } = payWhole(0.1);
    expect(parts).to.deep.equal([{ tierIndex: 0, rate: 0.1, part: 1_000 }]);
    expect(lookups).to.deep.equal([
      { table: 'T', column: 'rate', keys: ['EMEA'], row: { region: 'EMEA' }, kind: 'rate', value: 0.1 },
    ]);
    expect(raw).to.equal(100);
  });

  it('is none where the row pays an amount', () => {
    const { parts, lookups, raw } = payWhole({ amount: 40 });
    expect(parts.map(({ rate }) => rate)).to.deep.equal([null]);
    expect([lookups?.[0]?.kind, raw]).to.deep.equal(['amount', 40]);
  });
});

describe('rates that a rule looks up for lines', () => {
  const lines = [
    { amount: 1_000, family: 'software' },
    { amount: 500, family: 'services' },
  ];

  it('are those of the lines, so that the part has none', () => {
    const { decoded } = payLines(terms, lines, { tables: [tableOf('exception', { software: 0.1, services: 0.04 })] });
    expect(decoded.parts).to.deep.equal([{ tierIndex: 0, rate: null, part: 1_500 }]);
    expect(decoded.lines?.map(({ rate }) => rate)).to.deep.equal([0.1, 0.04]);
    expect(decoded).to.not.have.property('lookups');
  });

  it('raise a deal to the floor if one of them is found', () => {
    const { decoded } = payLines({ ...terms, floor: 300 }, lines, {
      tables: [tableOf('exception', { software: 0.1 })],
    });
    expect(decoded.lines?.map(({ reason = null }) => reason)).to.deep.equal([null, 'rate_not_found']);
    expect(decoded.limits).to.deep.equal([{ kind: 'floor', bound: 300, before: 100, after: 300 }]);
  });

  it('give a deal of amount 0 the reason of its lines only if no line has a rate', () => {
    const reasonOf = (values: Readonly<Record<string, RateValue>>) =>
      payLines(terms, lines, { tables: [tableOf('exception', values)] }).reason;
    expect(reasonOf({ services: 0 })).to.equal(null);
    expect(reasonOf({})).to.equal('rate_not_found');
  });
});
