import { expect } from 'chai';
import { type Draw } from '#web/api/draw-queries.js';
import { type EnteredDraw, readDraw, toEnteredDraw } from '#web/features/draws/entered-draw.js';
import { describeDrawDays, describeLine, describeRecovery, shareDraw } from '#web/features/draws/words.js';

const line = { period: '2026-01', kind: 'draw', amount: 800, owed: 800, formula: '' } as const;
const draw: Draw = {
  drawId: 'W',
  repId: 'ben',
  kind: 'guarantee',
  recoverable: true,
  amount: 2000,
  currency: 'USD',
  from: '2026-01-01',
  to: '2026-03-31',
  recovery: { start: 'after_end', day: null, maxPercent: 50, forgiveOn: null },
  forgiven: [],
  createdBy: 'ada',
  createdAt: '2026-01-02T08:00:00.000Z',
  owed: 300,
  lines: [line, { ...line, period: '2026-02', kind: 'draw_recovery', amount: -300, owed: 500 }],
};

describe('an entered draw', () => {
  const read = (change: Partial<EnteredDraw>) => readDraw('ben', { ...toEnteredDraw(draw), ...change });

  it('is sent as it was stored, if nothing changes', () => {
    const { repId, kind, recoverable, amount, currency, from, to, recovery } = draw;
    expect(read({})).to.deep.equal({ repId, kind, recoverable, amount, currency, from, to, recovery });
  });

  it('is a guarantee that is paid back, until the person chooses otherwise', () => {
    expect(toEnteredDraw(null)).to.include({ kind: 'guarantee', recoverable: 'yes', start: 'next_period' });
    expect(read({ recoverable: 'no' })).not.to.have.property('recovery');
    expect(read({ recoverable: 'no', start: 'day', day: '', maxPercent: '' }), 'what is hidden').to.include({
      recoverable: false,
    });
  });

  it('is incomplete without amount and first day, and with days and limits that contradict each other', () => {
    for (const change of [
      { amount: '' },
      { amount: '0' },
      { from: '' },
      { to: '2025-12-31' },
      { currency: 'EURO' },
      { start: 'day' as const, day: '' },
      { maxPercent: '101' },
      { forgiveOn: 'soon' },
    ])
      expect(read(change), JSON.stringify(change)).to.equal(null);
    expect(read({ to: '', currency: '', start: 'day', day: '2026-06-01' })).to.deep.include({
      to: null,
      recovery: { start: 'day', day: '2026-06-01', maxPercent: 50, forgiveOn: null },
    });
  });
});

describe('a draw in words', () => {
  it('says when and how it is paid back', () => {
    expect(describeRecovery(draw)).to.match(/^From the first statement after .*31.* 2026 on, each .* at most 50 %/);
    expect(describeRecovery({ ...draw, recoverable: false })).to.equal('It is not paid back.');
    const recovery = { start: 'day' as const, day: '2026-06-01', maxPercent: 100, forgiveOn: '2027-01-01' };
    expect(describeRecovery({ ...draw, recovery })).to.match(/^From .*Jun.* 2026 on.*above a guarantee.*Jan.* 2027/);
    expect(describeDrawDays({ ...draw, to: null })).to.match(/^since .*Jan.* 2026$/);
  });

  it('names the period that a correction is about', () => {
    expect(describeLine(line)).to.equal('Paid by the draw');
    expect(describeLine({ kind: 'draw_offset', sourcePeriod: '2026-01' })).to.equal('Correction of January 2026');
  });

  it('divides what was paid into repaid, owed, and what is not paid back', () => {
    expect(shareDraw(draw)).to.deep.equal({ paid: '800', repaid: '300', owed: 300, forgiven: '200' });
    expect(shareDraw({ ...draw, owed: 0, lines: [] })).to.deep.equal({
      paid: '0',
      repaid: '0',
      owed: 0,
      forgiven: '0',
    });
  });
});
