import { type ScheduledFile, type ScheduledImport } from '../../api/scheduled-import-queries.js';
import { type PersonField } from '../people/person-fields.js';
import { type Field, planFields } from '../plans/fields.js';
import { dealImportWith } from './deals.js';
import { toTextColumns } from './field-columns.js';
import { type SavedColumns } from './file-shapes.js';
import {
  bare,
  becomesField,
  type ImportContext,
  type ImportKind,
  keepColumn,
  keepTextColumn,
  newFieldPrefix,
  skipColumn,
  type Target,
} from './kind.js';
import { isRepeatable, matchColumns } from './suggest.js';
import { type SourceTable } from './table.js';

type Subject = ScheduledImport['subject'];
type ScheduledOptions = ScheduledImport['options'];

/** What the workspace has, with the fields that columns may go to. */
export interface ScheduledContext extends ImportContext {
  readonly dealFields: readonly Field[];
  readonly personFields: readonly PersonField[];
}

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
    ['title', 'Title'],
    ['team', 'Team'],
    ['location', 'Location'],
    ['payCurrency', 'Currency of pay'],
    ['payCurrencyFrom', 'Currency of pay from'],
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

/** Where the columns of the files may go: for deals as in a file that a person imports. */
type ColumnTargets = Pick<ImportKind, 'keepsColumns'> & { readonly targets: readonly Pick<Target, 'key' | 'label'>[] };

export function columnTargets(subject: Subject, context: ScheduledContext): ColumnTargets {
  if (subject === 'deals') return dealKind(context);
  const own = subject === 'people' ? context.personFields.map(({ slug, label }) => [slug, label] as const) : [];
  return { keepsColumns: false, targets: [...columnNames[subject], ...own].map(([key, label]) => ({ key, label })) };
}

function dealKind({ dealFields }: ScheduledContext): ImportKind {
  return dealImportWith(planFields(dealFields));
}

function toTable({ sample: { header, rows } }: ScheduledFile): SourceTable {
  return { header, rows, delimiter: ',' };
}

/** The target of each column: as the options say, or a suggestion if they say nothing. */
export function firstTargets(
  { subject, options }: Pick<ScheduledImport, 'subject' | 'options'>,
  file: ScheduledFile,
  context: ScheduledContext,
  saved: SavedColumns,
): readonly string[] {
  const { header } = file.sample;
  const { targets } = columnTargets(subject, context);
  if (options.columns !== undefined) return header.map((name) => targetOfName(subject, options, name, context));
  if (subject !== 'deals') return namedTargets(header, targets);
  const isOffered = (target: string) => targets.some(({ key }) => key === target) || isRepeatable(target);
  const matched = matchColumns(dealKind(context), toTable(file), saved, context);
  return matched.map(({ target }) => (isOffered(target) ? target : keepColumn));
}

/** The targets that have the names of columns, each once. */
function namedTargets(header: readonly string[], targets: ColumnTargets['targets']): readonly string[] {
  const used = new Set<string>();
  return header.map((name) => {
    const isNamed = ({ key, label }: (typeof targets)[number]) => [key, label].some((one) => bare(one) === bare(name));
    const found = targets.find((target) => !used.has(target.key) && isNamed(target));
    if (found !== undefined) used.add(found.key);
    return found?.key ?? skipColumn;
  });
}

/** The target of a column that the options rename. */
function targetOfName(
  subject: Subject,
  { columns, textColumns }: ScheduledOptions,
  name: string,
  context: ScheduledContext,
): string {
  const stored = columns !== undefined && Object.hasOwn(columns, name) ? columns[name] : name;
  if (stored === null || stored === undefined) return skipColumn;
  if (subject !== 'deals') return stored;
  if (textColumns?.split(',').includes(stored) === true) return keepTextColumn;
  const found = dealKind(context).targets.find(({ key }) => nameOfTarget(key, context) === stored);
  return found?.key ?? (stored === name ? keepColumn : `${newFieldPrefix}${stored}`);
}

/** The name that the import of deals has for a target. */
function nameOfTarget(target: string, context: ScheduledContext): string | undefined {
  const table: SourceTable = { header: ['column'], rows: [], delimiter: ',' };
  return dealKind(context).prepare({ table, columns: [target], options: {}, context }).header[0];
}

/** Which column is what, such as "Booking No is Deal ID". */
export function describeColumns(
  { subject, options }: Pick<ScheduledImport, 'subject' | 'options'>,
  { sample: { header } }: Pick<ScheduledFile, 'sample'>,
  context: ScheduledContext,
): string {
  const { targets } = columnTargets(subject, context);
  const read = header.map((name) => [name, targetOfName(subject, options, name, context)] as const);
  const named = read
    .filter(([, target]) => target !== skipColumn)
    .map(([name, target]) => {
      const label = targets.find(({ key }) => key === target)?.label;
      return `${name} is ${label ?? (becomesField(target) ? 'kept' : target.replace(newFieldPrefix, ''))}`;
    });
  const left = read.filter(([, target]) => target === skipColumn).map(([name]) => name);
  return [...named, ...(left.length === 0 ? [] : [`not imported: ${left.join(', ')}`])].join('; ');
}

interface Matching {
  readonly columns: Readonly<Record<string, string | null>>;
  readonly idColumn?: string;
  readonly textColumns?: string;
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
  context: ScheduledContext,
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
  const prepared = dealKind(context).prepare({ table: toTable(file), columns: targets, options: {}, context });
  const names = [...prepared.header];
  const isLeftOut = (name: string, target = skipColumn) =>
    target === skipColumn || (becomesField(target) && name === '');
  return {
    columns: Object.fromEntries(
      header.map((name, index) => [name, isLeftOut(name, targets[index]) ? null : (names.shift() ?? null)]),
    ),
    idColumn: nameOfTarget('dealId', context) ?? 'deal_id',
    ...toTextColumns(prepared),
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
