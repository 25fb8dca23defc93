import { type Readable } from 'node:stream';
import { CsvRecords } from './csv-records.js';

/** The records of a CSV file, including the header, in batches as it is read. A byte order mark is removed. */
export async function* csvRecords(source: Readable, delimiter: string): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder();
  const records = new CsvRecords(delimiter);
  for await (const chunk of source as AsyncIterable<Buffer>)
    yield records.push(decoder.decode(chunk, { stream: true }));
  yield records.push(decoder.decode());
  yield records.end();
}
