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
    expect(parts).to.deep.equal([{ tierIndex: 0, rate: null, part: 40 }]);
    expect([lookups?.[0]?.kind, raw]).to.deep.equal(['amount', 40]);
  });
});

describe('the parts of a deal in two tiers with columns of a table', () => {
  /** 1,000 of a quota of 600, in the columns of the tiers below and above it. */
  function payAcross(above: RateValue) {
    const table: RateTable = {
      ...tableOf('exception', {}),
      keys: [{ name: 'region', field: 'region', match: 'exact' }],
      columns: ['below', 'above'].map((name) => ({ name, kind: 'rate' as const })),
      rows: [{ keys: { region: 'EMEA' }, values: { below: 0.1, above } }],
    };
    const tiers = tiersOf(
      { minThreshold: 0, table: 'T', column: 'below' },
      { minThreshold: 1, table: 'T', column: 'above' },
    );
    const { decisions } = run({
      config: { rules: [{ name: 'Rule', measure: 'amount', tierMode: 'marginal', tiers }] },
      quotas: { 'Rule 2026-Q1': { target: 600 } },
      deals: 'D | 2026-02-10 | 1000 | region=EMEA',
      tables: [table],
    });
    const { parts, raw } = decode(decisions[0] ?? expect.fail('nothing fired'));
    return { parts, raw };
  }

  it('each have the rate of their column', () => {
    expect(payAcross(0.2)).to.deep.equal({
      parts: [
        { tierIndex: 0, rate: 0.1, part: 600 },
        { tierIndex: 1, rate: 0.2, part: 400 },
      ],
      raw: 140,
    });
  });

  it('have the part of an amount that is paid, so that they add up', () => {
    expect(payAcross({ amount: 50 })).to.deep.equal({
      parts: [
        { tierIndex: 0, rate: 0.1, part: 600 },
        { tierIndex: 1, rate: null, part: 20 },
      ],
      raw: 80,
    });
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
