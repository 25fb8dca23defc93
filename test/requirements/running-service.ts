import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { FakeBilling } from '#fakes/fake-billing.js';
import { type NewWorkspace } from '#src/access/workspaces/create-workspace.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type CrmWorld, crmWorlds } from '#test/support/crm-worlds.js';
import { FakeOidc } from '#test/support/fake-oidc.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { freePort } from '#test/support/free-port.js';
import { RunningService } from '#test/support/running-service.js';
import { serverFolder } from '#test/support/server-folder.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { databaseOf, type TestDatabase } from '#test/support/test-database.js';
import { generousTimeLimits } from '#test/support/time-limits.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';
import { startInfrastructure } from './infrastructure.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
export type Json = any;

/** Every server that the service connects to: CRMs, billing, identity provider and mail server, all on loopback. */
interface Outside {
  readonly crms: readonly CrmWorld[];
  readonly billing: FakeBilling;
  readonly oidc: FakeOidc;
  readonly smtp: FakeSmtp;
}

async function startOutside(): Promise<Outside> {
  const [crms, billing, oidc, smtp] = await Promise.all([
    Promise.all(crmWorlds.map(({ start }) => start())),
    FakeBilling.start(),
    FakeOidc.start(),
    FakeSmtp.start(),
  ]);
  billing.addPrice({ id: 'price_pro', lookupKey: 'pro_monthly' });
  billing.addPrice({ id: 'price_enterprise', productTier: 'enterprise' });
  return { crms, billing, oidc, smtp };
}

async function stopOutside({ crms, billing, oidc, smtp }: Outside): Promise<void> {
  await Promise.all([...crms.map((crm) => crm.stop()), billing.stop(), oidc.stop(), smtp.stop()]);
}

function environmentFor({ crms, billing, oidc, smtp }: Outside, dataDir: string, port: number) {
  const url = `http://127.0.0.1:${port}`;
  return {
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    // Many rows present a wrong token, all from one address.
    FAILED_SIGN_INS_PER_MINUTE: '100000',
    CRM_ALLOW_LOOPBACK: '1',
    CRM_POLL_SECONDS: '1',
    WEBHOOKS_PER_SECOND: '100000',
    ...(Object.assign({}, ...crms.map((crm) => crm.environment)) as Record<string, string>),
    ...billing.environment,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Acme Pay <pay@acme.test>',
    ...oidc.environment(url),
    ...generousTimeLimits,
  };
}

async function printedKey(child: ServiceProcess): Promise<string> {
  const pattern = /^ {4}(ws_\S+)/m;
  const [, key = ''] = await until(() => pattern.exec(child.output), { what: 'the key of the demo' });
  return key;
}

/** The embedded database of the running service. It is deleted with the data folder. */
async function openEmbedded(dataDir: string, opened: (() => Promise<unknown>)[]): Promise<TestDatabase> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  opened.push(() => postgres.stop());
  return databaseOf(postgres);
}

/**
 * The service as `npm start` starts it: one process with API and workers, its own embedded PostgreSQL and the demo
 * workspace. Tests use HTTP. They use the database only to create workspaces and sessions and to read data without a
 * route.
 */
export class InstalledService extends RunningService {
  private constructor(
    readonly url: string,
    readonly demoKey: string | null,
    readonly outside: Outside,
    database: TestDatabase,
    connections: Database,
    /** Closed on a stop, in the reverse order of opening. */
    private readonly opened: readonly (() => Promise<unknown>)[],
  ) {
    super(database, {}, new UnitOfWork(connections));
  }

  static async start(): Promise<InstalledService> {
    // The prefix and the id of this process let a later run remove the folder when this one is killed.
    const dataDir = await mkdtemp(path.join(serverFolder, `commissions-test-${process.pid}-`));
    const outside = await startOutside();
    const opened: (() => Promise<unknown>)[] = [() => stopOutside(outside)];
    try {
      const infrastructure = await startInfrastructure();
      if (infrastructure !== null) opened.push(() => infrastructure.stop());
      const { processes: [first = 'both', ...others] = ['both'], settings } = infrastructure ?? {};
      const environment = { ...environmentFor(outside, dataDir, await freePort()), ...settings };
      const child = await ServiceProcess.start(first, environment, { isInstalled: true });
      opened.push(() => child.end());
      for (const kind of others) {
        const other = await ServiceProcess.start(kind, { ...environment, PORT: '0' }, { isInstalled: true });
        opened.push(() => other.end());
      }
      const database = infrastructure?.database ?? (await openEmbedded(dataDir, opened));
      opened.unshift(() => rm(dataDir, { recursive: true, force: true }));
      const connections = createDatabase({ url: database.appUrl, size: 2, onError: () => {} });
      opened.push(() => connections.destroy());
      const demoKey = infrastructure === null ? await printedKey(child) : null;
      return new InstalledService(child.url, demoKey, outside, database, connections, opened);
    } catch (error) {
      for (const close of opened.reverse()) await close().catch(() => undefined);
      throw error;
    }
  }

  override async stop(): Promise<void> {
    for (const close of [...this.opened].reverse()) await close();
    await super.stop();
  }

  crm(provider: CrmProvider): CrmWorld {
    return this.outside.crms.find((crm) => crm.provider === provider) as CrmWorld;
  }

  override workspace(options: Partial<NewWorkspace> = {}): Promise<Workspace> {
    return super.workspace({ name: 'Acme', ...options });
  }

  /** Resolves when all deliveries are processed and calculated. */
  async delivered(workspaceId: string): Promise<void> {
    const left = 'select 1 from inbox where workspace_id = $1 and processed_at is null limit 1';
    await until(async () => (await this.sql(left, workspaceId)).length === 0, {
      what: 'the processing of the deliveries',
    });
    await this.waitForCalculations(workspaceId);
  }

  /** The newest mail to the address that matches the pattern, as soon as there are more than `after` such mails. */
  async mailTo(address: string, pattern = /./, after = 0): Promise<string> {
    return until(
      async () => {
        const mails = this.mailsTo(address, pattern);
        return mails.length > after ? mails.at(-1) : undefined;
      },
      { what: `a mail to ${address}` },
    );
  }

  private mailsTo(address: string, pattern: RegExp): string[] {
    const mails = this.outside.smtp.mails.filter(({ to }) => to.includes(address));
    return mails.map(({ data }) => data).filter((data) => pattern.test(data));
  }

  /** Requests a sign-in code and reads it from the mail. */
  async codeFor(email: string): Promise<string> {
    const code = /^[0-9]{6}$/m;
    const before = this.mailsTo(email, code).length;
    await this.client(null).expect(200, 'POST', '/auth/otp/send', { email });
    const mail = await this.mailTo(email, code, before);
    return (code.exec(mail) as RegExpExecArray)[0];
  }
}

let running: InstalledService | undefined;

/** The single service of the suite. */
export function service(): InstalledService {
  if (running === undefined) throw new Error('the service is not running yet');
  return running;
}

export async function startService(): Promise<void> {
  running = await InstalledService.start();
}

export async function stopService(): Promise<void> {
  await running?.stop();
  running = undefined;
}
