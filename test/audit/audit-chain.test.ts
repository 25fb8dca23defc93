import { expect } from 'chai';
import pg from 'pg';
import { deleteAuditEntries, verifyChain } from '#src/app/audit-chain.js';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { operations } from '#src/operations.js';
import { appSessionOptions, createDatabase } from '#src/platform/database/pool.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

interface Change {
  readonly table: string;
  readonly id: Readonly<Record<string, string>>;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

interface Entry {
  readonly actor: string;
  readonly personId: string | null;
  readonly keyId: string | null;
  readonly requestId: string;
  readonly operation: string;
  readonly outcome: 'done' | 'rejected';
  readonly code?: string;
  readonly count?: number;
  readonly params?: object;
  readonly query?: object;
  readonly counts?: Readonly<Record<string, number>>;
  readonly changes: readonly Change[];
  readonly moreChanges: number;
}

const exportPath = '/v1/workspaces/audit-logs/export.ndjson';

describe('the audit log of calls', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  let amy: string;
  let ben: string;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    [amy, ben] = await api.saveReps(
      { name: 'Amy Adams', email: 'amy@x.io', role: 'admin' },
      { name: 'Ben Brown', email: 'ben@x.io' },
    );
  });

  async function seal(): Promise<void> {
    await sealAuditEntries(service.running.service.unitOfWork);
  }

  /** The entries of the workspace in the order of the chain. */
  async function entries(): Promise<Entry[]> {
    await seal();
    const answer = await api.get(exportPath);
    expect(answer.status).to.equal(200);
    return (await text(answer.body)).map(({ entry }) => entry);
  }

  async function text(body: string): Promise<{ position: number; hash: string; entry: Entry }[]> {
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  async function last(): Promise<Entry> {
    return (await entries()).at(-1) as Entry;
  }

  it('is listed newest first, by actor, action, resource and time', async () => {
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { active: false });
    await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', { label: 'Widget' });
    await seal();
    const list = async (filter: string) =>
      (await api.expect(200, 'GET', `/v1/audit?${filter}`)).entries.map((one: Entry) => one.operation);
    expect(await list('')).to.deep.equal(['createConnectionToken', 'updateRep', 'upsertReps']);
    expect(await list(`resource=${ben}`)).to.deep.equal(['updateRep', 'upsertReps']);
    expect(await list('resource=tokens&actor=api-key')).to.deep.equal(['createConnectionToken']);
    expect(await list('action=updateRep')).to.deep.equal(['updateRep']);
    expect(await list('from=2126-01-01T00:00:00Z')).to.deep.equal([]);
    const first = await api.expect(200, 'GET', '/v1/audit?limit=2');
    expect(await list(`cursor=${first.nextCursor}`)).to.deep.equal(['upsertReps']);
  });

  it('has who changed what, before and after, with the request id', async () => {
    const session = await service.as(workspaceId, amy);
    await session.expect(200, 'PATCH', `/v1/reps/${ben}`, { role: 'manager' }, { 'X-Request-Id': 'req-1' });
    const { changes, ...entry } = await last();
    expect(entry).to.deep.include({
      actor: `rep:${amy}`,
      personId: amy,
      keyId: null,
      requestId: 'req-1',
      operation: 'updateRep',
      outcome: 'done',
      params: { repId: ben },
      moreChanges: 0,
    });
    expect(changes).to.deep.equal([
      { table: 'reps', id: { rep_id: ben }, before: { role: 'rep' }, after: { role: 'manager' } },
    ]);
  });

  it('has an import of deals with its counts, and no dry run', async () => {
    const deals = [{ dealId: 'd1', amount: 1 }, { dealId: 'd2', amount: 2 }, { dealId: '' }];
    for (const dryRun of [true, false]) await api.expect(200, 'POST', `/v1/deals/import?dryRun=${dryRun}`, { deals });
    await api.send('POST', '/v1/reps/import?dryRun=true', 'email,name\nzoe@x.io,Zoe\n', { 'Content-Type': 'text/csv' });
    const imports = (await entries()).filter(({ operation }) => operation.startsWith('import'));
    expect(imports.map(({ operation, counts }) => [operation, counts])).to.deep.equal([
      ['importDeals', { created: 2, changed: 0, unchanged: 0, stale: 0, rejected: 1 }],
    ]);
  });

  it('has a written and a deleted deal as one changed row, and one that stays as it is as none', async () => {
    const put = (status: number, amount: number) =>
      api.expect(status, 'PUT', '/v1/deals/audited', { fields: { amount } });
    await put(201, 1);
    await put(200, 2);
    await put(200, 2);
    for (const _ of [1, 2]) await api.expect(200, 'DELETE', '/v1/deals/audited');
    const written = (await entries()).filter(({ operation }) => ['putDeal', 'deleteDeal'].includes(operation));
    expect(written.map(({ counts }) => counts)).to.deep.equal([
      { created: 1 },
      { changed: 1 },
      { unchanged: 1 },
      { deleted: 1 },
      { deleted: 0 },
    ]);
  });

  it('has the key, and the person who rotated it', async () => {
    const session = await service.as(workspaceId, amy);
    const { apiKey } = await session.expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 });
    await service.client(apiKey).expect(200, 'PATCH', `/v1/reps/${ben}`, { active: false });
    const entry = await last();
    expect(entry).to.include({ actor: 'api-key', personId: amy, operation: 'updateRep' });
    expect(entry.keyId).to.match(/^[0-9a-f-]{36}$/);
    expect(entry.changes).to.deep.equal([
      { table: 'reps', id: { rep_id: ben }, before: { active: true }, after: { active: false } },
    ]);
  });

  it('has settings, plans, overrides, quotas, adjustments and approvals', async () => {
    await api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'EUR' });
    const rules = [flatRule('New business', 0.08, { attainmentPeriod: 'monthly' })];
    const plan = await api.createPlan({ name: 'AE', config: { rules } }, [ben]);
    const quota = { repIds: [ben], planRuleId: plan.rules[0].id, period: '2026-01', target: 1000 };
    await api.expect(201, 'POST', '/v1/quotas', quota);
    await api.expect(201, 'POST', '/v1/quotas', { ...quota, target: 500 });
    await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${ben}`, {
      rules: [{ ruleId: plan.rules[0].id, tiers: [{ tierIndex: 0, rate: 0.5 }] }],
    });
    const adjustment = { amount: 10, reason: 'For Ben Brown', period: '2026-01' };
    const { eventId } = await api.expect(200, 'POST', `/v1/statements/${ben}/adjust`, adjustment);
    await api.expect(200, 'PATCH', `/v1/statements/${ben}/adjust/${eventId}`, { amount: 12 });
    await api.generate(ben, '2026-01');
    await api.approve(ben, '2026-01');
    const all = await entries();
    const of = (operation: string, table: string) =>
      all
        .filter((entry) => entry.operation === operation)
        .flatMap(({ changes }) => changes)
        .filter((change) => change.table === table);
    expect(of('updateWorkspace', 'workspaces')[0]).to.deep.include({
      before: { currency: 'USD' },
      after: { currency: 'EUR' },
    });
    expect(of('createPlan', 'plans')[0]?.after).to.include({ name: '*' });
    expect(of('createPlan', 'plan_versions')).to.have.length(1);
    expect(of('setQuotas', 'quotas')[1]).to.deep.include({ before: { target: 1000 }, after: { target: 500 } });
    expect(of('setPlanOverride', 'plan_overrides')[0]?.after).to.deep.equal({ tiers: [{ tierIndex: 0, rate: 0.5 }] });
    const [changed] = of('updateAdjustment', 'commission_events');
    expect([changed?.id, changed?.before?.['amount'], changed?.after?.['amount']]).to.deep.equal([
      { event_id: eventId, rep_id: ben },
      10,
      12,
    ]);
    const approval = of('approveStatement', 'statement_periods').at(-1);
    expect([approval?.before?.['status'], approval?.after?.['status']]).to.deep.equal(['draft', 'approved']);
  });

  it('has exports and the rejected calls of people and keys', async () => {
    await api.expect(200, 'GET', '/v1/statements/export.csv?period=2026-01');
    const session = await service.as(workspaceId, ben);
    expect((await session.get('/v1/workspaces/audit-logs')).status).to.equal(403);
    expect((await session.get(`/v1/reps/${amy}`)).status).to.equal(403);
    const { key } = await api.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'BI', scopes: ['read'] });
    expect((await service.client(key).put('/v1/deals/D1', {})).status).to.equal(403);
    const admin = await service.as(workspaceId, amy);
    const own = { amount: 5, reason: 'Mine', period: '2026-01' };
    expect((await admin.post(`/v1/statements/${amy}/adjust`, own)).status).to.equal(403);
    const agent = await session.mcp('tools/call', { name: 'list_audit_logs', arguments: {} });
    expect(agent.body.result.isError).to.equal(true);
    const all = await entries();
    expect(all.filter(({ operation }) => operation === 'exportStatementsCsv')).to.have.length(1);
    const rejected = all.filter(({ outcome }) => outcome === 'rejected');
    expect(
      rejected.map(({ actor, operation, code }) => [actor.replace(/^key:.*/, 'key'), operation, code]),
    ).to.deep.equal([
      [`rep:${ben}`, 'listAuditLogs', 'forbidden'],
      [`rep:${ben}`, 'getRep', 'forbidden'],
      ['key', 'putDeal', 'insufficient_scope'],
      [`rep:${amy}`, 'addAdjustment', 'forbidden'],
      [`mcp:rep:${ben}`, 'listAuditLogs', 'forbidden'],
    ]);
  });

  it('has no names, addresses, reasons, comments and keys', async () => {
    const session = await service.as(workspaceId, amy);
    await session.saveReps({ name: 'Ben Black', email: 'ben@x.io', payrollId: 'P-77' });
    await api.expect(201, 'POST', `/v1/statements/${ben}/comments`, { period: '2026-01', body: 'Dear Ben Brown' });
    await api.adjust(ben, '2026-01', 1, 'Ben Brown');
    await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', { label: 'Widget of Ben Brown' });
    const { apiKey } = await session.expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 });
    const content = JSON.stringify(await entries());
    for (const secret of ['Ben', 'Amy', '@x.io', 'P-77', 'p-77', 'Widget', apiKey, 'ws_'])
      expect(content, secret).not.to.include(secret);
    expect((await entries()).find(({ operation }) => operation === 'upsertReps')?.changes[0]?.after).to.be.an('object');
  });

  it('has one entry with a count for the repetitions of a rejected call within a minute', async () => {
    const asBen = await service.as(workspaceId, ben);
    const asAmy = await service.as(workspaceId, amy);
    for (let call = 0; call < 20; call += 1) await asBen.expect(403, 'GET', '/v1/workspaces/integration-keys');
    for (let call = 0; call < 3; call += 1) await asBen.expect(403, 'POST', '/v1/plans', {});
    await asAmy.expect(200, 'GET', '/v1/workspaces/integration-keys');
    const counts = async () =>
      (await entries())
        .filter(({ outcome }) => outcome === 'rejected')
        .map(({ operation, personId, count }) => ({ operation, isOfBen: personId === ben, count: count ?? 1 }));
    const total = async (operation: string) =>
      (await counts()).filter((one) => one.operation === operation).reduce((sum, { count }) => sum + count, 0);
    expect((await counts()).length, 'entries of the calls').to.be.at.most(4);
    await service.sql(`update rejected_calls set minute = minute - interval '1 minute'`);
    expect([await total('listIntegrationKeys'), await total('createPlan')]).to.deep.equal([20, 3]);
    expect((await counts()).every(({ isOfBen }) => isOfBen)).to.equal(true);
    expect((await counts()).length, 'entries with those of the repetitions').to.be.at.most(8);
    const owner = createDatabase({ url: service.database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
    try {
      expect((await verifyChain(owner, workspaceId)).problem).to.equal(null);
    } finally {
      await owner.destroy();
    }
  });

  it('has no entry of a change that was rejected as invalid', async () => {
    const before = (await entries()).length;
    expect((await api.patch(`/v1/reps/${ben}`, {})).status).to.equal(400);
    expect(
      (await api.post(`/v1/statements/${ben}/approve`, { period: '2026-01', status: 'approved' })).status,
    ).to.equal(404);
    const exportsItself = 1;
    expect((await entries()).length).to.equal(before + exportsItself);
  });

  it('counts changes beyond 100,000 bytes instead of listing them', async () => {
    const reps = Array.from({ length: 2000 }, (_, index) => ({ name: `Rep ${index}`, email: `rep${index}@x.io` }));
    await api.expect(200, 'PUT', '/v1/reps', { reps });
    const { changes, moreChanges } = await last();
    expect(changes.length).to.be.within(100, 1000);
    expect(changes.length + moreChanges).to.equal(2000);
  });

  it('is exported from a position on, with the hashes of the chain', async () => {
    for (const name of ['A', 'B', 'C']) await api.expect(200, 'PATCH', '/v1/workspaces', { name });
    await seal();
    const all = await text((await api.get(exportPath)).body);
    expect(all.map(({ position }) => position)).to.deep.equal(all.map((_, index) => index + 1));
    const page = await text((await api.get(`${exportPath}?after=1&limit=2`)).body);
    expect(page).to.deep.equal(all.slice(1, 3));
  });

  describe('as a hash chain', () => {
    const verify = async (expected: string | null = null) => {
      const owner = createDatabase({ url: service.database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
      try {
        return await verifyChain(owner, workspaceId, expected);
      } finally {
        await owner.destroy();
      }
    };
    const change = (statement: string) => service.sql(statement, workspaceId);

    beforeEach(async () => {
      for (const name of ['A', 'B', 'C', 'D']) await api.expect(200, 'PATCH', '/v1/workspaces', { name });
      await seal();
    });

    it('is correct when nothing was changed', async () => {
      const report = await verify();
      expect(report).to.include({ workspaceId, entries: 5, unsealed: 0, problem: null });
      expect(report.head).to.match(/^5:[0-9a-f]{64}$/);
      await api.expect(200, 'PATCH', '/v1/workspaces', { name: 'E' });
      await seal();
      expect(await verify(report.head)).to.include({ entries: 6, problem: null });
    });

    it('shows a changed entry', async () => {
      await change(
        `update audit_entries set content = replace(content, 'done', 'none') where workspace_id = $1 and position = 3`,
      );
      expect(await verify()).to.deep.include({ entries: 2 });
      expect((await verify()).problem).to.match(/^entry 3 \([0-9a-f-]{36}\) or an entry before it was changed$/);
    });

    it('shows a deleted entry, also at the end when the earlier head is given', async () => {
      const { head } = await verify();
      await change('delete from audit_entries where workspace_id = $1 and position = 5');
      expect((await verify()).problem).to.equal(null);
      expect((await verify(head)).problem).to.equal(`the chain does not contain ${head}`);
      await change('delete from audit_entries where workspace_id = $1 and position = 2');
      expect((await verify()).problem).to.equal('entry 2 is missing');
    });

    it('stays correct when the entries of earlier days are deleted', async () => {
      const owner = createDatabase({ url: service.database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
      const { head } = await verify();
      try {
        const remove = (before: string, isDryRun = false) => deleteAuditEntries(owner, workspaceId, before, isDryRun);
        expect(await remove('2020-01-01')).to.deep.equal({ workspaceId, deleted: 0, through: null });
        await change(`update audit_entries set at = '2020-06-01' where workspace_id = $1 and position <= 3`);
        expect(await remove('2021-01-01', true)).to.include({ deleted: 3 });
        expect(await verify()).to.include({ entries: 5, problem: null });
        expect((await remove('2021-01-01')).through).to.match(/^3:[0-9a-f]{64}$/);
        // Entries 4 and 5, and the entry about the deletion.
        expect(await verify(head)).to.include({ entries: 3, problem: null });
        expect(await last()).to.deep.include({ operation: 'deleteAuditEntries', actor: 'command-line' });
        expect((await remove('2999-01-01')).deleted, 'all but the newest').to.be.at.least(2);
        await api.expect(200, 'PATCH', '/v1/workspaces', { name: 'E' });
        await seal();
        expect((await verify()).problem).to.equal(null);
        const [first] = await change('select min(position) as position from audit_entries where workspace_id = $1');
        await change(`delete from audit_entries where workspace_id = $1 and position = ${first?.['position']}`);
        expect((await verify()).problem).to.equal(`entry ${first?.['position']} is missing`);
      } finally {
        await owner.destroy();
      }
    });

    it('stays correct when several processes seal while calls are made', async () => {
      await Promise.all([
        ...Array.from({ length: 40 }, (_, index) =>
          api.expect(201, 'PUT', `/v1/deals/D${index}`, { amount: 10, closeDate: '2026-01-15', repId: ben }),
        ),
        ...Array.from({ length: 10 }, async () => seal()),
      ]);
      await seal();
      expect(await verify()).to.include({ problem: null, unsealed: 0 });
      expect((await verify()).entries).to.be.at.least(45);
    });

    it('cannot be changed by the role of the service', async () => {
      const client = new pg.Client({ connectionString: service.database.appUrl, options: appSessionOptions });
      await client.connect();
      try {
        await client.query(`select set_config('app.workspace_id', $1, false)`, [workspaceId]);
        const histories = [
          'audit_entries',
          'audit_runs',
          'audit_run_deals',
          'audit_run_jobs',
          'commission_event_history',
        ];
        for (const statement of [
          ...histories.flatMap((table) => [`update ${table} set workspace_id = workspace_id`, `delete from ${table}`]),
          `insert into audit_entries (workspace_id, entry_id, content, position) values ('${workspaceId}', gen_random_uuid(), '{}', 9)`,
        ]) {
          const error = await client.query(statement).then(
            () => null,
            (thrown: { code: string }) => thrown,
          );
          expect(error?.code, statement).to.equal('42501');
        }
      } finally {
        await client.end();
      }
    });
  });

  it('records every operation that changes something or returns a file', () => {
    const unrecorded = operations
      .filter(({ method, access }) => method !== 'get' && (access as string) !== 'public')
      .filter((operation) => 'scope' in operation && operation.scope === 'read')
      .map(({ id }) => id as string);
    expect(unrecorded).to.have.members([
      'simulateCommissions',
      'previewPlanChange',
      'previewPlanOverride',
      'previewRateTable',
      'previewAssignments',
      'previewQuotas',
      'previewWorkspace',
      'runPlanTests',
      'lookUpRate',
      'recordVisit',
    ]);
  });
});

describe('the audit log of calls that calculate what must come before them', () => {
  const service = Service.duringSuite({ worker: false });

  it('records the call once, although it ends the job of an earlier calculation', async () => {
    const { api } = await service.workspace();
    const [ben] = await api.saveReps({ name: 'Ben', email: 'ben@x.io', crmMemberId: 'ben' });
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1)] } }, [ben]);
    await api.put('/v1/deals/D1', { amount: 1000, closeDate: '2026-01-15', ownerId: 'ben' });
    const { jobId } = await api.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
    const [assignment] = await api.expect(200, 'GET', `/v1/assignments?repId=${ben}`);
    await api.expect(200, 'DELETE', `/v1/assignments/${assignment.assignmentId}`);
    expect((await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`)).status).to.equal('completed');
    await sealAuditEntries(service.running.service.unitOfWork);
    const { entries } = await api.expect(200, 'GET', '/v1/audit?action=deleteAssignment');
    expect(entries).to.have.length(1);
  });
});
