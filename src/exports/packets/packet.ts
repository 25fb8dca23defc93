import { createHash } from 'node:crypto';
import { verifyScript } from './verify-script.js';

/** Lines are stored in files of about this size, so that no file is held in memory as a whole. */
const fileBytes = 4 * 1024 * 1024;

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The files of an archive, with a manifest of their hashes and the program that checks them. The same files with the same
 * content are the same bytes.
 */
export class Packet {
  private readonly files: { readonly path: string; readonly bytes: number; readonly sha256: string }[] = [];

  constructor(private readonly sink: { store(content: Buffer, file: { readonly name: string }): Promise<void> }) {}

  async add(path: string, content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content);
    this.files.push({ path, bytes: bytes.length, sha256: sha256(bytes) });
    await this.sink.store(bytes, { name: path });
  }

  addJson(path: string, content: unknown): Promise<void> {
    return this.add(path, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Stores the rows as files of one JSON object in each line: `name-0001.ndjson` and those that follow. */
  addRows(name: string, rows: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
    return this.addLines(name, toLines(rows));
  }

  async addLines(name: string, lines: AsyncIterable<string>): Promise<void> {
    let [number, held, size] = [1, [] as string[], 0];
    const store = () => this.add(`${name}-${String(number).padStart(4, '0')}.ndjson`, held.join(''));
    for await (const line of lines) {
      held.push(line);
      size += line.length;
      if (size < fileBytes) continue;
      await store();
      [number, held, size] = [number + 1, [], 0];
    }
    if (size > 0 || number === 1) await store();
  }

  /** Adds the program and the manifest, which begins with the head. Returns the SHA-256 of the manifest. */
  async finish(head: Readonly<Record<string, unknown>>): Promise<string> {
    await this.add('verify.js', verifyScript);
    const manifest = Buffer.from(`${JSON.stringify({ ...head, files: this.files }, null, 2)}\n`);
    const hash = sha256(manifest);
    await this.sink.store(manifest, { name: 'manifest.json' });
    await this.sink.store(Buffer.from(`${hash}  manifest.json\n`), { name: 'manifest.sha256' });
    return hash;
  }
}

async function* toLines(rows: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
