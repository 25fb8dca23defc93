import { expect } from 'chai';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { type PlanVersion } from '#src/plans/plan.js';
import { deleteQuota } from '#src/plans/quotas/commands/delete-quota.js';
import { setQuotas } from '#src/plans/quotas/commands/set-quotas.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

const bonus = {
  name: 'MBO',
  measure: 'amount',
  executionPhase: 'periodic',
  attainmentPeriod: 'quarterly',
  payoutBase: '1',
  tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }],
};

describe('a periodic rule without a first day, in the fourth quarter', () => {
  let workspace: OfflineWorkspace;
  let repId: string;
  let plan: PlanVersion;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-11-28T12:00:00Z' });
    [repId] = await workspace.addReps('Ada');
    plan = await workspace.addPlan('P', [bonus]);
    await workspace.run(createAssignments, { body: { repIds: [repId], planId: plan.planId } });
    await workspace.calculateAll();
  });

  const deal = (dealId: string, closeDate: string) => () =>
    workspace.run(putDeal, {
      params: { dealId },
      query: { corrections: 'keep' },
      body: { fields: {}, amount: 1000, closeDate, repId },
    });
  const deletion = (dealId: string) => () =>
    workspace.run(deleteDeal, { params: { dealId }, query: { hard: 'false' } });
  const quota = (period: string) => () =>
    workspace.run(setQuotas, {
      body: { repIds: [repId], planId: plan.planId, measure: 'MBO', period, target: 1000 },
    });
  const deletionOfQuota = (period: string) => async () => {
    const [row] = await workspace.db.sql('select quota_id as id from quotas where period = $1', period);
    await workspace.run(deleteQuota, { params: { quotaId: row.id } });
  };

  const paid = async (): Promise<string[]> => {
    const rows = await workspace.db.sql(
      `select period from commission_events where status = 'earned' and amount = 500 order by period`,
    );
    return rows.map(({ period }) => period);
  };

  const [firstThree, first, last] = [
    ['2026-Q1', '2026-Q2', '2026-Q3'],
    deal('A', '2026-01-10'),
    deal('B', '2026-08-10'),
  ];
  const histories: readonly (readonly [string, readonly (() => Promise<unknown>)[], readonly string[]])[] = [
    ['a deal of January', [first], firstThree],
    ['a deal of August, then one of January', [last, first], firstThree],
    ['these two, then the deletion of that of January', [last, first, deletion('A')], ['2026-Q3']],
    ['a deal of January that moves to August', [first, deal('A', '2026-08-10')], ['2026-Q3']],
    ['a deal of January that is deleted', [first, deletion('A')], []],
    ['a quota of the first quarter', [quota('2026-Q1')], firstThree],
    ['a quota of the third quarter, then one of the first', [quota('2026-Q3'), quota('2026-Q1')], firstThree],
    [
      'these two, then the deletion of that of the first',
      [quota('2026-Q3'), quota('2026-Q1'), deletionOfQuota('2026-Q1')],
      ['2026-Q3'],
    ],
  ];

  for (const [what, facts, periods] of histories)
    it(`counts from ${what}`, async () => {
      for (const fact of facts) {
        await fact();
        await workspace.calculateAll();
      }
      expect(await paid()).to.deep.equal(periods);
    });
});
