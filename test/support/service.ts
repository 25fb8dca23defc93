import type pg from 'pg';
import { type Logger } from 'pino';
import { type RunningProcess, start } from '#src/app/main.js';
import { newId } from '#src/kernel/ids.js';
import { readConfig } from '#src/platform/config.js';
import { createLog } from '#src/platform/log.js';
import { openMailBody } from '#src/platform/mail/outbox.js';
import { newToken, type TokenKind, tokenHash } from '#src/platform/secrets/token.js';
import { createWorkspace, type NewWorkspace } from '#src/workspaces/create-workspace.js';
import { ApiClient } from './api-client.js';
import { duringSuite } from './during-suite.js';
import { freePort } from './free-port.js';
import { expectSoundLedger, query } from './ledger-checks.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { until } from './until.js';
import { Workspace } from './workspace.js';

export interface ServiceOptions {
  /** Environment variables, in addition to those of all tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether background jobs run. Default: true. */
  readonly worker?: boolean;
  /** Sets PUBLIC_URL, which CRMs and agents need to reach the service. */
  readonly hasPublicUrl?: boolean;
  /** Simulated CRMs, which the service uses and which can reach it. */
  readonly crms?: readonly { readonly environment: Readonly<Record<string, string>> }[];
  readonly log?: Logger;
  /** Default: a new, migrated database. */
  readonly database?: Promise<TestDatabase>;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const nowhere = 'http://127.0.0.1:9';

const testSettings = {
  PORT: '0',
  LOG_LEVEL: 'silent',
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
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  SIMULATION_SECONDS: '60',
};

/** The service in this process, with the API and by default with workers, on its own database. */
export class Service {
  private constructor(
    readonly url: string,
    readonly running: RunningProcess,
    readonly database: TestDatabase,
  ) {}

  static async start({
    settings = {},
    worker = true,
    crms = [],
    hasPublicUrl = crms.length > 0,
    log = createLog(process.env['TEST_LOG'] ?? 'silent'),
    database: created = createTestDatabase({ migrate: migrateTestDatabase }),
  }: ServiceOptions = {}): Promise<Service> {
    const database = await created;
    const address = hasPublicUrl ? await publicAddress() : {};
    const config = readConfig({
      ...database.environment,
      ...testSettings,
      ...address,
      ...Object.assign({}, ...crms.map(({ environment }) => environment)),
      ...settings,
    });
    const running = await start(config, { api: true, worker }, log);
    if (running.url === null) throw new Error('the API did not start');
    return new Service(running.url, running, database);
  }

  /** The service that the tests of a suite share. */
  static duringSuite(options?: ServiceOptions): Service {
    return duringSuite(() => Service.start(options));
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await this.database.drop();
  }

  async workspace(options: Partial<NewWorkspace> = {}): Promise<Workspace> {
    const terms = { name: 'Test', tier: 'enterprise', currency: 'USD', timezone: 'UTC', ...options } as const;
    const { workspaceId, apiKey } = await createWorkspace(this.running.service.unitOfWork, terms);
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
      tokenHash(token),
      repId,
    );
    return token;
  }

  /** Rows as the owner of the tables reads them, without row-level security. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql<Row extends pg.QueryResultRow = any>(text: string, ...values: unknown[]): Promise<Row[]> {
    return query(this.database.ownerUrl, text, values);
  }

  /** The stored mails to the address, oldest first, decrypted with the key of the service. */
  async mailsTo(email: string): Promise<Mail[]> {
    const rows = await this.sql<{ mail_id: string; recipient: string; subject: string; body: Buffer }>(
      'select * from mail_outbox where recipient = $1 order by created_at',
      email,
    );
    const { secrets } = this.running.service;
    return rows.map(({ mail_id, recipient, subject, body }) => ({
      to: recipient,
      subject,
      ...openMailBody(secrets, mail_id, body),
    }));
  }

  /** The code in the last mail to the address. */
  async lastCode(email: string): Promise<string> {
    const mail = (await this.mailsTo(email)).at(-1);
    const code = /^[0-9]{6}$/m.exec(mail?.text ?? '')?.[0];
    if (code === undefined) throw new Error(`no code was sent to ${email}`);
    return code;
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

  private async untilEmpty(pending: string, workspaceId: string, what: string): Promise<void> {
    await until(async () => (await this.sql(pending, workspaceId)).length === 0, {
      what,
      pauseMs: 10,
    });
  }

  expectSoundLedger(workspaceId: string): Promise<void> {
    return expectSoundLedger(this.database.ownerUrl, workspaceId);
  }
}

async function publicAddress() {
  const port = String(await freePort());
  return { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
}
