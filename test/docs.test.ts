import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

const options = { recursive: true, encoding: 'utf8' } as const;

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'src', 'test', 'workers', 'embedded-postgres'].flatMap((folder) =>
    readdirSync(path.join(root, folder), options)
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name)),
  ),
];

const text = (page: string) => readFileSync(path.join(root, page), 'utf8');

describe('the documentation', () => {
  it('links only to files that exist', () => {
    const broken = pages.flatMap((page) =>
      [...text(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] as string)
        .filter((target) => !existsSync(path.join(root, path.dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('names only files and folders that exist', () => {
    const tops = ['src', 'workers', 'web', 'test', 'migrations', 'demo', 'fakes', 'bench', 'docs', 'scripts', 'deploy'];
    const missing = pages.flatMap((page) => {
      const folder = path.dirname(page);
      const below = /^(src|workers)/.test(page) ? readdirSync(path.join(root, folder), options) : [];
      const exists = (name: string) =>
        [root, path.join(root, folder)].some((base) => existsSync(path.join(base, name))) ||
        below.some((file) => file.endsWith(`/${name}`));
      return [...text(page).matchAll(/`([\w./-]+)`/g)]
        .map(([, name = '']) => name)
        .filter(
          (name) => tops.some((top) => name.startsWith(`${top}/`)) || (below.length > 0 && /\.ts$|\/$/.test(name)),
        )
        .filter((name) => !exists(name))
        .map((name) => `${page}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('lists every decision record', () => {
    const records = readdirSync(path.join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
    const listed = [...text('docs/decisions/README.md').matchAll(/\((\d{4}-[^)]+)\)/g)].map((match) => match[1]);
    expect(listed).to.deep.equal(records.sort());
  });
});
