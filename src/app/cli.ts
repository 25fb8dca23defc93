import { isTimeZone } from '../workspaces/workspace.js';
import 'reflect-metadata';
import { Command, Option } from 'commander';
import { sql } from 'kysely';
import { migrations } from '#migrations/index.js';
import { recalculateCommissions } from '../commissions/commands/recalculate-commissions.js';
import { getRecalculationJob } from '../commissions/queries/get-recalculation-job.js';
import { type Caller, serviceCaller } from '../kernel/caller.js';
import { isCurrency } from '../kernel/currency.js';
import { addDays, isDay } from '../kernel/day.js';
import { isUuid } from '../kernel/ids.js';
import { operations } from '../operations.js';
import { type Config, ConfigError, readConfig } from '../platform/config.js';
import { migrateToLatest, pendingMigrations } from '../platform/database/migrate.js';
import { assertHarmlessRole, createDatabase, type Database } from '../platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from '../platform/database/server.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { createLog } from '../platform/log.js';
import { type RecentMail, recentMails } from '../platform/mail/recent-mails.js';
import { describeApi } from '../platform/openapi/document.js';
import { deletePreviousKeys, openSecrets, replaceGeneratedKey } from '../platform/secrets/master-key.js';
import { terminalLog } from '../platform/terminal-log.js';
import { serviceVersion } from '../platform/version.js';
import { records } from '../records.js';
import { eraseAtCommandLine } from '../reps/erase-person.js';
import { createWorkspace } from '../workspaces/create-workspace.js';
import { rotateWorkspaceKey } from '../workspaces/workspace-store.js';
import { type ChainReport, type DeletedEntries, deleteAuditEntries, verifyChain } from './audit-chain.js';
import { banner } from './banner.js';
import { completionScript } from './completion.js';
import { compose, type Service } from './composition.js';
import { dataFolderWarning } from './data-folder-warning.js';
import { diagnose } from './doctor.js';
import { runUntilSignal, type Welcome } from './main.js';
import { reencryptSecrets } from './master-key-rotation.js';
import { addPlanCommands } from './plan-commands.js';

/**
 * Standard output is for data, standard error for messages. Exit codes: 0 done, 1 failed, 2 wrong usage, 78
 * configuration.
 */
const program = new Command('commissions')
  .description('The commission service: serve it and operate it')
  .exitOverride();

program
  .command('serve')
  .description('Run the service: by default API and workers in one process')
  .option('--api', 'run only the API')
  .option('--worker', 'run only the workers')
  .option('--no-demo', 'create no demo workspace on the first start')
  .action(async ({ api = false, worker = false, demo }: { api?: boolean; worker?: boolean; demo: boolean }) => {
    const config = { ...readSettings(), ...(demo ? {} : { NO_DEMO: true }) };
    const parts = { api: api || !worker, worker: worker || !api };
    const running = await runUntilSignal(
      config,
      parts,
      createLog(config.LOG_LEVEL, process.stderr.isTTY ? terminalLog((text) => process.stderr.write(text)) : undefined),
      config.NO_DEMO ? null : createDemo,
    );
    process.stdout.write(banner(running));
  });

const migrate = program
  .command('migrate')
  .description('Migrate the database to the latest version; safe to run concurrently')
  .action(async () => {
    await withServer(async (server) => {
      const done = await migrateToLatest(server.ownerUrl, migrations);
      process.stderr.write(done.length > 0 ? `Applied ${done.length} migrations.\n` : 'The database is up to date.\n');
    });
  });

migrate
  .command('status')
  .description('List pending migrations; exit 1 if there are any')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    await withServer(async (server) => {
      const pending = await withOwner(server, (database) => pendingMigrations(database, migrations, 'owner'));
      process.stdout.write(json ? `${JSON.stringify({ pending })}\n` : pending.map((name) => `${name}\n`).join(''));
      process.exitCode = pending.length > 0 ? 1 : 0;
    });
  });

const workspace = program.command('workspace').description('Create and list workspaces');

workspace
  .command('create <name>')
  .description('Create a workspace and print its API key, which is shown only once')
  .addOption(new Option('--tier <tier>', 'subscription tier').choices(['free', 'pro', 'enterprise']).default('free'))
  .option('--currency <code>', 'default currency, ISO 4217', 'USD')
  .option('--timezone <zone>', 'IANA time zone of days and periods', 'UTC')
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
  .description('Create a new API key for the workspace; the old key expires at once, or after the grace time')
  .option('--grace-minutes <minutes>', 'minutes until the old key expires', '0')
  .option('--json', 'print JSON')
  .action(async (workspaceId: string, { graceMinutes, json = false }: { graceMinutes: string; json?: boolean }) => {
    const rotated = await withUnitOfWork((unitOfWork) =>
      unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
        rotateWorkspaceKey(
          trx,
          { workspaceId, actor: 'command-line', personId: null },
          Number(graceMinutes),
          new Date(),
        ),
      ),
    );
    process.stdout.write(
      json ? `${JSON.stringify({ workspaceId, apiKey: rotated.apiKey })}\n` : `API key ${rotated.apiKey}\n`,
    );
  });

program
  .command('master-key')
  .description('Replace the master key')
  .command('rotate')
  .description('Encrypt all stored secrets with the present master key; exit 1 if the previous key is still needed')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    await withServer(async (server, config) => {
      const isGenerated = config.MASTER_KEY === undefined;
      if (isGenerated) prepareGeneratedKey(server, config);
      else if (config.MASTER_KEY_PREVIOUS.length === 0)
        program.error('error: set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the old one');
      const result = await withOwner(server, (database) => reencryptSecrets(database, openSecrets(config)));
      if (isGenerated && result.remaining === 0) deletePreviousKeys(config.DATA_DIR);
      process.stdout.write(
        json ? `${JSON.stringify(result)}\n` : `re-encrypted ${result.reencrypted}, remaining ${result.remaining}\n`,
      );
      process.exitCode = result.remaining > 0 ? 1 : 0;
    });
  });

const audit = program.command('audit').description('Check the audit log, and delete its oldest entries');

audit
  .command('verify [workspaceId]')
  .description(
    'Recompute the hash chain of the audit log, of all workspaces or one; exit 1 if an entry is missing or changed',
  )
  .option('--expect <head>', 'head of an earlier check, which the chain of the workspace must still contain')
  .option('--json', 'print JSON')
  .action(async (workspaceId: string | undefined, { expect, json = false }: { expect?: string; json?: boolean }) => {
    assertVerifiable(workspaceId, expect);
    await withServer(async (server) => {
      const all =
        workspaceId === undefined ? (await listWorkspaces(server)).map((one) => one.workspaceId) : [workspaceId];
      const reports = await withOwner(server, (database) => verifyChains(database, all, expect ?? null));
      process.stdout.write(json ? `${JSON.stringify(reports)}\n` : reports.map(chainLine).join(''));
      process.exitCode = reports.some(({ problem }) => problem !== null) ? 1 : 0;
    });
  });

audit
  .command('delete [workspaceId]')
  .description('Delete the entries of earlier days, of all workspaces or one; the chain stays verifiable')
  .requiredOption('--before <day>', 'first day whose entries stay, YYYY-MM-DD (UTC), at least a year ago')
  .option('--yes', 'delete; without it, only print how many entries would be deleted')
  .option('--json', 'print JSON')
  .action(async (workspaceId: string | undefined, options: { before: string; yes?: boolean; json?: boolean }) => {
    const { before, yes = false, json = false } = options;
    assertDeletable(workspaceId, before);
    await withServer(async (server) => {
      const all =
        workspaceId === undefined ? (await listWorkspaces(server)).map((one) => one.workspaceId) : [workspaceId];
      const results = await withOwner(server, (database) => deleteVerified(database, all, before, !yes));
      const line = ({ workspaceId: of, deleted, through }: DeletedEntries) =>
        `${of}  ${deleted} entries${through === null ? '' : ` through ${through}`}\n`;
      process.stdout.write(json ? `${JSON.stringify(results)}\n` : results.map(line).join(''));
      if (!yes) process.stderr.write('Nothing was deleted. Add --yes to delete; export the entries first.\n');
    });
  });

program
  .command('person')
  .description('Erase the data of people')
  .command('erase <workspaceId> <person>')
  .description('Replace the name, the addresses and the ids of a person (id or e-mail) by a pseudonym; amounts stay')
  .option('--yes', 'erase; without it, only print what would be erased')
  .option('--json', 'print JSON')
  .action(async (workspaceId: string, person: string, options: { yes?: boolean; json?: boolean }) => {
    const { yes = false, json = false } = options;
    if (!isUuid(workspaceId)) program.error(`error: ${workspaceId} is not a workspace id (UUID)`);
    const erasure = await withUnitOfWork((unitOfWork) =>
      eraseAtCommandLine(unitOfWork, { workspaceId, actor: 'command-line' }, person, !yes),
    );
    const lines = Object.entries(erasure.rows).map(([name, count]) => `${name.padEnd(20)} ${count}\n`);
    process.stdout.write(json ? `${JSON.stringify({ ...erasure, erased: yes })}\n` : lines.join(''));
    if (!yes) process.stderr.write('Nothing was erased. Add --yes to erase; this cannot be undone.\n');
  });

program
  .command('mail')
  .description('Show the last 10 mails, for trials without a mail server; in production without their text')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    await withServer(async (server, config) => {
      await migrateToLatest(server.ownerUrl, migrations);
      const production = config.NODE_ENV === 'production';
      if (production)
        process.stderr.write('In production the text of mails is not shown: it may contain sign-in codes.\n');
      const secrets = production ? null : openSecrets(config);
      const mails = await recentMails(server.ownerUrl, secrets, 10);
      process.stdout.write(json ? `${JSON.stringify(mails)}\n` : mails.map(mailLines).join('\n'));
    });
  });

program
  .command('demo-crm')
  .description('Start simulated CRMs and the service on temporary data, and close deals to see their commission')
  .option('--port <port>', 'port of the API', '3000')
  .action(async ({ port }: { port: string }) => {
    const { runDemoCrm } = await import('#demo/run-crm-tour.js');
    await runDemoCrm(process.env, port, (text) => process.stdout.write(text));
  });

program
  .command('doctor')
  .description('Check what the service needs, and print how to fix what is missing')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    const findings = await diagnose(process.env, migrations);
    const sign = { ok: '✓', warning: '!', failed: '✗' };
    if (json) process.stdout.write(`${JSON.stringify(findings)}\n`);
    else
      process.stdout.write(
        findings.map(({ state, check, message }) => `${sign[state]} ${check}: ${message}\n`).join(''),
      );
    process.exitCode = findings.some(({ state }) => state === 'failed') ? 1 : 0;
  });

program
  .command('status')
  .description('Print the calculation backlog and its age, and the number of pending migrations')
  .option('--json', 'print JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    await withServer(async (server) => {
      const status = await withOwner(server, readStatus);
      process.stdout.write(
        json
          ? `${JSON.stringify(status)}\n`
          : Object.entries(status)
              .map(([name, value]) => `${name.padEnd(22)} ${value}\n`)
              .join(''),
      );
    });
  });

program
  .command('recalc <workspaceId>')
  .description('Recalculate a workspace, or one rep, plan or deal of it; running workers do the calculation')
  .option('--rep <id>', 'one rep')
  .option('--plan <id>', 'every rep of one plan')
  .option('--deal <id>', 'every rep whom the deal affects')
  .option('--wait', 'wait until it is done; exit 1 if a rep could not be calculated')
  .option('--json', 'print JSON')
  .action(
    async (
      workspaceId: string,
      options: { rep?: string; plan?: string; deal?: string; wait?: boolean; json?: boolean },
    ) => {
      if (!isUuid(workspaceId)) program.error(`error: ${workspaceId} is not a workspace id (UUID)`);
      const { rep: repId, plan: planId, deal: dealId, wait = false, json = false } = options;
      const scope = Object.fromEntries(Object.entries({ repId, planId, dealId }).filter(([, id]) => id !== undefined));
      await withService(async (service) => {
        const caller = { ...serviceCaller(workspaceId, 'command-line'), actor: 'command-line' };
        const raw = { params: {}, query: {}, body: { ...scope, async: true } };
        const { body: answer } = await service.dispatcher.run(recalculateCommissions, raw, caller);
        const { jobId } = answer as { jobId: string };
        const job = wait ? await finalStatus(service, caller, jobId) : { jobId, status: 'running' };
        process.stdout.write(json ? `${JSON.stringify(job)}\n` : `${jobId} ${job.status}\n`);
        process.exitCode = job.status === 'failed' ? 1 : 0;
      });
    },
  );

addPlanCommands(program);

program
  .command('openapi')
  .description('Print the OpenAPI document')
  .action(() => {
    process.stdout.write(`${JSON.stringify(describeApi(operations, serviceVersion, records), null, 2)}\n`);
  });

program
  .command('version')
  .description('Print the version')
  .action(() => {
    process.stdout.write(`${serviceVersion}\n`);
  });

program
  .command('completion <shell>')
  .description('Print a completion script: source <(commissions completion bash)')
  .action((shell: string) => {
    const script = completionScript(program, shell);
    if (script === null)
      return program.error(`error: no completion script for ${shell}; use bash, zsh or fish`, { exitCode: 2 });
    process.stdout.write(script);
  });

/** Demo and simulated CRMs are loaded only by the commands that use them. */
async function createDemo(service: Service): Promise<Welcome> {
  const { createDemoWorkspace, demoWelcome } = await import('#demo/workspace.js');
  return demoWelcome(await createDemoWorkspace(service));
}

async function readStatus(database: Database) {
  const pending = await pendingMigrations(database, migrations, 'owner');
  if (pending.length > 0) return { pendingMigrations: pending.length };
  const { rows } = await sql<{ workspaces: string; jobs: string; requests: string; age: number; parked: string }>`
    select (select count(*) from workspaces) as workspaces, (select count(*) from jobs where status = 'running') as jobs,
      b.requests, b.oldest_seconds as age, b.parked from calculation_backlog() b`.execute(database);
  const [row] = rows;
  return {
    version: serviceVersion,
    pendingMigrations: 0,
    workspaces: Number(row?.workspaces),
    runningJobs: Number(row?.jobs),
    calculationRequests: Number(row?.requests),
    oldestRequestSeconds: Math.round(row?.age ?? 0),
    parkedReps: Number(row?.parked),
  };
}

async function finalStatus(
  service: Service,
  caller: Caller,
  jobId: string,
): Promise<{ jobId: string; status: string }> {
  for (;;) {
    const raw = { params: { jobId }, query: {}, body: undefined };
    const { body: answer } = await service.dispatcher.run(getRecalculationJob, raw, caller);
    const job = answer as { jobId: string; status: string; progress: { done: number; total: number } };
    if (job.status !== 'running') return job;
    process.stderr.write(`${job.progress.done} of ${job.progress.total} reps\n`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function assertVerifiable(workspaceId: string | undefined, expect: string | undefined): void {
  if (workspaceId !== undefined && !isUuid(workspaceId))
    program.error(`error: ${workspaceId} is not a workspace id (UUID)`);
  if (expect !== undefined && workspaceId === undefined) program.error('error: --expect needs a workspace id');
}

const minAuditDays = 365;

function assertDeletable(workspaceId: string | undefined, before: string): void {
  if (workspaceId !== undefined && !isUuid(workspaceId))
    program.error(`error: ${workspaceId} is not a workspace id (UUID)`);
  const latest = addDays(new Date().toISOString().slice(0, 10), -minAuditDays);
  if (!isDay(before) || before > latest) program.error(`error: --before must be a day YYYY-MM-DD up to ${latest}`);
}

/** A chain that is not correct stays as it is, because its entries may be evidence. */
async function deleteVerified(
  database: Database,
  workspaceIds: readonly string[],
  before: string,
  isDryRun: boolean,
): Promise<DeletedEntries[]> {
  const results: DeletedEntries[] = [];
  for (const { workspaceId, problem } of await verifyChains(database, workspaceIds, null)) {
    if (problem !== null) throw new Error(`Nothing of workspace ${workspaceId} was deleted: ${problem}.`);
    results.push(await deleteAuditEntries(database, workspaceId, before, isDryRun));
  }
  return results;
}

async function verifyChains(database: Database, workspaceIds: readonly string[], expected: string | null) {
  const reports: ChainReport[] = [];
  for (const workspaceId of workspaceIds) reports.push(await verifyChain(database, workspaceId, expected));
  return reports;
}

function chainLine({ workspaceId, entries, head, unsealed, problem }: ChainReport): string {
  const waiting = unsealed === 0 ? '' : `, ${unsealed} not sealed yet`;
  const result = problem === null ? `head ${head ?? 'none'}` : `WRONG: ${problem}`;
  return `${workspaceId}  ${entries} entries${waiting}  ${result}\n`;
}

function mailLines({ createdAt, to, subject, sentAt, attempts, lastError, text }: RecentMail): string {
  const state =
    sentAt === null ? `not sent, ${attempts} tries${lastError === null ? '' : `, ${lastError}`}` : `sent ${sentAt}`;
  const head = `${createdAt}  ${to}  ${subject}  (${state})\n`;
  return text === undefined ? head : `${head}\n${text.replace(/^(?=.)/gm, '    ')}`;
}

/** A running service would continue with the key that it read at its start. */
function prepareGeneratedKey(server: DatabaseServer, { DATA_DIR }: Config): void {
  if (server.joined) program.error('error: stop the service first, because it uses the generated master key');
  replaceGeneratedKey(DATA_DIR);
}

function readSettings(): Config {
  return readConfig(process.env);
}

/**
 * Uses the configured server, or the embedded one: joins it if it is running, otherwise starts it for the duration
 * of the command.
 */
async function withServer<T>(work: (server: DatabaseServer, config: Config) => Promise<T>): Promise<T> {
  const config = readSettings();
  const warning = await dataFolderWarning(config);
  if (warning !== null) process.stderr.write(`${warning}\n`);
  const server = await openDatabaseServer(config, createLog('warn'));
  try {
    return await work(server, config);
  } finally {
    await server.stop();
  }
}

/** The composed service, without a listening API and without workers. */
async function withService<T>(work: (service: Service) => Promise<T>): Promise<T> {
  return withServer(async (server, config) => {
    const service = compose(config, server.appUrl, createLog('warn'));
    try {
      await assertHarmlessRole(service.database);
      return await work(service);
    } finally {
      await service.close();
    }
  });
}

async function withUnitOfWork<T>(work: (unitOfWork: UnitOfWork) => Promise<T>): Promise<T> {
  return withServer(async (server, config) => {
    if (config.MIGRATE_AT_START) await migrateToLatest(server.ownerUrl, migrations);
    const database = createDatabase({ url: server.appUrl, size: 2, onError: () => {} });
    try {
      await assertHarmlessRole(database);
      return await work(new UnitOfWork(database));
    } finally {
      await database.destroy();
    }
  });
}

async function withOwner<T>(server: DatabaseServer, work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase({ url: server.ownerUrl, size: 1, onError: () => {}, asOwner: true });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

async function listWorkspaces(server: DatabaseServer) {
  return withOwner(server, async (database) => {
    const { rows } = await sql<{ workspaceId: string; name: string; tier: string; currency: string }>`
      select workspace_id as "workspaceId", name, tier, currency from workspaces order by created_at`.execute(database);
    return rows;
  });
}

function assertWorkspaceOptions(name: string, { currency, timezone }: { currency: string; timezone: string }): void {
  if (name.trim().length === 0 || name.length > 200) program.error('error: the name must have 1 to 200 characters');
  if (!isCurrency(currency)) program.error(`error: ${currency} is not an ISO 4217 currency`);
  if (!isTimeZone(timezone)) program.error(`error: ${timezone} is not an IANA time zone`);
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
