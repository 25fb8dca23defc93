import { expect } from 'chai';
import { readsSummaryOfLines } from '#src/engine/line-summary.js';
import { findAlias } from '#src/engine/slug.js';

describe('the other name of a field', () => {
  it('is that of the stage and of the amount, in both directions', () => {
    for (const [one, other] of [
      ['stage', 'dealstage'],
      ['amount', 'value'],
    ] as const) {
      expect(findAlias(one)).to.equal(other);
      expect(findAlias(other)).to.equal(one);
    }
    expect(findAlias('margin')).to.equal(undefined);
  });
});

describe('terms that read what a deal has of lines', () => {
  it('name one of its three values, in any case and at any depth', () => {
    const condition = (field: string) => [{ operator: 'or', rules: [{ field }] }];
    for (const field of ['lines.count', 'Lines.Families', 'LINES.PRODUCTS', '= lines.count * 2'])
      expect(readsSummaryOfLines(condition(field)), field).to.equal(true);
    for (const field of ['line.family', 'lines', 'count', 'stage'])
      expect(readsSummaryOfLines(condition(field)), field).to.equal(false);
  });
});
