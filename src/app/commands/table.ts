import { readFileSync } from 'node:fs';
import { ApiError, type CallAnswer, type Client } from '../../client.js';
import { type operations } from '../../operations.js';
import {
  createServerClient,
  formatChange,
  type PullOptions,
  printDiffs,
  reporting,
  type ServerOptions,
  signed,
  writePulled,
} from './server-files.js';
import { normalizeTable, readTableFile, type TableFile } from './table-file.js';
import { UsageError } from './usage-error.js';
import { type FileChange, FileError, listChanges } from './yaml-file.js';

type ServerPreview = CallAnswer<Extract<(typeof operations)[number], { readonly id: 'setRateTable' }>>;

/** Writes a rate table, or every one, to files. Comments of existing files stay. */
export async function pullTables(name: string | undefined, options: ServerOptions & PullOptions): Promise<void> {
  if (name === undefined && options.out !== undefined) throw new UsageError('--out needs the name of a table');
  await reporting(async () => {
    const client = createServerClient(options);
    for (const one of name === undefined ? await listNames(client) : [name]) {
      const table = await findTable(client, one);
      if (table === null) throw new FileError(`there is no rate table ${one}`);
      writePulled(table.name, table, options);
    }
  });
}

/** Creates tables from files, or replaces them. A table that is equal to its file is not changed. */
export async function pushTables(files: readonly string[], options: ServerOptions): Promise<void> {
  await reporting(async () => {
    const client = createServerClient(options);
    for (const file of files) process.stdout.write(await reporting(() => push(client, file), `${file}: `));
  });
}

/** Shows what a push would change. The exit code is 1 if it would change anything. */
export async function diffTables(
  files: readonly string[],
  options: ServerOptions & { readonly json?: boolean },
): Promise<void> {
  await printDiffs(files, options, diff, formatDiff);
}

async function listNames(client: Client): Promise<string[]> {
  return (await client.listRateTables({ query: {} })).rateTables.map(({ name }) => name);
}

/** The table of the name, in any case; null if there is none. */
async function findTable(client: Client, name: string): Promise<TableFile | null> {
  try {
    return normalizeTable(await client.getRateTable({ params: { name }, query: {} }));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_table_not_found') return null;
    throw error;
  }
}

function read(file: string): TableFile {
  return readTableFile(readFileSync(file, 'utf8'), file);
}

function put(client: Client, { name, ...content }: TableFile, dryRun: 'true' | 'false'): Promise<ServerPreview> {
  return client.setRateTable({ params: { name }, query: { dryRun }, body: content as never });
}

async function push(client: Client, file: string): Promise<string> {
  const desired = read(file);
  const stored = await findTable(client, desired.name);
  if (stored !== null && listChanges(stored, desired).length === 0) return `${file}: no change\n`;
  const { name, revision, rows } = await put(client, desired, 'false');
  return `${file}: ${stored === null ? 'created' : 'changed'} ${name}, revision ${revision}, ${formatRows(rows)}\n`;
}

interface FileDiff {
  readonly file: string;
  readonly table: string;
  readonly changes: readonly FileChange[];
  /** It is absent if nothing changes. */
  readonly preview?: ServerPreview;
}

async function diff(client: Client, file: string): Promise<FileDiff> {
  const desired = read(file);
  const stored = await findTable(client, desired.name);
  const { rows: _, ...head } = desired;
  const { rows: __, ...storedHead } = stored ?? desired;
  const isEqual = stored !== null && listChanges(stored, desired).length === 0;
  if (isEqual) return { file, table: desired.name, changes: [] };
  const ofHead = stored === null ? [] : listChanges(storedHead, head);
  const changes = [...ofHead, { path: 'rows', before: stored?.rows.length, after: desired.rows.length }];
  return { file, table: desired.name, changes, preview: await put(client, desired, 'true') };
}

function formatRows({ added, changed, ended }: ServerPreview['rows']): string {
  return `${added} rows added, ${changed} changed, ${ended} ended`;
}

function formatDiff({ file, table, changes, preview }: FileDiff): string {
  if (preview === undefined) return `${file}: no change\n`;
  const { rows, affected, effect } = preview;
  const plans = affected.plans.map(({ name }) => name);
  const lines = [
    `${file}: ${changes.at(-1)?.before === undefined ? 'creates' : 'changes'} the rate table ${table}`,
    ...changes.map((change) => formatChange(change)),
    formatRows(rows),
    ...(plans.length === 0 ? [] : [`plans: ${plans.join(', ')}`]),
    ...(effect?.totals ?? []).map(({ currency, delta }) => `commission: ${signed(delta, currency)} ${currency}`),
    ...(effect?.locked ?? []).map(
      ({ repId, period, currency, delta }) =>
        `approved ${period} of ${repId} would owe ${signed(delta, currency)} ${currency}`,
    ),
  ];
  return `${lines.join('\n  ')}\n`;
}
