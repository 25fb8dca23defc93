import { expect } from 'chai';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('PUT /v1/reps with many people', () => {
  it('writes ten thousand with five levels of managers in one request', async () => {
    const workspace = await OfflineWorkspace.create();
    const put = async (...reps: object[]) => (await workspace.run(upsertReps, { body: { reps } })).reps;
    const reps = Array.from({ length: 10_000 }, (_, index) => ({
      email: `r${index}@x.io`,
      name: `R${index}`,
      crmMemberId: `m${index}`,
      ...(index === 0 ? {} : { managerEmail: `r${Math.floor((index - 1) / 8)}@x.io` }),
    }));
    expect(await put(...reps)).to.have.length(10_000);
    const [low] = await put({ email: 'r9999@x.io', name: 'Low', managerEmail: 'r0@x.io', managerFrom: '2026-01-01' });
    expect(low?.name).to.equal('Low');
  });
});
