import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('a calculation that begins while its rep is approved', () => {
  const service = Service.duringSuite();

  it('waits for the end of the approval, and does not change what was approved', async () => {
    const workspace = await WorkedExample.create(service);
    const { ben, workspaceId } = workspace;
    await workspace.generate('2026-01');
    const { ownerUrl } = service.database;
    const row = 'select from statement_periods where workspace_id = $1 for update';
    const holder = await openTransaction(ownerUrl, row, workspaceId);
    const approved = workspace.approve('2026-01');
    await untilBlocked(ownerUrl, 'statement_periods');
    await workspace.deal('D1', 1000, '2026-01-15');
    await service.running.service.parts.resolve(LaneRunner).run(workspaceId, [ben]);
    expect((await workspace.earned())['D1']).to.equal('4800');
    await holder.commit();
    expect((await approved).summary.netPayout).to.equal(4800);
    await workspace.calculated();
    expect((await workspace.earned())['D1']).to.equal('4800');
    await workspace.expectSoundLedger();
  });
});
