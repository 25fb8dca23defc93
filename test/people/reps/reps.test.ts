import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { updateRep } from '#src/people/reps/commands/update-rep.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { getRep } from '#src/people/reps/queries/get-rep.js';
import { listReps } from '#src/people/reps/queries/list-reps.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('reps', () => {
  let workspace: OfflineWorkspace;
  let ids: Record<string, string>;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    ids = await add(
      { email: 'ann@x.io', name: 'Ann', role: 'admin' },
      { email: 'bob@x.io', name: 'Bob', role: 'manager', crmMemberId: 'm2' },
      { email: 'cy@x.io', name: 'Cy', managerEmail: 'bob@x.io' },
    );
    await workspace.deleteRequests();
  });

  async function add(
    ...reps: { email: string; name: string; [more: string]: unknown }[]
  ): Promise<Record<string, string>> {
    const answer = await workspace.run(upsertReps, { body: { reps } });
    return Object.fromEntries(answer.reps.map((rep: { name: string; id: string }) => [rep.name, rep.id]));
  }

  const patch = (name: string, body: object) => workspace.run(updateRep, { params: { repId: ids[name] }, body });
  const everything = () => workspace.contents('reps', 'reporting_lines', 'calculation_requests', 'tokens');

  async function expectError(code: string, status: number, repId: string, body: object): Promise<void> {
    const before = await everything();
    await workspace.expectError(code, status, updateRep, { params: { repId }, body });
    expect(await everything()).to.equal(before);
  }

  describe('GET /v1/reps', () => {
    it('lists all reps by name, or the rep with the given e-mail', async () => {
      const names = async (query: object, caller = workspace.admin) =>
        (await workspace.run(listReps, { query }, caller)).reps.map((rep: { name: string }) => rep.name);
      expect(await names({})).to.deep.equal(['Ann', 'Bob', 'Cy']);
      expect(await names({ email: ' BOB@X.io' })).to.deep.equal(['Bob']);
      for (const email of ['%', 'bob@x', '', 'b_b@x.io', "' or 1=1"]) expect(await names({ email })).to.deep.equal([]);
      expect(await names({}, workspace.caller('manager', ids['Bob'] as string))).to.have.length(3);
    });

    it('rejects unknown query parameters and text that cannot be stored', async () => {
      await workspace.expectError('VALIDATION_FAILED', 400, listReps, { query: { mail: 'a@x.io' } });
      await workspace.expectError('VALIDATION_FAILED', 400, listReps, { query: { email: 'a\u0000@x.io' } });
    });
  });

  describe('GET /v1/reps/:repId', () => {
    it('returns the linkage as flat fields and as one object', async () => {
      await workspace.db.sql(
        `update reps set provider = 'crm-a', synced_at = '2026-05-01 00:00Z' where rep_id = $1`,
        ids['Bob'],
      );
      const shared = { rep_id: ids['Bob'] as string, fields: '{}', given: '{}' };
      const state = { ...shared, content_hash: newId(), is_closed: false, is_won: false };
      for (const [deal_id, snapshot_at, deleted_at] of [
        ['d1', '2026-05-02T00:00:00Z', null],
        ['d2', '2026-05-03T00:00:00Z', null],
        ['d3', '2026-05-04T00:00:00Z', '2026-05-04T00:00:00Z'],
      ] as const)
        await workspace.insert.row('deals', { ...state, deal_id, snapshot_at, deleted_at });
      const linkage = {
        provider: 'crm-a',
        crmId: 'm2',
        syncedAt: '2026-05-01T00:00:00.000Z',
        lastDealOwnedAt: '2026-05-03T00:00:00.000Z',
      };
      expect(await workspace.run(getRep, { params: { repId: ids['Bob'] } })).to.deep.equal({
        id: ids['Bob'],
        email: 'bob@x.io',
        name: 'Bob',
        role: 'manager',
        active: true,
        crmMemberId: 'm2',
        avatar: null,
        invite_status: null,
        inviteMail: null,
        payrollId: null,
        title: null,
        team: null,
        location: null,
        hireDate: null,
        endDate: null,
        managerId: null,
        ...linkage,
        linkage,
      });
      const cy = await workspace.run(getRep, { params: { repId: (ids['Cy'] as string).toUpperCase() } });
      expect(cy).to.include({ managerId: ids['Bob'], crmId: null, lastDealOwnedAt: null });
    });
  });

  describe('PATCH /v1/reps/:repId', () => {
    it('changes the role and the activity', async () => {
      expect(await patch('Cy', { role: 'manager', active: false })).to.deep.include({
        id: ids['Cy'],
        role: 'manager',
        active: false,
        managerId: ids['Bob'],
      });
      expect(await workspace.requests()).to.deep.equal([]);
    });

    it('sets a manager, also from a given day, and clears the manager', async () => {
      expect(
        (await patch('Cy', { managerId: (ids['Ann'] as string).toUpperCase(), managerFrom: '2026-06-01' })).managerId,
      ).to.equal(ids['Bob']);
      const requested = await workspace.requests();
      expect(requested.map((one) => [one.rep_id, one.from_day, one.trigger])).to.have.deep.members([
        [ids['Ann'], '2026-06-01', 'hierarchy_change'],
        [ids['Bob'], '2026-06-01', 'hierarchy_change'],
      ]);
      expect(workspace.db.woken).to.have.members([ids['Ann'], ids['Bob']]);
      await workspace.deleteRequests();
      expect((await patch('Cy', { managerId: null })).managerId).to.equal(null);
      expect((await workspace.requests()).map((one) => [one.rep_id, one.from_day])).to.have.deep.members([
        [ids['Ann'], '1900-01-01'],
        [ids['Bob'], '1900-01-01'],
      ]);
      expect(await workspace.contents('reporting_lines')).to.equal('reporting_lines: ');
    });

    it('stores role, manager and employment together or not at all', async () => {
      const cy = ids['Cy'] as string;
      const change = { role: 'manager', managerId: ids['Ann'], hireDate: '2026-02-15' };
      await expectError('VALIDATION_FAILED', 400, cy, { ...change, endDate: '2026-02-14' });
      expect(await patch('Cy', change)).to.include(change);
      await expectError('VALIDATION_FAILED', 400, cy, { role: 'rep', endDate: '2026-02-14' });
    });

    it('rejects bodies that violate the schema', async () => {
      const cy = ids['Cy'] as string;
      for (const body of [
        {},
        { role: 'root' },
        { active: 'no' },
        { managerId: 'x' },
        { managerFrom: '2026-01-01' },
        { managerId: null, managerFrom: '2026-02-30' },
        { name: 'Eve' },
        { role: null },
      ]) {
        await expectError('VALIDATION_FAILED', 400, cy, body);
      }
    });

    it('shows the next planned manager', async () => {
      const managerId = ids['Ann'] as string;
      const planned = await patch('Cy', { managerId, managerFrom: '2199-06-01' });
      expect(planned.nextManager).to.deep.equal({ managerId, from: '2199-06-01' });
      const ended = await patch('Cy', { managerId: null, managerFrom: '2199-07-01' });
      expect(ended.nextManager).to.deep.equal({ managerId, from: '2199-06-01' });
      await patch('Cy', { managerId, managerFrom: '2020-01-01' });
      const open = await patch('Cy', { managerId: null, managerFrom: '2199-07-01' });
      expect(open).to.deep.include({ managerId, nextManager: { managerId: null, from: '2199-07-01' } });
      expect(await patch('Cy', { managerId, managerFrom: '2020-01-01' })).not.to.have.property('nextManager');
    });

    it('rejects reporting lines with a cycle', async () => {
      await expectError('VALIDATION_FAILED', 400, ids['Bob'] as string, { managerId: ids['Cy'] });
      await expectError('VALIDATION_FAILED', 400, ids['Bob'] as string, { managerId: ids['Bob'] });
      await patch('Bob', { managerId: ids['Ann'] });
      await expectError('VALIDATION_FAILED', 400, ids['Ann'] as string, {
        managerId: ids['Cy'],
        managerFrom: '2026-12-01',
      });
    });

    it('returns 409 last_admin for a change that would leave no active admin', async () => {
      await expectError('last_admin', 409, ids['Ann'] as string, { role: 'manager' });
      await expectError('last_admin', 409, ids['Ann'] as string, { active: false });
      await patch('Bob', { role: 'admin' });
      expect((await patch('Ann', { role: 'rep' })).role).to.equal('rep');
      await expectError('last_admin', 409, ids['Bob'] as string, { active: false });
    });

    it('lets only one of two concurrent changes remove the last two admins', async () => {
      await patch('Bob', { role: 'admin' });
      const outcomes = await Promise.allSettled([patch('Ann', { role: 'rep' }), patch('Bob', { role: 'rep' })]);
      expect(outcomes.map((one) => one.status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    });

    it("returns 403 rep_limit_reached for an activation beyond the tier's seats", async () => {
      await workspace.db.sql("update workspaces set tier = 'free' where workspace_id = $1", workspace.workspaceId);
      await patch('Cy', { active: false });
      await add(...Array.from({ length: 8 }, (_, index) => ({ email: `r${index}@x.io`, name: `R${index}` })));
      await expectError('rep_limit_reached', 403, ids['Cy'] as string, { active: true });
      expect((await patch('Cy', { role: 'manager' })).role).to.equal('manager');
    });

    it('ends the sessions of a rep who is deactivated or gets another role, and no other sessions', async () => {
      const token = (repId: string | null, kind: 'sess' | 'ws') =>
        workspace.insert.row('tokens', {
          token_id: newId(),
          kind,
          token_hash: Buffer.alloc(32, kind),
          rep_id: repId,
        });
      for (const name of ['Ann', 'Bob', 'Cy']) await token(ids[name] as string, 'sess');
      await token(null, 'ws');
      const left = async () =>
        (await workspace.db.sql('select rep_id from tokens where workspace_id = $1', workspace.workspaceId)).map(
          (row) => row['rep_id'],
        );
      await patch('Bob', { active: true, role: 'manager' });
      expect(await left()).to.have.length(4);
      await patch('Cy', { active: false });
      expect(await left()).to.have.members([ids['Ann'], ids['Bob'], null]);
      await patch('Bob', { role: 'rep' });
      expect(await left()).to.have.members([ids['Ann'], null]);
      await token(ids['Bob'] as string, 'sess');
      await add({ email: 'bob@x.io', name: 'Bob', active: false });
      expect(await left()).to.have.members([ids['Ann'], null]);
    });
  });
});
