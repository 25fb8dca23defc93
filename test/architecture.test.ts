import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Import {
  readonly file: string;
  /** A path from the root of the project without its ending, or the name of a package. */
  readonly target: string;
}

const slices = [
  'plans',
  'assignments',
  'quotas',
  'deals',
  'commissions',
  'statements',
  'exports',
  'comments',
  'reps',
  'fields',
  'workspaces',
  'auth',
  'integrations',
  'webhooks',
  'billing',
  'audit',
];
/** Processes are put together here, and only here. */
const mains = ['src/main.ts', 'src/cli.ts'];

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const found = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
  return found.map((specifier) => ({ file, target: resolve(file, specifier) }));
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1).replace(/\.js$/, '');
  if (!specifier.startsWith('.')) return specifier;
  return path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '');
}

const files = ['src', 'workers', 'migrations', 'embedded-postgres', 'fakes'].flatMap(sourceFiles);
const imports = files.flatMap(importsOf);

/** Imports of files under the folder that no pattern allows. */
function strangers(folder: RegExp, allowed: readonly RegExp[]): string[] {
  return imports
    .filter(({ file }) => folder.test(file) && !mains.includes(file))
    .filter(({ target }) => !allowed.some((pattern) => pattern.test(target)))
    .map(({ file, target }) => `${file} imports ${target}`);
}

const node = /^node:/;
const zod = /^zod$/;
const kernel = /^src\/kernel\//;
const engine = /^src\/engine\//;
const database = /^src\/platform\/database\/|^kysely$/;

describe('import rules', () => {
  it('kernel imports only itself and node', () => {
    expect(strangers(/^src\/kernel\//, [node, kernel])).to.deep.equal([]);
  });

  it('engine imports only kernel and zod', () => {
    expect(strangers(/^src\/engine\//, [kernel, engine, zod])).to.deep.equal([]);
  });

  it('ledger imports kernel, engine and the platform, and no slice', () => {
    expect(
      strangers(/^src\/ledger\//, [
        node,
        kernel,
        engine,
        zod,
        database,
        /^src\/ledger\//,
        /^src\/platform\/(failpoint|log|metrics|jobs\/)/,
      ]),
    ).to.deep.equal([]);
  });

  it('calculation requests are written through changes.run, which also wakes the lanes', () => {
    // The deletion of a deal calculates the reps itself before it returns.
    const direct = files.filter(
      (file) =>
        /^(src|workers)\//.test(file) &&
        !file.startsWith('src/ledger/') &&
        /\b(requestCalculation|recalculateIn)\b/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(direct).to.deep.equal(['src/deals/commands/delete-deal.ts']);
  });

  it('engine has no import cycles', () => {
    const targets = new Map<string, string[]>();
    for (const { file, target } of imports) {
      if (!file.startsWith('src/engine/')) continue;
      const from = file.replace(/\.ts$/, '');
      targets.set(from, [...(targets.get(from) ?? []), target]);
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (targets.get(from) ?? []).some((next) => {
        if (next === to) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return reaches(next, to, seen);
      });
    expect([...targets.keys()].filter((file) => reaches(file, file))).to.deep.equal([]);
  });

  it('platform imports no slice', () => {
    const wiring = /^src\/platform\/(tokens|doctor)\.ts$/;
    const foreign = strangers(/^src\/platform\//, [node, kernel, /^src\/platform\//, /^[a-z@]/]).filter(
      (line) => !wiring.test(line.split(' ')[0] as string),
    );
    const sliceImports = imports.filter(
      ({ file, target }) => /^src\/platform\//.test(file) && slices.some((slice) => target.startsWith(`src/${slice}/`)),
    );
    expect(foreign).to.deep.equal([]);
    expect(sliceImports).to.deep.equal([]);
  });

  it('crm depends on the kernel, the platform and zod, and on no slice', () => {
    expect(strangers(/^src\/crm\//, [node, kernel, zod, /^src\/crm\//, /^src\/platform\//])).to.deep.equal([]);
  });

  it('the embedded PostgreSQL depends on nothing of the service', () => {
    expect(strangers(/^embedded-postgres\//, [node, /^embedded-postgres\//, /^[a-z@][a-z@/-]+$/])).to.deep.equal([]);
  });

  for (const slice of slices) {
    it(`${slice}: queries write nothing and request no calculation`, () => {
      const queries = imports.filter(({ file }) => file.startsWith(`src/${slice}/queries/`));
      const forbidden = queries.filter(({ target }) =>
        /-store$|platform\/jobs|commission-changes|lane-runner|apply-difference|totals|event-history/.test(target),
      );
      expect(forbidden.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
    });

    it(`${slice}: a store imports only its own noun`, () => {
      const stores = imports.filter(({ file }) => new RegExp(`^src/${slice}/[a-z-]+-store\\.ts$`).test(file));
      const others = stores.filter(({ target }) =>
        slices.some((other) => other !== slice && target.startsWith(`src/${other}/`)),
      );
      expect(others.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
    });

    it(`${slice}: other slices are imported only by their views and nouns`, () => {
      const writers = imports.filter(
        ({ file, target }) =>
          file.startsWith(`src/${slice}/`) &&
          slices.some(
            (other) => other !== slice && new RegExp(`^src/${other}/(commands/|[a-z-]+-store$)`).test(target),
          ),
      );
      expect(writers.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
    });
  }

  it('only the entry points import workers and migrations', () => {
    const known = imports.filter(
      ({ file, target }) =>
        file.startsWith('src/') && !mains.includes(file) && /^(workers|migrations|test)\//.test(target),
    );
    expect(known).to.deep.equal([]);
  });

  it('only one file imports the MCP SDK, and it is loaded with the first MCP request', () => {
    const known = imports.filter(({ target }) => target.startsWith('@modelcontextprotocol/'));
    expect([...new Set(known.map(({ file }) => file))]).to.deep.equal(['src/platform/mcp/sdk-server.ts']);
    const loaders = imports.filter(({ target }) => target === 'src/platform/mcp/sdk-server').map(({ file }) => file);
    expect(loaders).to.deep.equal(['src/platform/mcp/endpoint.ts']);
    const endpoint = readFileSync(path.join(root, 'src/platform/mcp/endpoint.ts'), 'utf8');
    expect(endpoint)
      .to.include("await import('./sdk-server.js')")
      .and.not.match(/^import .*sdk-server/m);
  });

  it('large libraries are loaded on first use, so that processes start fast', () => {
    const seldom = ['exceljs', 'puppeteer-core', 'stripe'];
    // Reads the compiled files, since an import of types alone may still load what it names.
    const loading = files.flatMap((file) => {
      const text = readFileSync(path.join(root, 'dist', file.replace(/\.ts$/, '.js')), 'utf8');
      return seldom.filter((name) => text.includes(` from '${name}'`)).map(() => file);
    });
    // That one is a program of its own.
    expect(loading).to.deep.equal(['fakes/fake-billing.ts']);
    const demo = imports.filter(({ target }) => target === 'src/demo/run-demo-crm').map(({ file }) => file);
    expect(demo).to.deep.equal(['src/cli.ts']);
    expect(readFileSync(path.join(root, 'src/cli.ts'), 'utf8')).to.include("await import('./demo/run-demo-crm.js')");
  });

  it('agent guidance imports operations and nothing of their implementation', () => {
    expect(
      strangers(/^src\/agents\//, [
        /^src\/agents\//,
        /^src\/platform\/mcp\/guidance$/,
        /^src\/[a-z]+\/queries\//,
        /^src\/plans\/plan-tool-text$/,
      ]),
    ).to.deep.equal([]);
  });

  it('migrations import only kysely', () => {
    expect(strangers(/^migrations\//, [/^kysely$/, /^migrations\//])).to.deep.equal([]);
  });

  it('workers import nothing of HTTP', () => {
    expect(
      imports.filter(
        ({ file, target }) => file.startsWith('workers/') && /platform\/(http|mcp)|src\/main/.test(target),
      ),
    ).to.deep.equal([]);
  });

  it('there are no default exports and no barrel files', () => {
    const texts = files.map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
    expect(texts.filter(({ text }) => /^export default/m.test(text)).map(({ file }) => file)).to.deep.equal([]);
    expect(texts.filter(({ text }) => /^export \* from/m.test(text)).map(({ file }) => file)).to.deep.equal([]);
  });

  it('only the unit of work gives access to the tables', () => {
    const direct = imports.filter(
      ({ file, target }) =>
        /^src\/(?!platform|composition|main|cli|demo)/.test(file) && target === 'src/platform/database/pool',
    );
    expect(direct).to.deep.equal([]);
  });
});
