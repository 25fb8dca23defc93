import 'reflect-metadata';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operation.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { startTestService, type TestService } from '#test/support/test-service.js';
import { type KnownValues, largestBody, largestConfigs } from './largest-input.js';
import { ServiceMonitor } from './service-monitor.js';

/** How much slower than idle `/livez` may respond, and how much more memory the process may use. */
const maxSlowerMs = 100;
const maxMoreMib = 512;
const deadlineMs = 30_000;
/** Other processes of the machine delay a response too: an operation fails only if it exceeds its budget every time. */
const attempts = 3;
const maxUploadBytes = 512 * 1024;
const token = 'budget-suite';
/** These end the token or delete what others use, so they run last. */
const last = ['resetCommissions', 'rotateWorkspaceKey', 'logOut'];

const operations: readonly AnyOperation[] = [
  ...declared.filter(({ id }) => !last.includes(id)),
  ...declared.filter(({ id }) => last.includes(id)),
];

interface Call {
  readonly title: string;
  readonly operation: AnyOperation;
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer | undefined;
}

describe('the budgets of every operation', () => {
  let service: TestService;
  let target: ServiceProcess;
  let monitor: ServiceMonitor;
  let apiKey: string;
  let known: KnownValues;
  let ids: Readonly<Record<string, string>>;
  let idleMs: number;
  let idleMib: number;
  const statuses = new Map<string, number[]>();

  before(async function () {
    this.timeout(120_000);
    service = await startTestService({}, { api: true, worker: false });
    ids = await fill();
    known = { byName: knownValues(ids) };
    target = await ServiceProcess.start('both', environment(service.database.environment));
    monitor = new ServiceMonitor(target.url, target.pid);
    // The first calls compile the code of the common paths.
    for (let round = 0; round < 20; round += 1) await send(get('/v1/reps'));
    const idle = await monitor.during(() => sleep(1_000));
    idleMs = idle.slowestMs;
    idleMib = idle.peakMib;
  });

  after(async () => {
    await monitor?.stop();
    await target?.end();
    await service?.stop();
  });

  async function fill(): Promise<Record<string, string>> {
    const workspace = await service.workspace();
    ({ apiKey } = workspace);
    const { api } = workspace;
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', {
      reps: Array.from({ length: 20 }, (_, at) => ({
        name: `Rep ${at}`,
        email: `rep${at}@x.io`,
        crmMemberId: `m${at}`,
      })),
    });
    const config = largestConfigs['conditions'];
    const plan = await api.expect(201, 'POST', '/v1/plans', { name: 'Largest', config });
    const repId = reps[0].id as string;
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [repId], planId: plan.planId });
    const deals = Array.from({ length: 200 }, (_, at) => ({
      dealId: `D${at}`,
      amount: 100,
      stage: 'Won',
      closeDate: '2026-01-15',
      ownerId: 'm0',
      fields: Object.fromEntries(Array.from({ length: 9 }, (_unused, field) => [`field${field}`, 'x'.repeat(300)])),
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    return { repId, planId: plan.planId, planVersionId: plan.planVersionId, ruleId: plan.rules[0].id };
  }

  const get = (path: string): Call => ({
    title: path,
    operation: { ...(operations[0] as AnyOperation), method: 'get', access: 'admin' },
    path,
    contentType: 'application/json',
    body: undefined,
  });

  /** Sends the request and reads the response without keeping it. Resolves with the status. */
  function send({ operation, path, contentType, body }: Call): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(operation.access === 'public' ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': contentType, 'content-length': String(body.length) }),
      };
      const method = operation.method.toUpperCase();
      const sent = httpRequest(`${target.url}${path}`, { method, headers, agent: false }, (response) => {
        response.on('error', reject).resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.setTimeout(deadlineMs, () => sent.destroy(new Error(`no response within ${deadlineMs} ms`)));
      // A rejected upload may end the connection before all of it was sent.
      sent.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
      );
      sent.end(body);
    });
  }

  for (const operation of operations)
    it(`${operation.id} leaves the service responsive with its largest input`, async function () {
      this.timeout(attempts * deadlineMs);
      for (const call of callsOf(operation, known, ids)) await expectWithinBudget(call);
    });

  async function expectWithinBudget(call: Call): Promise<void> {
    const exceeded: string[] = [];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let status = 0;
      const { slowestMs, peakMib } = await monitor.during(async () => {
        status = await send(call);
      });
      statuses.set(call.operation.id, [...(statuses.get(call.operation.id) ?? []), status]);
      expect(status, `${call.title} returned ${status}`).to.satisfy(
        (code: number) => code < 500 || code === 502 || code === 503,
      );
      expect(peakMib - idleMib, `${call.title}: MiB more than idle`).to.be.lessThan(maxMoreMib);
      if (slowestMs - idleMs <= maxSlowerMs) return;
      const idle = await monitor.during(() => sleep(200));
      idleMs = Math.max(idleMs, idle.slowestMs);
      if (slowestMs - idleMs <= maxSlowerMs) return;
      exceeded.push(`${Math.round(slowestMs)} ms (idle ${Math.round(idleMs)} ms)`);
    }
    expect.fail(`${call.title}: /livez took ${exceeded.join(', then ')}`);
  }

  it('the largest inputs of plans, simulations and lists pass validation', () => {
    for (const id of ['createPlan', 'simulateCommissions', 'upsertReps', 'importDeals', 'putDeal'])
      expect(statuses.get(id), id).to.satisfy((all: number[]) => all.some((status) => status < 300));
  });
});

function environment(database: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...database,
    PORT: '0',
    LOG_LEVEL: 'error',
    NO_DEMO: '1',
    RATE_LIMIT_PER_MINUTE: '1000000',
    PUBLIC_REQUESTS_PER_MINUTE: '1000000',
    FAILED_SIGN_INS_PER_MINUTE: '1000000',
    CRM_ALLOW_LOOPBACK: '1',
    ...Object.fromEntries(
      ['CRMA_API_BASE', 'CRMA_AUTH_BASE', 'CRMB_API_BASE', 'CRMB_AUTH_BASE', 'CRMC_LOGIN_BASE'].map((name) => [
        name,
        'http://127.0.0.1:9',
      ]),
    ),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
}

function knownValues(ids: Readonly<Record<string, string>>): Record<string, unknown> {
  return {
    ...ids,
    planRuleId: ids['ruleId'],
    config: largestConfigs['conditions'],
    period: '2026-01',
    closeDate: '2026-01-15',
    effectiveStart: '2026-01-01',
    effectiveEnd: '2026-12-31',
    email: (index: number) => `person${index}@x.io`,
    dealId: (index: number) => `deal-${index}`,
    currency: 'USD',
    timezone: 'UTC',
    // Tests send no request to other hosts.
    instanceUrl: 'http://127.0.0.1:9',
  };
}

function callsOf(operation: AnyOperation, known: KnownValues, ids: Readonly<Record<string, string>>): Call[] {
  const path = pathOf(operation, ids);
  const call = (what: string, body: Buffer | undefined, contentType = 'application/json'): Call => ({
    title: `${operation.id}${what}`,
    operation,
    path,
    contentType,
    body,
  });
  if (operation.upload !== undefined) {
    const { types, limitBytes } = operation.upload as { types: readonly string[]; limitBytes: number };
    return types.map((type) => call(` of ${type}`, fileOf(type, Math.min(limitBytes, maxUploadBytes)), type));
  }
  if (operation.raw !== undefined) return [call('', Buffer.alloc(operation.raw.limitBytes, '[1,'))];
  const bodies = bodiesOf(operation, known);
  return bodies.length === 0 ? [call('', undefined)] : bodies.map(({ what, body }) => call(what, Buffer.from(body)));
}

function pathOf({ path, example }: AnyOperation, ids: Readonly<Record<string, string>>): string {
  const withIds = path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    encodeURIComponent(ids[name === 'planRef' ? 'planId' : name] ?? example.params?.[name] ?? token),
  );
  const query = new URLSearchParams(example.query ?? {}).toString();
  return query === '' ? withIds : `${withIds}?${query}`;
}

/** The largest body of the schema, and for operations with a config one body for each expensive config. */
function bodiesOf(operation: AnyOperation, known: KnownValues): { readonly what: string; readonly body: string }[] {
  const example = operation.example.body as Record<string, unknown> | undefined;
  const largest = largestBody(operation, known);
  if (largest === undefined) return [];
  const generated = [{ what: '', body: JSON.stringify(largest) }];
  if (!Object.hasOwn(largest as object, 'config')) return generated;
  const configured = Object.entries(largestConfigs).map(([name, config]) => {
    const { planId, planVersionId, repIds, ...rest } = largest as Record<string, unknown>;
    const simulated =
      operation.id === 'simulateCommissions' ? simulationOf(rest, known) : { ...example, name: `Plan ${name}` };
    return { what: ` with many ${name}`, body: JSON.stringify({ ...simulated, config }) };
  });
  return [...generated, ...configured];
}

/** Few enough deals that the cost of the simulation is accepted, with long texts. */
function simulationOf(_rest: Record<string, unknown>, known: KnownValues): Record<string, unknown> {
  const deals = Array.from({ length: 400 }, (_, at) => ({
    dealId: `made-up-${at}`,
    amount: 100,
    stage: 'Won',
    closeDate: '2026-01-15',
    fields: Object.fromEntries(Array.from({ length: 9 }, (_unused, field) => [`field${field}`, 'y'.repeat(100)])),
  }));
  return { period: '2026-01', repId: known.byName['repId'], deals };
}

function fileOf(type: string, bytes: number): Buffer {
  if (type === 'application/json') {
    const deals = Array.from({ length: Math.floor(bytes / 110) }, (_, at) => ({
      dealId: `upload-${at}`,
      amount: 100,
      stage: 'Open',
      closeDate: '2026-01-15',
      ownerId: 'm1',
    }));
    return Buffer.from(JSON.stringify({ deals }));
  }
  const rows = Array.from({ length: Math.floor(bytes / 50) }, (_, at) => `csv-${at},100,Open,2026-01-15,m1`);
  return Buffer.from(`dealId,amount,stage,closeDate,ownerId\n${rows.join('\n')}\n`);
}
