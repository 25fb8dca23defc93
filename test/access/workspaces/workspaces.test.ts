import { expect } from 'chai';
import { rotateWorkspaceKey } from '#src/access/workspaces/commands/rotate-workspace-key.js';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { getWorkspace } from '#src/access/workspaces/queries/get-workspace.js';
import { getWorkspaceKey } from '#src/access/workspaces/queries/get-workspace-key.js';
import { TokenAuthenticator } from '#src/platform/http/authenticate.js';
import { AttemptLimits } from '#src/platform/limits/attempt-limits.js';
import { hashToken } from '#src/platform/secrets/token.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { workedTiers } from '#test/support/worked-example.js';

const config = { rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }] };
const mask = `ws_${'*'.repeat(32)}`;

describe('workspaces', () => {
  let workspace: OfflineWorkspace;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
  });

  describe('reading', () => {
    it('returns the workspace with its active plans', async () => {
      await workspace.insert.plan('Running', config);
      await workspace.insert.plan('Draft', config, { status: 'draft' });
      await workspace.insert.plan('Gone', config, { status: 'deleted' });
      const replaced = await workspace.insert.plan('Replaced', config, { status: 'deleted' });
      await workspace.insert.plan('', config, { planId: replaced });
      const { plans, caller, ...reported } = await workspace.run(getWorkspace);
      expect(caller).to.deep.equal({ kind: 'ws', role: 'admin', repId: null, name: 'workspace key' });
      expect(reported).to.deep.equal({
        workspaceId: workspace.workspaceId,
        name: 'Test',
        currency: 'USD',
        timezone: 'UTC',
        tier: 'enterprise',
        isDemo: false,
        mail: 'not_set_up',
        crm: { connected: false, provider: null },
        fieldMapping: { standard: {}, measures: {} },
        paper: null,
        payroll: {},
        managerScope: 'workspace',
        blockApprovalOnDispute: true,
        agentWrites: null,
        stepUpMinutes: null,
        apiKey: { masked: null, isSet: false },
      });
      expect(plans.map((plan: { name: string }) => plan.name)).to.deep.equal(['Running']);
      const withoutPerson = await workspace.run(getWorkspace, {}, workspace.caller('connection'));
      expect(withoutPerson).to.deep.equal({ ...reported, plans, caller: withoutPerson.caller });
      expect(withoutPerson.caller).to.include({ role: null, repId: null });
      const all = await workspace.run(getWorkspace, { query: { includeDeleted: 'true' } });
      expect(all.plans.map((plan: { name: string; status: string }) => `${plan.name} ${plan.status}`)).to.deep.equal([
        'Gone deleted',
        // Its new version is active, but the plan itself is still deleted.
        'Replaced deleted',
        'Running active',
      ]);
      await workspace.expectError('VALIDATION_FAILED', 400, getWorkspace, {
        query: { includeDeleted: 'yes' },
      });
    });
  });

  describe('changing', () => {
    const change = (body: unknown) => workspace.run(updateWorkspace, { body });

    it('renames the workspace without a recalculation', async () => {
      await workspace.insert.rep('Ada');
      expect(await change({ name: '  New name ' })).to.deep.equal({ updated: true, name: 'New name' });
      expect(await change({ currency: 'USD', timezone: 'UTC' })).to.deep.equal({
        updated: true,
        currency: 'USD',
        timezone: 'UTC',
      });
      expect(await workspace.requests()).to.deep.equal([]);
      expect((await workspace.run(getWorkspace)).name).to.equal('New name');
    });

    it('recalculates everyone when the currency changes', async () => {
      const ada = await workspace.insert.rep('Ada');
      const ben = await workspace.insert.rep('Ben', { active: false });
      expect(await change({ currency: 'EUR' })).to.deep.equal({ updated: true, currency: 'EUR' });
      const requests = await workspace.requests();
      expect(requests.map((request) => request.rep_id)).to.have.members([ada, ben]);
      expect(requests.map((request) => request.trigger)).to.deep.equal(['workspace_change', 'workspace_change']);
      expect(workspace.db.woken).to.have.members([ada, ben]);
    });

    it('recomputes the days of deals when the time zone changes', async () => {
      const ada = await workspace.insert.rep('Ada');
      await workspace.insert.deal('D1', ada, { closeDate: '2026-03-31' });
      const given = JSON.stringify({ repId: ada, closeDate: '2026-03-31T23:30:00Z' });
      await workspace.db.sql('update deals set given = $1', given);
      await change({ timezone: 'Europe/Berlin' });
      const deals = await workspace.db.sql('select close_date, rep_id from deals');
      expect(deals).to.deep.equal([{ close_date: '2026-04-01', rep_id: ada }]);
      expect(await workspace.requests()).to.have.length(1);
    });

    it('rejects invalid fields by name and changes nothing', async () => {
      const bad = [
        { name: ' ' },
        { name: 'x'.repeat(201) },
        { currency: null },
        { timezone: 'Mars/Olympus' },
        { timezone: '+02:00' },
        { timezone: '' },
        { tier: 'free' },
        { name: 'Right', currency: 'wrong' },
      ];
      const before = await workspace.contents('workspaces');
      for (const body of bad) await workspace.expectError('VALIDATION_FAILED', 400, updateWorkspace, { body });
      expect(await workspace.contents('workspaces')).to.equal(before);
    });
  });

  describe('keys', () => {
    const terms = { name: 'Other', tier: 'free', currency: 'USD', timezone: 'UTC' } as const;
    const create = () => createWorkspace(workspace.db.unitOfWork, terms);

    it('masks stored keys', async () => {
      expect(await workspace.run(getWorkspaceKey)).to.deep.equal({ masked: null, isSet: false });
      const { workspaceId } = await create();
      expect(await workspace.run(getWorkspaceKey, {}, { ...workspace.admin, workspaceId })).to.deep.equal({
        masked: mask,
        isSet: true,
      });
    });

    const bearers = () => new TokenAuthenticator(workspace.db.app, new AttemptLimits(workspace.db.app, 10));

    it('rejects the old key as soon as it is replaced, also with concurrent requests', async () => {
      workspace.db.now = new Date();
      const { workspaceId, apiKey } = await create();
      const all = bearers();
      const sendRequest = () =>
        all.authenticate(`Bearer ${apiKey}`, 'test').then(
          () => true,
          () => false,
        );
      let sending = true;
      const clients = Array.from({ length: 8 }, async () => {
        const answers: boolean[] = [];
        while (sending) answers.push(await sendRequest());
        return answers;
      });
      await sendRequest();
      await workspace.run(rotateWorkspaceKey, { body: {} }, { ...workspace.admin, workspaceId });
      const after = await Promise.all(Array.from({ length: 8 }, sendRequest));
      sending = false;
      expect((await Promise.all(clients)).some(([first]) => first === true)).to.equal(true);
      expect(after).to.deep.equal(Array.from({ length: 8 }, () => false));
    });

    it('authenticates many different tokens concurrently', async () => {
      const some = await Promise.all([1, 2, 3].map(create));
      const all = bearers();
      const headers = [...some, ...some].map(({ apiKey }) => `Bearer ${apiKey}`);
      headers.splice(1, 0, `Bearer ${some[0]?.apiKey}x`);
      const found = await Promise.all(headers.map((header) => all.authenticate(header, 'test').catch(() => null)));
      expect(found.map((one) => one?.caller.workspaceId ?? null)).to.deep.equal([
        some[0]?.workspaceId,
        null,
        ...[some[1], some[2], ...some].map((one) => one?.workspaceId),
      ]);
    });

    it('replaces the key at once', async () => {
      workspace.db.now = new Date();
      const { workspaceId, apiKey: old } = await create();
      const caller = { ...workspace.admin, workspaceId };
      const rotated = await workspace.run(rotateWorkspaceKey, { body: {} }, caller);
      expect(rotated).to.include({ masked: mask, oldKeyExpiresAt: null });
      expect((await bearers().authenticate(`Bearer ${rotated.apiKey}`, 'test')).caller.workspaceId).to.equal(
        workspaceId,
      );
      const rejected = await bearers()
        .authenticate(`Bearer ${old}`, 'test')
        .catch((error: { code: string }) => error.code);
      expect(rejected).to.equal('unauthorized');
      expect(await workspace.run(getWorkspaceKey, {}, caller)).to.deep.equal({ masked: mask, isSet: true });
      const tokens = await workspace.db.sql('select token_hash from tokens where workspace_id = $1', workspaceId);
      expect(tokens).to.have.deep.members([old, rotated.apiKey].map((key) => ({ token_hash: hashToken(key) })));
    });

    it('accepts the old key for its grace period, which a second rotation does not extend', async () => {
      workspace.db.now = new Date();
      const { workspaceId, apiKey: old } = await create();
      const caller = { ...workspace.admin, workspaceId };
      const first = await workspace.run(rotateWorkspaceKey, { body: { graceMinutes: 10 } }, caller);
      const expected = new Date(workspace.db.now.getTime() + 600_000).toISOString();
      expect(first.oldKeyExpiresAt).to.equal(expected);
      expect((await bearers().authenticate(`Bearer ${old}`, 'test')).caller.workspaceId).to.equal(workspaceId);
      await workspace.run(rotateWorkspaceKey, { body: { graceMinutes: 1440 } }, caller);
      const rows = await workspace.db.sql('select expires_at from tokens where token_hash = $1', hashToken(old));
      expect(rows).to.deep.equal([{ expires_at: new Date(expected) }]);
    });

    it('writes an audit entry with the actor and never with the key', async () => {
      const rotated = await workspace.run(rotateWorkspaceKey, { body: { graceMinutes: 5 } });
      const log = await workspace.db.sql('select * from audit_runs');
      expect(log).to.have.length(1);
      expect(log[0]).to.include({ actor: 'api-key', trigger: 'key_rotation', scope: 'workspace', outcome: 'written' });
      expect(JSON.stringify(log)).to.not.contain(rotated.apiKey);
    });
  });
});
