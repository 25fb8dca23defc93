import { defaultRateTable, type StoredRate } from '../../engine/exchange-rates.js';
import { isCurrency } from '../../kernel/currency.js';
import { type Day } from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { CellReader, filled } from '../../platform/files/cells.js';
import { widthOf } from '../../platform/files/csv-records.js';
import { type TableRow, toTable } from '../../platform/files/csv-table.js';
import { cellReader, readRowsInSlices, rejectedRow } from '../../platform/files/import-results.js';
import { keyOf, readRate } from './fx-rate.js';

const columns = {
  names: {
    from: ['fromCurrency', 'base', 'source'],
    to: ['toCurrency', 'quote', 'target'],
    day: ['date', 'rateDate', 'validFrom'],
    rate: ['value', 'exchangeRate'],
    table: ['rateTable'],
  },
  required: ['from', 'to', 'day', 'rate'],
} as const;

export interface FileSettings {
  readonly table: string | undefined;
  readonly format: Parameters<typeof cellReader>[0];
  /** Older rates of the file are left out. */
  readonly since: Day | undefined;
}

/** The rates of one row, or why it is rejected. */
export type ReadRow = readonly StoredRate[] | Failure;

/** The file has a row for each rate, or is that of the European Central Bank with a row for each day. */
export async function readRateFile(records: readonly string[][], settings: FileSettings): Promise<ReadRow[]> {
  const [header = [], ...rows] = records;
  return isOfCentralBank(header)
    ? readCentralBank(header.slice(0, widthOf(header)).map(trimmed), rows, settings)
    : readSimple(await toTable(records, columns), settings);
}

const bankCurrency = 'EUR';
const maxDays = 20_000;

/** The header of eurofxref-hist.csv: Date, then the currencies, with a comma at the end. */
function isOfCentralBank(header: readonly string[]): boolean {
  const [first = '', ...codes] = header.map(trimmed);
  const named = codes.filter((code) => code !== '');
  return first.toLowerCase() === 'date' && named.length > 0 && named.every((code) => /^[A-Z]{3}$/.test(code));
}

function trimmed(cell: string): string {
  return cell.trim();
}

/** Each cell is what one euro costs in the currency of its column; N/A and currencies that no longer exist are left out. */
async function readCentralBank(
  header: readonly string[],
  rows: readonly string[][],
  { table = defaultRateTable, since }: FileSettings,
): Promise<ReadRow[]> {
  if (rows.length > maxDays) throw invalid({ path: '', message: `the file has more than ${maxDays} rows` });
  const tableRows = rows.map((cells) => ({ cells, problem: null }));
  const reader = new CellReader({ dates: 'ISO', numbers: 'en' });
  return readRowsInSlices(tableRows, ({ cells }) => {
    const day = filled('Date', reader.day('Date', trimmed(cells[0] ?? '')));
    if (since !== undefined && day < since) return [];
    return header.flatMap((to, index): StoredRate[] => {
      const text = trimmed(cells[index] ?? '');
      if (index === 0 || !isCurrency(to) || text === '' || text === 'N/A') return [];
      return [{ table, from: bankCurrency, to, day, rate: readRate({ from: bankCurrency, to, rate: text }) }];
    });
  });
}

async function readSimple(
  rows: readonly TableRow<keyof (typeof columns)['names']>[],
  { table: ofFile = defaultRateTable, format, since }: FileSettings,
): Promise<ReadRow[]> {
  const seen = new Set<string>();
  const reader = cellReader(format, rows, ['rate']);
  return readRowsInSlices(rows, ({ cells: { table = ofFile, ...cells } }) => {
    if (table.length > 50) throw rejectedRow('table: must have at most 50 characters');
    const day = filled('day', reader.day('day', cells.day));
    const rate = { table, from: readCode('from', cells.from), to: readCode('to', cells.to), day };
    const read = { ...rate, rate: readRate({ ...rate, rate: filled('rate', reader.number('rate', cells.rate)) }) };
    if (seen.has(keyOf(read))) throw rejectedRow('an earlier row has a rate of the same pair and day');
    seen.add(keyOf(read));
    return since !== undefined && day < since ? [] : [read];
  });
}

function readCode(name: string, text = ''): string {
  const code = text.toUpperCase();
  if (!isCurrency(code)) throw rejectedRow(`${name}: ${text || '(empty)'} is not an ISO 4217 currency code`);
  return code;
}
