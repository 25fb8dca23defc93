import { readFileSync } from 'node:fs';
import { type CallAnswer, type Client } from '../../client.js';
import { type operations } from '../../operations.js';
import {
  createServerClient,
  forEachFile,
  formatChange,
  type PullOptions,
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
    const listed = (await client.listRateTables({ query: {} })).rateTables.map((table) => table.name);
    const names = name === undefined ? listed : listed.filter((one) => isSameName(one, name));
    if (name !== undefined && names.length === 0) throw new FileError(`there is no rate table ${name}`);
    for (const one of names) writePulled(one, (await load(client, one)) as TableFile, options);
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
  await reporting(async () => {
    const client = createServerClient(options);
    const { results, problems } = await forEachFile(files, (file) => diff(client, file));
    process.stdout.write(options.json === true ? `${JSON.stringify(results)}\n` : results.map(formatDiff).join(''));
    process.exitCode = results.some(({ changes }) => changes.length > 0) ? 1 : 0;
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
  });
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.trim().toLowerCase();
}

async function load(client: Client, name: string): Promise<TableFile | null> {
  const { rateTables } = await client.listRateTables({ query: {} });
  const listed = rateTables.find((table) => isSameName(table.name, name));
  if (listed === undefined) return null;
  return normalizeTable(await client.getRateTable({ params: { name: listed.name }, query: {} }));
}

function read(file: string): TableFile {
  return readTableFile(readFileSync(file, 'utf8'), file);
}

function put(client: Client, { name, ...content }: TableFile, dryRun: 'true' | 'false'): Promise<ServerPreview> {
  return client.setRateTable({ params: { name }, query: { dryRun }, body: content as never });
}

async function push(client: Client, file: string): Promise<string> {
  const desired = read(file);
  const stored = await load(client, desired.name);
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
  const stored = await load(client, desired.name);
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
