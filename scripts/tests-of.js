import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const tops = ['src', 'workers', 'migrations', 'embedded-postgres', 'fakes', 'demo', 'bench', 'packages', 'test'];

/**
 * Every service imports every operation through these files. A test of the running service is therefore found by the
 * folder of its slice and by the addresses that it names.
 */
const isComposition = (file) => /^src\/(app\/|operations\.js$|client)|^workers\/registry\.js$/.test(file);
const isTest = (file) => /^test\/.*\.test\.js$/.test(file) && !/\.(slow|budget)\.test\.js$/.test(file);
/** They examine all sources or pages. */
const general = ['test/architecture.test.js', 'test/language.test.js'];

/** An address that more tests name is one with which they prepare what they test. */
const maxCallers = 20;

/** The compiled test files of the gate that reach one of the files. Names are relative to the root of the project. */
export function testsOf(root, changed) {
  const graph = readGraph(root);
  const selected = new Set(changed.length === 0 ? [] : general.filter((file) => graph.texts.has(file)));
  for (const file of changed) for (const test of testsOfFile(graph, file)) selected.add(test);
  return [...selected].sort().map((test) => `dist/${test}`);
}

function testsOfFile(graph, source) {
  const { texts, services } = graph;
  const file = source.replace(/\.tsx?$/, '.js');
  const reached = reach(graph, file);
  const named = namesOf(source);
  const tests = [...texts.keys()].filter(isTest);
  const naming = addressesOf(graph, reached, file).map((address) =>
    tests.filter((test) => services.has(test) && address.test(texts.get(test))),
  );
  const callers = new Set(naming.filter(({ length }) => length <= maxCallers).flat());
  return tests.filter(
    (test) =>
      reached.has(test) ||
      callers.has(test) ||
      isOfSlice(graph, test, file) ||
      named.some((name) => texts.get(test).includes(name)),
  );
}

/** Tests read pages, scripts and other files by their path, or all files of a folder. */
function namesOf(source) {
  if (/^(web|test)\//.test(source) || /^(src|workers)\/.*\.ts$/.test(source)) return [];
  const folder = path.posix.dirname(source);
  return folder === '.' ? [`'${source}'`, `/${source}'`] : [source, `'${folder}'`, `'${folder.split('/')[0]}'`];
}

/** What imports the file, also through other files. */
function reach({ importers }, file) {
  const reached = new Set([file]);
  for (const importing of reached) {
    if (isComposition(importing) && !isComposition(file)) continue;
    for (const next of importers.get(importing) ?? []) reached.add(next);
  }
  return reached;
}

function isOfSlice({ services }, test, file) {
  const [top, slice] = file.split('/');
  const [, folder, name] = test.split('/');
  if (top === 'web') return folder === 'web' && name.endsWith('.js');
  if (top !== 'src' || !services.has(test)) return false;
  return folder === slice || (folder === 'api' && /^src\/(api|platform\/(http|operations|limits))\//.test(file));
}

/** The addresses of the operations in the file's slice that reach it, as patterns of what tests send. */
function addressesOf({ texts }, reached, file) {
  const slice = file.split('/').slice(0, 2).join('/');
  return [...reached]
    .filter((name) => name.startsWith(`${slice}/`) && /\/(commands|queries)\//.test(name))
    .flatMap((name) => /^ {4}path: '([^']+)'/m.exec(texts.get(name) ?? '')?.[1] ?? [])
    .map((address) => {
      const pattern = address.replace(/[.]/g, '\\.').replace(/:[A-Za-z]+/g, '[^/\'"`?]+');
      return new RegExp(`${pattern}(?=['"\`?])`);
    });
}

/** Compiled files contain no imports of types. Those of the logic of the web app are bundles, with a list of their sources. */
function readGraph(root) {
  const dist = path.join(root, 'dist');
  const files = tops
    .filter((top) => existsSync(path.join(dist, top)))
    .flatMap((top) => readdirSync(path.join(dist, top), { recursive: true }).map((name) => path.posix.join(top, name)))
    .filter((name) => name.endsWith('.js'));
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(dist, file), 'utf8')]));
  const importers = new Map();
  for (const file of files)
    for (const target of file.startsWith('test/web/logic/') ? bundled(dist, file) : importsOf(file, texts.get(file))) {
      if (!importers.has(target)) importers.set(target, new Set());
      importers.get(target).add(file);
    }
  const services = reach({ importers }, 'test/support/running-service.js');
  return { texts, importers, services };
}

function importsOf(file, text) {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([.#][^'"]+)['"]/g)].map(([, target]) =>
    target.startsWith('#') ? target.slice(1) : path.posix.join(path.posix.dirname(file), target),
  );
}

function bundled(dist, file) {
  const map = path.join(dist, `${file}.map`);
  if (!existsSync(map)) return [];
  return JSON.parse(readFileSync(map, 'utf8')).sources.map((source) =>
    path.posix.join(path.posix.dirname(file), source).replace(/^(\.\.\/)+/, '').replace(/\.tsx?$/, '.js'),
  );
}
