import { type Logger } from 'pino';
import { readConfig } from '#src/app/config.js';
import { type RunningProcess, start } from '#src/app/main.js';
import { WriteBackRunner } from '#src/crm/write-back/write-back-runner.js';
import { createLog } from '#src/platform/log.js';
import { openMailBody } from '#src/platform/mail/outbox.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { afterRun } from './after-file.js';
import { duringSuite } from './during-suite.js';
import { freePort } from './free-port.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { RunningService, type Settings, testSettings } from './running-service.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { until } from './until.js';

export interface ServiceOptions {
  /** Environment variables, in addition to those of all tests. */
  readonly settings?: Settings;
  /** Whether background jobs run. Default: true. */
  readonly worker?: boolean;
  /** Sets PUBLIC_URL, which CRMs and agents need to reach the service. */
  readonly hasPublicUrl?: boolean;
  /** Simulated CRMs, which the service uses and which can reach it. */
  readonly crms?: readonly { readonly environment: Readonly<Record<string, string>> }[];
  readonly log?: Logger;
  /** Default: a new, migrated database. */
  readonly database?: Promise<TestDatabase>;
  /** Whether no other suite uses it, although it needs no settings: its tests count or change rows of all workspaces. */
  readonly isAlone?: boolean;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The service in this process, with the API and by default with workers, on its own database. */
export class Service extends RunningService {
  private constructor(
    readonly url: string,
    readonly running: RunningProcess,
    database: TestDatabase,
    settings: Settings,
  ) {
    super(database, settings, running.service.unitOfWork);
  }

  static async start({
    settings = {},
    worker = true,
    crms = [],
    hasPublicUrl = crms.length > 0,
    log = createLog(process.env['TEST_LOG'] ?? 'silent'),
    database: created = createTestDatabase({ migrate: migrateTestDatabase }),
  }: ServiceOptions = {}): Promise<Service> {
    const database = await created;
    const own: Settings = {
      ...(hasPublicUrl ? await publicAddress() : {}),
      ...Object.assign({}, ...crms.map(({ environment }) => environment)),
      ...settings,
    };
    const quiet = { LOG_LEVEL: 'silent', SIMULATION_SECONDS: '60' };
    const config = readConfig({ ...database.environment, ...testSettings, ...quiet, ...own });
    const running = await start(config, { api: true, worker }, log);
    if (running.url === null) throw new Error('the API did not start');
    return new Service(running.url, running, database, own);
  }

  /**
   * The service that the tests of a suite share. Suites that need no settings share one with each other, so their tests
   * create workspaces, and count and change nothing outside of them.
   */
  static duringSuite(options: ServiceOptions = {}): Service {
    const { worker = true, ...others } = options;
    const isShared = Object.keys(others).length === 0;
    return duringSuite(() => (isShared ? Service.shared(worker) : Service.start(options)));
  }

  private static async shared(worker: boolean): Promise<Service> {
    let started = shared.get(worker);
    if (started === undefined) {
      started = Service.start({ worker });
      shared.set(worker, started);
      afterRun(async () => (await started)?.stop());
    }
    const { url, running, database, settings } = await started;
    const lasting = async () => undefined;
    return new Service(url, { ...running, stop: lasting }, { ...database, drop: lasting }, settings);
  }

  override async stop(): Promise<void> {
    await this.running.stop();
    await super.stop();
  }

  /**
   * Resolves when every change is calculated and nothing is left to compare with the CRMs or to write to them. Runs the
   * work itself, without its pauses; a run returns at once while a worker of the service does the same.
   */
  async waitForWriteBacks(workspaceId: string): Promise<void> {
    const left = `select from write_back_requests where workspace_id = $1
      union all select from deal_write_backs d join crm_write_backs w using (workspace_id, provider)
        where workspace_id = $1 and d.due_at <= now() and w.findings = '[]'
      union all select from crm_write_backs where workspace_id = $1 and checked_at is null limit 1`;
    await this.waitForCalculations(workspaceId);
    await until(
      async () => {
        if ((await this.sql(left, workspaceId)).length === 0) return true;
        await this.running.service.parts.resolve(WriteBackRunner).run(workspaceId);
        return false;
      },
      { what: 'commission is written' },
    );
  }

  /** The stored mails to the address, oldest first, decrypted with the key of the service. */
  async mailsTo(email: string): Promise<Mail[]> {
    const rows = await this.sql<{ mail_id: string; recipient: string; subject: string; body: Buffer }>(
      'select * from mail_outbox where recipient = $1 order by created_at',
      email,
    );
    const secrets = this.running.service.parts.resolve(Secrets);
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
}

/** By whether background jobs run. */
const shared = new Map<boolean, Promise<Service>>();

async function publicAddress() {
  const port = String(await freePort());
  return { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
}
