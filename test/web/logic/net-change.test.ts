import { expect } from 'chai';
import { type DealChange } from '#web/api/deal-history-query.js';
import { netChange } from '#web/features/deals/net-change.js';

describe('what differs in a deal after several changes', () => {
  const change = (minute: number, kind: DealChange['kind'], ...changes: DealChange['changes']): DealChange => ({
    at: `2026-02-01T10:0${minute}:00.000Z`,
    kind,
    by: null,
    byName: `author ${minute}`,
    provider: null,
    changes,
  });
  const value = (name: string, before: string | number | null, after: string | number | null) => ({
    name,
    before,
    after,
  });
  const at = (minute: number) => `2026-02-01T10:0${minute}:30.000Z`;
  const emptied = change(2, 'changed', value('amount', 100, null), value('stage', 'Won', null));
  const entered = change(
    3,
    'changed',
    value('amount', null, 120),
    value('stage', null, 'Won'),
    value('name', null, 'A'),
  );
  const created = change(1, 'created', value('amount', null, 100), value('stage', null, 'Won'));
  const history = [change(4, 'changed', value('amount', 120, 130)), entered, emptied, created];

  it('names a value that was removed and entered again only if it is another one', () => {
    expect(netChange(history, at(2), at(3))).to.deep.equal({
      ...entered,
      changes: [value('amount', 100, 120), value('name', null, 'A')],
    });
  });

  it('is the change alone if one followed', () => {
    expect(netChange(history, at(4), at(4))?.changes).to.deep.equal([value('amount', 120, 130)]);
  });

  it('is nothing if all values are the same again', () => {
    const back = change(3, 'changed', value('amount', null, 100), value('stage', null, 'Won'));
    expect(netChange([back, emptied, created], at(2), at(3))).to.equal(undefined);
    expect(netChange([], at(2), at(3))).to.equal(undefined);
  });

  it('keeps that the deal was created or deleted', () => {
    expect(netChange(history, at(1), at(3))?.kind).to.equal('created');
    const deleted = change(5, 'deleted');
    expect(netChange([deleted, ...history], at(2), at(5))).to.equal(deleted);
  });
});
