import { expect } from 'chai';
import fc from 'fast-check';
import { type Fields } from '#src/engine/field-value.js';
import { run } from './scenario.js';

const flat = { name: 'Flat', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
const tiered = {
  name: 'Tiered',
  measure: 'amount',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
    { tierIndex: 1, minThreshold: 1, rate: 10, name: 'Quota' },
  ],
};
const quotas = { 'Tiered 2026-Q1': { target: 100_000, variableTarget: 1e12 } };

/** The outcome of the rule on a deal with these fields, beside a usual deal. */
function on(rule: object, fields: Fields) {
  const result = run({
    config: { rules: [rule] },
    deals: 'D2 | 2026-02-01 | 1000',
    more: [{ dealId: 'D1', fields }],
    quotas,
  });
  const of = (dealKey: string) => result.outcomes.find((outcome) => outcome.dealKey === dealKey);
  return { outcome: of('D1'), decision: result.decisions.find((each) => each.dealKey === 'D1'), usual: of('D2') };
}

describe('numbers beyond ±10^15', () => {
  const beyond = [
    1e18,
    -1e18,
    1.0000000000000001e15 + 1,
    1e300,
    '1e400',
    '-1e400',
    '1e99999',
    '123456789012345678',
    ' 9e15 ',
  ];

  it('are absent as a measure, a base and a tier value, and the other deals are calculated', () => {
    for (const value of beyond) {
      const asMeasure = on(flat, { amount: value });
      expect(asMeasure.outcome, String(value)).to.deep.include({ reason: 'value_out_of_range', missing: ['amount'] });
      expect(asMeasure.decision).to.equal(undefined);
      expect(asMeasure.usual?.amount.toString()).to.equal('100');
      const asBase = on({ ...flat, payoutBase: 'margin' }, { amount: 1, margin: value });
      expect(asBase.outcome).to.deep.include({ reason: 'value_out_of_range', missing: ['margin'] });
      const asTier = on({ ...flat, tierBy: 'value', tierValueField: 'size' }, { amount: 1, size: value });
      expect(asTier.outcome?.reason).to.equal('value_out_of_range');
      expect(asTier.decision?.amount.toString()).to.equal('0');
    }
  });

  it('count no credit', () => {
    for (const value of beyond) {
      const rule = {
        ...flat,
        quotaCredit: [
          { field: 'points', weight: 2 },
          { field: 'amount', weight: 1 },
        ],
      };
      expect(on(rule, { amount: 5, points: value }).decision?.credit.toString(), String(value)).to.equal('5');
      expect(
        on({ ...flat, quotaMeasure: 'points' }, { amount: 5, points: value }).decision?.credit.toString(),
      ).to.equal('0');
    }
  });

  it('are not replaced by an alias', () => {
    expect(on(flat, { amount: 1e18, value: 500 }).outcome?.reason).to.equal('value_out_of_range');
    expect(on(flat, { amount: '', value: 500 }).outcome?.amount.toString()).to.equal('50');
  });

  it('fail number comparisons and remain comparable as text', () => {
    const where = (fieldType: string, operator: string, value?: unknown) =>
      on(
        { ...flat, conditions: [{ field: 'id', fieldType, operator, ...(value === undefined ? {} : { value }) }] },
        {
          amount: 100,
          id: '123456789012345678',
        },
      ).outcome?.reason;
    expect(where('number', 'gt', 5)).to.equal('rule_condition_failed');
    expect(where('text', 'equals', '123456789012345678')).to.equal(null);
    expect(where('text', 'is_set')).to.equal(null);
  });

  it('the bounds themselves are numbers, and so is .5', () => {
    expect(on(flat, { amount: 1e15 }).outcome?.amount.toString()).to.equal('100000000000000');
    expect(on(flat, { amount: '-1000000000000000' }).outcome?.amount.toString()).to.equal('-100000000000000');
    expect(on(flat, { amount: '.5' }).outcome?.amount.toString()).to.equal('0.05');
    expect(on(flat, { amount: 'NaN' }).outcome?.reason).to.equal('field_missing');
  });
});

describe('a raw amount beyond ±10^15', () => {
  it('pays 0, and its credit counts', () => {
    const result = run({
      config: { rules: [tiered] },
      deals: 'D1 | 2026-01-15 | 900000000000000 \n D2 | 2026-02-01 | 1000 \n R3 | 2026-02-02 | -899999999999999',
      quotas,
    });
    expect(result.decisions.map(({ amount, credit }) => `${amount} of ${credit}`)).to.deep.equal([
      '0 of 900000000000000',
      '10000 of 1000',
      '-71999999999999.92 of -899999999999999',
    ]);
    expect(result.outcomes[0]?.reason).to.equal('amount_out_of_range');
  });
});

describe('any value of a deal', () => {
  const number = fc.oneof(
    fc.double(),
    fc.double().map(String),
    fc.constantFrom(
      '1e400',
      '-1e-400',
      '1e-9999',
      '.5',
      '5.',
      '0e999999',
      'NaN',
      'Infinity',
      '-',
      '1e',
      '9'.repeat(500),
    ),
    fc.tuple(fc.bigInt(), fc.integer({ min: -500, max: 500 })).map(([digits, exponent]) => `${digits}e${exponent}`),
  );
  const modes = [
    { tierMode: 'full_rate' },
    { tierMode: 'marginal' },
    { tierMode: 'retroactive' },
    { tierBy: 'value', tierValueField: 'size' },
  ];

  it('gives amounts within the bounds and does not stop the calculation', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ amount: number, points: number, margin: number, size: number }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.constantFrom(...modes),
        fc.constantFrom('USD', 'JPY', 'BHD'),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        (fields, mode, currency, weight) => {
          const rule = {
            ...tiered,
            ...mode,
            payoutBase: 'margin',
            quotaCredit: [{ field: 'points', weight }],
            capMultiplier: 1e6,
          };
          const { decisions, outcomes } = run({
            config: { rules: [rule, { ...flat, executionPhase: 'periodic' }] },
            deals: '',
            more: fields.map((each, index) => ({ dealId: `D${index}`, fields: each })),
            quotas,
            currency,
          });
          for (const { amount, trace } of decisions) {
            expect(Math.abs(amount.toNumber())).to.be.at.most(1e15);
            expect(JSON.parse(trace)).to.be.an('array');
          }
          expect(outcomes.length).to.be.at.least(fields.length);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
