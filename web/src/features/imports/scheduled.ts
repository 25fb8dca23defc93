import { type ScheduledFile, type ScheduledImport } from '../../api/scheduled-import-queries.js';
import { dealImport } from './deals.js';
import { type SavedColumns } from './file-shapes.js';
import { bare, type ImportContext, keepColumn, skipColumn } from './kind.js';
import { matchColumns } from './suggest.js';
import { type SourceTable } from './table.js';

type Subject = ScheduledImport['subject'];
type ScheduledOptions = ScheduledImport['options'];

export const subjectNames: Readonly<Record<Subject, string>> = {
  deals: 'Deals',
  people: 'People',
  quotas: 'Quotas',
  invoices: 'Invoices and payments of customers',
};

export const sourceNames: Readonly<Record<ScheduledImport['source']['kind'], string>> = {
  url: 'Web address of a CSV file',
  sftp: 'Folder on an SFTP server',
  s3: 'Folder of an S3-compatible store',
  stripe: 'Invoices in Stripe',
};

/** Where the files are, in short. */
export function describeSource({ source }: Pick<ScheduledImport, 'source'>): string {
  if (source.kind === 'url') return source.url;
  if (source.kind === 'stripe') return `Stripe, the last ${source.days} days`;
  if (source.kind === 's3') return `${source.bucket}/${(source.folder ?? '').replace(/^\/+/, '')}`;
  return `${source.user}@${source.host}:${source.folder}`;
}

export function describeSchedule({ schedule: { every, at } }: Pick<ScheduledImport, 'schedule'>): string {
  return every === 'day' ? `Every day at ${at}` : `Every hour at ${at.slice(3)} minutes past`;
}

type State = readonly [tone: 'good' | 'info' | 'neutral' | 'negative' | 'warning', words: string];

export function describeState({ paused, error, waitingFileId, isRunning, confirmedAt }: ScheduledImport): State {
  if (paused) return ['neutral', 'Paused'];
  if (isRunning) return ['info', 'Reading'];
  if (error !== null) return ['negative', 'Not working'];
  if (waitingFileId !== null) return ['warning', 'Waits for you'];
  return confirmedAt === null ? ['neutral', 'No file yet'] : ['good', 'On'];
}

/** The columns that files other than those of deals may have. Roles and payroll ids are not taken from files. */
const columnNames: Readonly<Record<Exclude<Subject, 'deals'>, readonly (readonly [name: string, label: string])[]>> = {
  people: [
    ['email', 'E-mail'],
    ['name', 'Name'],
    ['crmMemberId', 'Member ID in the CRM'],
    ['managerEmail', 'E-mail of the manager'],
    ['managerFrom', 'Manager from'],
    ['hireDate', 'Hire date'],
    ['endDate', 'Last day'],
  ],
  quotas: [
    ['email', 'E-mail'],
    ['plan', 'Plan'],
    ['measure', 'Rule'],
    ['period', 'Period'],
    ['target', 'Target'],
    ['variableTarget', 'Variable pay at target'],
    ['prorate', 'Prorate'],
  ],
  invoices: [
    ['dealId', 'Deal'],
    ['invoiceId', 'Invoice'],
    ['amount', 'Net amount'],
    ['grossAmount', 'Amount with tax'],
    ['currency', 'Currency'],
    ['issuedOn', 'Date of the invoice'],
    ['status', 'Status'],
    ['paymentId', 'Payment'],
    ['paidAmount', 'Paid amount'],
    ['paidOn', 'Paid on'],
  ],
};

/** Where a column may go. */
export function targetChoices(subject: Subject): readonly (readonly [value: string, label: string])[] {
  const skip = [skipColumn, 'Do not import'] as const;
  if (subject !== 'deals') return [...columnNames[subject], skip];
  return [...dealImport.targets.map(({ key, label }) => [key, label] as const), [keepColumn, 'Keep as a field'], skip];
}

function toTable({ sample: { header, rows } }: ScheduledFile): SourceTable {
  return { header, rows, delimiter: ',' };
}

/** The target of each column: as the options say, or a suggestion if they say nothing. */
export function firstTargets(
  { subject, options }: Pick<ScheduledImport, 'subject' | 'options'>,
  file: ScheduledFile,
  context: ImportContext,
  saved: SavedColumns,
): readonly string[] {
  const { header } = file.sample;
  if (options.columns !== undefined) return header.map((name) => targetOfName(subject, options, name, context));
  if (subject === 'deals') {
    const offered = new Set(targetChoices(subject).map(([key]) => key));
    const matched = matchColumns(dealImport, toTable(file), saved, context);
    return matched.map(({ target }) => (offered.has(target) ? target : keepColumn));
  }
  return header.map((name) => columnNames[subject].find(([key]) => bare(key) === bare(name))?.[0] ?? skipColumn);
}

function targetOfName(subject: Subject, { columns }: ScheduledOptions, name: string, context: ImportContext): string {
  const stored = columns?.[name];
  if (stored === null) return skipColumn;
  if (subject !== 'deals') return stored ?? name;
  const found = dealImport.targets.find(({ key }) => nameOfTarget(key, context) === stored);
  return found?.key ?? keepColumn;
}

/** The name that the import has for a target. */
function nameOfTarget(target: string, context: ImportContext): string | undefined {
  const table: SourceTable = { header: ['column'], rows: [], delimiter: ',' };
  return dealImport.prepare({ table, columns: [target], options: {}, context }).header[0];
}

interface Matching {
  readonly columns: Readonly<Record<string, string | null>>;
  readonly idColumn?: string;
  /** What prevents the import, in words. */
  readonly problems: readonly string[];
}

const requiredColumns: Readonly<Record<Exclude<Subject, 'deals'>, readonly string[]>> = {
  people: ['email'],
  quotas: ['email', 'period', 'target'],
  invoices: ['dealId', 'invoiceId', 'amount', 'issuedOn'],
};

/** The names of the columns for the import. */
export function toMatching(
  { subject, options }: Pick<ScheduledImport, 'subject' | 'options'>,
  file: ScheduledFile,
  targets: readonly string[],
  context: ImportContext,
): Matching {
  const { header } = file.sample;
  if (subject !== 'deals') {
    const required = requiredColumns[subject].filter((key) => key !== 'dealId' || options.dealField === undefined);
    const missing = columnNames[subject].filter(([key]) => required.includes(key) && !targets.includes(key));
    return {
      columns: Object.fromEntries(header.map((name, index) => [name, toName(targets[index])])),
      problems: missing.map(([, label]) => `Choose the column with the ${label.toLowerCase()}.`),
    };
  }
  const prepared = dealImport.prepare({ table: toTable(file), columns: targets, options: {}, context });
  const names = [...prepared.header];
  return {
    columns: Object.fromEntries(
      header.map((name, index) => [
        name,
        targets[index] === skipColumn || name === '' ? null : (names.shift() ?? null),
      ]),
    ),
    idColumn: nameOfTarget('dealId', context) ?? 'deal_id',
    problems: prepared.problems,
  };
}

function toName(target: string | undefined): string | null {
  return target === undefined || target === skipColumn ? null : target;
}

/** The file whose columns a person matches: the one that waits, or the first one, which could not be read. */
export function findFileToMatch(
  { waitingFileId, confirmedAt }: Pick<ScheduledImport, 'waitingFileId' | 'confirmedAt'>,
  files: readonly ScheduledFile[],
): ScheduledFile | undefined {
  const waiting = files.find(({ fileId }) => fileId === waitingFileId);
  if (waiting !== undefined || confirmedAt !== null) return waiting;
  return files.find(({ status, sample }) => status === 'failed' && sample.header.length > 0);
}
