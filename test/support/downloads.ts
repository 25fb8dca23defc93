import { Readable } from 'node:stream';
import exceljs, { type Worksheet } from 'exceljs';
import { unzipSync } from 'fflate';
import { type ApiClient } from './api-client.js';

interface Downloaded {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Downloads bytes, since the ApiClient reads text. */
export async function download(api: ApiClient, path: string, expected = 200): Promise<Downloaded> {
  const { url, token } = api as unknown as { url: string; token: string };
  const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== expected)
    throw new Error(`${path} returned status ${response.status}: ${bytes.toString('utf8').slice(0, 1000)}`);
  return { status: response.status, headers: response.headers, bytes };
}

/** Reads a workbook with another program than the one that wrote it. */
export async function readWorkbook(bytes: Buffer): Promise<exceljs.Workbook> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.read(Readable.from([bytes]));
  return workbook;
}

/** The rows below the header as objects by column title. */
export function readRows(sheet: Worksheet | undefined): Record<string, exceljs.Cell>[] {
  if (sheet === undefined) throw new Error('the sheet does not exist');
  const titles = (sheet.getRow(1).values as unknown[]).slice(1).map(String);
  const rows: Record<string, exceljs.Cell>[] = [];
  sheet.eachRow((row, number) => {
    if (number > 1) rows.push(Object.fromEntries(titles.map((title, index) => [title, row.getCell(index + 1)])));
  });
  return rows;
}

/** The files of a ZIP archive as text, such as the parts of a workbook. */
export function unzipped(bytes: Buffer): Map<string, Buffer> {
  return new Map(Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content)]));
}
