import { fileColumns } from '#src/client.js';
import { type Answer } from '../../api/client.js';
import { type Person } from '../../api/person-list-queries.js';
import { type Plan } from '../../api/queries.js';
import { type DateFormat } from './dates.js';
import { type NumberFormat } from './number-format.js';
import { type SourceTable } from './table.js';

export type ImportKey =
  | 'deals'
  | 'lines'
  | 'people'
  | 'quotas'
  | 'assignments'
  | 'splits'
  | 'absences'
  | 'invoices'
  | 'refunds'
  | 'draws'
  | 'contracts'
  | 'companies'
  | 'openingLots'
  | 'writeOffs'
  | 'estimates';

/** What the values of a column are. */
type ValueKind = 'id' | 'text' | 'number' | 'date' | 'person' | 'owner' | 'period' | 'plan';

/** Where a column of the file goes. */
export interface Target {
  readonly key: string;
  readonly label: string;
  /** Usual names of the column in small letters, without spaces and punctuation; {@link columnNames} has those of the service. */
  readonly names: readonly string[];
  /** A pattern for less usual names. A match is a guess that a person confirms. */
  readonly like?: RegExp;
  readonly values: ValueKind;
  readonly isRequired?: boolean;
  /** Other columns of the same kind of file have such values too, so that only its name finds it. */
  readonly isFoundByName?: boolean;
}

/** The column that says whose row it is. */
export const personTarget: Target = {
  key: 'person',
  label: 'Person, by name or e-mail',
  names: ['email', 'rep', 'name', 'person', 'agent', 'salesagent', 'salesrep', 'repemail', 'fullname'],
  like: /name|agent|rep\b|mail/,
  values: 'person',
  isRequired: true,
};

/** What the workspace has, which the columns of the file refer to. */
export interface ImportContext {
  readonly people: readonly Person[];
  readonly plans: readonly Plan[];
  /** Slugs of the standard values of deals. */
  readonly standard: Readonly<Record<string, string | undefined>>;
}

/** A choice for the file as a whole. */
export interface ImportOption {
  readonly key: string;
  readonly label: string;
  readonly hint?: string;
  readonly type: 'text' | 'choice' | 'check';
  readonly choices?: readonly (readonly [value: string, label: string])[];
  /** What it is before the person chooses. */
  readonly initial: string;
}

export type Options = Readonly<Record<string, string>>;

/** The file with the decisions of the person. */
export interface Matched {
  readonly table: SourceTable;
  /** The key of the target of each column, {@link keepColumn}, or {@link skipColumn}. */
  readonly columns: readonly string[];
  readonly options: Options;
  readonly context: ImportContext;
}

export const keepColumn = 'keep';
/** Keeps a column whose values are numbers or dates as texts, such as numbers of articles. */
export const keepTextColumn = 'keepText';
export const skipColumn = 'skip';
/** Beginning of the target of a column that goes to a field that exists already. */
export const fieldPrefix = 'field:';
/** Beginning of the target of a column that becomes a field with another name than its own. */
export const newFieldPrefix = 'new:';
/** Beginning of the target of a column that has one value for each person, such as the quotas of a quarter. */
export const periodPrefix = 'period:';

/** The file as the service reads it. Every row has the number of its row in the file, from 1. */
export interface Prepared {
  readonly header: readonly string[];
  readonly rows: readonly PreparedRow[];
  /** What prevents the import, in words. */
  readonly problems: readonly string[];
  /** Columns of the header whose numbers and dates stay texts. */
  readonly textColumns?: readonly string[];
}

export interface PreparedRow {
  readonly source: number;
  readonly cells: readonly string[];
}

export interface SendOptions {
  /** For the list of imports. */
  readonly fileName: string;
  readonly dryRun: boolean;
  readonly dateFormat: DateFormat;
  readonly numberFormat: NumberFormat | null;
  readonly textColumns?: readonly string[];
}

export interface Rejected {
  /** The row of the file, from 1. */
  readonly row: number;
  readonly reason: string;
}

export type ImportedOwners = Pick<
  Answer<'importDeals'>,
  | 'unknownOwners'
  | 'rowsWithUnknownOwner'
  | 'rowsWithoutOwner'
  | 'reassigned'
  | 'reassignedDeals'
  | 'conflicts'
  | 'conflicting'
>;

export interface ImportOutcome {
  /** How many rows did what; their sum is the number of rows. */
  readonly counts: readonly (readonly [label: string, count: number])[];
  /** Rows that write something. */
  readonly accepted: number;
  readonly rejected: readonly Rejected[];
  readonly warnings: readonly string[];
  /** Rows that pay no commission, which a person should know before the import. */
  readonly costly?: readonly string[];
  /** Control totals of a file of deals, to compare with its source. */
  readonly totals?: Answer<'importDeals'>['totals'];
  /** Imports of deals list owners who match no person, and deals that move to another person. */
  readonly owners?: ImportedOwners;
  /** The calculation that follows. */
  readonly jobId?: string;
}

type ImportEffect = NonNullable<Answer<'importDeals'>['effect']>;

export interface ImportKind {
  readonly key: ImportKey;
  readonly title: string;
  /** What a row is. */
  readonly one: string;
  readonly many: string;
  /** What the file must have, for the first step. */
  readonly intro: string;
  /** Cells for the first step, as they may be pasted. */
  readonly example: readonly (readonly string[])[];
  readonly targets: readonly Target[];
  /** Whether columns without a target may be stored under their own name. */
  readonly keepsColumns: boolean;
  /** The target of a column whose name no target has. */
  suggest?(header: string): string | null;
  options(matched: Omit<Matched, 'options'>): readonly ImportOption[];
  prepare(matched: Matched): Prepared;
  send(csv: string, options: SendOptions): Promise<ImportOutcome>;
  /** What the import would do to commission; null if it is too large to calculate. Absent for files that have no preview. */
  effect?(csv: string, options: SendOptions): Promise<ImportEffect | null>;
}

/** The names of the column that the service reads, as those of a target. */
export function columnNames<Kind extends keyof typeof fileColumns>(
  kind: Kind,
  column: keyof (typeof fileColumns)[Kind] & string,
): readonly string[] {
  const columns: Readonly<Record<string, readonly string[]>> = fileColumns[kind];
  return [column, ...(columns[column] ?? [])].map(bare);
}

/** Where a column may go, for a select. {@link newFieldPrefix} stands for all names that a person may enter. */
export function targetChoices({
  targets,
  keepsColumns,
}: Pick<ImportKind, 'keepsColumns'> & {
  readonly targets: readonly Pick<Target, 'key' | 'label'>[];
}): readonly (readonly [value: string, label: string])[] {
  return [
    ...targets.map(({ key, label }) => [key, label] as const),
    ...(keepsColumns
      ? ([
          [keepColumn, 'Keep as a field'],
          [keepTextColumn, 'Keep as a text'],
          [newFieldPrefix, 'New field named …'],
        ] as const)
      : []),
    [skipColumn, 'Do not import'],
  ];
}

/** A name without case, accents, spaces and punctuation. */
export function bare(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** The name that a person has given to the field of the column; null where it has another target. */
export function newNameOf(target: string): string | null {
  return target.startsWith(newFieldPrefix) ? target.slice(newFieldPrefix.length).trim() : null;
}

/** Whether the column is stored under its own name. */
export function becomesField(target: string): boolean {
  return target === keepColumn || target === keepTextColumn;
}

/** The cells of the columns that go to the target, by row; the last such column wins. */
export function cellReader({ columns }: Pick<Matched, 'columns'>) {
  const places = new Map(columns.map((key, index) => [key, index]));
  return (row: readonly string[], key: string): string => {
    const place = places.get(key);
    return place === undefined ? '' : (row[place] ?? '').trim();
  };
}

export function hasColumn({ columns }: Pick<Matched, 'columns'>, key: string): boolean {
  return columns.includes(key);
}

/** What to do about required targets that no column has. */
export function missingColumns(targets: readonly Target[], matched: Pick<Matched, 'columns'>): string[] {
  return targets
    .filter(({ key, isRequired = false }) => isRequired && !hasColumn(matched, key))
    .map(({ label }) => `Choose the column “${label}”.`);
}

/** The e-mail address of a person who is named by it or by their name; the text itself if no person has the name. */
export function emailFinder(people: readonly Pick<Person, 'name' | 'email'>[]): (text: string) => string {
  const byName = new Map<string, string | null>();
  for (const { name, email } of people) byName.set(bare(name), byName.has(bare(name)) ? null : email);
  return (text) => (text.includes('@') ? text : (byName.get(bare(text)) ?? text));
}
