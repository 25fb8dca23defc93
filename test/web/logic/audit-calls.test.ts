import { expect } from 'chai';
import { type AuditEntry } from '#web/api/settings-queries.js';
import { callWords, groupCalls } from '#web/pages/settings/audit-calls.js';

const entry = (entryId: string, requestId: string | undefined, operation = 'approveStatements') =>
  ({ entryId, requestId, operation, outcome: 'done' }) as AuditEntry;

describe('the calls of the audit log', () => {
  it('have the entries of one request and operation as their parts', () => {
    const entries = [
      entry('e', 'r2'),
      entry('d', 'r2'),
      entry('c', 'r1'),
      entry('b', 'r1', 'generateStatements'),
      entry('a', undefined),
      entry('z', undefined),
      entry('y', 'r2'),
    ];
    expect(groupCalls(entries).map(({ parts }) => parts.map(({ entryId }) => entryId).join(''))).to.deep.equal([
      'edy',
      'c',
      'b',
      'a',
      'z',
    ]);
  });

  it('are named as what the person did', () => {
    expect(callWords({ operation: 'importDeals', query: { corrections: 'set', mode: 'merge' } })).to.equal(
      'Edit deals',
    );
    expect(callWords({ operation: 'importDeals', query: { fileName: 'deals.csv' } })).to.equal('Import deals');
  });
});
