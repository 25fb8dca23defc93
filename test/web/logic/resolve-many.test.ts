import { expect } from 'chai';
import { type Discrepancy } from '#web/api/team-queries.js';
import { describeResolved, resolveMany } from '#web/pages/team/resolve-many.js';

const discrepancy = (discrepancyId: string) =>
  ({ discrepancyId, repName: `Rep ${discrepancyId}`, period: '2026-01' }) as Discrepancy;

describe('several discrepancies that are resolved at once', () => {
  it('are resolved one after another, and one that fails does not stop the others', async () => {
    const sent: string[] = [];
    const resolved = await resolveMany(['a', 'b', 'c', 'd'].map(discrepancy), async ({ discrepancyId }) => {
      sent.push(discrepancyId);
      if (discrepancyId === 'b') throw new Error('The statement is not approved.');
      return { result: { action: discrepancyId === 'c' ? 'requires_approval' : 'carried_forward' } };
    });
    expect(sent).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(resolved.done).to.equal(2);
    expect(resolved.failed.map((failure) => failure.discrepancy.discrepancyId)).to.deep.equal(['b', 'c']);
    expect(describeResolved(resolved)).to.match(/^2\sdiscrepancies resolved, 2 not\. Rep b, January 2026: /);
  });

  it('say only their number when all are resolved', () => {
    expect(describeResolved({ done: 1, failed: [] })).to.match(/^1.discrepancy resolved\.$/);
  });
});
