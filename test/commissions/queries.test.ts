import { expect } from 'chai';
import { getCommissions } from '#src/commissions/queries/get-commissions.js';
import { listCommissionPeriods } from '#src/commissions/queries/list-commission-periods.js';
import { deleteQuota } from '#src/plans/quotas/commands/delete-quota.js';
import { listQuotas } from '#src/plans/quotas/queries/list-quotas.js';
import { type Quota } from '#src/plans/quotas/quota.js';
import { approveStatement } from '#src/statements/commands/approve-statement.js';
import { generateStatement } from '#src/statements/commands/generate-statement.js';
import { trueUpStatement } from '#src/statements/commands/true-up-statement.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { workedTiers } from '#test/support/worked-example.js';

const sale = { name: 'New business', measure: 'amount', tiers: workedTiers };

describe('commission queries', () => {
  let workspace: OfflineWorkspace;
  let ada: string;
  let ben: string;
  let planId: string;

  const readView = (query: Record<string, string>, caller = workspace.admin) =>
    workspace.run(getCommissions, { query }, caller);

  const euroPlan = () => workspace.insert.plan('Euro', { rules: [flatRule('Euro', 0.1)] }, { currency: 'EUR' });

  /** The worked example: Ada sells 60,000, 60,000 and 30,000 against a quota of 100,000. */
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    ada = await workspace.insert.rep('Ada');
    ben = await workspace.insert.rep('ben');
    planId = await workspace.insert.plan('AE', {
      dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Closed Won' }],
      rules: [{ ...sale, conditions: [{ field: 'amount', fieldType: 'currency', operator: 'gte', value: 500 }] }],
    });
    await workspace.insert.assignment(ada, planId);
    await workspace.insert.quota(ada, planId, 'New business', '2026-Q1', 100_000);
    await workspace.insert.deal('D1', ada, { amount: 60_000, closeDate: '2026-01-15' });
    await workspace.insert.deal('D2', ada, { amount: 60_000, closeDate: '2026-02-10' });
    await workspace.insert.deal('D3', ada, { amount: 30_000, closeDate: '2026-03-05' });
    await workspace.recalculate();
  });

  describe('team overview', () => {
    it('sums a quarter for every rep who has a plan, an amount or a statement, by name', async () => {
      await workspace.insert.assignment(ben, planId);
      await workspace.insert.rep('Idle');
      await workspace.insert.rep('Gone', { active: false });
      await workspace.insert.statement(ada, '2026-Q1', 'draft');
      await workspace.insert.statement(ben, '2026-01', 'approved');
      const overview = await readView({ period: '2026-Q1' }, workspace.caller('manager', ben));
      const nothing = { total: 0, commission: 0, bonus: 0, adjustments: 0 };
      expect(overview).to.deep.equal({
        period: '2026-Q1',
        currency: 'USD',
        totals: { total: 16_500, commission: 16_500, bonus: 0, adjustments: 0 },
        otherCurrencies: [],
        openDiscrepancies: { count: 0, total: 0, otherCurrencies: [] },
        reps: [
          {
            repId: ada,
            name: 'Ada',
            earnings: { total: 16_500, commission: 16_500, bonus: 0, adjustments: 0 },
            otherCurrencies: [],
            attainment: [
              {
                planId,
                measure: 'New business',
                period: '2026-Q1',
                target: 100_000,
                credit: 150_000,
                attainment: 1.5,
                through: '2026-03-31',
              },
            ],
            dealCount: 3,
            statementStatus: 'draft',
          },
          {
            repId: ben,
            name: 'ben',
            earnings: nothing,
            otherCurrencies: [],
            attainment: [],
            dealCount: 0,
            statementStatus: 'none',
          },
        ],
      });
    });

    it('uses the current month of the workspace without a period', async () => {
      workspace.db.now = new Date('2026-02-28T23:30:00Z');
      await workspace.db.owner.updateTable('workspaces').set({ timezone: 'Asia/Tokyo' }).execute();
      const overview = await readView({});
      expect(overview.period).to.equal('2026-03');
      expect(overview.totals.total).to.equal(4500);
    });

    it('sums each currency separately and includes inactive reps with earnings', async () => {
      const gone = await workspace.insert.rep('Zoe', { active: false });
      const euro = await euroPlan();
      await workspace.insert.assignment(gone, euro);
      await workspace.insert.deal('E1', gone, { amount: 100, currency: 'EUR', closeDate: '2026-01-02' });
      await workspace.recalculate();
      const overview = await readView({ period: '2026-01' });
      const ten = [{ currency: 'EUR', earnings: { total: 10, commission: 10, bonus: 0, adjustments: 0 } }];
      expect(overview.totals.total).to.equal(4800);
      expect(overview.otherCurrencies).to.deep.equal(ten);
      expect(overview.reps.at(-1)).to.deep.include({ name: 'Zoe', dealCount: 1, otherCurrencies: ten });
      expect(overview.reps.at(-1).earnings.total).to.equal(0);
    });

    it('counts credit up to the end of the period, also after a true-up of a later month', async () => {
      const credit = async (period: string) => {
        const [team] = (await readView({ period })).reps;
        const [own] = (await readView({ repId: ada, period })).attainment;
        expect(own).to.deep.include(team.attainment[0]);
        return [own.credit, own.through];
      };
      expect(await credit('2026-01')).to.deep.equal([60_000, '2026-01-31']);
      expect(await credit('2026-02')).to.deep.equal([120_000, '2026-02-28']);
      expect(await credit('2026-H1')).to.deep.equal([150_000, '2026-03-31']);
      const march = { params: { repId: ada }, body: { period: '2026-03' } };
      await workspace.run(generateStatement, march);
      await workspace.run(approveStatement, { ...march, body: { ...march.body, status: 'approved' } });
      await workspace.insert.deal('Late', ada, { amount: 7000, closeDate: '2026-03-06' });
      await workspace.recalculate();
      await workspace.run(trueUpStatement, { ...march, body: { ...march.body, force: true } });
      expect(await credit('2026-02')).to.deep.equal([120_000, '2026-02-28']);
      expect(await credit('2026-03')).to.deep.equal([157_000, '2026-03-31']);
    });

    it('lists the quotas of the month and of the periods that contain it', async () => {
      for (const period of ['2026-02', '2026-H1', '2026', '2026-Q2', '2025'])
        await workspace.insert.quota(ada, planId, 'New business', period, 10);
      const overview = await readView({ period: '2026-02' });
      const periods = overview.reps[0].attainment.map((one: { period: string }) => one.period).sort();
      expect(periods).to.deep.equal(['2026', '2026-02', '2026-H1', '2026-Q1']);
    });

    it('rejects invalid periods and unknown parameters', async () => {
      for (const query of [
        { period: '2026-13' },
        { period: '' },
        { month: '2026-01' },
        { repId: '' },
        { dealId: '' },
        { dealId: 'a\u0000b' },
      ]) {
        await workspace.expectError('VALIDATION_FAILED', 400, getCommissions, { query });
      }
    });
  });

  describe('rep dashboard', () => {
    it('returns the attainment of a month within its quarter', async () => {
      await workspace.insert.deal('Lost', ada, { stage: 'Closed Lost', closeDate: '2026-02-11' });
      await workspace.insert.deal('Open', ada, {
        stage: 'Proposal',
        closeDate: '2026-09-01',
        isClosed: false,
        amount: 2500.5,
      });
      await workspace.insert.deal('Open EUR', ada, {
        stage: 'Proposal',
        closeDate: null,
        isClosed: false,
        amount: 7,
        currency: 'EUR',
      });
      await workspace.insert.deal('Gone', ada, { stage: 'Proposal', isClosed: false, deleted: true });
      const dashboard = await readView({ repId: ada, period: '2026-02' }, workspace.caller('rep', ada));
      expect(dashboard.trend).to.have.length(12);
      expect(dashboard.trend[0]).to.deep.equal({ period: '2025-03', total: 0 });
      expect(dashboard.trend.slice(-2)).to.deep.equal([
        { period: '2026-01', total: 4800 },
        { period: '2026-02', total: 7200 },
      ]);
      delete dashboard.trend;
      const closed = { currency: null, commissionCurrency: 'USD', corrected: 0, openDifference: 0 };
      expect(dashboard).to.deep.equal({
        repId: ada,
        name: 'Ada',
        period: '2026-02',
        currency: 'USD',
        earnings: { total: 7200, commission: 7200, bonus: 0, adjustments: 0 },
        otherCurrencies: [],
        attainment: [
          {
            planId,
            measure: 'New business',
            period: '2026-Q1',
            target: 100_000,
            credit: 120_000,
            attainment: 1.2,
            through: '2026-02-28',
            nextTier: { name: 'Top', minThreshold: 1.25, remaining: 5000 },
          },
        ],
        closedDealCount: 2,
        closedDeals: [
          {
            ...closed,
            dealId: 'Lost',
            name: 'Deal Lost',
            amount: 1000,
            stage: 'Closed Lost',
            closeDate: '2026-02-11',
            commission: 0,
          },
          {
            ...closed,
            dealId: 'D2',
            name: 'Deal D2',
            amount: 60_000,
            stage: 'Closed Won',
            closeDate: '2026-02-10',
            commission: 7200,
          },
        ],
        openPipeline: { deals: 2, total: 2500.5, otherCurrencies: [{ currency: 'EUR', total: 7 }] },
      });
    });

    it('includes adjustments, and a trend of twelve months for a year', async () => {
      await workspace.insert.adjustment(ada, -100.25, '2026-02-01', 'D2');
      await workspace.insert.deal('D4', ada, { amount: 1000, closeDate: '2026-02-12' });
      await workspace.recalculate();
      const dashboard = await readView({ repId: ada, period: '2026' });
      expect(dashboard.earnings).to.deep.equal({
        total: 16_519.75,
        commission: 16_620,
        bonus: 0,
        adjustments: -100.25,
      });
      expect(dashboard.trend.map((month: { period: string }) => month.period)[11]).to.equal('2026-12');
      expect(dashboard.trend[1]).to.deep.equal({ period: '2026-02', total: 7219.75 });
      const [second] = dashboard.closedDeals.filter((deal: { dealId: string }) => deal.dealId === 'D2');
      expect(second.commission).to.equal(7099.75);
    });

    it('counts all closed deals, and has 100 of them from the offset on', async () => {
      await workspace.insert.deals(ben, 130, { spacing: 1, days: 28 });
      const page = async (closedDealsOffset: string) => {
        const query = { repId: ben, period: '2026-01', closedDealsOffset };
        const { closedDealCount, closedDeals } = await readView(query);
        return { count: closedDealCount, ids: closedDeals.map(({ dealId }: { dealId: string }) => dealId) };
      };
      const [first, second] = [await page('0'), await page('100')];
      expect([first.count, first.ids.length, second.count, second.ids.length]).to.deep.equal([130, 100, 130, 30]);
      expect(new Set([...first.ids, ...second.ids]).size).to.equal(130);
      expect(await page('130')).to.deep.equal({ count: 130, ids: [] });
    });

    it('returns the distance to the next tier', async () => {
      await workspace.insert.quota(ben, planId, 'New business', '2026-Q1', 90_000.5);
      await workspace.insert.assignment(ben, planId);
      await workspace.insert.deal('B1', ben, { amount: 30_000 });
      await workspace.recalculate();
      const [quota] = (await readView({ repId: ben, period: '2026-02' })).attainment;
      expect(quota.nextTier).to.deep.equal({ name: 'Over', minThreshold: 1, remaining: 60_000.5 });
      expect(quota.attainment).to.equal(0.333331);
      await workspace.insert.deal('B2', ben, { amount: 60_000.5, closeDate: '2026-03-30' });
      await workspace.recalculate();
      const [reached] = (await readView({ repId: ben, period: '2026-03' })).attainment;
      expect(reached.nextTier).to.deep.equal({ name: 'Top', minThreshold: 1.25, remaining: 22_500.125 });
    });

    it("reads the next tier from the version in force and the rep's own tiers", async () => {
      const agreed = { tierIndex: 1, minThreshold: 0.9, name: 'Own', rate: 0.2, repId: ben };
      const config = { rules: [{ ...sale, tiers: [...workedTiers, agreed] }] };
      await workspace.insert.plan('', config, { planId, effectiveStart: '2026-03-01' });
      await workspace.insert.assignment(ben, planId);
      await workspace.insert.quota(ben, planId, 'New business', '2026-Q1', 1000);
      const nextTier = async () => {
        const [{ nextTier: own }] = (await readView({ repId: ben, period: '2026-Q1' })).attainment;
        const { reps } = await readView({ period: '2026-Q1' });
        const inTeam = reps.find(({ repId }: { repId: string }) => repId === ben).attainment[0].nextTier;
        expect(inTeam, 'in the overview of the team').to.deep.equal(own);
        return own.name;
      };
      expect(await nextTier()).to.equal('Own');
      await workspace.insert.deal('B1', ben, { amount: 900 });
      await workspace.recalculate();
      expect(await nextTier()).to.equal('Top');
      workspace.db.now = new Date('2026-02-10T12:00:00Z');
      expect(await nextTier()).to.equal('Over');
    });

    it('returns attainment 0 and the earned credit after the quota was deleted', async () => {
      const shown = async (period: string) =>
        (await readView({ repId: ada, period })).attainment.map(
          (one: { measure: string; period: string; target: number; credit: number; attainment: number }) =>
            `${one.measure} ${one.period}: ${one.credit} of ${one.target}, ${one.attainment}`,
        );
      expect(await shown('2026-02')).to.deep.equal(['New business 2026-Q1: 120000 of 100000, 1.2']);
      const [quota] = await workspace.run(listQuotas, { query: { repId: ada } });
      await workspace.run(deleteQuota, { params: { quotaId: quota.quotaId } });
      await workspace.recalculate();
      expect(await shown('2026-02')).to.deep.equal(['New business 2026-Q1: 120000 of 0, 0']);
      for (const period of ['2026-Q1', '2026'])
        expect(await shown(period), period).to.deep.equal(['New business 2026-Q1: 150000 of 0, 0']);
    });

    it('has no next tier without a target, above the last tier, or when tiers do not depend on credit', async () => {
      const other = await workspace.insert.plan('Other', {
        rules: [
          { name: 'By value', measure: 'amount', tierBy: 'value', tierValueField: 'amount', tiers: workedTiers },
          flatRule('Flat', 0.01),
          { name: 'Zero', measure: 'amount', tiers: workedTiers },
        ],
      });
      await workspace.insert.assignment(ada, other);
      await workspace.insert.quota(ada, other, 'By value', '2026-Q1', 100);
      await workspace.insert.quota(ada, other, 'Flat', '2026-Q1', 1_000_000);
      await workspace.insert.quota(ada, other, 'Zero', '2026-Q1', 0);
      await workspace.recalculate();
      const { attainment } = await readView({ repId: ada, period: '2026-03' });
      expect(attainment).to.have.length(4);
      expect(attainment.filter((one: object) => 'nextTier' in one)).to.deep.equal([]);
      const [zero] = attainment.filter((one: { measure: string }) => one.measure === 'Zero');
      expect(zero).to.include({ attainment: 0, credit: 150_000 });
    });

    it("pays deals without a currency in the plan's currency and marks them", async () => {
      const euro = await euroPlan();
      await workspace.insert.assignment(ben, euro);
      await workspace.insert.deal('B1', ben, { amount: 50 });
      await workspace.recalculate();
      const dashboard = await readView({ repId: ben, period: '2026-02' });
      expect(dashboard.closedDeals[0]).to.include({ commission: 5, commissionCurrency: 'EUR' });
      expect(dashboard.otherCurrencies[0].earnings.total).to.equal(5);
    });

    it('works in the first supported month', async () => {
      const { trend } = await readView({ repId: ada, period: '1900-01' });
      expect([trend[0].period, trend[11].period]).to.deep.equal(['1899-02', '1900-01']);
    });
  });

  describe('deal breakdown', () => {
    it('explains each paid amount', async () => {
      await workspace.insert.adjustment(ada, 50, '2026-02-20', 'D2');
      const breakdown = await readView({ dealId: 'D2', repId: ben });
      expect(breakdown.deal).to.deep.include({
        deal_id: 'D2',
        repId: ada,
        repName: 'Ada',
        amount: 60_000,
        closeDate: '2026-02-10',
        deleted_at: null,
      });
      expect(breakdown.total).to.equal(7250);
      expect(breakdown.currency).to.equal('USD');
      const [event, adjustment] = breakdown.events;
      expect(event).to.deep.include({
        repId: ada,
        repName: 'Ada',
        dealId: 'D2',
        dealName: 'Deal D2',
        planId,
        planName: 'AE',
        ruleName: 'New business',
        kind: 'commission_earned',
        category: 'commission',
        status: 'earned',
        amount: 7200,
        base: 60_000,
        tierName: 'Over',
        credit: 60_000,
        currency: 'USD',
        period: '2026-Q1',
        earnedOn: '2026-02-10',
      });
      expect(event.trace).to.deep.include({
        before: 60_000,
        after: 120_000,
        target: 100_000,
        attainmentBefore: 0.6,
        attainmentAfter: 1.2,
        amount: 7200,
        tier: { tierIndex: 1, name: 'Over' },
        conditions: [
          { field: 'stage', operator: 'equals', value: 'Closed Won', seen: 'Closed Won', passed: true },
          { field: 'amount', operator: 'gte', value: 500, seen: '60000', passed: true },
        ],
      });
      expect(event.updatedAt).to.match(/^\d{4}-.*Z$/);
      expect(event).to.not.have.property('reason');
      expect(adjustment).to.include({ kind: 'adjustment', amount: 50, reason: 'agreed', base: null, planName: null });
      expect(adjustment).to.not.have.property('trace');
      expect(breakdown.outcomes).to.have.length(1);
      expect(breakdown.outcomes[0]).to.deep.include({
        repId: ada,
        planId,
        ruleName: 'New business',
        paid: true,
        amount: 7200,
        reason: null,
        missing: [],
      });
    });

    it('returns the condition that failed, with the value that it read', async () => {
      await workspace.insert.deal('Small', ada, { amount: 499.99 });
      await workspace.insert.deal('Lost', ada, { stage: 'Closed Lost' });
      await workspace.insert.deal('Nothing', ada, { amount: null });
      await workspace.insert.deal('Euro', ada, { currency: 'EUR' });
      await workspace.recalculate();
      const only = async (dealId: string) => {
        const { events, total, outcomes } = await readView({ dealId });
        expect({ events, total, count: outcomes.length }).to.deep.equal({ events: [], total: 0, count: 1 });
        return outcomes[0];
      };
      const small = await only('Small');
      expect(small).to.include({
        repId: ada,
        planId,
        ruleName: 'New business',
        paid: false,
        amount: 0,
        reason: 'rule_condition_failed',
      });
      expect(small.conditions).to.deep.equal([
        { field: 'amount', operator: 'gte', value: 500, seen: '499.99', passed: false },
      ]);
      const lost = await only('Lost');
      expect(lost.reason).to.equal('deal_condition_failed');
      expect(lost.conditions).to.deep.equal([
        { field: 'stage', operator: 'equals', value: 'Closed Won', seen: 'Closed Lost', passed: false },
      ]);
      expect((await only('Nothing')).reason).to.equal('rule_condition_failed');
      expect((await only('Euro')).reason).to.equal('currency_mismatch');
    });

    it('returns why a deal was not calculated', async () => {
      await workspace.insert.deal('No day', ada, { closeDate: null });
      await workspace.insert.deal('No owner', null);
      await workspace.insert.deal('Gone', null, { deleted: true, closeDate: null });
      await workspace.insert.deal('No plan', ben);
      const nulls = {
        planId: null,
        planVersionId: null,
        ruleId: null,
        ruleName: null,
        paid: false,
        amount: 0,
        conditions: [],
        missing: [],
      };
      const outcomes = async (dealId: string) => (await readView({ dealId })).outcomes;
      expect(await outcomes('No day')).to.deep.equal([{ ...nulls, repId: ada, reason: 'no_close_date' }]);
      expect(await outcomes('No owner')).to.deep.equal([{ ...nulls, repId: null, reason: 'owner_unresolved' }]);
      expect(await outcomes('Gone')).to.deep.equal([{ ...nulls, repId: null, reason: 'deal_deleted' }]);
      expect(await outcomes('No plan')).to.deep.equal([{ ...nulls, repId: ben, reason: 'no_assignment' }]);
    });

    it('distinguishes amounts of 0 from locked periods', async () => {
      await workspace.insert.assignment(ben, planId);
      await workspace.insert.deal('B1', ben, { amount: 1000 });
      await workspace.insert.statement(ben, '2026-03', 'approved');
      await workspace.insert.deal('B2', ben, { amount: 1000, closeDate: '2026-03-02' });
      await workspace.recalculate();
      const [first] = (await readView({ dealId: 'B1' })).outcomes;
      const [second] = (await readView({ dealId: 'B2' })).outcomes;
      expect(first).to.include({ paid: false, amount: 0, reason: 'quota_missing' });
      expect(second).to.include({ paid: false, amount: 0, reason: 'statement_locked' });
    });

    it('says of an approved amount that it is paid, and of an approved 0 why', async () => {
      await workspace.insert.assignment(ben, planId);
      await workspace.insert.deal('B1', ben, { amount: 1000, closeDate: '2026-03-02' });
      await workspace.recalculate();
      for (const repId of [ada, ben]) await workspace.insert.statement(repId, '2026-03', 'approved');
      const [paid] = (await readView({ dealId: 'D3' })).outcomes;
      expect(paid).to.include({ paid: true, amount: 4500, reason: null });
      const [zero] = (await readView({ dealId: 'B1' })).outcomes;
      expect(zero).to.include({ paid: false, amount: 0, reason: 'quota_missing' });
    });

    it('names the rate of the plan where another was agreed with the rep', async () => {
      const tier = { tierIndex: 0, minThreshold: 0 };
      const rules = [
        {
          name: 'Extra',
          measure: 'amount',
          tiers: [
            { ...tier, rate: 0.06 },
            { ...tier, rate: 0.07, repId: ada },
          ],
        },
      ];
      const extra = await workspace.insert.plan('Extra', { rules });
      for (const repId of [ada, ben]) await workspace.insert.assignment(repId, extra);
      await workspace.insert.deal('B1', ben, { amount: 1000 });
      await workspace.recalculate();
      const tierShares = async (dealId: string) => {
        const { events } = await readView({ dealId });
        return events.find(({ ruleName }: { ruleName: string }) => ruleName === 'Extra').trace.parts;
      };
      expect(await tierShares('D1')).to.deep.equal([{ tierIndex: 0, rate: 0.07, part: 60_000, planRate: 0.06 }]);
      expect(await tierShares('B1')).to.deep.equal([{ tierIndex: 0, rate: 0.06, part: 1000 }]);
    });

    it('returns reversed events without counting them', async () => {
      await workspace.db.owner.updateTable('deals').set({ rep_id: ben }).where('deal_id', '=', 'D2').execute();
      await workspace.recalculate();
      const breakdown = await readView({ dealId: 'D2' });
      expect(breakdown.events.map((event: { status: string }) => event.status)).to.deep.equal(['reversed']);
      expect(breakdown.events[0].trace.amount).to.equal(7200);
      expect(breakdown.total).to.equal(0);
    });

    it('returns to a rep only their own part', async () => {
      const boss = await workspace.insert.rep('Boss', { role: 'manager' });
      await workspace.insert.reportingLines(boss, ada);
      await workspace.insert.assignment(boss, await workspace.insert.overridePlan(0.1));
      await workspace.recalculate();
      const whole = await readView({ dealId: 'D1' }, workspace.caller('connection'));
      expect(whole.events.map((event: { repName: string }) => event.repName)).to.have.members(['Ada', 'Boss']);
      expect(whole.total).to.equal(5280);
      const own = await readView({ dealId: 'D1' }, workspace.caller('rep', ada));
      expect(own.events.map((event: { repId: string }) => event.repId)).to.deep.equal([ada]);
      expect(own.total).to.equal(4800);
      expect(own.outcomes).to.have.length(1);
      const above = await readView({ dealId: 'D1' }, workspace.caller('rep', boss));
      expect(above.events.map((event: { repId: string }) => event.repId)).to.deep.equal([boss]);
      expect(above.events[0].trace.upstream).to.deep.equal([{ repId: ada, ruleName: 'New business', amount: 4800 }]);
      expect(above.outcomes).to.deep.equal([]);
      // The answer for an unknown deal is the same, so it does not reveal which ids are deals.
      for (const dealId of ['D1', 'D9'])
        await workspace.expectError(
          'forbidden',
          403,
          getCommissions,
          { query: { dealId } },
          workspace.caller('rep', ben),
        );
    });

    it('does not return a periodic event for a deal whose id equals its period', async () => {
      const mbo = await workspace.insert.plan('MBO', {
        rules: [
          {
            name: 'MBO',
            measure: 'amount',
            executionPhase: 'periodic',
            payoutBase: '1',
            attainmentPeriod: 'monthly',
            tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }],
          },
        ],
      });
      await workspace.insert.assignment(ben, mbo);
      await workspace.insert.deal('2026-02', ben, { amount: 100 });
      await workspace.recalculate();
      expect((await readView({ period: '2026-02' })).reps[1].earnings).to.deep.equal({
        total: 500,
        commission: 0,
        bonus: 500,
        adjustments: 0,
      });
      const breakdown = await readView({ dealId: '2026-02' });
      expect(breakdown.events).to.deep.equal([]);
      expect(breakdown.outcomes).to.deep.equal([]);
      expect((await readView({ repId: ben, period: '2026-02' })).closedDeals[0].commission).to.equal(0);
    });
  });

  describe('a quota of a periodic rule', () => {
    const bonus = { ...sale, name: 'Quarter bonus', executionPhase: 'periodic' };

    beforeEach(async () => {
      const bonuses = await workspace.insert.plan('Bonuses', { rules: [bonus] });
      await workspace.insert.assignment(ada, bonuses);
      await workspace.insert.quota(ada, bonuses, 'Quarter bonus', '2026-Q1', 100_000);
      await workspace.insert.quota(ada, bonuses, 'Quarter bonus', '2025-Q4', 100_000);
      await workspace.recalculate();
    });

    const shares = (
      attainment: readonly { measure: string; attainment: number; countsAtEnd?: number; nextTier?: object }[],
    ) =>
      attainment
        .filter(({ measure }) => measure === 'Quarter bonus')
        .map((one) => [one.attainment, one.countsAtEnd, one.nextTier]);

    const storedBonuses = async () => {
      const stored: Quota[] = await workspace.run(listQuotas, { query: { repId: ada } });
      return stored.filter(({ measure }) => measure === 'Quarter bonus');
    };

    it('has what its deals have collected so far, and the same at the end of the period', async () => {
      const february = [0, 120_000, { name: 'Top', minThreshold: 1.25, remaining: 5000 }];
      expect(shares((await readView({ repId: ada, period: '2026-02' })).attainment)).to.deep.equal([february]);
      expect(shares((await readView({ period: '2026-02' })).reps[0].attainment)).to.deep.equal([february]);
      const own = await readView({ repId: ada, period: '2026-03' });
      expect(shares(own.attainment)).to.deep.equal([[0, 150_000, undefined]]);
      const running = own.attainment.find(({ measure }: { measure: string }) => measure === 'Quarter bonus');
      expect(running).to.include({ credit: 0, countsAtEnd: 150_000, through: '2026-03-31' });
      expect((await storedBonuses()).map((one) => [one.period, one.current_value, one.countsAtEnd])).to.deep.equal([
        ['2025-Q4', 0, undefined],
        ['2026-Q1', 0, 150_000],
      ]);
      workspace.db.now = new Date('2026-04-01T12:00:00Z');
      await workspace.recalculate();
      const ended = await readView({ repId: ada, period: '2026-Q1' });
      expect(shares(ended.attainment)).to.deep.equal([[1.5, undefined, undefined]]);
      for (const one of ended.attainment) expect(one).to.not.have.property('countsAtEnd');
      expect((await storedBonuses()).map(({ current_value }) => current_value)).to.deep.equal([0, 150_000]);
      expect(shares((await readView({ repId: ada, period: '2026-02' })).attainment)).to.deep.equal([february]);
    });

    it('has a credit of 0 where the rule would not count, and says why while the period runs', async () => {
      const share = { ...bonus, name: 'Share', payoutBase: 'variable_target' };
      const shared = await workspace.insert.plan('Shares', { rules: [share] });
      await workspace.insert.assignment(ada, shared);
      await workspace.insert.quota(ada, shared, 'Share', '2026-Q1', 100_000);
      const { attainment } = await readView({ repId: ada, period: '2026-03' });
      expect(attainment.find(({ measure }: { measure: string }) => measure === 'Share')).to.include({
        credit: 0,
        attainment: 0,
        countsAtEnd: 0,
        uncounted: 'variable_target_missing',
      });
      workspace.db.now = new Date('2026-04-01T12:00:00Z');
      await workspace.recalculate();
      const ended = (await readView({ repId: ada, period: '2026-Q1' })).attainment;
      const one = ended.find(({ measure }: { measure: string }) => measure === 'Share');
      expect(one).to.include({ credit: 0, attainment: 0 });
      expect(one).to.not.have.any.keys('countsAtEnd', 'uncounted');
      const stored: Quota[] = await workspace.run(listQuotas, { query: { repId: ada } });
      expect(stored.find(({ measure }) => measure === 'Share')).to.include({ current_value: 0, attainment: 0 });
    });
  });

  describe('periods', () => {
    const periods = (query: Record<string, string>, caller = workspace.admin) =>
      workspace.run(listCommissionPeriods, { query }, caller);

    it('lists the periods of current events, newest first and longer before shorter', async () => {
      await workspace.insert.adjustment(ben, 5, '2026-03-31');
      await workspace.insert.adjustment(ben, 5, '2025-12-01');
      const yearly = await workspace.insert.plan('Year', {
        rules: [{ ...sale, name: 'Year', attainmentPeriod: 'annual' }],
      });
      await workspace.insert.assignment(ben, yearly);
      await workspace.insert.deal('B1', ben, { closeDate: '2025-06-01' });
      await workspace.recalculate();
      expect(await periods({})).to.deep.equal(['2026-Q1', '2026-03', '2025', '2025-12']);
      expect(await periods({ repId: ada })).to.deep.equal(['2026-Q1']);
      expect(await periods({}, workspace.caller('rep', ada))).to.deep.equal(['2026-Q1']);
    });

    it('omits periods with only reversed events', async () => {
      await workspace.db.owner.updateTable('deals').set({ deleted_at: new Date() }).execute();
      await workspace.recalculate();
      expect(await periods({})).to.deep.equal([]);
    });
  });
});
