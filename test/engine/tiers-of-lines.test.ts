import { expect } from 'chai';
import { type RateTable } from '#src/engine/rate-table.js';
import { type Line, payLines, tiersOf } from './one-deal.js';

const small = { minThreshold: 1, name: 'Small', rate: 0.05 };
const large = { minThreshold: 10, name: 'Large', rate: 0.08 };
const bySeats = { tierBy: 'value', tierValueField: 'line.seats', tiers: tiersOf(small, large) };
const bonuses = { ...bySeats, tiers: tiersOf({ ...small, rate: undefined, flatAmount: 100 }, large) };

const line = (amount: number, seats: number | null, more: Partial<Line> = {}): Line => ({
  amount,
  fields: { seats },
  ...more,
});

const table: RateTable = {
  name: 'T',
  keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
  columns: [{ name: 'rate', kind: 'rate' }],
  rows: [{ keys: { family: 'software' }, values: { rate: 0.1 } }],
  noMatch: 'exception',
};

/** The tier of each line with its reason. */
const reachedBy = (terms: object, ...lines: readonly Line[]) =>
  payLines(terms, lines).decoded.lines?.map(({ tier = null, reason = null }) => [tier, reason]);
const amountOf = (terms: object, ...lines: readonly Line[]) => payLines(terms, lines).amount.toNumber();

describe('a rule by a value of lines', () => {
  it('pays each line by the tier of its own value', () => {
    const paid = payLines(bySeats, [line(1_000, 12), line(1_000, 2)]);
    expect(paid.amount.toNumber()).to.equal(130);
    expect(paid.decoded.lines?.map(({ tier, rate, raw }) => [tier, rate, raw])).to.deep.equal([
      [1, 0.08, 80],
      [0, 0.05, 50],
    ]);
  });

  it('shows the bases of the lines of one tier together, from the lowest tier on', () => {
    const { decoded } = payLines(bySeats, [line(1_000, 12), line(300, 2), line(200, 3)]);
    expect(decoded.parts).to.deep.equal([
      { tierIndex: 0, rate: 0.05, part: 500 },
      { tierIndex: 1, rate: 0.08, part: 1_000 },
    ]);
  });

  it('shows the fixed amounts of the lines of one tier together', () => {
    const { decoded } = payLines(bonuses, [line(300, 2), line(200, 3), line(1_000, 12)]);
    expect(decoded.parts).to.deep.equal([
      { tierIndex: 0, rate: null, part: 200 },
      { tierIndex: 1, rate: 0.08, part: 1_000 },
    ]);
  });

  it('pays nothing on a line without a value or below the lowest tier, and counts its credit', () => {
    const lines = [line(1_000, null), line(1_000, 0), line(1_000, 1)];
    expect(reachedBy(bySeats, ...lines)).to.deep.equal([
      [null, 'field_missing'],
      [null, 'below_lowest_tier'],
      [0, null],
    ]);
    const { amount, credit } = payLines(bySeats, lines);
    expect([amount.toNumber(), credit.toNumber()]).to.deep.equal([50, 3_000]);
  });

  it('gives a deal that pays nothing the reason of its first line', () => {
    expect(payLines(bySeats, [line(1_000, null), line(1_000, 0)]).reason).to.equal('field_missing');
    expect(payLines(bySeats, [line(1_000, 0), line(1_000, null)]).reason).to.equal('below_lowest_tier');
  });

  it('keeps the reason of a line whose tier has no row for it', () => {
    const terms = { ...bySeats, tiers: tiersOf({ minThreshold: 1, table: 'T' }) };
    const lines = [line(1_000, 1, { family: 'software' }), line(1_000, 1, { family: 'services' })];
    const { decoded } = payLines(terms, lines, { tables: [table] });
    expect(decoded.lines?.map(({ reason = null }) => reason)).to.deep.equal([null, 'rate_not_found']);
  });

  it('pays only the lines that pass its conditions', () => {
    const isSoftware = { field: 'line.family', fieldType: 'text', operator: 'equals', value: 'software' };
    const terms = { ...bonuses, lines: { conditions: [isSoftware] } };
    const paid = payLines(terms, [line(300, 2, { family: 'software' }), line(1_000, 12, { family: 'services' })]);
    expect([paid.amount.toNumber(), paid.tierName]).to.deep.equal([100, 'Small']);
  });
});

describe('a returned line in a rule by a value of lines', () => {
  it('takes back at the tier of the sold line, also where its value is negative too', () => {
    expect(amountOf(bySeats, line(-1_000, -12))).to.equal(-80);
    expect(amountOf(bySeats, line(-1_000, 12))).to.equal(-80);
    expect(reachedBy(bySeats, line(-1_000, -12))).to.deep.equal([[1, null]]);
  });

  it('reaches no tier with a negative value unless its base is negative', () => {
    for (const amount of [1_000, 0])
      expect(reachedBy(bySeats, line(amount, -12)), String(amount)).to.deep.equal([[null, 'below_lowest_tier']]);
  });

  it('reaches no tier without a value', () => {
    expect(reachedBy(bySeats, line(-1_000, null))).to.deep.equal([[null, 'field_missing']]);
  });
});

describe('the event of a rule by a value of lines', () => {
  it('has the tier that all lines have, otherwise none', () => {
    const tierOf = (...lines: readonly Line[]) => {
      const { tierName, decoded } = payLines(bySeats, lines);
      return [tierName, decoded.tier?.tierIndex ?? null];
    };
    expect(tierOf(line(1_000, 12), line(500, 30))).to.deep.equal(['Large', 1]);
    expect(tierOf(line(1_000, 12), line(500, 2))).to.deep.equal([null, null]);
    expect(tierOf(line(1_000, 12), line(500, 0))).to.deep.equal([null, null]);
    expect(tierOf(line(1_000, 0))).to.deep.equal([null, null]);
  });

  it('is a bonus if every tier that is reached pays a fixed amount', () => {
    const categoryOf = (...lines: readonly Line[]) => payLines(bonuses, lines).category;
    expect(categoryOf(line(300, 2))).to.equal('bonus');
    expect(categoryOf(line(300, 2), line(200, 0))).to.equal('bonus');
    expect(categoryOf(line(300, 2), line(1_000, 12))).to.equal('commission');
    expect(categoryOf(line(300, 0))).to.equal('commission');
  });

  it('is raised to the floor if a line reaches a tier', () => {
    const floored = (...lines: readonly Line[]) => amountOf({ ...bySeats, floor: 500 }, ...lines);
    expect(floored(line(1_000, 12), line(1_000, 0))).to.equal(500);
    expect(floored(line(1_000, 0), line(1_000, null))).to.equal(0);
  });

  it('is raised to the floor only if a rate was found for a line', () => {
    const terms = { ...bySeats, tiers: tiersOf({ minThreshold: 1, table: 'T' }), floor: 100 };
    const floored = (...lines: readonly Line[]) => payLines(terms, lines, { tables: [table] }).amount.toNumber();
    const below = line(1_000, 0, { family: 'software' });
    const withoutRow = line(1_000, 1, { family: 'services' });
    expect(floored(below, withoutRow)).to.equal(0);
    expect(floored(line(1_000, null), withoutRow)).to.equal(0);
    expect(floored(below, line(100, 1, { family: 'software' }))).to.equal(100);
  });

  it('has no reason for 0 if a line is paid at a rate of 0', () => {
    const terms = { ...bySeats, tiers: tiersOf({ ...small, rate: 0 }, large) };
    expect(payLines(terms, [line(1_000, 0), line(1_000, 2)]).reason).to.equal(null);
  });
});
