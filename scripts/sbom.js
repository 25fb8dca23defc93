import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// Writes the bill of materials of the installed release (CycloneDX) and the licences of its packages to dist/, from
// package-lock.json and without network. Fails if a package has a licence that is not in the list.
const root = path.dirname(import.meta.dirname);
const accepted = new Set(
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause ISC MIT MIT-0 MIT/X11 OFL-1.1 Unlicense Zlib'.split(' '),
);

/** Packages that state no licence in the lock file, with what a person found. The report shows it. */
const reviewed = [
  // Builds for other platforms, which are not installed; the package that names them is MIT.
  { name: /^@msgpackr-extract\//, licence: 'MIT' },
];
/** No licence is stated. exceljs needs it to read files, which the service never does. */
const undecided = new Set(['buffers@0.1.1']);

const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--omit', 'dev'];
const sbom = execFileSync('npm', ['sbom', ...options], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'ignore'],
});

function nameOf(place) {
  return place.split('node_modules/').at(-1);
}

/** The expression of a licence, from the lock file or from the installed package, which some lock entries lack. */
function licenceOf(place, { license }) {
  const known = reviewed.find(({ name }) => name.test(nameOf(place)))?.licence;
  if (license !== undefined || known !== undefined) return license ?? known;
  try {
    const { license: own } = JSON.parse(readFileSync(path.join(root, place, 'package.json'), 'utf8'));
    return typeof own === 'string' ? own : (own?.type ?? 'unknown');
  } catch {
    return 'unknown';
  }
}

/** Of alternatives one must be accepted, of a conjunction all. */
function isAccepted(licence) {
  const plain = licence.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((part) => accepted.has(part.trim())));
}

const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
const rows = Object.entries(packages)
  .filter(([place, { dev, link }]) => place !== '' && dev !== true && link !== true)
  .map(([place, entry]) => ({
    name: nameOf(place),
    version: entry.version,
    licence: licenceOf(place, entry),
  }))
  .sort((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'));

mkdirSync(path.join(root, 'dist'), { recursive: true });
writeFileSync(path.join(root, 'dist', 'sbom.cdx.json'), sbom);
const lines = rows.map(({ name, version, licence }) => `${name},${version},"${licence}"`);
writeFileSync(path.join(root, 'dist', 'licences.csv'), `${['package,version,licence', ...lines].join('\n')}\n`);

const rejected = rows.filter(
  ({ name, version, licence }) => !isAccepted(licence) && !undecided.has(`${name}@${version}`),
);
process.stdout.write(`dist/sbom.cdx.json and dist/licences.csv: ${rows.length} packages\n`);
for (const { name, version, licence } of rejected)
  process.stderr.write(`${name} ${version} has the licence ${licence}; review it and add it to scripts/sbom.js\n`);
process.exitCode = rejected.length > 0 ? 1 : 0;
