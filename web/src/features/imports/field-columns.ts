import {
  bare,
  becomesField,
  fieldPrefix,
  keepTextColumn,
  type Matched,
  newNameOf,
  type Prepared,
  type SendOptions,
  skipColumn,
} from './kind.js';

/** Every column with a target gets the name under which the service reads it; the others keep theirs. */
export function prepareWithFields(
  { table, columns }: Matched,
  nameOf: (target: string) => string,
  missing: readonly string[],
): Prepared {
  const named = columns.map((key) => {
    if (becomesField(key) || key === skipColumn) return null;
    const own = key.startsWith(fieldPrefix) ? key.slice(fieldPrefix.length) : newNameOf(key);
    return own ?? nameOf(key);
  });
  const taken = new Set(named.flatMap((name) => (name === null ? [] : [bare(name)])));
  const places = columns.flatMap((key, index) => {
    if (key === skipColumn || (becomesField(key) && table.header[index] === '')) return [];
    const own = table.header[index] ?? '';
    return [
      { index, isText: key === keepTextColumn, name: named[index] ?? (taken.has(bare(own)) ? `${own}_in_file` : own) },
    ];
  });
  const header = places.map(({ name }) => name);
  const twice = header.find((name, at) => header.indexOf(name) < at);
  return {
    header,
    textColumns: places.filter(({ isText }) => isText).map(({ name }) => name),
    rows: table.rows.map((row, at) => ({ source: at + 1, cells: places.map(({ index }) => row[index] ?? '') })),
    problems: [
      ...(columns.some((key) => newNameOf(key) === '') ? ['Enter the name of the new field.'] : []),
      ...missing,
      ...(twice === undefined ? [] : [`Two columns have the name ${twice}. Leave one of them out.`]),
    ],
  };
}

/** The names of the service are separated by commas. */
export function toTextColumns({ textColumns = [] }: Pick<SendOptions, 'textColumns'>) {
  return textColumns.length === 0 ? {} : { textColumns: textColumns.join(',') };
}
