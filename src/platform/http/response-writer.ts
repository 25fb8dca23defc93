import { type Response } from 'express';
import { byteLength } from '../long-response.js';

const chunkBytes = 64 * 1024;

/** Writes responses at the speed of the client, and disconnects a client that does not read. */
export class ResponseWriter {
  /** @param stallMs how long the client may take to receive one chunk */
  constructor(private readonly stallMs: number) {}

  /** A text of JSON. A small one fits into the buffers of the operating system and is sent as a whole. */
  async json(response: Response, json: readonly Buffer[]): Promise<void> {
    response.type('application/json');
    this.limitWaiting(response);
    const bytes = byteLength(json);
    if (bytes <= chunkBytes || response.req.method === 'HEAD') {
      response.send(Buffer.concat(json));
      return;
    }
    response.setHeader('Content-Length', bytes);
    await this.stream(response, splitIntoChunks(json));
  }

  /** Reads the next chunk only when the client has received the one before. */
  async stream(response: Response, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    this.limitWaiting(response);
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await this.drained(response);
    }
    response.end();
  }

  /** The socket is destroyed if nothing is sent for the time, also after the last chunk. */
  private limitWaiting(response: Response): void {
    response.setTimeout(this.stallMs, () => response.destroy());
  }

  /** Resolves when the client has received the chunk, or is disconnected because it took too long. */
  private drained(response: Response): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        response.off('drain', done).off('close', done);
        resolve();
      };
      const timer = setTimeout(() => response.destroy(), this.stallMs);
      response.on('drain', done).on('close', done);
      if (response.destroyed) done();
    });
  }
}

function* splitIntoChunks(buffers: readonly Buffer[]): Generator<Buffer> {
  for (const buffer of buffers)
    for (let start = 0; start < buffer.length; start += chunkBytes) yield buffer.subarray(start, start + chunkBytes);
}
