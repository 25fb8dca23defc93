import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('payroll hand-overs, checks and people who left', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  before(async () => {
    workspace = await WorkedExample.create(service);
  });

  it('records the hash of the exported file, its totals, the actor and people without a payroll id', async () => {
    const file = await fetch(`${service.url}/v1/statements/export.csv?period=2026-01`, {
      headers: { Authorization: `Bearer ${await service.token(workspace.workspaceId, 'sess', workspace.mia)}` },
    });
    const sha256 = createHash('sha256')
      .update(Buffer.from(await file.arrayBuffer()))
      .digest('hex');
    const manager = await workspace.as(workspace.mia);
    const body = { period: '2026-01', layout: 'generic', note: 'sent' };
    const handover = await manager.expect(201, 'POST', '/v1/payroll-handovers', body);
    expect(handover).to.deep.include({
      ...body,
      sha256,
      totals: [{ currency: 'USD', netPayout: 4800 }],
      actor: { repId: workspace.mia, name: 'Mia' },
    });
    expect(handover.missingPayrollIds.map(({ email }: { email: string }) => email)).to.deep.equal(['ben@acme.test']);
    expect(file.headers.get('x-missing-payroll-ids')).to.equal('1');
    expect(file.headers.get('x-content-sha256')).to.equal(sha256);
    const { handovers } = await workspace.api.expect(200, 'GET', '/v1/payroll-handovers?period=2026-01');
    expect(handovers).to.deep.equal([handover]);
    expect((await workspace.api.expect(200, 'GET', '/v1/payroll-handovers?period=2026-02')).handovers).to.deep.equal(
      [],
    );
  });

  it('records nothing if the file differs from the one that the caller has', async () => {
    const body = { period: '2026-03', layout: 'long' };
    const { code, details } = await workspace.api.expect(409, 'POST', '/v1/payroll-handovers', {
      ...body,
      sha256: '0'.repeat(64),
    });
    expect(code).to.equal('payroll_file_changed');
    expect((await workspace.api.expect(200, 'GET', '/v1/payroll-handovers?period=2026-03')).handovers).to.deep.equal(
      [],
    );
    expect(await workspace.api.expect(201, 'POST', '/v1/payroll-handovers', { ...body, ...details })).to.include(
      details,
    );
  });

  describe('a further file of a period', () => {
    const exported = (query: string) =>
      workspace.api.get(`/v1/statements/export.csv?period=2026-Q1&layout=long&${query}`);
    const amountsIn = async (query: string) =>
      (await exported(query)).body
        .split('\r\n')
        .slice(1, -1)
        .map((line: string) => line.split(',').slice(1, 4).join(' '));
    const handOver = (body: object, status = 201) =>
      workspace.api.expect(status, 'POST', '/v1/payroll-handovers', { period: '2026-Q1', layout: 'long', ...body });
    const waiting = async () => (await workspace.api.expect(200, 'GET', '/v1/payroll-handovers')).waiting;
    const handedOver = async () => (await workspace.api.expect(200, 'GET', '/v1/statements?period=2026-Q1')).handedOver;

    it('contains who was approved since, and what has changed, and adds to the earlier ones', async () => {
      workspace = await WorkedExample.create(service);
      await workspace.generateAndApprove('2026-Q1');
      expect(await amountsIn('scope=new')).to.deep.equal(['ben@acme.test Commission 16500.00']);
      const waits = (netPayout: number) => [{ period: '2026-Q1', people: 1, totals: [{ currency: 'USD', netPayout }] }];
      expect(await waiting()).to.deep.equal(waits(16500));
      expect(await handOver({})).to.include({ scope: 'full', rowCount: 1 });
      expect(await waiting()).to.deep.equal([]);
      expect(await amountsIn('scope=new')).to.deep.equal([]);
      expect(await handedOver()).to.deep.equal([{ currency: 'USD', netPayout: 16500 }]);

      await workspace.deal('D4', 10_000, '2026-03-20');
      await workspace.calculated();
      await workspace.api.expect(200, 'POST', `/v1/statements/${workspace.ben}/true-up`, {
        period: '2026-Q1',
        force: true,
      });
      const file = await exported('scope=new');
      expect(await amountsIn('scope=new')).to.deep.equal(['ben@acme.test Adjustment 1500.00']);
      expect(await waiting()).to.deep.equal(waits(1500));
      expect(file.headers.get('content-disposition')).to.contain('filename="statements-2026-Q1-long-part-2.csv"');
      expect(file.headers.get('x-net-total')).to.equal('1500.00');
      const recorded = await handOver({ scope: 'new', sha256: file.headers.get('x-content-sha256') });
      expect(recorded).to.deep.include({ scope: 'new', totals: [{ currency: 'USD', netPayout: 1500 }] });
      expect(await amountsIn('scope=new')).to.deep.equal([]);
      expect(await waiting()).to.deep.equal([]);
      expect(await handedOver()).to.deep.equal([{ currency: 'USD', netPayout: 18000 }]);
    });

    it('does not follow a repeated file with everyone, which replaces the earlier ones', async () => {
      await handOver({});
      expect(await amountsIn('scope=new')).to.deep.equal([]);
      expect(await handedOver()).to.deep.equal([{ currency: 'USD', netPayout: 18000 }]);
    });

    it('contains no drafts, and reads no earlier state', async () => {
      for (const query of ['include=draft', 'include=all', 'asOf=2026-03-01T00:00:00Z'])
        expect((await exported(`scope=new&${query}`)).status).to.equal(400);
    });
  });

  it('marks the latest version of a statement as checked', async () => {
    await workspace.generate('2026-02');
    const path = `/v1/statements/${workspace.ben}/checks`;
    const check = await workspace.api.expect(201, 'POST', path, { period: '2026-02', version: 1, note: 'fine' });
    expect(check).to.deep.include({ version: 1, note: 'fine', checkedBy: { repId: null, name: 'API key' } });
    const checks = [{ version: 1, by: { repId: null, name: 'API key' }, note: 'fine', at: check.checkedAt }];
    const statusPath = `/v1/statements/${workspace.ben}/status?period=2026-02`;
    expect((await workspace.api.expect(200, 'GET', statusPath)).checks).to.deep.equal(checks);
    const manager = await workspace.as(workspace.mia);
    const { statements } = await manager.expect(200, 'GET', '/v1/statements?period=2026-02');
    const shown = statements.map((one: { name: string; checks: unknown }) => [one.name, one.checks]);
    expect(shown).to.deep.equal([
      ['Ben', checks],
      ['Mia', []],
    ]);
    const rep = await workspace.as(workspace.ben);
    expect(await rep.expect(200, 'GET', statusPath)).to.not.have.property('checks');
    expect((await workspace.api.expect(409, 'POST', path, { period: '2026-02', version: 2 })).code).to.equal(
      'statement_changed',
    );
    expect((await workspace.api.expect(404, 'POST', path, { period: '2025-02', version: 1 })).code).to.equal(
      'statement_not_found',
    );
  });

  it('generates and exports statements of inactive people only if they have an amount in the period', async () => {
    const own = await WorkedExample.create(service);
    await own.api.saveReps({ email: 'gone@acme.test', name: 'Gone', active: false });
    await own.api.expect(200, 'PATCH', `/v1/reps/${own.ben}`, { active: false });
    const { statements } = await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01' });
    expect(statements.map(({ repId }: { repId: string }) => repId).sort()).to.deep.equal([own.ben, own.mia].sort());
    const csv = (await own.api.get('/v1/statements/export.csv?period=2026-01')).body;
    expect(csv).to.include('ben@acme.test').and.not.include('gone@acme.test');
    const later = await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2027-01' });
    expect(later.statements.map(({ repId }: { repId: string }) => repId)).to.deep.equal([own.mia]);
  });
});
