import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addListenCommand, addPlanCommands, addTableCommands, onServer } from '../../../src/app/file-commands.js';
import { reportFailure } from '../../../src/app/report-failure.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The commands that need a server and nothing else. Exit codes: 0 done, 1 failed, 2 wrong usage. */
const program = new Command('commissions')
  .description('Plan files and operations of a commission service, on any server')
  .version(version)
  .exitOverride();

addPlanCommands(program);
addTableCommands(program);
addListenCommand(program);

onServer(program.command('call <operation>'))
  .description('Call an operation by its id, such as listDeals, and print the response; exit 1 if it is an error')
  .option('--param <name=value...>', 'values of the path')
  .option('--query <name=value...>', 'values of the query')
  .option('--body <json>', 'the body as JSON, or @file')
  .option('--file <path>', 'a file to upload, such as deals.csv')
  .option('--out <file>', 'write a file that the service returns, in place of standard output')
  .option('--wait', 'wait for the job of the response, and exit 1 if it fails')
  .option('--idempotency-key <key>', 'the same key executes the operation once')
  .action(async (operation, options) => (await import('./call.js')).callOperation(operation, options));

await program.parseAsync().catch(reportFailure);
