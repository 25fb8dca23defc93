import { expect } from 'chai';
import { type Dispute } from '#web/api/queries.js';
import { isUnread, recordRead } from '#web/features/disputes/read-answers.js';
import { memoryStorage } from './memory-storage.js';

describe('an answer to a question', () => {
  const before = globalThis.localStorage;
  beforeEach(() => Object.assign(globalThis, { localStorage: memoryStorage() }));
  after(() => Object.assign(globalThis, { localStorage: before }));

  const now = Date.parse('2026-06-20T12:00:00Z');
  const question = (change: Partial<Dispute> = {}): Dispute =>
    ({ disputeId: 'd', repId: 'r', status: 'accepted', updatedAt: '2026-06-19T12:00:00Z', ...change }) as Dispute;

  for (const [status, expected] of [
    ['open', false],
    ['in_review', true],
    ['accepted', true],
    ['rejected', true],
    ['withdrawn', false],
  ] as const)
    it(`${expected ? 'is' : 'is not'} new while the question is ${status}`, () => {
      expect(isUnread(question({ status }), now)).to.equal(expected);
    });

  it('is no longer new when it was read, until the question changes again', () => {
    recordRead(question({ status: 'in_review' }));
    expect(isUnread(question({ status: 'in_review' }), now)).to.equal(false);
    expect(isUnread(question({ updatedAt: '2026-06-20T11:00:00Z' }), now)).to.equal(true);
    expect(isUnread(question({ disputeId: 'other' }), now)).to.equal(true);
  });

  it('is not new after two weeks, and of each person by itself', () => {
    expect(isUnread(question({ updatedAt: '2026-06-05T12:00:00Z' }), now)).to.equal(false);
    recordRead(question());
    expect(isUnread(question({ repId: 'another' }), now)).to.equal(true);
  });
});
