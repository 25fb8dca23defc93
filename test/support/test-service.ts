import type pg from 'pg';
import { type Logger } from 'pino';
import { type ProcessParts, type RunningProcess, start } from '#src/app/main.js';
import { readConfig } from '#src/platform/config.js';
import { createLog } from '#src/platform/log.js';
import { createWorkspace, type NewWorkspace } from '#src/workspaces/create-workspace.js';
import { until } from '#test/support/until.js';
import { duringSuite } from './during-suite.js';
import { expectSoundLedger, query } from './ledger-checks.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape
  readonly body: any;
}

/** A person to save by name, or by name and other fields. */
type Person = string | { readonly name: string; readonly email?: string; readonly [field: string]: unknown };

/** An HTTP client with one token, with the requests that most tests need to set up a workspace. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly token: string | null,
    private readonly signal?: AbortSignal,
  ) {}

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send('POST', path, body);
  }

  put(path: string, body?: unknown): Promise<Answer> {
    return this.send('PUT', path, body);
  }

  patch(path: string, body?: unknown): Promise<Answer> {
    return this.send('PATCH', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path);
  }

  /** Sends a message to the MCP endpoint. */
  mcp(method: string, params: object = {}): Promise<Answer> {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    return this.send('POST', '/v1/mcp', message, { Accept: 'application/json, text/event-stream' });
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.url}${path}`, {
      method,
      ...(this.signal === undefined ? {} : { signal: this.signal }),
      headers: {
        ...(this.token === null ? {} : { Authorization: `Bearer ${this.token}` }),
        ...(body === undefined || raw ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }

  /** Returns the body if the status is the expected one; otherwise throws the response. */
  async expect(status: number, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await this.send(method, path, body, headers);
    if (answer.status !== status)
      throw new Error(
        `${method} ${path} returned status ${answer.status}: ${JSON.stringify(answer.body).slice(0, 1000)}`,
      );
    return answer.body;
  }

  /**
   * Creates or changes people and returns their ids in the same order. Without an address, Ann has the address
   * `ann@x.io` and the CRM member id `ann`.
   */
  async saveReps<People extends readonly Person[]>(
    ...people: People
  ): Promise<{ -readonly [At in keyof People]: string }> {
    const reps = people.map((person) => {
      const given = typeof person === 'string' ? { name: person } : person;
      const id = given.name.toLowerCase();
      return 'email' in given ? given : { email: `${id}@x.io`, crmMemberId: id, ...given };
    });
    const saved = await this.expect(200, 'PUT', '/v1/reps', { reps });
    return saved.reps.map(({ id }: { id: string }) => id);
  }

  /** Creates the plan and assigns it to the reps. */
  async createPlan(body: object, repIds: readonly string[] = []) {
    const plan = await this.expect(201, 'POST', '/v1/plans', body);
    if (repIds.length > 0) await this.assign(repIds, plan.planId);
    return plan;
  }

  assign(repIds: readonly (string | undefined)[], planId: string) {
    return this.expect(201, 'POST', '/v1/assignments', { repIds, planId });
  }

  setQuota(repIds: readonly (string | undefined)[], measure: string, period: string, target: number) {
    return this.expect(201, 'POST', '/v1/quotas', { repIds, measure, period, target });
  }

  adjust(repId: string, period: string, amount: number, reason: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/adjust`, { period, amount, reason });
  }

  job(jobId: string) {
    return this.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
  }

  /** The job, when it has ended. */
  finishedJob(jobId: string) {
    return until(async () => {
      const job = await this.job(jobId);
      return job.status === 'running' ? null : job;
    });
  }

  generate(repId: string | undefined, period: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/generate`, { period });
  }

  approve(repId: string | undefined, period: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, status: 'approved' });
  }

  unlock(repId: string | undefined, period: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, status: 'draft' });
  }
}

/** Starts the service in this process on its own database, with the API and by default with workers. */
export interface TestService {
  readonly url: string;
  readonly running: RunningProcess;
  readonly database: TestDatabase;
  client(token: string | null): ApiClient;
  workspace(options?: Partial<NewWorkspace>): Promise<{ workspaceId: string; apiKey: string; api: ApiClient }>;
  /** Resolves when no calculation is pending. */
  waitForCalculations(workspaceId: string): Promise<void>;
  expectSoundLedger(workspaceId: string): Promise<void>;
  /** Rows as the owner of the tables reads them, without row-level security. */
  sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

const nowhere = 'http://127.0.0.1:9';

export async function startTestService(
  environment: Record<string, string> = {},
  parts: ProcessParts = { api: true, worker: true },
  log: Logger = createLog(process.env['TEST_LOG'] ?? 'silent'),
  created: Promise<TestDatabase> = createTestDatabase({ migrate: migrateTestDatabase }),
): Promise<TestService> {
  const database = await created;
  const config = readConfig({
    ...database.environment,
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '1000000',
    // All tests have the same address.
    FAILED_SIGN_INS_PER_MINUTE: '1000000',
    PUBLIC_REQUESTS_PER_MINUTE: '1000000',
    // No test reaches a real CRM.
    CRM_ALLOW_LOOPBACK: '1',
    CRMA_API_BASE: nowhere,
    CRMA_AUTH_BASE: nowhere,
    CRMB_API_BASE: nowhere,
    CRMB_AUTH_BASE: nowhere,
    CRMC_LOGIN_BASE: nowhere,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...environment,
  });
  const running = await start(config, parts, log);
  const { url, service } = running;
  if (url === null) throw new Error('the API did not start');
  return {
    url,
    running,
    database,
    client: (token) => new ApiClient(url, token),
    workspace: async (options = {}) => {
      const created = await createWorkspace(service.unitOfWork, {
        name: 'Test',
        tier: 'enterprise',
        currency: 'USD',
        timezone: 'UTC',
        ...options,
      });
      return { ...created, api: new ApiClient(url, created.apiKey) };
    },
    waitForCalculations: (workspaceId) => waitForCalculations(database.ownerUrl, workspaceId),
    expectSoundLedger: (workspaceId) => expectSoundLedger(database.ownerUrl, workspaceId),
    sql: (text, ...values) => query(database.ownerUrl, text, values),
    stop: async () => {
      await running.stop();
      await database.drop();
    },
  };
}

/** The service that the tests of a suite share. */
export function testService(environment?: Record<string, string>, parts?: ProcessParts): TestService {
  return duringSuite(() => startTestService(environment, parts));
}

async function waitForCalculations(ownerUrl: string, workspaceId: string): Promise<void> {
  const pending = 'select from calculation_requests where workspace_id = $1 limit 1';
  await until(async () => (await query(ownerUrl, pending, [workspaceId])).length === 0, {
    what: 'the end of the calculations',
    withinMs: 60_000,
    pauseMs: 10,
  });
}
