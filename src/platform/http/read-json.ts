import express, { type Request, type Response } from 'express';
import { Failure } from '../../kernel/failure.js';
import { assertUtf8 } from './json-body.js';

export type ReadText = (request: Request, response: Response) => Promise<string | undefined>;

/** Reads the text of a JSON body of at most `limitBytes`; undefined without a body. */
export function jsonTextReader(limitBytes: number, types: readonly string[] = ['application/json']): ReadText {
  const read = express.text({ limit: limitBytes, type: [...types], verify });
  return async (request, response) => {
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
    if (!hasBody) return undefined;
    if (!types.includes(readMediaType(request))) throw unsupported(types);
    await new Promise<void>((resolve, reject) => {
      void read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error as Error)));
    });
    return request.body as string;
  };
}

/** Other encodings of Unicode, such as UTF-16, are decoded by the reader. */
function verify(_request: unknown, _response: unknown, bytes: Buffer, encoding: string): void {
  if (!encoding.startsWith('utf-')) throw Object.assign(new Error(), { type: 'charset.unsupported' });
  if (encoding === 'utf-8') assertUtf8(bytes);
}

export function readMediaType(request: Request): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export function unsupported(types: readonly string[]): Failure {
  return new Failure('unsupported_media_type', `Send the body as ${types.join(' or ')}.`);
}
