import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { download } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';
import {
  flipped,
  type Row,
  requestPacket as request,
  rowsOf as rows,
  textOf as text,
  verify,
  withRows,
} from './packets.js';

const period = '2026-01';
const days = { from: '2026-01-01', to: new Date().toISOString().slice(0, 10) };
const sample = { size: 2, seed: 'Q1' };
const roles = { mia: 'manager', amy: 'admin', bea: 'admin', udo: 'auditor', ben: 'rep', eva: 'rep' };
type Name = keyof typeof roles;

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
type Loose = any;

interface World extends Workspace {
  readonly id: Readonly<Record<Name, string>>;
  readonly session: Readonly<Record<Name, ApiClient>>;
  readonly planVersionId: string;
}

describe('packets of evidence', () => {
  const service = Service.duringSuite();
  let world: World;

  /** Ben's statement has two signatures, an adjustment that Bea has approved, and an accepted plan; Eva's is a draft. */
  before(async () => {
    const workspace = await service.workspace();
    const { api } = workspace;
    const names = Object.keys(roles) as Name[];
    const saved = await api.saveReps(...names.map((name) => ({ name, role: roles[name] })));
    const id = Object.fromEntries(names.map((name, index) => [name, saved[index]])) as World['id'];
    const sessions = await Promise.all(names.map(async (name) => [name, await workspace.as(id[name])] as const));
    const session = Object.fromEntries(sessions) as World['session'];
    const { planVersionId } = await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1)] } }, [
      id.ben,
      id.eva,
    ]);
    await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/acceptance`, { acceptance: 'required' });
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      approvalSteps: [
        { name: 'Manager', by: { repIds: [id.mia] } },
        { name: 'Admin', by: { role: 'admin' } },
      ],
      adjustmentLimits: [{ above: 1000, by: { role: 'admin' } }],
    });
    for (const deal of ['D1', 'D2', 'D3'])
      await api.putDeal(deal, { amount: 10_000, closeDate: '2026-01-15', repId: id.ben });
    await api.putDeal('E1', { amount: 10_000, closeDate: '2026-01-15', repId: id.eva });
    await workspace.calculated();
    const { sha256 } = await session.ben.expect(200, 'GET', `/v1/plans/${planVersionId}/document`);
    const signed = { signedName: 'Ben Ito', sha256 };
    await session.ben.expect(200, 'POST', `/v1/plans/${planVersionId}/acceptances`, signed);
    const adjustment = { period, amount: 1200, reason: 'Contest' };
    const { adjustmentId } = await session.amy.expect(202, 'POST', `/v1/statements/${id.ben}/adjust`, adjustment);
    await session.bea.expect(200, 'POST', `/v1/adjustments/${adjustmentId}/approve`, {});
    await workspace.calculated();
    await api.generate(id.ben, period);
    await api.generate(id.eva, period);
    for (const name of ['mia', 'amy'] as const)
      await session[name].expect(200, 'POST', `/v1/statements/${id.ben}/approve`, { period, status: 'approved' });
    world = Object.assign(workspace, { id, session, planVersionId });
  });

  it('contains who has signed, accepted, adjusted and changed what', async () => {
    const { id } = world;
    const { files, job } = await request(world.session.udo, { ...days, sample });
    expect(job).to.include({ kind: 'evidence.zip', from: days.from, to: days.to });
    const signatures = rows(files, 'statements/signatures');
    expect(signatures.map(({ step, signerId }) => [step, signerId])).to.deep.equal([
      ['Manager', id.mia],
      ['Admin', id.amy],
    ]);
    const statements = rows(files, 'statements/statements');
    expect(statements.map(({ repId, status }) => [repId, status]).sort(), 'statements that counted').to.deep.equal(
      [
        [id.ben, 'approved'],
        [id.eva, 'draft'],
      ].sort(),
    );
    expect(rows(files, 'plans/acceptances')[0]).to.deep.include({ repId: id.ben, signedName: 'Ben Ito' });
    expect(rows(files, 'plans/versions')).to.have.length(1);
    expect(rows(files, 'adjustments/proposals')[0]).to.deep.include({
      amount: '1200',
      proposerIds: [id.amy],
      decidedBy: id.bea,
      status: 'approved',
    });
    expect(rows(files, 'adjustments/adjustments')[0]).to.include({ amount: '1200', reason: 'Contest' });
    expect(rows(files, 'rights/people').map(({ name, role }) => [name, role])).to.deep.include(['udo', 'auditor']);
    expect(rows(files, 'rights/changes').map(({ operation }) => operation)).to.include('upsertReps');
    expect(rows(files, 'settings/changes').map(({ operation }) => operation)).to.include('updateWorkspace');
    expect(rows(files, 'audit/actions').map(({ trigger }) => trigger)).to.include('statement_signed');
    const rights: Row[] = JSON.parse(text(files, 'rights/operations.json'));
    const approve = rights.find(({ operation }) => operation === 'approveStatement');
    expect(approve).to.deep.include({ roles: ['admin', 'manager'], changes: true });
    const [line] = rows(files, 'sample/lines') as { line: Row; trace: unknown; deal: Row | null }[];
    expect(line?.line).to.include({ currency: 'USD' });
    expect(rows(files, 'sample/lines').some(({ trace, deal }) => trace !== null && deal !== null)).to.equal(true);
    const { code, output } = await verify(files);
    expect(code, output).to.equal(0);
    expect(output)
      .to.contain(job.file.manifestSha256)
      .and.to.match(/\d+ audit entries in an unbroken chain/);
    expect(output)
      .to.contain('2 signatures')
      .and.to.contain('a sample of 2 of 4 lines')
      .and.to.contain('2 versions of statements');
  });

  it('the program finds a changed statement, signature and line of the sample although the manifest has their hash', async () => {
    const { files } = await request(world.session.udo, { ...days, sample });
    const { ben } = world.id;
    const ofBen = (change: (row: Loose) => object) => (row: Loose) => (row.repId === ben ? change(row) : row);
    const withLine = (change: object) =>
      ofBen((row) => ({ ...row, lines: [{ ...row.lines[0], ...change }, ...row.lines.slice(1)] }));
    const withSummary = (change: object) => ofBen((row) => ({ ...row, summary: { ...row.summary, ...change } }));
    const otherHash = { contentHash: '1d6a3d1c-98fc-8b3e-8f0e-0a7f2d9c4b5a' };
    const cases: readonly (readonly [name: string, change: (row: Loose) => object, problem: string])[] = [
      ['statements/statements', withLine({ amount: '1001' }), 'has another content than its hash'],
      ['statements/statements', withLine({ reason: 'Other' }), 'has another content than its hash'],
      [
        'statements/statements',
        ofBen((row) => ({ ...row, lines: row.lines.slice(1) })),
        'has another content than its hash',
      ],
      ['statements/statements', ofBen((row) => ({ ...row, currency: 'EUR' })), 'has another content than its hash'],
      ['statements/statements', ofBen((row) => ({ ...row, ...otherHash })), 'has another content than its hash'],
      ['statements/statements', withSummary({ netPayout: '4201' }), 'has other totals than its lines'],
      ['statements/statements', withSummary({ totalAdjustments: '1200.01' }), 'has other totals than its lines'],
      ['statements/signatures', (row) => ({ ...row, ...otherHash }), 'covers no statement of the packet'],
      [
        'sample/lines',
        (row) => ({ ...row, line: { ...row.line, amount: '1' } }),
        'of the sample is not that of the statement',
      ],
    ];
    for (const [name, change, problem] of cases) {
      const { code, output } = await verify(withRows(files, name, change));
      expect(output).to.contain(problem);
      expect(output).not.to.contain('differs from');
      expect(code, problem).to.equal(1);
    }
    const { code, output } = await verify(withRows(files, 'statements/statements', (row) => row));
    expect(code, output).to.equal(0);
  });

  it('is the same bytes for the same request, whatever has happened since', async () => {
    const { api, id, session } = world;
    const first = await request(session.amy, { ...days, sample });
    const { asOf } = first.job;
    await api.putDeal('D1', { amount: 20_000, closeDate: '2026-01-15', repId: id.ben });
    await api.putDeal('E2', { amount: 500, closeDate: '2026-01-20', repId: id.eva });
    await world.calculated();
    await api.generate(id.eva, period);
    await api.expect(200, 'PATCH', `/v1/reps/${id.eva}`, { role: 'manager' });
    await api.expect(200, 'PATCH', '/v1/workspaces', { approvalSteps: null, adjustmentLimits: null });
    await session.bea.expect(200, 'POST', `/v1/statements/${id.ben}/approve`, { period, status: 'draft' });
    await api.createPlan({ name: 'Later', config: { rules: [flatRule('Later', 0.1)] } }, [id.eva]);
    const again = await request(session.udo, { ...days, sample, asOf });
    for (const [name, content] of first.files) expect(text(again.files, name), name).to.equal(content.toString());
    expect(again.bytes.equals(first.bytes)).to.equal(true);
    const now = await request(session.udo, { ...days, sample });
    expect(now.bytes.equals(first.bytes)).to.equal(false);
    const { code, output } = await verify(now.files);
    expect(code, output).to.equal(0);
    expect(rows(now.files, 'statements/signatures').map(({ endedBy }) => endedBy)).to.deep.equal([
      'unlocked',
      'unlocked',
    ]);
  });

  it('the program finds one changed byte in any file, and a file too many or too few', async () => {
    const { files } = await request(world.session.udo, { ...days, sample });
    const program = files.get('verify.js');
    for (const name of files.keys()) {
      if (files.get(name)?.length === 0) continue;
      const { code, output } = await verify(flipped(files, name), program);
      expect(code, `${name}: ${output}`).to.equal(1);
    }
    const more = new Map([...files, ['audit/entries-0002.ndjson', Buffer.from('{}\n')]]);
    expect((await verify(more)).output).to.contain('is not in the manifest');
    const fewer = new Map([...files].filter(([name]) => name !== 'audit/chain.json'));
    expect((await verify(fewer)).code).to.equal(1);
  });

  it('draws the same lines with the same seed, and others with another', async () => {
    const { api, id, session } = world;
    for (const at of Array.from({ length: 12 }, (_, index) => index))
      await api.putDeal(`S${at}`, { amount: 1000 + at, closeDate: '2026-02-10', repId: id.ben });
    await world.calculated();
    await api.generate(id.ben, '2026-02');
    const approval = { period: '2026-02', status: 'approved', force: true };
    await session.amy.expect(200, 'POST', `/v1/statements/${id.ben}/approve`, approval);
    const drawn = async (seed: string) => {
      const { files } = await request(session.udo, { from: '2026-02-01', to: days.to, sample: { size: 4, seed } });
      return rows(files, 'sample/lines').map((row) => row['id']);
    };
    const first = await drawn('one');
    expect(first).to.have.length(4);
    expect(await drawn('one')).to.deep.equal(first);
    expect(await drawn('two')).not.to.deep.equal(first);
  });

  it('is for admins and auditors, and auditors change nothing', async () => {
    const { session, id } = world;
    for (const name of ['mia', 'ben'] as const)
      await expectError('403 forbidden', session[name].post('/v1/evidence', days));
    const { job } = await request(session.udo, days);
    for (const name of ['mia', 'ben'] as const)
      await expectError('404 job_not_found', session[name].get(job.file.path));
    const statement = { period, status: 'approved' };
    await expectError('403 forbidden', session.udo.post(`/v1/statements/${id.ben}/approve`, statement));
    await expectError('403 forbidden', session.udo.send('PATCH', '/v1/workspaces', { name: 'Mine' }));
    await session.udo.expect(200, 'GET', '/v1/audit');
    expect(await session.udo.expect(200, 'GET', '/v1/plans')).to.have.length.greaterThan(0);
  });

  it('rejects days in the wrong order', async () => {
    await expectError(
      '400 VALIDATION_FAILED',
      world.session.amy.post('/v1/evidence', { from: '2026-02-01', to: '2026-01-31' }),
    );
  });

  describe('the data of a person', () => {
    before(async function () {
      await requireBrowser(this);
    });

    it('is a file for the person and for admins', async () => {
      const { session, id } = world;
      const { files, bytes } = await request(session.ben, {}, '/v1/me/export');
      const person = JSON.parse(text(files, 'person.json'));
      expect(person).to.include({ name: 'ben', role: 'rep' });
      expect(rows(files, 'statements/statements').map(({ repId }) => repId)).to.satisfy((ids: string[]) =>
        ids.every((repId) => repId === id.ben),
      );
      expect(rows(files, 'plans/acceptances')).to.have.length(1);
      expect(rows(files, 'access-log').map(({ operation }) => operation)).to.include('approveStatement');
      expect(files.get(`statements/${period}.pdf`)?.subarray(0, 5).toString()).to.equal('%PDF-');
      for (const other of [id.eva, id.mia, id.amy])
        expect(text(files, 'access-log-0001.ndjson'), 'reps see no other person').not.to.contain(other);
      const { code, output } = await verify(files);
      expect(code, output).to.equal(0);
      expect(bytes.length).to.be.greaterThan(0);
      const ofAdmin = await request(session.amy, { repId: id.ben }, '/v1/me/export');
      expect([...ofAdmin.files.keys()]).to.deep.equal([...files.keys()]);
      for (const name of ['mia', 'udo'] as const)
        await expectError('403 forbidden', session[name].post('/v1/me/export', { repId: id.ben }));
    });

    it('the document of a plan is the same PDF each time, with its hash', async () => {
      const { session, planVersionId } = world;
      const address = `/v1/plans/${planVersionId}/document.pdf`;
      const [first, second] = [await download(session.ben, address), await download(session.ben, address)];
      const { sha256 } = await session.ben.expect(200, 'GET', `/v1/plans/${planVersionId}/document`);
      expect(first.headers.get('x-document-sha256')).to.equal(sha256);
      expect(first.bytes.equals(second.bytes)).to.equal(true);
    });
  });
});
