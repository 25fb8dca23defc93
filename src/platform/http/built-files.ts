import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Request, type Response } from 'express';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** Encodings and the endings of their files, the smallest first. */
const endings = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof endings;
const encodings = Object.keys(endings) as Encoding[];

/** A file that the build has written, in memory. */
export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed by the build, by encoding; none where compression saves nothing. */
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** Every file below the folder by its path in an address; none if the folder is not built. */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = new Set(names);
  return new Map(
    names.flatMap((name): [string, BuiltFile][] => {
      const type = mediaTypes[path.extname(name)];
      if (type === undefined) return [];
      const read = (file: string) => readFileSync(path.join(folder, file));
      const present = encodings.filter((encoding) => found.has(`${name}${endings[encoding]}`));
      const encoded = Object.fromEntries(present.map((encoding) => [encoding, read(`${name}${endings[encoding]}`)]));
      return [[`/${name.replaceAll('\\', '/')}`, { type, bytes: read(name), encoded }]];
    }),
  );
}

/** Sends the file in the smallest encoding that the client accepts. */
export function sendBuiltFile(
  request: Request,
  response: Response,
  { type, bytes, encoded }: BuiltFile,
  cacheControl: string,
): void {
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('Content-Type', type);
  response.setHeader('Vary', 'Accept-Encoding');
  const encoding = encodings.find(
    (candidate) => encoded[candidate] !== undefined && request.acceptsEncodings(candidate) === candidate,
  );
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  response.end(encoding === undefined ? bytes : encoded[encoding]);
}
