import { expect } from 'chai';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { allDays } from '#src/kernel/day.js';
import { createJob, findJobs } from '#src/ledger/requests/calculation-jobs.js';
import { requestCalculation } from '#src/ledger/requests/calculation-requests.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';

describe('a recalculation that begins while a changed deal is calculated', () => {
  it('ends only with the managers whom that calculation has requested', async () => {
    const workspace = await OfflineWorkspace.create();
    const { db, workspaceId, admin, insert } = workspace;
    const [ada, mia] = [await insert.rep('Ada'), await insert.rep('Mia')];
    await insert.reportingLines(mia, ada);
    await insert.assignment(ada, await insert.plan('AE', { rules: [flatRule('New business', 0.1)] }));
    await insert.assignment(mia, await insert.overridePlan(0.2));
    await workspace.recalculate();
    const body = { fields: {}, amount: 1000, closeDate: '2026-02-10', repId: ada };
    await workspace.run(putDeal, { params: { dealId: 'D' }, query: { corrections: 'keep' }, body });

    // The job read the lanes before this run had ended: Mia had no request, and Ada's was already taken.
    await workspace.calculate([ada]);
    const jobId = await db.unitOfWork.write(admin, async (tx) => {
      const scope = { scope: 'workspace' } as const;
      const job = { kind: 'recalculation', scope, scopeKey: 'all', actor: 'api-key', total: 1, deals: 0 } as const;
      const started = await createJob(tx, job);
      await requestCalculation(tx, [{ repId: ada, days: allDays, trigger: 'recalculation', jobId: started.jobId }]);
      return started.jobId;
    });
    const status = async () => (await db.unitOfWork.read(admin, (tx) => findJobs(tx, jobId)))[0]?.status;
    await workspace.laneRunner().run(workspaceId, [ada]);
    expect(await status(), 'before the manager is calculated').to.equal('running');
    await workspace.laneRunner().run(workspaceId, [mia]);
    expect(await status()).to.equal('completed');
    const [override] = await db.sql('select amount::float as amount from commission_events where rep_id = $1', mia);
    expect(override).to.deep.equal({ amount: 20 });
  });
});
