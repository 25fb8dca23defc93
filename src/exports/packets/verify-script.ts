import { signedPayFields } from '../../pay/payables/stored-payable.js';
import { signedFields } from '../../statements/snapshot.js';

/** The program in each packet. It needs Node.js only, and is text here so that a bundle of the service contains it. */
export const verifyScript = `'use strict';
// Checks the files of this packet: node verify.js [folder]. It exits with 1 if one byte of any file differs.
// To check this program itself, run the copy of another packet, or compare its SHA-256 with the manifest.
// It is a script and a module: which of them depends on the folders around the packet.
let createHash;
let readdirSync;
let readFileSync;
let join;
let folder;
const problems = [];
const done = [];
const sha256 = (content) => createHash('sha256').update(content).digest('hex');
const read = (path) => readFileSync(join(folder, path));

function listFiles(below) {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : below + '/' + entry.name;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function readManifest() {
  const manifest = read('manifest.json');
  const hash = sha256(manifest);
  if (read('manifest.sha256').toString() !== hash + '  manifest.json\\n')
    problems.push('manifest.json differs from manifest.sha256');
  console.log('SHA-256 of manifest.json: ' + hash);
  return JSON.parse(manifest.toString());
}

function checkFiles(files) {
  const expected = new Map(files.map((file) => [file.path, file]));
  const found = listFiles('').filter((path) => path !== 'manifest.json' && path !== 'manifest.sha256');
  for (const path of found) if (!expected.has(path)) problems.push(path + ' is not in the manifest');
  for (const { path, bytes, sha256: hash } of files) {
    const content = found.includes(path) ? read(path) : null;
    if (content === null) problems.push(path + ' is missing');
    else if (content.length !== bytes || sha256(content) !== hash) problems.push(path + ' differs from the manifest');
  }
  done.push(files.length + ' files');
}

function lines(files, name) {
  const isPart = (path) => path.startsWith(name + '-') && path.endsWith('.ndjson');
  return files
    .map(({ path }) => path)
    .filter(isPart)
    .flatMap((path) => read(path).toString().split('\\n'))
    .filter((line) => line !== '');
}

const rows = (files, name) => lines(files, name).map((line) => JSON.parse(line));

// Each hash covers the one before, the workspace, the position and the text of the entry.
function checkChain(files) {
  if (!files.some(({ path }) => path === 'audit/chain.json')) return;
  const { workspaceId, before, head } = JSON.parse(read('audit/chain.json').toString());
  const entries = lines(files, 'audit/entries');
  let previous = before === null ? '' : before.hash;
  let position = before === null ? null : before.position;
  for (const line of entries) {
    const [, place, hash, content] = /^{"position":(\\d+),"hash":"([0-9a-f]{64})","entry":(.*)}$/.exec(line) || [];
    if (position !== null && Number(place) !== position + 1) problems.push('audit entry ' + (position + 1) + ' is missing');
    position = Number(place);
    const computed = createHash('sha256').update(Buffer.from(previous, 'hex')).update(workspaceId + ':' + place + ':' + content);
    // The entries before the first one may have been deleted when their time was over.
    if ((previous !== '' || position === 1) && computed.digest('hex') !== hash)
      problems.push('audit entry ' + place + ' has another hash');
    previous = hash;
  }
  if (head !== null && (head.hash !== previous || head.position !== position))
    problems.push('the last audit entry is not the head of the chain');
  done.push(entries.length + ' audit entries in an unbroken chain');
}

function canonicalJson(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function checkAcceptances(files) {
  const acceptances = rows(files, 'plans/acceptances');
  for (const { acceptanceId, document, sha256: hash } of acceptances)
    if (sha256(canonicalJson(document)) !== hash) problems.push('acceptance ' + acceptanceId + ' has another document');
  done.push(acceptances.length + ' accepted or declined documents');
}

const signed = ${JSON.stringify(signedFields)};
const signedPay = ${JSON.stringify(signedPayFields)};
const valuesOf = (row, fields) => fields.map((field) => row[field] ?? null);

// What a signature covers: the lines of the statement, and what is payable of them.
function contentOf({ currency, lines, payable }) {
  const facts = lines.map((line) => [
    ...valuesOf(line, signed.line),
    (line.lines ?? []).map((each) => valuesOf(each, signed.trueUpLine)),
  ]);
  return JSON.stringify([currency, facts, payable === null ? null : payableOf(payable)]);
}

function payableOf({ totals, lines, draws = [], pay }) {
  const partOf = (part) => [
    ...valuesOf(part, signedPay.part),
    part.rate === null ? [] : valuesOf(part.rate, signedPay.rate),
  ];
  return [
    totals.map((total) => valuesOf(total, signedPay.totals)),
    lines.map((line) => valuesOf(line, signedPay.line)),
    draws.map((draw) => valuesOf(draw, signedPay.draw)),
    pay === undefined ? null : [...valuesOf(pay, signedPay.pay), pay.parts.map(partOf)],
  ];
}

// A UUID of version 8 from the SHA-256 of the content.
function hashOf(content) {
  const hex = sha256(content);
  return [hex.slice(0, 8), hex.slice(8, 12), '8' + hex.slice(13, 16), '8' + hex.slice(17, 20), hex.slice(20, 32)].join('-');
}

// An amount in units of the 30th decimal place.
function unitsOf(amount) {
  const [, sign, whole, places = ''] = /^(-?)(\\d+)(?:\\.(\\d{1,30}))?$/.exec(amount);
  return BigInt(sign + whole + places.padEnd(30, '0'));
}

// Whether the totals are the sums of the lines and what is payable, in each currency.
function hasItsTotals({ currency, summary, otherCurrencies, lines, payable }) {
  const listed = [{ currency, summary }, ...otherCurrencies];
  const paid = payable === null ? [] : payable.totals;
  const isListed = (row) => listed.some((each) => each.currency === row.currency);
  return [...lines, ...paid].every(isListed) && listed.every((each) => {
    const amounts = lines.filter((line) => line.currency === each.currency);
    const sumOf = (...categories) => amounts
      .filter(({ category }) => categories.includes(category))
      .reduce((sum, { amount }) => sum + unitsOf(amount), 0n);
    const total = paid.find((row) => row.currency === each.currency);
    return unitsOf(each.summary.totalCommission) === sumOf('commission')
      && unitsOf(each.summary.totalBonuses) === sumOf('bonus')
      && unitsOf(each.summary.totalAdjustments) === sumOf('adjustment')
      && unitsOf(each.summary.netPayout) === sumOf('commission', 'bonus', 'adjustment')
      && (payable === null || unitsOf(each.summary.payable) === unitsOf(total === undefined ? '0' : total.payable));
  });
}

function checkStatements(files) {
  const statements = rows(files, 'statements/statements');
  for (const row of statements) {
    const name = 'version ' + row.version + ' of the statement ' + row.repId + ' ' + row.period;
    if (hashOf(contentOf(row)) !== row.contentHash) problems.push(name + ' has another content than its hash');
    if (!hasItsTotals(row)) problems.push(name + ' has other totals than its lines');
  }
  done.push(statements.length + ' versions of statements');
}

function checkSignatures(files) {
  const versions = new Map(
    rows(files, 'statements/statements').map((row) => [[row.repId, row.period, row.version].join(' '), row.contentHash]),
  );
  const signatures = rows(files, 'statements/signatures');
  for (const row of signatures)
    if (versions.get([row.repId, row.period, row.version].join(' ')) !== row.contentHash)
      problems.push('signature ' + row.signatureId + ' covers no statement of the packet');
  done.push(signatures.length + ' signatures');
}

// The sample is the first lines in the order of the SHA-256 of the seed and the id of the line.
function checkSample(files, sample) {
  if (!sample) return;
  const ids = rows(files, 'sample/population').map(({ id }) => id);
  const paid = new Map(
    rows(files, 'statements/statements')
      .filter(({ isCurrent, status }) => isCurrent && status === 'approved')
      .flatMap((row) => row.lines.map((line) => [[row.repId, row.period, line.eventId].join('/'), line])),
  );
  if (JSON.stringify([...ids].sort()) !== JSON.stringify([...paid.keys()].sort()))
    problems.push('the population of the sample is not the lines of the approved statements');
  const drawn = ids
    .map((id) => ({ id, rank: sha256(sample.seed + ':' + id) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, sample.size);
  const listed = rows(files, 'sample/lines');
  if (JSON.stringify(drawn.map(({ id }) => id)) !== JSON.stringify(listed.map(({ id }) => id)))
    problems.push('the sample is not the one that the seed draws');
  for (const { id, line } of listed)
    if (canonicalJson(line) !== canonicalJson({ ...paid.get(id), trace: undefined }))
      problems.push('the line ' + id + ' of the sample is not that of the statement');
  done.push('a sample of ' + listed.length + ' of ' + ids.length + ' lines');
}

async function main() {
  ({ createHash } = await import('node:crypto'));
  ({ readdirSync, readFileSync } = await import('node:fs'));
  const path = await import('node:path');
  join = path.join;
  folder = process.argv[2] || path.dirname(process.argv[1]);
  try {
    const { files, sample } = readManifest();
    checkFiles(files);
    checkChain(files);
    checkAcceptances(files);
    checkStatements(files);
    checkSignatures(files);
    checkSample(files, sample);
  } catch (error) {
    problems.push('a file cannot be read: ' + error.message);
  }
  for (const line of done) console.log('Checked: ' + line);
  for (const problem of problems) console.error('PROBLEM: ' + problem);
  console.log(problems.length === 0 ? 'Everything is as the packet was made.' : 'The packet was changed.');
  process.exitCode = problems.length === 0 ? 0 : 1;
}

main();
`;
