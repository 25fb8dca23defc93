import { Command, Option } from 'commander';
import { serviceVersion } from '../platform/version.js';
import { chosenShard } from './commands/chosen-shard.js';
import { UsageError } from './commands/usage-error.js';
import { buildCompletionScript } from './completion.js';
import { addListenCommand, addPlanCommands, addTableCommands } from './file-commands.js';
import { reportFailure } from './report-failure.js';

/**
 * The commands. Standard output is for data, standard error for messages. Exit codes: 0 done, 1 failed, 2 wrong usage,
 * 78 configuration. The code of a command is loaded when it runs, because loading the whole service takes a second.
 */
const program = new Command('commissions')
  .description('The commission service: serve it and operate it')
  .version(serviceVersion)
  .exitOverride();

program
  .command('serve')
  .description('Run the service: by default API and workers in one process')
  .option('--api', 'run only the API')
  .option('--worker', 'run only the workers')
  .option('--no-demo', 'create no demo workspace on the first start')
  .option('--no-supervisor', 'do not restart the process when it ends unexpectedly, where the platform does so')
  .addOption(new Option('--restarts <number>', 'how often the supervisor has restarted the process').hideHelp())
  .action(async ({ supervisor, ...options }) => {
    if (supervisor) (await import('./supervisor.js')).supervise();
    else await (await import('./commands/serve.js')).serve(options);
  });

const migrate = program
  .command('migrate')
  .description('Migrate the database to the latest version; safe to run concurrently')
  .action(async () => (await import('./commands/migrate.js')).migrate());

migrate
  .command('status')
  .description('List pending migrations; exit 1 if there are any')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./commands/migrate.js')).migrateStatus(options));

const workspace = program.command('workspace').description('Create and list workspaces');

workspace
  .command('create <name>')
  .description('Create a workspace and print its API key, which is shown only once')
  .addOption(new Option('--tier <tier>', 'subscription tier').choices(['free', 'pro', 'enterprise']).default('free'))
  .option('--currency <code>', 'default currency, ISO 4217', 'USD')
  .option('--timezone <zone>', 'IANA time zone of days and periods', 'UTC')
  .option('--admin-email <email>', 'also create this person as admin')
  .option('--sandbox', 'for tries: it sends no mails and has a test clock')
  .option('--json', 'print JSON')
  .action(async (name, options) => (await import('./commands/workspace.js')).createWorkspace(name, options));

workspace
  .command('list')
  .description('List workspaces')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./commands/workspace.js')).listWorkspaces(options));

workspace
  .command('move <workspaceId>')
  .description(
    'Copy a workspace to the database of TARGET_DATABASE_OWNER_URL while it is in use, and compare every row',
  )
  .option('--to <name>', 'move it to this database of DATABASE_SHARDS instead, and direct its requests there')
  .option('--finish', 'after its requests go there: delete it where it was')
  .option('--cancel', 'let it be changed here again after a move that was interrupted')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) => (await import('./commands/move.js')).moveWorkspace(workspaceId, options));

workspace
  .command('operator <workspaceId>')
  .description('Let the admins of the workspace set up mail and sign-in of the installation; none: nobody')
  .action(async (workspaceId) => (await import('./commands/workspace.js')).nameOperator(workspaceId));

workspace
  .command('copy <workspaceId>')
  .description('Copy the data of a workspace to a new sandbox and print its API key, which is shown only once')
  .option('--name <name>', 'name of the sandbox')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) =>
    (await import('./commands/sandbox.js')).copyWorkspaceToSandbox(workspaceId, options),
  );

workspace
  .command('reset <workspaceId>')
  .description('Empty a sandbox: people except admins, plans, deals and all that follows; settings and keys stay')
  .option('--yes', 'delete; without it, only print the number of rows')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) => (await import('./commands/sandbox.js')).resetWorkspace(workspaceId, options));

workspace
  .command('delete <workspaceId>')
  .description('Delete a workspace with everything in it, such as a sandbox; it cannot be restored')
  .option('--yes', 'delete; without it, only print the number of rows')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) => (await import('./commands/move.js')).deleteWorkspace(workspaceId, options));

program
  .command('api-key')
  .description('Replace API keys')
  .command('rotate <workspaceId>')
  .description('Create a new API key for the workspace; the old key expires at once, or after the grace time')
  .option('--grace-minutes <minutes>', 'minutes until the old key expires', '0')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) => (await import('./commands/workspace.js')).rotateApiKey(workspaceId, options));

program
  .command('master-key')
  .description('Replace the master key')
  .command('rotate')
  .description('Encrypt all stored secrets with the present master key; exit 1 if the previous key is still needed')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./commands/master-key.js')).rotateMasterKey(options));

const audit = program.command('audit').description('Check the audit log, and delete its oldest entries');

audit
  .command('verify [workspaceId]')
  .description(
    'Recompute the hash chain of the audit log, of all workspaces or one; exit 1 if an entry is missing or changed',
  )
  .option('--expect <head>', 'head of an earlier check, which the chain of the workspace must still contain')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) => (await import('./commands/audit.js')).verifyAudit(workspaceId, options));

audit
  .command('delete [workspaceId]')
  .description('Delete the entries of earlier days, of all workspaces or one; the chain stays verifiable')
  .requiredOption('--before <day>', 'first day whose entries stay, YYYY-MM-DD (UTC), at least a year ago')
  .option('--yes', 'delete; without it, only print how many entries would be deleted')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) => (await import('./commands/audit.js')).deleteAudit(workspaceId, options));

program
  .command('person')
  .description('Erase the data of people')
  .command('erase <workspaceId> <person>')
  .description('Replace the name, the addresses and the ids of a person (id or e-mail) by a pseudonym; amounts stay')
  .option('--yes', 'erase; without it, only print what would be erased')
  .option('--json', 'print JSON')
  .action(async (workspaceId, person, options) =>
    (await import('./commands/person.js')).erasePerson(workspaceId, person, options),
  );

program
  .command('mail')
  .description('Show the last 10 mails, for trials without a mail server; in production without their text')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./commands/mail.js')).showMails(options));

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
  .action(async (options) => (await import('./commands/state.js')).checkInstallation(options));

program
  .command('status')
  .description('Print the calculation backlog and its age, and the number of pending migrations')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./commands/state.js')).showStatus(options));

program
  .command('recalc <workspaceId>')
  .description('Recalculate a workspace, or one rep, plan or deal of it; running workers do the calculation')
  .option('--rep <id>', 'one rep')
  .option('--plan <id>', 'every rep of one plan')
  .option('--deal <id>', 'every rep whom the deal affects')
  .option('--wait', 'wait until it is done; exit 1 if a rep could not be calculated')
  .option('--timeout <seconds>', 'with --wait: exit 1 when no rep was calculated for so long', '60')
  .option('--json', 'print JSON')
  .action(async (workspaceId, options) =>
    (await import('./commands/recalculate.js')).recalculate(workspaceId, options),
  );

addPlanCommands(program);
addTableCommands(program);
addListenCommand(program);

program
  .command('openapi')
  .description('Print the OpenAPI document')
  .addOption(new Option('--openapi <version>', 'version of OpenAPI').choices(['3.0', '3.1']).default('3.0'))
  .action(async (options) => (await import('./commands/openapi.js')).printOpenApi(options));

program
  .command('version')
  .description('Print the version')
  .option('--json', 'print JSON')
  .action(({ json = false }: { readonly json?: boolean }) => {
    process.stdout.write(`${json ? JSON.stringify({ version: serviceVersion }) : serviceVersion}\n`);
  });

program
  .command('completion <shell>')
  .description('Print a completion script: source <(commissions completion bash)')
  .action((shell: string) => {
    const script = buildCompletionScript(program, shell);
    if (script === null) throw new UsageError(`no completion script for ${shell}; use bash, zsh or fish`);
    process.stdout.write(script);
  });

const onAllDatabases = [
  migrate,
  ...migrate.commands,
  ...['master-key', 'audit'].flatMap((name) => subcommandsOf(name)),
  findCommand(findCommand(program, 'workspace'), 'list'),
];
const onOneDatabase = [
  ...['workspace', 'api-key', 'person'].flatMap((name) => subcommandsOf(name)),
  ...['mail', 'status', 'recalc'].map((name) => findCommand(program, name)),
].filter((command) => command.name() !== 'move' && !onAllDatabases.includes(command));
for (const command of onAllDatabases) onShard(command, 'all');
for (const command of onOneDatabase) onShard(command, 'that of DATABASE_URL');

// A service on a full disk loses messages and continues. The output of other commands is complete, or they fail.
const isServing = () => program.args[0] === 'serve';
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, may end first.
  if (error.code === 'EPIPE') process.exit();
  if (!isServing()) throw error;
});

function findCommand(parent: Command, name: string): Command {
  return parent.commands.find((command) => command.name() === name) as Command;
}

function subcommandsOf(name: string): readonly Command[] {
  return findCommand(program, name).commands;
}

/** Where a service has several databases, the command works on one of them, or on all. */
function onShard(command: Command, usual: string): void {
  command
    .option('--shard <name>', `the database of DATABASE_SHARDS to work on; by default ${usual}`)
    .hook('preAction', (_program, action) => {
      chosenShard.name = action.opts<{ shard?: string }>().shard ?? null;
    });
}

await program.parseAsync().catch(reportFailure);
