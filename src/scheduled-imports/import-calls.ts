import { Readable } from 'node:stream';
import { type Caller, serviceCaller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { type TransactionHooks } from '../platform/database/unit-of-work.js';
import { type ClaimedRun } from './run-store.js';
import { type ImportSubject } from './scheduled-import.js';

/** Calls an import operation as any caller does: the same checks, the same entry of the audit log, the same history. */
export type CallImport = (
  subject: ImportSubject,
  query: Readonly<Record<string, string>>,
  csv: Readable,
  caller: Caller,
) => Promise<unknown>;

interface ImportedFile {
  readonly fileName: string;
  readonly csv: Buffer;
}

/** What the import of the file would do. */
export function callDryRun(call: CallImport, run: ClaimedRun, file: ImportedFile): Promise<unknown> {
  const query = { ...buildQuery(run, file), dryRun: 'true' };
  return call(run.subject, query, Readable.from([file.csv]), toCaller(run));
}

/** The import itself, which writes what the hooks write in its transaction. `importId` is its entry in the audit log. */
export function callImport(
  call: CallImport,
  run: ClaimedRun,
  file: ImportedFile,
  { importId, ...hooks }: TransactionHooks & { readonly importId: string },
): Promise<unknown> {
  const caller = { ...toCaller(run), callId: importId, transactionHooks: [hooks] };
  return call(run.subject, buildQuery(run, file), Readable.from([file.csv]), caller);
}

export function actorOf({ id }: Pick<ClaimedRun, 'id'>): string {
  return `scheduled-import:${id}`;
}

/** The person who confirmed the dry run is responsible for what it imports. */
function toCaller(run: ClaimedRun): Caller {
  const { workspaceId, confirmedBy } = run;
  return {
    ...serviceCaller(workspaceId, newId()),
    actor: actorOf(run),
    mayChangeRights: false,
    ...(confirmedBy === null ? {} : { keyCreatorId: confirmedBy }),
  };
}

function buildQuery({ subject, source, options }: ClaimedRun, { fileName }: ImportedFile): Record<string, string> {
  const { idColumn, textColumns, dateFormat, numberFormat, dealField } = options;
  const known = {
    deals: { idColumn, textColumns, dateFormat, numberFormat },
    people: { dateFormat },
    quotas: { numberFormat },
    invoices: { dateFormat, dealField, numberFormat: source.kind === 'stripe' ? 'en' : numberFormat },
  }[subject];
  const stated = Object.entries(known).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { fileName: fileName.slice(-200).toWellFormed(), ...Object.fromEntries(stated) };
}
