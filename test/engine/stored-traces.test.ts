import { expect } from 'chai';
import { type Refund } from '#src/engine/clawback.js';
import { toRawAmounts } from '#src/engine/line-trace.js';
import {
  attainmentAfter,
  creditAfter,
  decodeConversionsOf,
  decodeCountedLines,
  decodeCutOff,
  decodePaidLines,
  decodeProration,
  decodeSeveralRates,
  decodeSourceDay,
  decodeTrace,
  decodeUnpaidLines,
} from '#src/engine/trace.js';
import { decode, payLines, tiersOf } from './one-deal.js';
import { run, type Scenario } from './scenario.js';

const tiers = tiersOf({ minThreshold: 0, rate: 0.08, name: 'Base' }, { minThreshold: 1, rate: 0.12, name: 'Over' });
const quotas = { 'New 2026-Q1': { target: 100_000 } };

/** The stored traces of a rule, in close order. */
function stored(terms: object, deals: string, more: Partial<Scenario> = {}): string[] {
  const config = { rules: [{ name: 'New', measure: 'amount', tiers, ...terms }] };
  return run({ config, deals, quotas, ...more }).decisions.map(({ trace }) => trace);
}

const one = 'D1 | 2026-01-10 | 60000';
const two = `${one}\nD2 | 2026-02-10 | 70000.005`;

describe('a stored trace', () => {
  it('states the credit up to and including the deal, exactly', () => {
    expect(stored({}, two).map((trace) => creditAfter(trace).toString())).to.deep.equal(['60000', '130000.005']);
  });

  it('states the attainment after the deal to 6 decimals, and none without a quota or with a target of 0', () => {
    const reached = (quota: Scenario['quotas'] = {}) =>
      stored({}, two, { quotas: quota }).map((trace) => attainmentAfter(trace)?.toString() ?? null);
    expect(reached({ 'New 2026-Q1': { target: 90_000 } })).to.deep.equal(['0.666667', '1.444445']);
    expect(reached()).to.deep.equal([null, null]);
    expect(reached({ 'New 2026-Q1': { target: 0 } })).to.deep.equal([null, null]);
  });

  it('states what the cap cut off, exactly; 0 without a cap that binds', () => {
    const cutOff = (terms: object) => stored(terms, two).map((trace) => decodeCutOff(trace).toString());
    expect(cutOff({ cap: 5_000 })).to.deep.equal(['0', '8200.0006']);
    expect(cutOff({})).to.deep.equal(['0', '0']);
  });

  it('states the rates of a deal that several tiers pay, from the lowest on', () => {
    const rates = (terms: object) => stored(terms, two).map(decodeSeveralRates);
    expect(rates({ tierMode: 'marginal' })).to.deep.equal([null, [0.08, 0.12]]);
    expect(rates({})).to.deep.equal([null, null]);
  });

  it('is rejected if it names a limit that is not known', () => {
    const [trace = ''] = stored({ cap: 5_000 }, 'D | 2026-01-10 | 90000');
    const context = { conditions: [], day: '2026-01-10', timeZone: 'UTC', tierName: null, amount: 5_000 };
    expect(() => decodeTrace(trace.replace('["c"', '["x"'), context)).to.throw('unknown limit in a stored trace: x');
  });
});

describe('a stored trace of a prorated quota', () => {
  const assigned = { start: '2026-02-15', end: null };
  const proratedBy = (quotaProration: string, more: Partial<Scenario> = {}) =>
    stored({ quotaProration }, 'D1 | 2026-02-20 | 60000', { assigned, ...more }).map(decodeProration);

  it('states the target, and the days or months of which it is a part', () => {
    const full = { target: 100_000, size: 90 };
    expect(proratedBy('calendar_days')).to.deep.equal([
      { target: 50_000, proration: { ...full, weight: 45, unit: 'days' } },
    ]);
    expect(proratedBy('whole_months')).to.deep.equal([
      { target: 66_666.666667, proration: { ...full, size: 3, weight: 2, unit: 'months' } },
    ]);
  });

  it('states the percentage that applies because few days are left', () => {
    const [few] = stored({ quotaProration: 'calendar_days' }, 'D1 | 2026-03-30 | 60000', {
      assigned: { start: '2026-03-25', end: null },
    }).map(decodeProration);
    expect(few).to.deep.include({ target: 25_000 });
    expect(few?.proration).to.include({ because: 'quota_minimum', minPercent: 25, weight: 7 });
  });

  it('states the variable target and its days', () => {
    const [withVariable] = proratedBy('calendar_days', {
      quotas: { 'New 2026-Q1': { target: 100_000, variableTarget: 9_000 } },
    });
    expect(withVariable?.proration).to.include({ variableTarget: 9_000, variableWeight: 45 });
  });

  it('is the same in the decoded trace', () => {
    const config = { rules: [{ name: 'New', measure: 'amount', tiers, quotaProration: 'calendar_days' }] };
    const [decision] = run({ config, deals: 'D1 | 2026-02-20 | 60000', quotas, assigned }).decisions;
    if (decision === undefined) throw new Error('nothing fired');
    expect(decode(decision).proration).to.deep.equal(decodeProration(decision.trace)?.proration);
  });

  it('is none for a rule that does not prorate', () => {
    expect(proratedBy('none')).to.deep.equal([null]);
  });
});

describe('a stored trace of a refund', () => {
  it('names the day on which its source was earned; other traces name none', () => {
    const refund: Refund = { refundId: 'R', day: '2026-03-01', cause: 'refund', amount: null, waivers: [] };
    const traces = stored({ clawback: { window: { days: 365 } } }, one, { refunds: { D1: [refund] } });
    expect(traces.map(decodeSourceDay)).to.deep.equal([null, '2026-01-10']);
  });
});

describe('a stored trace of lines', () => {
  const isOwn = { field: 'line.family', fieldType: 'text', operator: 'not_equals', value: 'resold' };
  const terms = {
    lines: { conditions: [isOwn] },
    tierBy: 'value',
    tierValueField: 'line.seats',
    tiers: tiersOf({ minThreshold: 1, rate: 0.1 }),
  };
  const { trace } = payLines(terms, [
    { amount: 1_000.005, name: 'Suite', fields: { seats: 5 } },
    { amount: 500, productCode: 'SVC', fields: { seats: 0 } },
    { amount: 200, family: 'resold', fields: { seats: 5 } },
  ]);
  const [ofDeal = ''] = stored({}, one);

  it('states the counted lines as their refunds take them back, exactly', () => {
    const counted = decodeCountedLines(trace)?.map(({ lineId, net, raw, credit }) => [
      lineId,
      ...[net, raw, credit].map(String),
    ]);
    expect(counted).to.deep.equal([
      ['1', '1000.005', '100.0005', '1000.005'],
      ['2', '500', '0', '500'],
    ]);
    expect([...toRawAmounts(decodeCountedLines(trace) ?? [])].map(([id, raw]) => `${id} ${raw}`)).to.deep.equal([
      '1 100.0005',
      '2 0',
    ]);
  });

  it('states what the counted lines pay', () => {
    expect(decodePaidLines(trace)).to.deep.equal([
      { lineId: '1', name: 'Suite', base: 1_000.005, rate: 0.1, amount: 100 },
      { lineId: '2', name: 'SVC', base: 500, rate: 0, amount: 0 },
    ]);
  });

  it('states why matching lines pay nothing', () => {
    expect(decodeUnpaidLines(trace)).to.deep.equal([{ isCounted: true, hasTier: false, reason: 'below_lowest_tier' }]);
  });

  it('has none for a deal that is paid as a whole', () => {
    expect([decodeCountedLines(ofDeal), decodePaidLines(ofDeal)]).to.deep.equal([null, null]);
    expect(decodeUnpaidLines(ofDeal)).to.deep.equal([]);
  });
});

describe('a stored trace of a converted deal', () => {
  it('states the rate with its days, and the values before and after', () => {
    const [trace = ''] = stored({}, one, { dealCurrency: 'EUR', rates: ['EUR USD 2026-01-02 1.1'] });
    expect(decodeConversionsOf(trace)).to.deep.equal([
      {
        from: 'EUR',
        to: 'USD',
        day: '2026-01-10',
        rate: 1.1,
        legs: [{ from: 'EUR', to: 'USD', day: '2026-01-02', rate: 1.1 }],
        values: [{ field: 'amount', value: 60_000, converted: 66_000 }],
      },
    ]);
    const [unconverted = ''] = stored({}, one);
    expect(decodeConversionsOf(unconverted)).to.deep.equal([]);
  });
});
