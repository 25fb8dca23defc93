import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { mapInParallel } from '../../kernel/waiting.js';

const compress = promisify(deflate);

const objectsAStream = 2000;

/** An object of a PDF without its number. */
interface PdfObject {
  readonly number: number;
  readonly body: string;
}

/** Where an object is: at a byte of the file, or in an object stream. */
type Place = readonly [kind: 1, offset: number, generation: 0] | readonly [kind: 2, stream: number, index: number];

/**
 * The PDF with its objects in compressed object streams. Chromium writes each cell of a table as an object for screen
 * readers, in plain text: in a statement of 2,000 lines these are nine tenths of the bytes. A PDF without a plain table
 * of its objects stays as it is.
 */
export async function compactPdf(pdf: Buffer): Promise<Buffer> {
  const text = pdf.toString('latin1');
  const read = readObjects(text);
  if (read === null) return pdf;
  const { objects, head, trailer } = read;
  const info = Number(/\/Info (\d+) 0 R/.exec(trailer)?.[1]);
  // Other programs change times in the description of the document, so it stays plain.
  const isPlain = ({ number, body }: PdfObject) => number === info || body.endsWith('endstream');
  const small = objects.filter((object) => !isPlain(object));
  const first = 1 + Math.max(...objects.map(({ number }) => number));
  const groups = Array.from({ length: Math.ceil(small.length / objectsAStream) }, (_, index) => ({
    number: first + index,
    members: small.slice(index * objectsAStream, (index + 1) * objectsAStream),
  }));
  const streams = await mapInParallel(groups, async ({ number, members }) => ({
    number,
    body: await toObjectStream(members),
  }));

  const places = new Map<number, Place>();
  for (const { number: stream, members } of groups)
    for (const [index, { number }] of members.entries()) places.set(number, [2, stream, index]);
  const written = [head.replace(/^%PDF-1\.\d/, '%PDF-1.5')];
  let offset = head.length;
  for (const { number, body } of [...objects.filter(isPlain), ...streams]) {
    places.set(number, [1, offset, 0]);
    const object = `${number} 0 obj\n${body}\nendobj\n`;
    written.push(object);
    offset += object.length;
  }
  const table = first + groups.length;
  places.set(table, [1, offset, 0]);
  const body = await toTable(places, table + 1, trailer.replace(/\/Size \d+/, ''));
  written.push(`${table} 0 obj\n${body}\nendobj\nstartxref\n${offset}\n%%EOF\n`);
  return Buffer.from(written.join(''), 'latin1');
}

/** The objects in the order of the file; null where the file ends with no plain table of one part. */
function readObjects(text: string): { objects: readonly PdfObject[]; head: string; trailer: string } | null {
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text.slice(-64))?.[1]);
  const [, table, trailer] =
    /^xref\s+0 \d+\s*\n((?:\d{10} \d{5} [fn][ \r]\n)+)trailer\s*<<(.*)>>\s*startxref/s.exec(text.slice(tableAt)) ?? [];
  if (table === undefined || trailer === undefined) return null;
  const places = [...table.matchAll(/(\d{10}) \d{5} ([fn])/g)].flatMap(([, offset, use], number) =>
    use === 'n' ? [{ number, offset: Number(offset) }] : [],
  );
  places.sort((a, b) => a.offset - b.offset);
  const objects = places.map(({ number, offset }, index) => {
    const object = text.slice(offset, places[index + 1]?.offset ?? tableAt);
    return { number, body: object.slice(object.indexOf('obj') + 3, object.lastIndexOf('endobj')).trim() };
  });
  return { objects, head: text.slice(0, places[0]?.offset), trailer };
}

async function toObjectStream(members: readonly PdfObject[]): Promise<string> {
  const offsets: string[] = [];
  let offset = 0;
  for (const { number, body } of members) {
    offsets.push(`${number} ${offset}`);
    offset += body.length + 1;
  }
  const head = `${offsets.join(' ')}\n`;
  const content = `${head}${members.map(({ body }) => body).join('\n')}`;
  return toStream(`/Type /ObjStm /N ${members.length} /First ${head.length}`, Buffer.from(content, 'latin1'));
}

function toTable(places: ReadonlyMap<number, Place>, size: number, trailer: string): Promise<string> {
  const bytes = Buffer.alloc(size * 9);
  for (const [number, [kind, second, third]] of places) {
    bytes.writeUInt8(kind, number * 9);
    bytes.writeUInt32BE(second, number * 9 + 1);
    bytes.writeUInt32BE(third, number * 9 + 5);
  }
  return toStream(`/Type /XRef /Size ${size} /W [1 4 4]${trailer}`, bytes);
}

async function toStream(entries: string, content: Buffer): Promise<string> {
  const compressed = await compress(content);
  const head = `<<${entries} /Filter /FlateDecode /Length ${compressed.length}>>`;
  return `${head} stream\n${compressed.toString('latin1')}\nendstream`;
}
