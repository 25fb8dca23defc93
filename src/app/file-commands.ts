import { type Command, Option } from 'commander';

/** The commands of plan files, which need a server and nothing else. */
export function addPlanCommands(program: Command): void {
  const plan = program.command('plan').description('Plans as YAML or JSON files, on any server');

  onServer(plan.command('pull [plan]'))
    .description('Write a plan (name or id), or every plan, to a file; comments of an existing file stay')
    .option('--out <file>', 'the file; by default the name of the plan')
    .option('--dir <folder>', 'folder of the files', '.')
    .addOption(new Option('--format <format>', 'format of new files').choices(['yaml', 'json']).default('yaml'))
    .action(async (name, options) => (await import('./commands/plan.js')).pullPlans(name, options));

  onServer(plan.command('push <files...>'))
    .description('Create plans from files, or change them; a plan that is equal to its file is not changed')
    .option('--force', 'also if tests of a plan fail; the audit log says so')
    .action(async (files, options) => (await import('./commands/plan.js')).pushPlans(files, options));

  onServer(plan.command('diff <files...>'))
    .description('Show what a push would change, and what that would do to commission; exit 1 if it changes anything')
    .option('--period <period>', 'period whose commission is compared; by default all days')
    .option('--from <day>', 'first day whose commission is compared')
    .option('--to <day>', 'last day whose commission is compared')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./commands/plan.js')).diffPlans(files, options));

  onServer(plan.command('test <files...>'))
    .description('Run the tests of files; exit 1 if one fails')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./commands/plan.js')).testPlans(files, options));
}

/** The commands of files of rate tables. */
export function addTableCommands(program: Command): void {
  const table = program.command('table').description('Rate tables as YAML or JSON files, on any server');

  onServer(table.command('pull [table]'))
    .description('Write a rate table, or every one, to a file; comments of an existing file stay')
    .option('--out <file>', 'the file; by default the name of the table')
    .option('--dir <folder>', 'folder of the files', '.')
    .addOption(new Option('--format <format>', 'format of new files').choices(['yaml', 'json']).default('yaml'))
    .action(async (name, options) => (await import('./commands/table.js')).pullTables(name, options));

  onServer(table.command('push <files...>'))
    .description('Create rate tables from files, or replace them; push tables before the plans that use them')
    .action(async (files, options) => (await import('./commands/table.js')).pushTables(files, options));

  onServer(table.command('diff <files...>'))
    .description('Show what a push would change, and what that would do to commission; exit 1 if it changes anything')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./commands/table.js')).diffTables(files, options));
}

/** The command that receives events on this machine. */
export function addListenCommand(program: Command): void {
  onServer(program.command('listen'))
    .description('Receive the events of the workspace on this machine and print them, for a try of webhooks')
    .option('--port <port>', 'port of the receiver; a free one by default', '0')
    .option('--events <types...>', 'types of events, such as statement.approved; all by default')
    .option('--forward-to <url>', 'also send each delivery there, with its signature')
    .action(async (options) => (await import('./commands/listen.js')).listen(options));
}

/** Adds the address of the server and the key. */
export function onServer(command: Command): Command {
  return command
    .option('--url <url>', 'address of the service', process.env['COMMISSIONS_URL'] ?? 'http://localhost:3000')
    .option('--key <key>', 'API key or token; by default COMMISSIONS_KEY');
}
