import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { failpoints } from '#src/app/failpoints.js';
import { eventTypes } from '#src/outgoing/events/event-types.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders below src that are no room of slices. */
const technical = ['kernel', 'engine', 'audit', 'ledger', 'simulation', 'platform', 'api', 'app'];
/** Rooms and folders whose folders are parts of one slice. */
const undivided =
  /^(agents|crm|plans\/acceptance|statements\/(approvals|proposals|approval-jobs|generation-jobs|discrepancies))(\/|$)/;
/** A slice is a resource of the API with its operations: a room, or a folder of a room that has operations. */
const slices = foldersIn('')
  .filter((name) => !technical.includes(name))
  .flatMap((room) => [room, ...foldersIn(room).filter(hasOperations)]);

/** The folders below a folder of src, as paths from src. */
function foldersIn(folder: string): string[] {
  return readdirSync(path.join(root, 'src', folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.posix.join(folder, name));
}

function hasOperations(folder: string): boolean {
  return !undivided.test(folder) && foldersIn(folder).some((name) => /\/(commands|queries)$/.test(name));
}

/**
 * What each folder may import besides itself and node. `src/*` are the files directly in src: the list of operations
 * and the client. `packages` are npm packages, as a pattern.
 */
const rules: readonly { folder: string; imports: readonly string[]; packages: RegExp }[] = [
  { folder: 'src/kernel', imports: [], packages: /^$/ },
  { folder: 'src/engine', imports: ['src/kernel'], packages: /^zod$/ },
  { folder: 'src/platform', imports: ['src/kernel', 'embedded-postgres'], packages: /./ },
  { folder: 'src/api', imports: ['src/platform'], packages: /^zod$/ },
  { folder: 'src/crm/adapters', imports: ['src/kernel', 'src/platform'], packages: /^zod$/ },
  { folder: 'src/audit', imports: ['src/kernel', 'src/platform', 'src/api'], packages: /^(zod|kysely)$/ },
  {
    folder: 'src/ledger',
    imports: ['src/kernel', 'src/engine', 'src/audit', 'src/platform'],
    packages: /^(zod|kysely)$/,
  },
  {
    folder: 'src/simulation',
    imports: ['src/kernel', 'src/engine', 'src/ledger', 'src/platform'],
    packages: /^(zod|kysely)$/,
  },
  {
    folder: 'src/slices',
    imports: [
      'src/kernel',
      'src/engine',
      'src/audit',
      'src/ledger',
      'src/simulation',
      'src/platform',
      'src/api',
      'src/crm/adapters',
    ],
    packages: /./,
  },
  { folder: 'src/agents/guidance', imports: ['src/slices', 'src/audit', 'src/platform'], packages: /^$/ },
  {
    folder: 'src/*',
    imports: ['src/slices', 'src/api', 'src/audit', 'src/kernel', 'src/engine', 'src/platform'],
    packages: /^zod$/,
  },
  {
    folder: 'src/app',
    imports: [
      'src/slices',
      'src/*',
      'src/kernel',
      'src/audit',
      'src/ledger',
      'src/platform',
      'src/agents/guidance',
      'workers',
      'migrations',
      'demo',
    ],
    packages: /./,
  },
  {
    folder: 'workers',
    imports: ['src/slices', 'src/kernel', 'src/audit', 'src/ledger', 'src/platform', 'src/crm/adapters', 'src/app'],
    packages: /./,
  },
  { folder: 'migrations', imports: [], packages: /^kysely$/ },
  { folder: 'embedded-postgres', imports: [], packages: /./ },
  { folder: 'fakes', imports: ['src/kernel'], packages: /./ },
  {
    folder: 'demo',
    imports: ['src/slices', 'src/*', 'src/kernel', 'src/platform', 'src/crm/adapters', 'src/app', 'fakes'],
    packages: /./,
  },
];
const tops = ['src', 'workers', 'migrations', 'embedded-postgres', 'fakes', 'demo'];

interface Import {
  readonly file: string;
  /** A path from the root of the project without its extension, or the name of a package. */
  readonly target: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')));
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1).replace(/\.js$/, '');
  if (!specifier.startsWith('.')) return specifier;
  return path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '');
}

/** The folder of the rules to which a file belongs; null for a package. */
function folderOf(target: string): string | null {
  const [top = '', second, ...rest] = target.split('/');
  if (top !== 'src') return tops.includes(top) ? top : null;
  if (rest.length === 0) return 'src/*';
  const own = rules.find(({ folder }) => target.startsWith(`${folder}/`));
  if (own !== undefined) return own.folder;
  return slices.includes(second as string) ? 'src/slices' : `src/${second}`;
}

const files = tops.flatMap(sourceFiles);
const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
const textOf = (file: string) => texts.get(file) as string;
/** Imports of values and of types, static and dynamic. */
const imports = files.flatMap((file): Import[] =>
  [...textOf(file).matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => ({ file, target: resolve(file, (match[1] ?? match[2] ?? match[3]) as string) }),
  ),
);

/** The imports of files that match `from` whose target matches `forbidden`. */
function importing(from: RegExp, forbidden: RegExp): string[] {
  return imports
    .filter(({ file, target }) => from.test(file) && forbidden.test(target))
    .map(({ file, target }) => `${file} imports ${target}`);
}

/**
 * The slice or technical folder of a file below src. The operations of a slice are separate, since only the list of
 * operations imports them, so they may use every slice.
 */
function roomOf(target: string): string {
  const [top, first = '', ...rest] = target.split('/');
  if (top !== 'src') return target;
  if (rest.length === 0) return 'src/*';
  const nested = `${first}/${rest[0]}`;
  const room = slices.includes(nested) ? nested : first;
  const folder = rest.at(-2) ?? '';
  return room !== 'app' && ['commands', 'queries', 'pages'].includes(folder) ? `${room}/${folder}` : room;
}

/** The cycles of the graph that has an edge for each import between different nodes. */
function findCycles(toEdge: (imported: Import) => readonly [from: string, to: string]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const imported of imports) {
    const [from, to] = toEdge(imported);
    if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  }
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
    else if (!finished.has(node)) for (const next of targets.get(node) ?? []) visit(next, [...trail, node]);
    finished.add(node);
  };
  for (const node of targets.keys()) visit(node, []);
  return cycles;
}

/** The parameter lists that contain a transaction of a workspace. */
function parametersBesideTransaction(text: string): string[] {
  return [...text.matchAll(/\btx: Transaction\b/g)].map(({ index }) => {
    const start = matching(text, index, -1);
    return text.slice(start, matching(text, index, 1));
  });
}

/** The next parenthesis in the direction that encloses the position. */
function matching(text: string, position: number, direction: 1 | -1): number {
  const [opens, closes] = direction === 1 ? '()' : ')(';
  let depth = 0;
  for (let index = position; ; index += direction) {
    if (text[index] === opens) depth += 1;
    if (text[index] === closes) depth -= 1;
    if (depth < 0 || text[index] === undefined) return index;
  }
}

describe('import rules', () => {
  for (const { folder, imports: allowed, packages } of rules)
    it(`${folder} imports only ${['itself', ...allowed].join(', ')}`, () => {
      const strangers = imports.filter(({ file, target }) => {
        if (folderOf(file) !== folder || target.startsWith('node:')) return false;
        const imported = folderOf(target);
        return imported === null ? !packages.test(target) : imported !== folder && !allowed.includes(imported);
      });
      expect(strangers.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
    });

  it('every folder has a rule', () => {
    const folders = rules.map(({ folder }) => folder);
    expect(files.filter((file) => !folders.includes(folderOf(file) as string))).to.deep.equal([]);
  });

  it('the web app imports code only from the client, and types from the operations', () => {
    const inWeb = readdirSync(path.join(root, 'web/src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) =>
        [...readFileSync(path.join(root, 'web/src', name), 'utf8').matchAll(/^import ([^;]*?)from '(#[^']+)'/gm)].map(
          ([, imported = '', target = '']) => ({ name, target, isType: imported.startsWith('type ') }),
        ),
      );
    expect(inWeb).not.to.deep.equal([]);
    const wrong = inWeb.filter(({ target, isType }) => target !== '#src/client.js' && !isType);
    expect(wrong.map(({ name, target }) => `${name} imports ${target}`)).to.deep.equal([]);
  });

  it('there is no import cycle, also none of types', () => {
    expect(findCycles(({ file, target }) => [file.replace(/\.ts$/, ''), target])).to.deep.equal([]);
  });

  it('the rooms have an order: there is no import cycle of folders', () => {
    expect(findCycles(({ file, target }) => [roomOf(file), roomOf(target)])).to.deep.equal([]);
  });

  it('calculation requests are written only through CommissionChanges, which also wakes the lanes', () => {
    const direct = files.filter(
      (file) => !file.startsWith('src/ledger/') && /\b(requestCalculation|recalculateIn)\b/.test(textOf(file)),
    );
    expect(direct).to.deep.equal([]);
  });

  it('in src, only the unit of work and the wiring have access to the database pool', () => {
    expect(importing(/^src\/(?!platform\/|app\/)/, /^src\/platform\/database\/pool$/)).to.deep.equal([]);
  });

  it('the ledger and the workers import nothing of HTTP', () => {
    expect(importing(/^(workers|src\/ledger)\//, /^src\/platform\/(http|mcp|openapi)\//)).to.deep.equal([]);
  });

  it('the platform names no CRM, no event that slices report and no place of theirs at which tests fail them', () => {
    const ofSlices = failpoints.filter((name) =>
      files.some((file) => !file.startsWith('src/platform/') && textOf(file).includes(`failpoint('${name}')`)),
    );
    const quoted = [...ofSlices, ...Object.keys(eventTypes)].map((name) => `'${name.replace('.', '\\.')}'`);
    const crms = String.raw`\bcrm-?[abc]\b|\bcrm[abc]?_|attio|hubspot|hubapi|salesforce|stripe`;
    const foreign = new RegExp([crms, ...quoted].join('|'), 'gi');
    const named = files
      .filter((file) => file.startsWith('src/platform/'))
      .flatMap((file) => [...textOf(file).matchAll(foreign)].map(([name]) => `${file} names ${name}`));
    expect(named).to.deep.equal([]);
  });

  it('what is earned does not depend on what is paid: its code neither imports nor reads it', () => {
    const ofEarnings = /^src\/(engine|ledger|simulation|deals|plans\/quotas|earnings)\//;
    expect(importing(ofEarnings, /^src\/pay\//)).to.deep.equal([]);
    const tables = files
      .filter((file) => /^src\/pay\/.*-tables\.ts$/.test(file))
      .flatMap((file) => [...textOf(file).matchAll(/^ {2}(\w+): (?:\w+ & )?\{/gm)].map(([, table]) => table));
    expect(tables).to.include.members(['payout_holds', 'payout_batches', 'draws', 'invoices']);
    const read = new RegExp(
      `\\b(from|join|into) (${tables.join('|')})\\b|From\\('(${tables.join('|')})|\\bpayouts is\\b|'payouts'`,
    );
    expect(files.filter((file) => ofEarnings.test(file) && read.test(textOf(file)))).to.deep.equal([]);
  });

  it('nothing reads the books: only lists of operations and imports, the settings, the preparation and the search for corrections import them', () => {
    const importers = importing(/^(src|workers|demo)\/(?!finance\/)/, /^src\/finance\//).map(
      (each) => each.split(' ')[0],
    );
    expect([...new Set(importers)].sort()).to.deep.equal([
      'src/access/workspaces/commands/update-workspace.ts',
      'src/app/parts/provide-jobs.ts',
      'src/app/parts/provide-operations.ts',
      'src/app/tables.ts',
      'src/imports/facts-of-imports.ts',
      'src/operations.ts',
      'workers/correction-search.ts',
      'workers/preparation-jobs.ts',
      'workers/registry.ts',
    ]);
  });

  it('plans do not import commissions, which are calculated from them', () => {
    expect(importing(/^src\/plans\//, /^src\/commissions\//)).to.deep.equal([]);
  });

  it('the MCP SDK is imported only by the MCP endpoint', () => {
    expect(importing(/^(?!src\/platform\/mcp\/)/, /^@modelcontextprotocol\//)).to.deep.equal([]);
  });

  it('agent guidance imports operations and texts, and nothing of their implementation', () => {
    const implementation = /^src\/(?!agents\/guidance\/|platform\/mcp\/)(?!.*\/queries\/|.*-tool-text$).*\//;
    expect(importing(/^src\/agents\/guidance\//, implementation)).to.deep.equal([]);
  });

  for (const slice of slices) {
    it(`${slice}: queries write nothing and request no calculation`, () => {
      const queries = new RegExp(`^src/${slice}/(.+/)?queries/`);
      expect(importing(queries, /-store$|^src\/platform\/jobs\//)).to.deep.equal([]);
      const writing = files.filter(
        (file) =>
          queries.test(file) &&
          /access: 'write'|unitOfWork\.write\b|\bCommissionChanges\b|\bLaneRunner\b/.test(textOf(file)),
      );
      expect(writing).to.deep.equal([]);
    });

    it(`${slice}: a store imports no other slice`, () => {
      const other = new RegExp(`^src/(?!${slice}/)(${slices.join('|')})/`);
      expect(importing(new RegExp(`^src/${slice}/(.+/)?[a-z-]+-store\\.ts$`), other)).to.deep.equal([]);
    });

    it(`${slice}: commands and stores of other slices are not imported`, () => {
      const writers = new RegExp(`^src/(?!${slice}/)(${slices.join('|')})/(.+/)?(commands/|[a-z-]+-store$)`);
      expect(importing(new RegExp(`^src/${slice}/`), writers)).to.deep.equal([]);
    });
  }

  /** What a process loads that begins with this file. The compiled files, because an import of types is no load. */
  const loadedBy = (entry: string): ReadonlySet<string> => {
    const loaded = new Set<string>();
    const visit = (target: string): void => {
      if (loaded.has(target)) return;
      loaded.add(target);
      const file = path.join(root, 'dist', `${target}.js`);
      if (!existsSync(file)) return;
      const text = readFileSync(file, 'utf8');
      for (const [, from, alone] of text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'/gm))
        visit(resolve(`${target}.js`, (from ?? alone) as string));
    };
    visit(entry);
    return loaded;
  };

  it('the command line loads the code of a command only when the command runs', () => {
    const packages = [...loadedBy('src/app/cli')].filter((target) => folderOf(target) === null);
    expect(packages.filter((target) => !target.startsWith('node:'))).to.deep.equal(['commander']);
  });

  it('the service loads large libraries, the demo and the simulated CRMs only when it uses them', () => {
    const loaded = loadedBy('src/app/commands/serve');
    expect(loaded.size).to.be.greaterThan(200);
    const onDemand = /^(exceljs|puppeteer-core|stripe|@modelcontextprotocol\/|nodemailer|demo\/|fakes\/)/;
    expect([...loaded].filter((target) => onDemand.test(target))).to.deep.equal([]);
  });

  it('a function that has a transaction has its workspace: no signature names a workspaceId beside it', () => {
    const both = files.flatMap((file) =>
      parametersBesideTransaction(textOf(file))
        .filter((parameters) => /\bworkspaceId\b/.test(parameters))
        .map((parameters) => `${file}: ${parameters.replace(/\s+/g, ' ')}`),
    );
    expect(both).to.deep.equal([]);
  });

  it('a transaction carries its state itself, not in a map beside it or in asynchronous context', () => {
    const byTransaction = /\bWeak(?:Map|Set)<(?:DatabaseTransaction|Transaction\w*|Kysely)\b/;
    expect(files.filter((file) => byTransaction.test(textOf(file)))).to.deep.equal([]);
    // The id of a request for its log entries, and the network address of a request to a library.
    expect(files.filter((file) => textOf(file).includes('new AsyncLocalStorage'))).to.have.members([
      'src/platform/http/request-context.ts',
      'src/platform/mcp/sdk-authorization.ts',
    ]);
  });

  it('there are no default exports and no barrel files', () => {
    expect(files.filter((file) => /^export (default|\* from)/m.test(textOf(file)))).to.deep.equal([]);
  });
});
