import type pg from 'pg';
import { createWorkspace, type NewWorkspace } from '#src/access/workspaces/create-workspace.js';
import { newId } from '#src/kernel/ids.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { hashToken, newToken, type TokenKind } from '#src/platform/secrets/token.js';
import { ApiClient } from './api-client.js';
import { expectSoundLedger, query } from './ledger-checks.js';
import { type ProcessKind, type ProcessOptions, ServiceProcess } from './service-process.js';
import { type TestDatabase } from './test-database.js';
import { until } from './until.js';
import { Workspace } from './workspace.js';

export type Settings = Readonly<Record<string, string>>;

export const testMasterKey = Buffer.alloc(32, 7).toString('base64');

const nowhere = 'http://127.0.0.1:9';

/** Environment variables of every service of the tests. */
export const testSettings = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: '1000000',
  // All tests have the same address.
  FAILED_SIGN_INS_PER_MINUTE: '1000000',
  PUBLIC_REQUESTS_PER_MINUTE: '1000000',
  // No test reaches a real CRM.
  CRM_ALLOW_LOOPBACK: '1',
  WEBHOOKS_PER_SECOND: '100000',
  CRMA_API_BASE: nowhere,
  CRMA_AUTH_BASE: nowhere,
  CRMB_API_BASE: nowhere,
  CRMB_AUTH_BASE: nowhere,
  CRMC_LOGIN_BASE: nowhere,
  MASTER_KEY: testMasterKey,
};

/** A service with its database, as tests use it wherever it runs. */
export abstract class RunningService {
  private readonly started: ServiceProcess[] = [];

  protected constructor(
    readonly database: TestDatabase,
    protected readonly settings: Settings,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  abstract get url(): string;

  /** The environment of a process of this service. */
  get environment(): Settings {
    return { ...this.database.environment, ...testSettings, ...this.settings };
  }

  /** Its processes, also those that have ended. */
  get processes(): readonly ServiceProcess[] {
    return this.started;
  }

  /** A process of the service that is not running yet. It ends with the service. */
  process(kind: ProcessKind, settings: NodeJS.ProcessEnv = {}, options: ProcessOptions = {}): ServiceProcess {
    const created = new ServiceProcess(kind, { ...this.environment, PORT: '0', ...settings }, options);
    this.started.push(created);
    return created;
  }

  /** Starts another process of the service, on its database. */
  async startProcess(
    kind: ProcessKind,
    settings?: NodeJS.ProcessEnv,
    options?: ProcessOptions,
  ): Promise<ServiceProcess> {
    const created = this.process(kind, settings, options);
    await created.start();
    return created;
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map((process) => process.end('SIGKILL')));
    await this.database.drop();
  }

  async workspace(options: Partial<NewWorkspace> = {}): Promise<Workspace> {
    const terms = { name: 'Test', tier: 'enterprise', currency: 'USD', timezone: 'UTC', ...options } as const;
    const { workspaceId, apiKey } = await createWorkspace(this.unitOfWork, terms);
    return new Workspace(this, workspaceId, apiKey, this.client(apiKey));
  }

  client(token: string | null): ApiClient {
    return new ApiClient(this.url, token);
  }

  /** A client with a session of the rep, as after a sign-in, for any role. */
  async as(workspaceId: string, repId: string): Promise<ApiClient> {
    return this.client(await this.token(workspaceId, 'sess', repId));
  }

  /** A token that is valid for an hour. */
  async token(workspaceId: string, kind: TokenKind, repId: string | null = null): Promise<string> {
    const token = newToken(kind);
    await this.sql(
      `insert into tokens (workspace_id, token_id, kind, token_hash, rep_id, expires_at)
       values ($1, $2, $3, $4, $5, now() + interval '1 hour')`,
      workspaceId,
      newId(),
      kind,
      hashToken(token),
      repId,
    );
    return token;
  }

  /** Rows as the owner of the tables reads them, without row-level security. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql<Row extends pg.QueryResultRow = any>(text: string, ...values: unknown[]): Promise<Row[]> {
    return query(this.database.ownerUrl, text, values);
  }

  /** Resolves when no calculation is pending. */
  waitForCalculations(workspaceId: string): Promise<void> {
    const pending = 'select from calculation_requests where workspace_id = $1 limit 1';
    return this.untilEmpty(pending, workspaceId, 'the end of the calculations');
  }

  /** Resolves when no calculation and no check of an approved period is pending. */
  waitForChecks(workspaceId: string): Promise<void> {
    const pending = `select from period_checks where workspace_id = $1
      union all select from calculation_requests where workspace_id = $1 limit 1`;
    return this.untilEmpty(pending, workspaceId, 'the end of the period checks');
  }

  /** Resolves when no export, preview or other stored job waits or runs. */
  waitForStoredJobs(workspaceId: string): Promise<void> {
    const pending = `select from stored_jobs where workspace_id = $1 and status in ('waiting', 'running')`;
    return this.untilEmpty(pending, workspaceId, 'the end of the stored jobs');
  }

  /**
   * Resolves when the feeds list every change of the workspace. They wait for earlier transactions of the whole server,
   * also of other files' databases.
   */
  waitForFeeds(workspaceId: string): Promise<void> {
    const later = (table: string) =>
      `select from ${table} where workspace_id = $1 and changed_in >= pg_snapshot_xmin(pg_current_snapshot())`;
    const pending = ['deals', 'commission_event_history', 'removed_rows'].map(later).join(' union all ');
    return this.untilEmpty(pending, workspaceId, 'the end of earlier transactions');
  }

  private async untilEmpty(pending: string, workspaceId: string, what: string): Promise<void> {
    await until(async () => (await this.sql(pending, workspaceId)).length === 0, { what, pauseMs: 10 });
  }

  expectSoundLedger(workspaceId: string): Promise<void> {
    return expectSoundLedger(this.database.ownerUrl, workspaceId);
  }
}
