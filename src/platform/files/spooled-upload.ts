import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { newId } from '../../kernel/ids.js';
import { decodedText } from './decoded-text.js';

/**
 * Receives a whole upload into a temporary file before `work` starts, and lets `work` read it any number of times. A
 * slow or disconnected sender therefore holds no transaction, and memory holds one chunk at a time. The file is
 * unlinked immediately, so it does not outlive the process.
 */
export async function withSpooledUpload<T>(upload: Readable, work: (read: () => Readable) => Promise<T>): Promise<T> {
  const name = path.join(tmpdir(), `commissions-upload-${newId()}`);
  const file = await open(name, 'wx+', 0o600);
  try {
    await unlink(name);
    for await (const text of decodedText(upload)) await file.appendFile(text);
    return await work(() => Readable.from(readChunks(file), { objectMode: false }));
  } finally {
    await file.close();
  }
}

const chunkBytes = 128 * 1024;

/** Reads by position, so that several readers can share the handle. */
async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
