import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { Service } from '#test/support/service.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import {
  type KnownValues,
  largestBody,
  largestConfigs,
  largestFile,
  largestQuery,
  largestRecords,
  repair,
} from './largest-input.js';
import { slownessOfMachine } from './machine-speed.js';
import { ServiceMonitor } from './service-monitor.js';

/** How much slower than idle `/livez` may respond on the machine of the budgets, and how much more memory the process may use. */
const maxSlowerMs = 100;
const maxMoreMib = 512;
/**
 * The heap of the service. V8 collects garbage when the heap nears its limit, which by default depends on the memory of
 * the machine; garbage of earlier calls would count as memory of the measured one.
 */
const heapMib = 512;
const deadlineMs = 30_000;
/** Other processes of the machine delay a response too: an operation fails only if it exceeds its budget every time. */
const attempts = 3;
const maxUploadBytes = 4 * 1024 * 1024;
const maxRepairs = 10;
/** Of a response that is read for its error code. */
const maxErrorBytes = 4 * 1024 * 1024;
const token = 'budget-suite';
/** These end the token or delete what others use, so they run last. */
const last = ['resetCommissions', 'rotateWorkspaceKey', 'logOut'];

const operations: readonly AnyOperation[] = [
  ...declared.filter(({ id }) => !last.includes(id)),
  ...declared.filter(({ id }) => last.includes(id)),
];

interface Outcome {
  readonly status: number;
  /** Of an error. */
  readonly code: string | null;
  readonly text: string;
}

interface Call {
  readonly title: string;
  readonly operation: AnyOperation;
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer | undefined;
  /** Whether an error for the content of the body is a result, too. */
  readonly mayBeInvalid?: boolean;
}

describe('the budgets of every operation', () => {
  /** Every CRM: it accepts no credentials. */
  const crm = createServer((_request, response) => response.writeHead(401).end('{}'));
  let service: Service;
  let target: ServiceProcess;
  let monitor: ServiceMonitor;
  let apiKey: string;
  let known: KnownValues;
  let ids: Readonly<Record<string, string>>;
  let ruleIds: readonly string[];
  let idleMs: number;
  let idleMib: number;
  const statuses = new Map<string, number[]>();

  before(async () => {
    crm.listen(0, '127.0.0.1');
    await once(crm, 'listening');
    const crmUrl = `http://127.0.0.1:${(crm.address() as AddressInfo).port}`;
    service = await Service.start({ worker: false });
    ids = await fill();
    known = { byName: knownValues(ids, ruleIds, crmUrl) };
    const settings = { LOG_LEVEL: 'error', NO_DEMO: '1', ...crmSettings(crmUrl) };
    const nodeOptions = [`--max-old-space-size=${heapMib}`];
    target = await service.startProcess('both', settings, { isInstalled: true, nodeOptions });
    monitor = new ServiceMonitor(target.url, target.pid);
    // The first calls compile the code of the common paths.
    for (let round = 0; round < 20; round += 1) await send(get('/v1/reps'));
    const idle = await monitor.during(() => sleep(1_000));
    idleMs = idle.slowestMs;
    idleMib = idle.peakMib;
  });

  after(async () => {
    await monitor?.stop();
    await service?.stop();
    crm.close();
  });

  async function fill(): Promise<Record<string, string>> {
    const workspace = await service.workspace();
    ({ apiKey } = workspace);
    const { api } = workspace;
    const people = Array.from({ length: 20 }, (_, at) => ({
      name: `Rep ${at}`,
      email: `rep${at}@x.io`,
      crmMemberId: `m${at}`,
      ...(at < 18 ? {} : { role: 'manager' }),
    }));
    const repIds = await api.saveReps(...people);
    const [repId, otherId] = repIds as [string, string];
    const [fromRepId = '', delegateId = ''] = repIds.slice(18);
    const config = largestConfigs['conditions'];
    await api.createPlan({ name: 'Paid', config }, [repId]);
    // Calls change this one.
    const plan = await api.createPlan({ name: 'Changed', config }, [otherId]);
    const deals = Array.from({ length: 250 }, (_, at) => ({
      dealId: `D${at}`,
      amount: 100,
      stage: 'Won',
      closeDate: '2026-01-15',
      ownerId: at < 200 ? 'm0' : 'm1',
      fields: Object.fromEntries(Array.from({ length: 9 }, (_unused, field) => [`field${field}`, 'x'.repeat(300)])),
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    ruleIds = plan.rules.map(({ id }: { id: string }) => id);
    return {
      repId,
      otherId,
      planId: plan.planId,
      planVersionId: plan.planVersionId,
      dealId: 'D0',
      fromRepId,
      delegateId,
    };
  }

  const get = (path: string): Call => ({
    title: path,
    operation: { ...(operations[0] as AnyOperation), method: 'get', access: 'admin' },
    path,
    contentType: 'application/json',
    body: undefined,
  });

  /** Sends the request and reads the response without keeping it. */
  function send({ operation, path, contentType, body }: Call): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(operation.access === 'public' ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': contentType, 'content-length': String(body.length) }),
      };
      const method = operation.method.toUpperCase();
      const sent = httpRequest(`${target.url}${path}`, { method, headers, agent: false }, (response) => {
        const status = response.statusCode ?? 0;
        let text = '';
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          if (status >= 400 && text.length < maxErrorBytes) text += chunk.toString();
        });
        response.on('end', () => resolve({ status, code: /"code":"(\w+)"/.exec(text)?.[1] ?? null, text }));
      });
      sent.setTimeout(deadlineMs, () => sent.destroy(new Error(`no response within ${deadlineMs} ms`)));
      // A rejected upload may end the connection before all of it was sent.
      sent.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET'
          ? resolve({ status: 413, code: 'payload_too_large', text: '' })
          : reject(error),
      );
      sent.end(body);
    });
  }

  for (const operation of operations)
    it(`${operation.id} leaves the service responsive with its largest input`, async function () {
      this.timeout(attempts * deadlineMs);
      for (const call of callsOf(operation, known, ids)) await expectWithinBudget(call);
    });

  /** Sends the call until it stays within its budget once. */
  async function expectWithinBudget(generated: Call): Promise<void> {
    const exceeded: string[] = [];
    let call = generated;
    for (let repairs = 0; exceeded.length < attempts; ) {
      const { outcome, slowestMs, peakMib } = await measure(call);
      statuses.set(call.operation.id, [...(statuses.get(call.operation.id) ?? []), outcome.status]);
      const repaired = repairs < maxRepairs ? repairedCall(call, outcome) : null;
      if (repaired !== null) {
        call = repaired;
        repairs += 1;
        continue;
      }
      const returned = `${call.title} returned ${outcome.status}: ${outcome.text.slice(0, 500)}`;
      expect(outcome.status, returned).to.satisfy((one: number) => one < 500 || one === 502 || one === 503);
      // Otherwise the input was not the largest one: it was rejected before the work.
      if (call.mayBeInvalid !== true)
        expect(outcome.code, returned).to.not.be.oneOf(['VALIDATION_FAILED', 'payload_too_large']);
      expect(peakMib - idleMib, `${call.title}: MiB more than idle`).to.be.lessThan(maxMoreMib);
      const limitMs = maxSlowerMs * slownessOfMachine();
      if (slowestMs - idleMs <= limitMs) return;
      exceeded.push(`${Math.round(slowestMs)} ms (idle ${Math.round(idleMs)} ms, limit ${Math.round(limitMs)} ms)`);
    }
    expect.fail(`${call.title}: /livez took ${exceeded.join(', then ')}`);
  }

  async function measure(call: Call) {
    let outcome: Outcome = { status: 0, code: null, text: '' };
    const measured = await monitor.during(async () => {
      outcome = await send(call);
    });
    return { ...measured, outcome };
  }

  it('the largest inputs of plans, simulations and lists are accepted', () => {
    for (const id of ['createPlan', 'simulateCommissions', 'upsertReps', 'importReps', 'importDeals', 'putDeal'])
      expect(statuses.get(id), id).to.satisfy((all: number[]) => all.some((status) => status < 300));
  });
});

/** The call without what the service, unlike the schema, rejects: for example two fields that exclude each other. */
function repairedCall(call: Call, { code, text }: Outcome): Call | null {
  if (code !== 'VALIDATION_FAILED' || call.body === undefined || call.operation.body === undefined) return null;
  const body = JSON.parse(call.body.toString());
  const { issues } = JSON.parse(text).details as { issues: { path: string }[] };
  repair(
    body,
    issues.map(({ path }) => path.split('.')),
    call.operation.example.body,
  );
  return { ...call, body: Buffer.from(JSON.stringify(body)) };
}

function crmSettings(crmUrl: string): Record<string, string> {
  const names = ['CRMA_API_BASE', 'CRMA_AUTH_BASE', 'CRMB_API_BASE', 'CRMB_AUTH_BASE', 'CRMC_LOGIN_BASE'];
  return Object.fromEntries(names.map((name) => [name, crmUrl]));
}

function knownValues(
  ids: Readonly<Record<string, string>>,
  ruleIds: readonly string[],
  crmUrl: string,
): Record<string, unknown> {
  const ruleId = (index: number) => ruleIds[index];
  return {
    ...ids,
    ruleId,
    tierIndex: (index: number) => index,
    planRuleId: ruleId,
    managerId: ids['otherId'],
    managerEmail: 'rep1@x.io',
    version: 1,
    config: largestConfigs['conditions'],
    period: '2026-01',
    closeDate: '2026-01-15',
    effectiveStart: '2026-01-01',
    effectiveEnd: '2026-12-31',
    email: (index: number) => `person${index}@x.io`,
    dealId: (index: number) => `D${index}`,
    currency: 'USD',
    timezone: 'UTC',
    ruleName: 'Rule 0',
    // Only the measured operation of tables has a large one.
    tables: () => [],
    // People are named by id, and a version once.
    filter: () => undefined,
    alsoIn: () => [],
    planVersionId: (index: number) => (index === 0 ? ids['planVersionId'] : randomUUID()),
    // Tests send no request to other hosts.
    instanceUrl: crmUrl,
  };
}

function callsOf(operation: AnyOperation, known: KnownValues, ids: Readonly<Record<string, string>>): Call[] {
  const path = pathOf(operation, known, ids);
  const call = (what: string, body: Buffer | undefined, contentType = 'application/json'): Call => ({
    title: `${operation.id}${what}`,
    operation,
    path,
    contentType,
    body,
  });
  if (operation.upload !== undefined) {
    const { types, limitBytes } = operation.upload as { types: readonly string[]; limitBytes: number };
    const bytes = Math.min(limitBytes, maxUploadBytes);
    return types.flatMap((type) => {
      const example = operation.example.uploads?.[type];
      const records = type === 'text/csv' ? Object.entries(largestRecords(example as string)) : [];
      return [
        call(` of ${type}`, largestFile(example, bytes), type),
        ...records.map(([name, file]) => ({ ...call(` of ${type} with ${name}`, file, type), mayBeInvalid: true })),
      ];
    });
  }
  if (operation.raw !== undefined) return [call('', Buffer.alloc(operation.raw.limitBytes, '[1,'))];
  const bodies = bodiesOf(operation, known);
  return bodies.length === 0 ? [call('', undefined)] : bodies.map(({ what, body }) => call(what, Buffer.from(body)));
}

function pathOf(operation: AnyOperation, known: KnownValues, ids: Readonly<Record<string, string>>): string {
  const withIds = operation.path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    encodeURIComponent(ids[name === 'planRef' ? 'planId' : name] ?? operation.example.params?.[name] ?? token),
  );
  const query = new URLSearchParams(largestQuery(operation, known)).toString();
  return query === '' ? withIds : `${withIds}?${query}`;
}

/** The largest body of the schema, and for operations with a config one body for each expensive config. */
function bodiesOf(operation: AnyOperation, known: KnownValues): { readonly what: string; readonly body: string }[] {
  const example = operation.example.body as Record<string, unknown> | undefined;
  const largest = largestBody(operation, known);
  if (largest === undefined) return [];
  if (!Object.hasOwn(largest as object, 'config')) return [{ what: '', body: JSON.stringify(largest) }];
  // A config, a plan and a version exclude each other.
  const { planId, planVersionId, repIds, ...one } = largest as Record<string, unknown>;
  const generated = [{ what: '', body: JSON.stringify(one) }];
  const configured = Object.entries(largestConfigs).map(([name, config]) => {
    const simulated =
      operation.id === 'simulateCommissions'
        ? simulationOf(known, name === 'dates' ? 200 : 400)
        : { ...example, name: `${operation.id} ${name}` };
    return { what: ` with many ${name}`, body: JSON.stringify({ ...simulated, config }) };
  });
  return [...generated, ...configured];
}

/** Few enough deals that the cost of the simulation is accepted, with long texts. */
function simulationOf(known: KnownValues, count: number): Record<string, unknown> {
  const deals = Array.from({ length: count }, (_, at) => ({
    dealId: `made-up-${at}`,
    amount: 100,
    stage: 'Won',
    closeDate: '2026-01-15',
    fields: Object.fromEntries(Array.from({ length: 9 }, (_unused, field) => [`field${field}`, 'y'.repeat(100)])),
  }));
  return { period: '2026-01', repId: known.byName['repId'], deals };
}
