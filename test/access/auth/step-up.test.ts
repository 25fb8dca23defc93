import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { StartLinks } from '#src/access/auth/start-links.js';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { addPerson, OtpRequests, otherThan, type Person } from './otp-requests.js';

const operations: readonly AnyOperation[] = declared;

interface Call {
  readonly path?: string;
  readonly body?: unknown;
  readonly csv?: string;
}

const unknown = '00000000-0000-4000-8000-000000000000';

const mailServer = { host: 'smtp.x.io', port: 25, security: 'none', username: null, from: 'pay@x.io' };
const identityProvider = {
  kind: 'other',
  name: 'Acme',
  issuer: 'https://login.x.io',
  clientId: 'x',
  clientSecret: 'y',
  domains: [],
  publicUrl: 'https://pay.x.io',
};

/** Calls of every operation with step-up: those that need it, and those of the same operation that do not. */
const calls: Readonly<Record<string, { readonly needs: readonly Call[]; readonly others?: readonly Call[] }>> = {
  rotateWorkspaceKey: { needs: [{ body: { graceMinutes: 60 } }] },
  createIntegrationKey: { needs: [{ body: { name: 'Payroll', scopes: ['payroll'] } }] },
  createConnectionToken: { needs: [{ body: {} }] },
  updateWorkspace: {
    needs: [
      { body: { stepUpMinutes: null } },
      { body: { stepUpMinutes: 1440, name: 'Acme' } },
      { body: { agentWrites: 'allow' } },
      { body: { agentWrites: null } },
      { body: { approvalSteps: null } },
      { body: { adjustmentLimits: null } },
    ],
    others: [{ body: { name: 'Acme' } }, { body: { agentWrites: 'confirm' } }, { body: { agentWrites: 'deny' } }],
  },
  updateRep: {
    needs: [
      { path: '/v1/reps/<ben>', body: { role: 'manager' } },
      { path: '/v1/reps/<ben>', body: { active: true } },
      { path: '/v1/reps/<ben>', body: { payrollId: '7' } },
    ],
    others: [{ path: '/v1/reps/<ben>', body: { managerId: null } }],
  },
  upsertReps: {
    needs: [
      {
        body: {
          reps: [
            { email: 'new@x.io', name: 'New' },
            { email: 'ben@x.io', name: 'Ben', role: 'admin' },
          ],
        },
      },
      { body: { reps: [{ email: 'ben@x.io', name: 'Ben', active: true }] } },
      { body: { reps: [{ email: 'ben@x.io', name: 'Ben', payrollId: '8' }] } },
    ],
    others: [{ body: { reps: [{ email: 'ben@x.io', name: 'Ben', crmMemberId: 'ben' }] } }],
  },
  importReps: {
    needs: [{ csv: 'email,role\nben@x.io,admin\n' }],
    others: [{ path: '/v1/reps/import?dryRun=true', csv: 'email,role\nben@x.io,admin\n' }],
  },
  takeBackImport: {
    needs: [{ path: `/v1/imports/${unknown}/take-back` }],
    others: [{ path: `/v1/imports/${unknown}/take-back?dryRun=true` }],
  },
  inviteRep: { needs: [{ path: '/v1/reps/<ben>/invite' }] },
  changeReps: {
    needs: [{ body: { repIds: ['00000000-0000-4000-8000-000000000000'], change: { active: false } } }],
    others: [{ body: { repIds: ['00000000-0000-4000-8000-000000000000'], change: { team: 'North' } } }],
  },
  bulkInviteReps: { needs: [{ body: { repIds: ['00000000-0000-4000-8000-000000000000'] } }] },
  decideAgentRequest: {
    needs: [{ body: { request: 'x', decision: 'allow' } }],
    others: [{ body: { request: 'x', decision: 'deny' } }],
  },
  createScheduledImport: {
    needs: [
      {
        body: {
          name: 'Bookings',
          subject: 'deals',
          source: { kind: 'url', url: 'https://files.invalid/bookings.csv' },
          schedule: { every: 'day', at: '06:00' },
        },
      },
    ],
  },
  updateScheduledImport: {
    needs: [
      {
        path: `/v1/scheduled-imports/${unknown}`,
        body: { source: { kind: 'url', url: 'https://files.invalid/other.csv' } },
      },
    ],
    others: [{ path: `/v1/scheduled-imports/${unknown}`, body: { paused: true } }],
  },
  confirmScheduledImport: {
    needs: [{ path: `/v1/scheduled-imports/${unknown}/confirm`, body: { fileId: unknown } }],
  },
  createWebhookEndpoint: { needs: [{ body: { url: 'https://example.com/hook' } }] },
  updateWebhookEndpoint: {
    needs: [{ path: `/v1/webhook-endpoints/${unknown}`, body: { url: 'https://example.com/other' } }],
    others: [{ path: `/v1/webhook-endpoints/${unknown}`, body: { description: 'x' } }],
  },
  exportAuditLog: { needs: [{}] },
  exportStatementsCsv: { needs: [{ path: '/v1/statements/export.csv?period=2026-01' }] },
  exportStatementsPdf: { needs: [{ path: '/v1/statements/export.pdf?period=2026-01&async=true' }] },
  exportStatementsXlsx: { needs: [{ path: '/v1/statements/export.xlsx?period=2026-01&async=true' }] },
  exportStatementsZip: { needs: [{ path: '/v1/statements/export.zip?period=2026-01&async=true' }] },
  createEvidence: { needs: [{ body: { from: '2026-01-01', to: '2026-01-31' } }] },
  exportPerson: { needs: [{ body: {} }] },
  exportPlanDocument: { needs: [{ path: `/v1/plans/${unknown}/document.pdf` }] },
  exportAcceptances: { needs: [{ path: '/v1/acceptances/export.csv' }] },
  getExportFile: { needs: [{ path: '/v1/statements/export/jobs/00000000-0000-4000-8000-000000000000/file' }] },
  addPayrollId: { needs: [{ path: '/v1/reps/<ben>/payroll-id', body: { payrollId: '7' } }] },
  recordPayrollHandover: { needs: [{ body: { period: '2026-01', layout: 'generic' } }] },
  createPayoutBatch: { needs: [{ body: { period: '2026-01', layout: 'generic' } }] },
  updatePayoutBatch: { needs: [{ path: `/v1/payout-batches/${unknown}`, body: { status: 'cancelled' } }] },
  setMailServer: { needs: [{ body: mailServer }] },
  deleteMailServer: { needs: [{}] },
  saveIdentityProvider: { needs: [{ body: identityProvider }] },
  deleteIdentityProvider: { needs: [{ path: `/v1/installation/identity-providers/${unknown}` }] },
  getPayoutFile: { needs: [{ path: `/v1/payout-batches/${unknown}/file` }] },
  acceptPlan: {
    needs: [{ path: `/v1/plans/${unknown}/acceptances`, body: { signedName: 'Ann', sha256: '0'.repeat(64) } }],
  },
  closeAccountingMonth: { needs: [{ path: '/v1/accounting/months/2026-01/close', body: { hash: '0' } }] },
  reopenAccountingMonth: { needs: [{ path: '/v1/accounting/months/2026-01/reopen', body: { reason: 'x' } }] },
  approvePolicy: { needs: [{ path: '/v1/accounting/policies/x/versions/1/approve' }] },
  approveWriteOff: { needs: [{ path: `/v1/accounting/write-offs/${unknown}/approve` }] },
  exportLiability: { needs: [{ path: '/v1/accounting/liability/export.csv?month=2026-01' }] },
  exportJournals: { needs: [{ path: '/v1/accounting/journals/2026-01/export?layout=generic' }] },
};

/** Their calls fail after the check, because they name nothing that exists. */
const failures: Readonly<Record<string, readonly number[]>> = {
  exportPlanDocument: [404, 400],
  exportPerson: [202, 400],
  getExportFile: [404],
  takeBackImport: [404],
  updateScheduledImport: [404],
  confirmScheduledImport: [404],
  updateWebhookEndpoint: [404],
  createPayoutBatch: [409],
  updatePayoutBatch: [404],
  setMailServer: [409],
  deleteMailServer: [409],
  saveIdentityProvider: [409],
  deleteIdentityProvider: [409],
  getPayoutFile: [404],
  decideAgentRequest: [409, 410],
  // A key is no person, who accepts, closes and reopens.
  acceptPlan: [403, 409],
  closeAccountingMonth: [403, 409],
  reopenAccountingMonth: [403, 409],
  approvePolicy: [409],
  approveWriteOff: [409],
  exportLiability: [409],
  exportJournals: [409],
};

describe('step-up', () => {
  const service = Service.duringSuite({ isAlone: true });
  const otp = new OtpRequests(service);
  let workspaceId: string;
  let key: ApiClient;
  let ann: Person;
  let ben: Person;
  /** A session of an admin. */
  let session: ApiClient;

  before(async () => {
    ({ workspaceId, api: key } = await service.workspace());
    ann = await addPerson(key, 'ann@x.io', { role: 'admin' });
    ben = await addPerson(key, 'ben@x.io');
    ({ api: session } = await otp.signIn(ann.email));
  });

  beforeEach(async () => {
    // A person may have few waiting exports at a time.
    await service.waitForStoredJobs(workspaceId);
    await otp.clearLimits();
    await otp.ageCodes('1 day');
    await key.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: 15 });
    await key.expect(200, 'PUT', '/v1/reps', { reps: [{ email: ben.email, name: 'Ben', role: 'rep' }] });
    await ageProofs('1 day');
  });

  const ageProofs = (interval: string) =>
    service.sql(`update tokens set proved_at = now() - $1::interval where kind = 'sess'`, interval);

  function send(client: ApiClient, { method, path }: AnyOperation, call: Call): Promise<ApiResponse> {
    const body = call.csv ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const headers = { 'Content-Type': call.csv === undefined ? 'application/json' : 'text/csv' };
    const filled = (call.path ?? path).replace('<ben>', ben.repId);
    return client.send(method.toUpperCase(), filled, body, body === undefined ? {} : headers);
  }

  async function confirm(client: ApiClient, email: string, wrong = 0): Promise<ApiResponse> {
    const { nonce } = (await otp.send(email, { workspaceId })).body;
    const code = await service.lastCode(email);
    for (let guess = 0; guess < wrong; guess += 1) await client.post('/auth/confirm', { code: otherThan(code), nonce });
    return client.post('/auth/confirm', { code, nonce });
  }

  it('protects new keys, agents and webhooks, access of people, payroll ids, files, hand-overs, books, signatures and settings, and nothing else', () => {
    const protectedIds = operations.filter(({ stepUp }) => stepUp !== undefined).map(({ id }) => id);
    expect(protectedIds).to.have.members(Object.keys(calls));
  });

  for (const operation of operations.filter(({ stepUp }) => stepUp !== undefined)) {
    const { needs, others = [] } = calls[operation.id] ?? { needs: [] };

    it(`${operation.id} needs a recent proof from a session`, async () => {
      for (const call of needs) {
        await ageProofs('15 minutes');
        const { details } = await expectError('403 step_up_required', send(session, operation, call));
        expect(details).to.deep.equal({ maxMinutes: 15 });
      }
      for (const call of others)
        expect((await send(session, operation, call)).status).to.be.oneOf(failures[operation.id] ?? [200]);
    });

    it(`${operation.id} runs for a session with a recent proof, and for a key`, async () => {
      for (const call of needs)
        for (const client of [session, key]) {
          // An update of the setting by an earlier call would let every call pass.
          await key.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: 15 });
          await ageProofs('14 minutes');
          const answer = await send(client, operation, call);
          expect(answer.body?.code, JSON.stringify(answer.body)).to.not.equal('step_up_required');
          expect(answer.status).to.be.oneOf(failures[operation.id] ?? [200, 201, 202]);
        }
    });
  }

  it('is off until a workspace sets stepUpMinutes, and off again after null', async () => {
    const { api: other } = await service.workspace();
    expect((await other.get('/v1/workspaces')).body.stepUpMinutes).to.equal(null);
    await key.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: null });
    expect((await session.post('/v1/workspaces/connection-tokens', {})).status).to.equal(201);
    for (const stepUpMinutes of [0, 1441, 1.5, '15', true])
      expect((await key.send('PATCH', '/v1/workspaces', JSON.stringify({ stepUpMinutes }), json)).status).to.equal(400);
  });

  const json = { 'Content-Type': 'application/json' };

  it('accepts a fresh code from an e-mail for this session only, and records it', async () => {
    const { api: second } = await otp.signIn(ann.email);
    await ageProofs('1 day');
    const answer = await confirm(session, ann.email);
    expect([answer.status, answer.body]).to.deep.equal([200, { confirmed: true }]);
    expect((await session.post('/v1/workspaces/connection-tokens', {})).status).to.equal(201);
    await expectError('403 step_up_required', second.post('/v1/workspaces/connection-tokens', {}));
    await sealAuditEntries(service.running.service.unitOfWork);
    const { body } = await key.get('/v1/workspaces/audit-logs/export.ndjson');
    const entries: { operation: string; personId: string; outcome: string; code?: string }[] = String(body)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).entry);
    expect(entries.find((one) => one.operation === 'confirmSession')).to.include({
      personId: ann.repId,
      outcome: 'done',
    });
    const rejected = entries.find(({ outcome }) => outcome === 'rejected');
    expect(rejected).to.include({ code: 'step_up_required', personId: ann.repId });
  });

  it('accepts a code once, and not the code of another person, of another workspace or after five wrong codes', async () => {
    const attempt = async (client: ApiClient, code: string, nonce?: string) =>
      (await client.post('/auth/confirm', { code, ...(nonce === undefined ? {} : { nonce }) })).body;
    const code = await otp.code(ann.email);
    expect(await attempt(session, code)).to.deep.equal({ confirmed: true });
    expect(await attempt(session, code)).to.include({ statusCode: 400, code: 'invalid_code' });
    expect(await attempt(session, 'none')).to.include({ statusCode: 400, code: 'invalid_code' });
    const { nonce } = (await otp.send(ben.email)).body;
    expect(await attempt(session, await service.lastCode(ben.email), nonce)).to.include({ code: 'invalid_code' });
    const { api: otherKey, workspaceId: other } = await service.workspace();
    await addPerson(otherKey, ann.email);
    const sent = await otp.send(ann.email, { workspaceId: other });
    expect(await attempt(session, await service.lastCode(ann.email), sent.body.nonce)).to.include({
      code: 'invalid_code',
    });
    await otp.ageCodes('1 day');
    expect((await confirm(session, ann.email, 5)).body).to.include({ code: 'invalid_code' });
    expect((await session.get('/auth/me')).status).to.equal(200);
  });

  it('is not satisfied by a link of the terminal', async () => {
    const token = service.running.service.parts
      .resolve(StartLinks)
      .create({ kind: 'sign_in', workspaceId, repId: ann.repId });
    const opened = await service.client(null).post('/auth/start-link', { token });
    const started = service.client(opened.body.sessionToken);
    await expectError('403 step_up_required', started.post('/v1/workspaces/connection-tokens', {}));
    expect((await confirm(started, ann.email)).status).to.equal(200);
    expect((await started.post('/v1/workspaces/connection-tokens', {})).status).to.equal(201);
  });

  it('is not needed by reps who download their own statement, and cannot be confirmed with a key', async () => {
    const { api: rep } = await otp.signIn(ben.email);
    await ageProofs('1 day');
    const file = await rep.get('/v1/statements/export/jobs/00000000-0000-4000-8000-000000000000/file');
    expect(file.body.code).to.equal('job_not_found');
    expect((await rep.get(`/v1/statements/${ben.repId}/export?period=2026-01&format=csv`)).status).to.equal(200);
    await expectError('403 forbidden', key.post('/auth/confirm', { code: '123456' }));
  });

  it('is needed to approve the change of an agent that would itself need it', async () => {
    const change = async (args: object): Promise<string> => {
      const { body } = await key.mcp('tools/call', { name: 'set_people', arguments: args });
      return body.result.structuredContent.details.changeRequestId;
    };
    const approve = (id: string) => session.post(`/v1/change-requests/${id}/decide`, { decision: 'approve' });
    await key.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
    const promotion = await change({ reps: [{ email: ben.email, name: 'Ben', role: 'admin' }] });
    const addition = await change({ reps: [{ email: 'cat@x.io', name: 'Cat' }] });
    expect((await approve(promotion)).body).to.include({ statusCode: 403, code: 'step_up_required' });
    expect((await approve(addition)).body.status).to.equal('done');
    expect((await key.get(`/v1/reps/${ben.repId}`)).body.role).to.equal('rep');
    expect((await confirm(session, ann.email)).status).to.equal(200);
    expect((await approve(promotion)).body.status).to.equal('done');
    await key.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: null });
  });

  it('does not count a rejected call against its Idempotency-Key', async () => {
    const create = () =>
      session.send('POST', '/v1/workspaces/connection-tokens', '{}', { ...json, 'Idempotency-Key': 'again' });
    expect((await create()).status).to.equal(403);
    expect((await confirm(session, ann.email)).status).to.equal(200);
    expect((await create()).status).to.equal(201);
  });

  it('is in the table of docs/security.md for every operation that needs it', () => {
    const [, section = ''] = readFileSync('docs/security.md', 'utf8').split('\n## Step-up\n');
    const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/(?<=\| .*)`([A-Z]+ \/v1\/[^`]*)`/g)].map(
      ([, one]) => one,
    );
    const needing = operations.filter(({ stepUp }) => stepUp !== undefined);
    expect(listed).to.have.members(needing.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  });

  it('is part of the API description', async () => {
    const { body } = await key.get('/v1/openapi.json');
    const resolve = (_key: string, value: { $ref?: string } | null) =>
      typeof value?.$ref !== 'string'
        ? value
        : value.$ref
            .slice(2)
            .split('/')
            .reduce((part, name) => part[name], body);
    const described = Object.values(body.paths as Record<string, Record<string, Record<string, unknown>>>)
      .flatMap((path) => Object.values(path))
      .filter((one) => one['x-step-up'] !== undefined)
      .map((one) => [
        one['operationId'],
        one['x-step-up'],
        JSON.stringify((one['responses'] as Record<string, unknown>)['403'], resolve).includes('step_up_required'),
      ]);
    const onlyPartly = ['getExportFile', 'exportPlanDocument', 'approvePolicy'];
    const expected = Object.entries(calls).map(([id, { others }]) => [
      id,
      others === undefined && !onlyPartly.includes(id) ? 'always' : 'sometimes',
      true,
    ]);
    expect(described).to.have.deep.members(expected);
  });
});
