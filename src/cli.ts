import { Command, Option } from 'commander';
import { sql } from 'kysely';
import { migrations } from '#migrations/index.js';
import { banner } from './demo/banner.js';
import { runDemoCrm } from './demo/run-demo-crm.js';
import { isCurrency } from './kernel/currency.js';
import { runUntilSignal } from './main.js';
import { type Config, ConfigError, readConfig } from './platform/config.js';
import { migrateToLatest, pendingMigrations } from './platform/database/migrate.js';
import { createDatabase } from './platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from './platform/database/server.js';
import { UnitOfWork } from './platform/database/unit-of-work.js';
import { diagnose } from './platform/doctor.js';
import { createLog } from './platform/log.js';
import { type RecentMail, recentMails } from './platform/mail/recent-mails.js';
import { masterKey } from './platform/secrets/master-key.js';
import { Secrets } from './platform/secrets/secrets.js';
import { createWorkspace } from './workspaces/create-workspace.js';
import { rotateWorkspaceKey } from './workspaces/workspace-store.js';

/** Standard output is data, standard error is talk. Exit codes: 0 done, 1 failed, 2 wrong usage, 78 configuration. */
const program = new Command('commissions')
  .description('The commission service: serve it and operate it')
  .exitOverride();

program
  .command('serve')
  .description('Run the service: API and workers in one process unless told otherwise')
  .option('--api', 'only answer requests')
  .option('--worker', 'only work jobs')
  .option('--no-demo', 'leave the demo workspace out of the first start')
  .action(async ({ api = false, worker = false, demo }: { api?: boolean; worker?: boolean; demo: boolean }) => {
    const config = { ...readSettings(), ...(demo ? {} : { NO_DEMO: true }) };
    const parts = { api: api || !worker, worker: worker || !api };
    const running = await runUntilSignal(config, parts, createLog(config.LOG_LEVEL));
    process.stdout.write(banner(running));
  });

program
  .command('migrate')
  .description('Bring the database up to date; safe to run several times at once')
  .option('--status', 'only list what is pending; exit 1 when something is')
  .action(async ({ status = false }: { status?: boolean }) => {
    await withServer(async (server) => {
      if (status) {
        const pending = await pendingMigrations(server.ownerUrl, migrations);
        process.stdout.write(pending.map((name) => `${name}\n`).join(''));
        process.exitCode = pending.length > 0 ? 1 : 0;
        return;
      }
      const done = await migrateToLatest(server.ownerUrl, migrations);
      process.stderr.write(done.length > 0 ? `Applied ${done.length} migrations.\n` : 'Nothing to do.\n');
    });
  });

const workspace = program.command('workspace').description('Create and list workspaces');

workspace
  .command('create <name>')
  .description('Create a workspace; prints its API key, once')
  .addOption(new Option('--tier <tier>', 'subscription tier').choices(['free', 'pro', 'enterprise']).default('free'))
  .option('--currency <code>', 'default currency, ISO 4217', 'USD')
  .option('--timezone <zone>', 'IANA time zone in which days and periods are read', 'UTC')
  .option('--admin-email <email>', 'also create this person as admin')
  .option('--json', 'print JSON')
  .action(
    async (
      name: string,
      options: {
        tier: 'free' | 'pro' | 'enterprise';
        currency: string;
        timezone: string;
        adminEmail?: string;
        json?: boolean;
      },
    ) => {
      assertWorkspaceOptions(name, options);
      const created = await withUnitOfWork((unitOfWork) =>
        createWorkspace(unitOfWork, { name: name.trim(), ...options }),
      );
      if (options.json === true) process.stdout.write(`${JSON.stringify(created)}\n`);
      else process.stdout.write(`workspace ${created.workspaceId}\nAPI key   ${created.apiKey}\n`);
    },
  );

workspace
  .command('list')
  .description('List workspaces')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    await withServer(async (server) => {
      const rows = await listWorkspaces(server);
      if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
      else
        process.stdout.write(
          rows.map((row) => `${row.workspaceId}  ${row.name}  ${row.tier}  ${row.currency}\n`).join(''),
        );
    });
  });

program
  .command('api-key')
  .description('Replace API keys')
  .command('rotate <workspaceId>')
  .description('Give the workspace a new API key; the old one stops at once, or after the grace time')
  .option('--grace-minutes <minutes>', 'how long the old key still works', '0')
  .option('--json', 'print JSON')
  .action(async (workspaceId: string, { graceMinutes, json = false }: { graceMinutes: string; json?: boolean }) => {
    const rotated = await withUnitOfWork((unitOfWork) =>
      unitOfWork.run({ workspaceId }, 'reads', (trx) =>
        rotateWorkspaceKey(trx, { workspaceId, actor: 'command-line' }, Number(graceMinutes), new Date()),
      ),
    );
    process.stdout.write(
      json ? `${JSON.stringify({ workspaceId, apiKey: rotated.apiKey })}\n` : `API key ${rotated.apiKey}\n`,
    );
  });

program
  .command('mail')
  .description('Show the last 10 mails, for trials without a mail server; never their text in production')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    await withServer(async (server, config) => {
      await migrateToLatest(server.ownerUrl, migrations);
      const production = config.NODE_ENV === 'production';
      if (production) process.stderr.write('In production the text of mails is not shown: it may hold codes.\n');
      const secrets = production ? null : new Secrets(masterKey(config));
      const mails = await recentMails(server.ownerUrl, secrets, 10);
      process.stdout.write(json ? `${JSON.stringify(mails)}\n` : mails.map(mailLines).join('\n'));
    });
  });

program
  .command('demo-crm')
  .description('Start made-up CRMs and the service on data of its own, and close deals to watch commission appear')
  .option('--port <port>', 'port of the API', '3000')
  .action(async ({ port }: { port: string }) => {
    await runDemoCrm(process.env, port, (text) => process.stdout.write(text));
  });

program
  .command('doctor')
  .description('Check what the service needs, and say how to mend what is missing')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    const findings = await diagnose(process.env, migrations);
    if (json) process.stdout.write(`${JSON.stringify(findings)}\n`);
    else process.stdout.write(findings.map(({ ok, check, told }) => `${ok ? '✓' : '✗'} ${check}: ${told}\n`).join(''));
    process.exitCode = findings.every((finding) => finding.ok) ? 0 : 1;
  });

function mailLines({ createdAt, to, subject, sentAt, attempts, lastError, text }: RecentMail): string {
  const state =
    sentAt === null ? `not sent, ${attempts} tries${lastError === null ? '' : `, ${lastError}`}` : `sent ${sentAt}`;
  const head = `${createdAt}  ${to}  ${subject}  (${state})\n`;
  return text === undefined ? head : `${head}\n${text.replace(/^(?=.)/gm, '    ')}`;
}

function readSettings(): Config {
  return readConfig(process.env);
}

/** The configured server, or the embedded one: joined when it runs, else started for the time of the command. */
async function withServer<T>(work: (server: DatabaseServer, config: Config) => Promise<T>): Promise<T> {
  const config = readSettings();
  const server = await openDatabaseServer(config, createLog('warn'));
  try {
    return await work(server, config);
  } finally {
    await server.stop();
  }
}

async function withUnitOfWork<T>(work: (unitOfWork: UnitOfWork) => Promise<T>): Promise<T> {
  return withServer(async (server) => {
    await migrateToLatest(server.ownerUrl, migrations);
    const database = createDatabase({ url: server.appUrl, size: 2, onError: () => {} });
    try {
      return await work(new UnitOfWork(database));
    } finally {
      await database.destroy();
    }
  });
}

async function listWorkspaces(server: DatabaseServer) {
  const database = createDatabase({ url: server.ownerUrl, size: 1, onError: () => {}, asOwner: true });
  try {
    const { rows } = await sql<{ workspaceId: string; name: string; tier: string; currency: string }>`
      select workspace_id as "workspaceId", name, tier, currency from workspaces order by created_at`.execute(database);
    return rows;
  } finally {
    await database.destroy();
  }
}

function assertWorkspaceOptions(name: string, { currency, timezone }: { currency: string; timezone: string }): void {
  if (name.trim().length === 0 || name.length > 200) program.error('error: the name must have 1 to 200 characters');
  if (!isCurrency(currency)) program.error(`error: ${currency} is not an ISO 4217 currency`);
  if (!isTimeZone(timezone)) program.error(`error: ${timezone} is not an IANA time zone`);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

try {
  await program.parseAsync();
} catch (error) {
  const { code, exitCode } = error as { code?: string; exitCode?: number };
  if (code?.startsWith('commander.')) process.exitCode = exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof ConfigError) && error instanceof Error && error.cause instanceof Error)
      process.stderr.write(`  because: ${error.cause.message}\n`);
    process.exitCode = error instanceof ConfigError ? 78 : 1;
  }
}
