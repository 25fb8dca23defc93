import { expect } from 'chai';
import { demoCorrection, demoRefund } from '#demo/corrections.js';
import { demoPlanChange } from '#demo/plans.js';
import { createDemoWorkspace } from '#demo/workspace.js';
import { loadStartPageLinks } from '#src/app/start-page-links.js';
import { dayInZone } from '#src/kernel/day.js';
import { createDatabase } from '#src/platform/database/pool.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('the demo workspace', () => {
  let service: Service;
  let api: ApiClient;
  const today = dayInZone(new Date(), 'UTC');
  const ids = new Map<string, string>();

  before(async () => {
    service = await Service.start();
    const demo = await createDemoWorkspace(service.running.service);
    api = service.client(demo.apiKey);
    for (const { id, email } of (await api.expect(200, 'GET', '/v1/reps')).reps) ids.set(email, id);
  });
  after(() => service?.stop());

  it('has links for every role, among them the owner of the first deal and the manager of that person', async () => {
    const owner = createDatabase({ url: service.database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
    const links = await loadStartPageLinks(service.running.service, owner).finally(() => owner.destroy());
    expect(links.map(({ label }) => label)).to.deep.equal([
      'Alex Morgan, admin',
      'Maya Ito, manager',
      'Dana Whitfield, rep',
      'Joan Pereira, payroll',
    ]);
  });

  it('has a plan of two versions, the second from this quarter on', async () => {
    const { plan: name, effectiveStart } = demoPlanChange(today);
    const plans = await api.expect(200, 'GET', '/v1/plans');
    const { planId } = plans.find((plan: Loose) => plan.name === name);
    const versions = await api.expect(200, 'GET', `/v1/plans/${planId}/history`);
    expect(versions.map((one: Loose) => [one.version, one.effectiveStart])).to.deep.equal([
      [2, effectiveStart],
      [1, null],
    ]);
    expect(versions.map((one: Loose) => one.rules[0].tiers[0].rate)).to.deep.equal([0.025, 0.02]);
  });

  it('has a refund as the first deal of a quarter, which takes commission back', async () => {
    const { events } = await api.expect(200, 'GET', `/v1/commissions?dealId=${demoRefund(today).dealId}`);
    const refund = events.find((event: Loose) => event.ruleName === 'New business');
    expect(refund.trace).to.deep.include({ before: 0, belowZero: true });
    expect(refund.amount).to.equal(-18_000 * 0.06);
  });

  it('has an approved quarter with a true-up by a manager that names the late deal', async () => {
    const { seller, manager, period, dealId } = demoCorrection(today);
    const path = `/v1/statements?repId=${ids.get(seller)}&period=${period}`;
    const statement = await api.expect(200, 'GET', path);
    expect(statement).to.include({ status: 'approved', version: 2 });
    const trueUp = statement.lineItems.find((line: Loose) => line.kind === 'true_up');
    expect(trueUp.lines.map((line: Loose) => line.dealId)).to.include(dealId);
    const sum = trueUp.lines.reduce((total: number, line: Loose) => total + Math.round(line.delta * 100), 0);
    expect(sum).to.equal(Math.round(trueUp.amount * 100));
    const { runs } = await api.expect(200, 'GET', `/v1/workspaces/audit-logs?actor=rep:${ids.get(manager)}`);
    expect(runs.map((run: Loose) => run.trigger)).to.include.members(['true_up', 'statement_approved']);
  });

  it('has a discrepancy and an open dispute about the late deal, whose amount changed after the true-up', async () => {
    const { seller, period, dealId } = demoCorrection(today);
    const { disputes } = await api.expect(200, 'GET', '/v1/disputes');
    expect(disputes).to.have.length(1);
    expect(disputes[0]).to.include({ repId: ids.get(seller), period, dealId, status: 'open' });
    await service.waitForChecks((await api.expect(200, 'GET', '/v1/workspaces')).workspaceId);
    // The true-up has resolved an earlier one if a worker compared the period before it.
    const { discrepancies } = await api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies).to.have.length(1);
    expect(discrepancies[0]).to.include({ repId: ids.get(seller), period, status: 'open' });
    expect(discrepancies[0].lines.map((line: Loose) => line.dealId)).to.include(dealId);
  });
});
