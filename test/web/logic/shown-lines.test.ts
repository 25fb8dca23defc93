import { expect } from 'chai';
import { type Line } from '#web/api/queries.js';
import { countZeros, selectLines } from '#web/features/lines/visible-lines.js';

describe('the displayed lines of a statement', () => {
  const line = (eventId: string, amount: number, part: Partial<Line> = {}): Line =>
    ({
      eventId,
      amount,
      dealId: eventId,
      dealName: null,
      ruleName: 'New business',
      kind: 'commission_earned',
      ...part,
    }) as Line;
  const lines = [line('A', 10), line('B', 0), line('C', -5), line('D', 0, { dealName: 'Łódź Media' })];
  const ids = (selection: Partial<Parameters<typeof selectLines>[1]>, all = lines) =>
    selectLines(all, { showsAll: false, ...selection })
      .map(({ eventId }) => eventId)
      .join('');

  it('are those that pay or deduct something, unless all are requested', () => {
    expect(countZeros(lines)).to.equal(2);
    expect(ids({})).to.equal('AC');
    expect(ids({ showsAll: true })).to.equal('ABCD');
  });

  it('contain the explained line, whatever it pays', () => {
    expect(ids({ tracedId: 'B' })).to.equal('ABC');
  });

  it('are all lines if none pays anything', () => {
    expect(ids({}, [line('B', 0), line('D', 0)])).to.equal('BD');
  });

  it('contain the searched part of the deal, the rule or the reason', () => {
    expect(ids({ showsAll: true, find: 'lodz' })).to.equal('D');
    expect(ids({ find: 'new BUS' })).to.equal('AC');
    const entered = line('E', 1, { kind: 'adjustment', ruleName: null, dealId: null, reason: 'Referral of Ana' });
    expect(ids({ find: 'ana' }, [...lines, entered])).to.equal('E');
    expect(ids({ find: 'nothing like it' })).to.equal('');
  });
});
