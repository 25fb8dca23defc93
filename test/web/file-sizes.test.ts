import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';

const folder = fileURLToPath(new URL('../../web', import.meta.url));

/** A file of the build: what it imports at once, and what it loads later. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
const kilobytes = (file: string) => gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length / 1000;
const total = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + kilobytes(file), 0);

/** The chunk and everything that it imports at once. */
function closure(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const imported of manifest[name]?.imports ?? []) closure(imported, seen);
  return seen;
}

describe('the files of the web app, compressed', () => {
  const [entry = ''] = Object.entries(manifest).find(([, chunk]) => chunk.isEntry) ?? [];
  const lazy = manifest[entry]?.dynamicImports ?? [];
  const first = closure(entry);
  const filesOf = (names: Iterable<string>) => [...names].map((name) => manifest[name]?.file ?? '');
  const added = (name: string) => [...closure(name)].filter((one) => !first.has(one));

  it('are at most 260 KB of JavaScript for every first page', () => {
    expect(lazy.length).to.be.greaterThan(5);
    for (const name of lazy) expect(total(filesOf([...first, ...added(name)])), name).to.be.at.most(260);
  });

  it('are at most 60 KB of JavaScript for a further page', () => {
    for (const name of lazy) expect(total(filesOf(added(name))), name).to.be.at.most(60);
  });

  it('are at most 40 KB of styles in total', () => {
    expect(total(new Set(Object.values(manifest).flatMap(({ css = [] }) => css)))).to.be.at.most(40);
  });
});
