import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { updateRep } from '#src/people/reps/commands/update-rep.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('PUT /v1/reps', () => {
  let workspace: OfflineWorkspace;
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
  });

  const put = (...reps: object[]) =>
    workspace.run(upsertReps, { body: { reps } }).then(({ reps: answered }) => answered);
  const everything = () =>
    workspace.contents('reps', 'lanes', 'reporting_lines', 'calculation_requests', 'deals', 'tokens');

  async function expectError(code: string, status: number, path: string | null, ...reps: object[]): Promise<void> {
    const before = await everything();
    const failure = await workspace.expectError(code, status, upsertReps, { body: { reps } });
    if (path !== null)
      expect((failure.details as { issues: { path: string }[] }).issues.map((issue) => issue.path)).to.include(path);
    expect(await everything()).to.equal(before);
  }

  async function deal(
    dealId: string,
    owner: { owner_id?: string; owner_email?: string; rep_id?: string },
  ): Promise<void> {
    const shared = { close_date: '2026-02-01', amount: '1', is_closed: true, is_won: true };
    const content = { fields: '{}', given: '{}', content_hash: newId() };
    await workspace.insert.row('deals', { ...shared, ...content, deal_id: dealId, ...owner });
  }

  async function dealOwners(): Promise<Record<string, string | null>> {
    const rows = await workspace.db.sql<{ deal_id: string; rep_id: string | null }>(
      'select deal_id, rep_id from deals where workspace_id = $1',
      workspace.workspaceId,
    );
    return Object.fromEntries(rows.map((row) => [row.deal_id, row.rep_id]));
  }

  const lines = async () => {
    const rows = await workspace.db.sql(
      `select r.name, from_day, to_day, m.name as manager from reporting_lines l
      join reps r on r.rep_id = l.rep_id join reps m on m.rep_id = l.manager_id
      where l.workspace_id = $1 order by r.name, from_day`,
      workspace.workspaceId,
    );
    return rows.map(Object.values);
  };

  it('creates reps with defaults and one lane each, and returns them in the order of the body', async () => {
    const [z, a] = await put(
      { email: ' Zoe@Example.COM ', name: 'Zoe', crmMemberId: 'm1' },
      { email: 'ａnn@example.com', name: 'Ann', role: 'manager', active: false },
    );
    expect(z).to.deep.equal({
      id: z.id,
      email: 'zoe@example.com',
      name: 'Zoe',
      role: 'rep',
      active: true,
      crmMemberId: 'm1',
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
    });
    expect(a).to.include({ email: 'ann@example.com', role: 'manager', active: false, crmMemberId: null });
    const lanes = await workspace.db.sql('select rep_id from lanes where workspace_id = $1', workspace.workspaceId);
    expect(lanes).to.have.deep.members([{ rep_id: z.id }, { rep_id: a.id }]);
  });

  it('changes only the fields in the body', async () => {
    const [first] = await put({ email: 'a@x.io', name: 'A', role: 'manager', active: false, crmMemberId: 'm1' });
    const [second] = await put({ email: 'A@X.io', name: 'Other' });
    expect(second).to.deep.equal({ ...first, name: 'Other' });
    const [third] = await put({ email: 'a@x.io', name: 'Other', crmMemberId: null });
    expect(third.crmMemberId).to.equal(null);
  });

  it('rejects bodies that violate the schema', async () => {
    await expectError('VALIDATION_FAILED', 400, 'reps');
    for (const [field, value] of Object.entries({
      email: 'a@',
      name: ' ',
      role: 'root',
      workspaceId: newId(),
      managerFrom: '2026-01-01',
    }))
      await expectError('VALIDATION_FAILED', 400, `reps.0.${field}`, { email: 'a@x.io', name: 'A', [field]: value });
    const longEmail = { email: `${'a'.repeat(250)}@x.io`, name: 'A' };
    await expectError('VALIDATION_FAILED', 400, 'reps.0.email', longEmail);
    const tooMany = Array.from({ length: 10_001 }, (_, index) => ({ email: `r${index}@x.io`, name: 'R' }));
    await expectError('VALIDATION_FAILED', 400, 'reps', ...tooMany);
  });

  it('rejects a repeated e-mail, an unknown manager, the rep as their own manager, and a member id of another rep', async () => {
    await put({ email: 'known@x.io', name: 'Known', crmMemberId: 'm1' });
    const [a, b] = [
      { email: 'a@x.io', name: 'A' },
      { email: 'b@x.io', name: 'B' },
    ];
    for (const [path, ...reps] of [
      ['reps.1.email', a, { ...b, email: 'A@x.io ' }],
      ['reps.1.managerEmail', b, { ...a, managerEmail: 'nobody@x.io' }],
      ['reps.0.managerEmail', { ...a, managerEmail: 'A@x.io' }],
      ['reps.0.crmMemberId', { ...a, crmMemberId: 'm1' }],
      ['reps.1.crmMemberId', { ...a, crmMemberId: 'm2' }, { ...b, crmMemberId: 'm2' }],
      ['reps.0.managerEmail', { ...a, managerEmail: b.email }, { ...b, managerEmail: a.email }],
    ] as const)
      await expectError('VALIDATION_FAILED', 400, path, ...reps);
  });

  it('lets two reps swap their member ids in one body', async () => {
    await put({ email: 'a@x.io', name: 'A', crmMemberId: 'm1' }, { email: 'b@x.io', name: 'B', crmMemberId: 'm2' });
    const [a, b] = await put(
      { email: 'a@x.io', name: 'A', crmMemberId: 'm2' },
      { email: 'b@x.io', name: 'B', crmMemberId: 'm1' },
    );
    expect([a.crmMemberId, b.crmMemberId]).to.deep.equal(['m2', 'm1']);
  });

  describe('managers', () => {
    it('are found in the same body and apply from the first day', async () => {
      const [rep, boss, top] = await put(
        { email: 'rep@x.io', name: 'Rep', managerEmail: 'BOSS@x.io' },
        { email: 'boss@x.io', name: 'Boss', managerEmail: 'top@x.io', managerFrom: '2026-04-01' },
        { email: 'top@x.io', name: 'Top' },
      );
      expect([rep.managerId, boss.managerId, top.managerId]).to.deep.equal([boss.id, top.id, null]);
      expect(await lines()).to.deep.equal([
        ['Boss', '2026-04-01', null, 'Top'],
        ['Rep', '1900-01-01', null, 'Boss'],
      ]);
      const requested = (await workspace.requests()).map((one) => [one.rep_id, one.from_day, one.to_day, one.trigger]);
      expect(requested).to.have.deep.members([
        [boss.id, '1900-01-01', '2199-12-31', 'hierarchy_change'],
        [top.id, '1900-01-01', '2199-12-31', 'hierarchy_change'],
      ]);
      expect(workspace.db.woken).to.have.members([boss.id, top.id]);
    });

    it('that change from a day request a calculation of the old and the new manager and of everyone above them', async () => {
      const [, old, fresh, overOld, overFresh] = await put(
        { email: 'rep@x.io', name: 'Rep', managerEmail: 'old@x.io' },
        { email: 'old@x.io', name: 'Old', managerEmail: 'overold@x.io' },
        { email: 'fresh@x.io', name: 'Fresh', managerEmail: 'overfresh@x.io' },
        { email: 'overold@x.io', name: 'Over Old' },
        { email: 'overfresh@x.io', name: 'Over Fresh' },
      );
      await workspace.deleteRequests();
      const [rep] = await put({
        email: 'rep@x.io',
        name: 'Rep',
        managerEmail: 'fresh@x.io',
        managerFrom: '2026-06-01',
      });
      expect(rep.managerId).to.equal(old.id);
      expect((await lines()).filter(([name]) => name === 'Rep')).to.deep.equal([
        ['Rep', '1900-01-01', '2026-05-31', 'Old'],
        ['Rep', '2026-06-01', null, 'Fresh'],
      ]);
      const requested = await workspace.requests();
      expect(requested.map((one) => one.rep_id)).to.have.members([old.id, fresh.id, overOld.id, overFresh.id]);
      expect(new Set(requested.map((one) => `${one.from_day} ${one.to_day}`))).to.deep.equal(
        new Set(['2026-06-01 2199-12-31']),
      );
      workspace.db.now = new Date('2026-06-01T00:00:00Z');
      expect((await put({ email: 'rep@x.io', name: 'Rep' }))[0].managerId).to.equal(fresh.id);
    });

    it('that do not change request no calculation', async () => {
      const body = [
        { email: 'rep@x.io', name: 'Rep', managerEmail: 'boss@x.io' },
        { email: 'boss@x.io', name: 'Boss' },
      ];
      await put(...body);
      await put({ email: 'rep@x.io', name: 'Rep', managerEmail: 'boss@x.io', managerFrom: '2026-02-01' });
      const before = await everything();
      await put(...body);
      await put({ email: 'rep@x.io', name: 'Rep', managerEmail: 'boss@x.io', managerFrom: '2026-02-01' });
      expect(await everything()).to.equal(before);
    });

    it('are cleared by null, and a change removes the changes planned after its day', async () => {
      await put(
        { email: 'rep@x.io', name: 'Rep', managerEmail: 'a@x.io' },
        { email: 'a@x.io', name: 'A' },
        { email: 'b@x.io', name: 'B' },
      );
      await put({ email: 'rep@x.io', name: 'Rep', managerEmail: 'b@x.io', managerFrom: '2026-07-01' });
      await put({ email: 'rep@x.io', name: 'Rep', managerEmail: null, managerFrom: '2026-03-01' });
      expect(await lines()).to.deep.equal([['Rep', '1900-01-01', '2026-02-28', 'A']]);
      await put({ email: 'rep@x.io', name: 'Rep', managerEmail: 'b@x.io' });
      expect(await lines()).to.deep.equal([['Rep', '1900-01-01', null, 'B']]);
      await put({ email: 'rep@x.io', name: 'Rep', managerEmail: null });
      expect(await lines()).to.deep.equal([]);
    });

    it('may swap positions over time, but a rep above themself on any day is rejected', async () => {
      await put({ email: 'a@x.io', name: 'A' }, { email: 'b@x.io', name: 'B' });
      await put({ email: 'a@x.io', name: 'A', managerEmail: 'b@x.io' });
      await put({ email: 'a@x.io', name: 'A', managerEmail: null, managerFrom: '2026-07-01' });
      await expectError('VALIDATION_FAILED', 400, 'reps.0.managerEmail', {
        email: 'b@x.io',
        name: 'B',
        managerEmail: 'a@x.io',
        managerFrom: '2026-06-30',
      });
      const [b] = await put({ email: 'b@x.io', name: 'B', managerEmail: 'a@x.io', managerFrom: '2026-07-01' });
      expect(b.managerId).to.equal(null);
      expect(await lines()).to.have.length(2);
    });

    it('are at most twenty levels above a rep', async () => {
      const chain = Array.from({ length: 21 }, (_, index) => ({
        email: `r${index}@x.io`,
        name: `R${index}`,
        managerEmail: index === 20 ? null : `r${index + 1}@x.io`,
      }));
      await put(...chain, { email: 'top@x.io', name: 'Top' }, { email: 'low@x.io', name: 'Low' });
      await expectError('VALIDATION_FAILED', 400, 'reps.0.managerEmail', {
        email: 'r20@x.io',
        name: 'R20',
        managerEmail: 'top@x.io',
      });
      await expectError('VALIDATION_FAILED', 400, 'reps.0.managerEmail', {
        email: 'low@x.io',
        name: 'Low',
        managerEmail: 'r0@x.io',
      });
      await put({ email: 'low@x.io', name: 'Low', managerEmail: 'r1@x.io' });
    });

    it("are those of the current day in the workspace's time zone", async () => {
      workspace = await OfflineWorkspace.create({ timezone: 'Pacific/Auckland' });
      workspace.db.now = new Date('2026-05-31T13:00:00Z');
      const [rep, boss] = await put(
        { email: 'rep@x.io', name: 'Rep', managerEmail: 'boss@x.io', managerFrom: '2026-06-01' },
        { email: 'boss@x.io', name: 'Boss' },
      );
      expect(rep.managerId).to.equal(boss.id);
    });
  });

  describe('deals without an owner', () => {
    it('get the new rep they name as owner, by member id before e-mail', async () => {
      await deal('by-member', { owner_id: 'm1', owner_email: 'b@x.io' });
      await deal('by-email', { owner_id: 'other', owner_email: 'B@X.io' });
      await deal('orphan', { owner_id: 'm9', owner_email: 'z@x.io' });
      const [a, b, c] = await put(
        { email: 'a@x.io', name: 'A', crmMemberId: 'm1' },
        { email: 'b@x.io', name: 'B' },
        { email: 'c@x.io', name: 'C' },
      );
      expect(await dealOwners()).to.deep.equal({ 'by-member': a.id, 'by-email': b.id, orphan: null });
      const requested = await workspace.requests();
      expect(requested.map((one) => one.rep_id))
        .to.have.members([a.id, b.id])
        .and.not.include(c.id);
      expect(requested[0]).to.include({ from_day: '1900-01-01', to_day: '2199-12-31', trigger: 'rep_change' });
      expect(workspace.db.woken).to.have.members([a.id, b.id]);
    });

    it('get a rep whose member id changes as owner, and deals with an owner keep it', async () => {
      const [a] = await put({ email: 'a@x.io', name: 'A', crmMemberId: 'm1' });
      await deal('old', { owner_id: 'm1', rep_id: a.id });
      await deal('waiting', { owner_id: 'm2' });
      await put({ email: 'a@x.io', name: 'A' });
      expect((await dealOwners())['waiting']).to.equal(null);
      await put({ email: 'a@x.io', name: 'A', crmMemberId: 'm2' });
      expect(await dealOwners()).to.deep.equal({ old: a.id, waiting: a.id });
      expect(await workspace.requests()).to.have.length(1);
    });

    it('of another workspace do not change', async () => {
      await deal('foreign', { owner_id: 'm1' });
      const foreign = workspace.workspaceId;
      workspace = await OfflineWorkspace.in(workspace.db);
      await put({ email: 'a@x.io', name: 'A', crmMemberId: 'm1' });
      expect(await workspace.db.sql('select rep_id from deals where workspace_id = $1', foreign)).to.deep.equal([
        { rep_id: null },
      ]);
    });
  });

  describe('seats', () => {
    const manyReps = (count: number, active = true) =>
      Array.from({ length: count }, (_, index) => ({ email: `r${index}@x.io`, name: `R${index}`, active }));

    it('are limited by the tier, counting active reps', async () => {
      workspace = await OfflineWorkspace.create({ tier: 'free' });
      await put(...manyReps(10), { email: 'off@x.io', name: 'Off', active: false });
      await expectError('rep_limit_reached', 403, null, { email: 'new@x.io', name: 'New' });
      await expectError('rep_limit_reached', 403, null, { email: 'off@x.io', name: 'Off', active: true });
      await put({ email: 'r0@x.io', name: 'R0', active: false }, { email: 'new@x.io', name: 'New' });
      workspace = await OfflineWorkspace.create({ tier: 'pro' });
      await expectError('rep_limit_reached', 403, null, ...manyReps(26));
      await put(...manyReps(25));
    });

    it("above the tier's limit do not prevent changes of active reps", async () => {
      await put(...manyReps(12));
      await workspace.db.sql("update workspaces set tier = 'free' where workspace_id = $1", workspace.workspaceId);
      await put({ email: 'r0@x.io', name: 'Renamed' }, { email: 'r1@x.io', name: 'R1', active: false });
      await expectError('rep_limit_reached', 403, null, { email: 'r1@x.io', name: 'R1', active: true });
    });
  });

  it('returns 409 last_admin for a body that would leave no active admin', async () => {
    await put({ email: 'a@x.io', name: 'A', role: 'admin' });
    await expectError('last_admin', 409, null, { email: 'a@x.io', name: 'A', role: 'rep' });
    await expectError('last_admin', 409, null, { email: 'a@x.io', name: 'A', active: false });
    await put({ email: 'a@x.io', name: 'A', role: 'rep' }, { email: 'b@x.io', name: 'B', role: 'admin' });
  });

  it('and a concurrent change of the same reps are serialized', async () => {
    const [a] = await put({ email: 'a@x.io', name: 'A' }, { email: 'b@x.io', name: 'B' });
    await Promise.all([
      put({ email: 'a@x.io', name: 'A2', managerEmail: 'b@x.io' }),
      workspace.run(updateRep, { params: { repId: a.id }, body: { role: 'manager' } }),
    ]);
    const [after] = await put({ email: 'a@x.io', name: 'A2' });
    expect(after).to.include({ role: 'manager', name: 'A2' });
    expect(after.managerId).to.be.a('string');
  });
});
