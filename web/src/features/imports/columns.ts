import { type fileColumns } from '#src/client.js';
import { type Answer } from '../../api/client.js';
import {
  cellReader,
  columnNames,
  emailFinder,
  type ImportKind,
  type Matched,
  missingColumns,
  type Prepared,
  type Target,
} from './kind.js';
import { fileQuery, toOutcome, toUpload } from './results.js';

/** Makes targets of the columns that the service reads under the same name. */
export function targetsOf<Kind extends keyof typeof fileColumns>(kind: Kind) {
  return (
    key: keyof (typeof fileColumns)[Kind] & string,
    label: string,
    values: Target['values'],
    others: Partial<Target> = {},
  ): Target => ({ key, label, names: columnNames(kind, key), values, ...others });
}

interface ColumnTerms {
  /** The name of the column with the people. */
  readonly person?: string;
  /** What is sent for the text of a cell. */
  readonly convert?: (text: string, key: string) => string;
}

/** The rows with a column for each target, and people by their e-mail address. */
export function prepareColumns(
  targets: readonly Target[],
  matched: Matched,
  { person = 'email', convert = (text) => text }: ColumnTerms = {},
): Prepared {
  const cell = cellReader(matched);
  const emailOf = emailFinder(matched.context.people);
  const keys = targets.map(({ key }) => key);
  return {
    header: keys.map((key) => (key === 'person' ? person : key)),
    rows: matched.table.rows.map((row, index) => ({
      source: index + 1,
      cells: keys.map((key) => (key === 'person' ? emailOf(cell(row, key)) : convert(cell(row, key), key))),
    })),
    problems: missingColumns(targets, matched),
  };
}

interface FileRequest {
  readonly query: ReturnType<typeof fileQuery>;
  readonly upload: ReturnType<typeof toUpload>;
}

/** Sends the file to an import with a result for each row. */
export function sendingRows(send: (request: FileRequest) => Promise<Answer<'importReps'>>): ImportKind['send'] {
  return async (csv, options) => toOutcome(await send({ query: fileQuery(options), upload: toUpload(csv) }));
}
