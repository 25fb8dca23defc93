import { expect } from 'chai';
import {
  describeLine,
  describeMissing,
  type EnteredLine,
  missingSplit,
  readLines,
  splitEqually,
  toEnteredLines,
} from '#web/features/deals/entered-credits.js';

const line = (person: string, percent: string, terms: Partial<EnteredLine> = {}): EnteredLine => ({
  person,
  kind: 'split',
  role: '',
  percent,
  affects: 'both',
  ...terms,
});

describe('the lines of a deal while they are entered', () => {
  it('are sent when the splits total 100 %, with the house', () => {
    const entered = [line('ann', '60'), line('house', '40'), line('eve', '150', { kind: 'overlay', role: ' SE ' })];
    expect(readLines(entered)).to.deep.equal([
      { repId: 'ann', kind: 'split', percent: 60, affects: 'both' },
      { repId: null, kind: 'split', percent: 40, affects: 'both' },
      { repId: 'eve', kind: 'overlay', percent: 150, affects: 'both', role: 'SE' },
    ]);
  });

  it('are not sent while something is missing', () => {
    expect(readLines([])).to.equal(null);
    expect(readLines([line('ann', '60'), line('', '40')])).to.equal(null);
    expect(readLines([line('ann', '60'), line('bob', '39.999999')])).to.equal(null);
    expect(readLines([line('ann', '100'), line('bob', 'x', { kind: 'overlay' })])).to.equal(null);
    expect(readLines([line('ann', '33.3333333'), line('bob', '66.6666667')]), 'seven decimals').to.equal(null);
  });

  it('say exactly what the splits lack or exceed', () => {
    expect(
      describeMissing(missingSplit([line('a', '33.333333'), line('b', '33.333333'), line('c', '33.333334')])),
    ).to.equal('The splits total 100 %.');
    expect(describeMissing(missingSplit([line('a', '0.1'), line('b', '0.2')]))).to.equal(
      '99.7 % of the deal is not given to anyone yet.',
    );
    expect(describeMissing(missingSplit([line('a', '60'), line('b', '50')]))).to.equal(
      'The splits exceed 100 % by 10 %.',
    );
    expect(describeMissing(missingSplit([line('a', '')]))).to.equal('Enter a percentage for each line.');
    expect(missingSplit([line('a', '20', { kind: 'overlay' })])).to.equal(0);
  });

  it('are split equally to the millionth, without changing overlays', () => {
    const shares = splitEqually([line('a', ''), line('e', '20', { kind: 'overlay' }), line('b', '1'), line('c', '')]);
    expect(shares.map(({ percent }) => percent)).to.deep.equal(['33.333333', '20', '33.333333', '33.333334']);
    expect(missingSplit(shares)).to.equal(0);
  });

  it('begin with the lines that count, and describe where they come from', () => {
    const stored = {
      repId: 'ann',
      repName: 'Ann',
      kind: 'overlay',
      role: 'SE',
      percent: 20,
      affects: 'quota',
      source: 'rule',
      rule: 'SE overlay',
    } as const;
    expect(toEnteredLines([stored])).to.deep.equal([
      { person: 'ann', kind: 'overlay', role: 'SE', percent: '20', affects: 'quota' },
    ]);
    expect(describeLine(stored)).to.equal(
      'SE, overlay, in addition to the splits, counts for the quota only, from the credit rule “SE overlay”',
    );
  });
});
