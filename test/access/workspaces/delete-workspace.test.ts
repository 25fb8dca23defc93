import { expect } from 'chai';
import { countWorkspace, deleteWorkspace } from '#src/app/workspace-move.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

const body = { amount: 100, stage: 'Won', closeDate: '2026-03-10' };

describe('commissions workspace delete', () => {
  it('deletes every row of the workspace and of no other, and writes are possible again', async () => {
    const deleted = await OfflineWorkspace.create();
    const other = await OfflineWorkspace.in(deleted.db);
    for (const workspace of [deleted, other]) {
      const [ann] = await workspace.addReps('Ann');
      await workspace.run(putDeal, { params: { dealId: 'd1' }, body: { ...body, repId: ann } });
    }
    const { owner } = deleted.db;
    const [before, kept] = [
      await countWorkspace(owner, deleted.workspaceId),
      await countWorkspace(owner, other.workspaceId),
    ];
    expect(before).to.include({ workspaces: 1, reps: 1, deals: 1 });
    expect(await deleteWorkspace(owner, deleted.workspaceId)).to.deep.equal(before);
    expect(Object.values(await countWorkspace(owner, deleted.workspaceId)).filter((count) => count > 0)).to.deep.equal(
      [],
    );
    expect(await countWorkspace(owner, other.workspaceId)).to.deep.equal(kept);
    await other.run(putDeal, { params: { dealId: 'd2' }, body });
    const again = await deleteWorkspace(owner, deleted.workspaceId).catch((error: Error) => error);
    expect(again).to.have.property('message', `there is no workspace ${deleted.workspaceId}`);
  });
});
