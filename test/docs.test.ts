import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

const options = { recursive: true, encoding: 'utf8' } as const;

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'src', 'test', 'workers', 'embedded-postgres', 'web'].flatMap((folder) =>
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
      const tested = folder === 'web' ? ['web', 'test/web'] : /^(src|workers)/.test(page) ? [folder] : [];
      const below = tested.flatMap((each) => readdirSync(path.join(root, each), options).map((file) => `/${file}`));
      const exists = (name: string) =>
        [root, path.join(root, folder)].some((base) => existsSync(path.join(base, name))) ||
        below.some((file) => file.endsWith(`/${name}`));
      return [...text(page).matchAll(/`([\w./-]+)`/g)]
        .map(([, name = '']) => name)
        .filter(
          (name) =>
            tops.some((top) => name.startsWith(`${top}/`)) || (below.length > 0 && /\.(tsx?|css)$|\/$/.test(name)),
        )
        .filter((name) => !exists(name))
        .map((name) => `${page}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('names only functions and components of the web app that exist', () => {
    const source = readdirSync(path.join(root, 'web/src'), options)
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => text(path.join('web/src', file)))
      .join('\n');
    const names = [...text('web/README.md').matchAll(/`<?(use[A-Z]\w+|[A-Z][a-z]\w+)(?: [^`]*)?>?`/g)].map(
      ([, name]) => name,
    );
    expect(names).to.include.members(['useChange', 'Money']);
    expect(names.filter((name) => !new RegExp(`(function|const) ${name}\\b`).test(source))).to.deep.equal([]);
  });

  it('lists every decision record', () => {
    const records = readdirSync(path.join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
    const listed = [...text('docs/decisions/README.md').matchAll(/\((\d{4}-[^)]+)\)/g)].map((match) => match[1]);
    expect(listed).to.deep.equal(records.sort());
  });
});
