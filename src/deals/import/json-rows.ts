import { type Readable } from 'node:stream';
import { z } from 'zod';
import { type DateFormat, dateFormats } from '../../kernel/date-text.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { guardJson } from '../../platform/http/json-body.js';
import { DealListSplitter, parseJson } from './deal-list-splitter.js';
import { type ImportRow, type RowReader, readJsonRow } from './import-row.js';

const document = z.strictObject({ deals: z.array(z.never()), dateFormat: z.enum(dateFormats).optional() });

/** The date format that the document declares. It may follow the deals, so it is read before any deal. */
export async function declaredDateFormat(source: Readable): Promise<DateFormat | undefined> {
  const splitter = new DealListSplitter();
  for await (const chunk of source as AsyncIterable<Buffer>) splitter.push(chunk);
  const rest = parseJson(splitter.end().replace(/^\uFEFF/, ''), 'The body');
  const read = readValue(document, rest);
  if ('value' in read) return read.value.dateFormat;
  throw invalid(read.issues[0]);
}

/** The deals of a JSON document in their order, in batches. */
export async function* jsonRows(source: Readable, reader: RowReader): AsyncGenerator<ImportRow[]> {
  const splitter = new DealListSplitter();
  let row = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    yield await mapInSlices(splitter.push(chunk), (text) => {
      row += 1;
      return readRow(row, parseJson(text, `Row ${row}`), reader);
    });
  }
}

function readRow(row: number, value: unknown, reader: RowReader): ImportRow {
  try {
    guardJson(value);
  } catch (error) {
    if (error instanceof Failure) return { row, reason: error.message };
    throw error;
  }
  return readJsonRow(row, value, reader);
}
