import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

describe('a sandbox', () => {
  const service = Service.duringSuite({ isAlone: true });
  const at = (workspace: Workspace, testDay: string | null) =>
    workspace.api.expect(200, 'PATCH', '/v1/workspaces', { testDay });

  /** Ann earns 10 % of the deals of a quarter when it has ended. */
  async function withQuarterlyBonus(): Promise<{ workspace: Workspace; ann: string; earned(): Promise<number> }> {
    const workspace = await service.workspace({ sandbox: true });
    const { api } = workspace;
    const [ann = ''] = await api.saveReps({ email: 'ann@sandbox.test', name: 'Ann', crmMemberId: 'ann' });
    const rule = flatRule('Bonus', 0.1, { executionPhase: 'periodic', attainmentPeriod: 'quarterly' });
    await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ann]);
    await api.putDeal('D', { amount: 5000, closeDate: '2031-02-10', ownerId: 'ann' });
    const earned = async () => {
      await workspace.calculated();
      const [{ sum }] = await service.sql(
        "select coalesce(sum(amount), 0)::float8 as sum from commission_events where workspace_id = $1 and status = 'earned'",
        workspace.workspaceId,
      );
      return sum;
    };
    return { workspace, ann, earned };
  }

  it('has the day that an admin sets: periods end with it, and reads without a period are of its month', async () => {
    const { workspace, ann, earned } = await withQuarterlyBonus();
    const { api } = workspace;
    expect(await earned()).to.equal(0);
    await at(workspace, '2031-03-31');
    expect(await earned()).to.equal(0);
    expect((await api.expect(200, 'GET', `/v1/commissions?repId=${ann}`)).period).to.equal('2031-03');
    await at(workspace, '2031-04-01');
    expect(await earned()).to.equal(500);
    expect(await api.expect(200, 'GET', '/v1/workspaces')).to.include({ isSandbox: true, testDay: '2031-04-01' });
    await at(workspace, null);
    expect(await earned()).to.equal(0);
    expect(await api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('testDay');
    await service.expectSoundLedger(workspace.workspaceId);
  });

  it('is the only workspace with a test day, also in the database', async () => {
    const { api, workspaceId } = await service.workspace();
    await expectError('409 not_a_sandbox', api.patch('/v1/workspaces', { testDay: '2031-04-01' }));
    await expectError('409 not_a_sandbox', api.patch('/v1/workspaces', { testDay: null }));
    const update = "update workspaces set test_day = '2031-04-01' where workspace_id = $1";
    expect(await service.sql(update, workspaceId).catch(({ code }) => code)).to.equal('23514');
    const workspace = await api.expect(200, 'GET', '/v1/workspaces');
    expect(workspace).not.to.have.any.keys('isSandbox', 'testDay');
  });

  it('changes the day of no other sandbox, and only for admins', async () => {
    const [first, second] = [await service.workspace({ sandbox: true }), await service.workspace({ sandbox: true })];
    await at(first, '2031-04-01');
    expect(await second.api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('testDay');
    const [mia = ''] = await second.api.saveReps({ email: 'mia@sandbox.test', name: 'Mia', role: 'manager' });
    await expectError('403 forbidden', (await second.as(mia)).patch('/v1/workspaces', { testDay: '2031-04-01' }));
    for (const testDay of ['2031-02-30', '2031', 5])
      await expectError('400 VALIDATION_FAILED', first.api.patch('/v1/workspaces', { testDay }));
  });

  it('sends no mails to people, and signs in only those who name it', async () => {
    const email = 'kim@shared.test';
    const [real, sandbox] = [await service.workspace(), await service.workspace({ sandbox: true })];
    for (const { api } of [real, sandbox]) {
      const [kim] = await api.saveReps({ email, name: 'Kim' });
      await api.expect(200, 'POST', `/v1/reps/${kim}/invite`);
    }
    expect(await service.mailsTo(email)).to.have.length(1);
    const anyone = service.client(null);
    await anyone.expect(200, 'POST', '/auth/otp/send', { email });
    const body = { email, code: await service.lastCode(email) };
    const session = await anyone.expect(200, 'POST', '/auth/otp/verify', body);
    const { workspaceId } = await service.client(session.sessionToken).expect(200, 'GET', '/v1');
    expect(workspaceId).to.equal(real.workspaceId);
  });
});
