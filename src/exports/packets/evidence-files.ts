import { createHash } from 'node:crypto';
import { listSealedEntries, sealedLine } from '../../audit/sealed-entries.js';
import { chunk } from '../../kernel/chunk.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { decodeLineTrace } from '../documents/rule-explanations.js';
import { type EvidenceRange, type OperationRights, type Sample } from './evidence.js';
import {
  type Chain,
  type EvidenceScope,
  listAcceptances,
  listActions,
  listAdjustments,
  listChanges,
  listDiscrepancies,
  listPeople,
  listPlanVersions,
  listProposals,
  listReassignments,
  listSignatures,
  listSourceRows,
  listStatementKeys,
  listStatements,
  listStates,
  type RowChange,
  readChain,
  readScope,
  type StatementKey,
} from './evidence-rows.js';
import { type Packet } from './packet.js';

/** Runs a read of the state at the instant of the packet. */
export type Read = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

const keysAtOnce = 50;
const entriesAtOnce = 1000;

/** Stores the files of the evidence of the range. */
export async function addEvidence(
  packet: Packet,
  read: Read,
  workspaceId: string,
  range: EvidenceRange,
  rights: readonly OperationRights[],
): Promise<void> {
  const { scope, chain } = await read(async (tx) => {
    const ofRange = await readScope(tx, range);
    return { scope: ofRange, chain: await readChain(tx, ofRange) };
  });
  await packet.add('README.txt', readme);
  await addAuditLog(packet, read, workspaceId, chain);
  await packet.addRows('audit/actions', await read((tx) => listActions(tx, scope)));
  await packet.addJson('rights/operations.json', rights);
  await addChanges(packet, read, scope, chain);
  await packet.addRows('plans/acceptances', await read((tx) => listAcceptances(tx, scope.asOf, null)));
  const keys = await read((tx) => listStatementKeys(tx, { ...scope, repId: null }));
  await addStatements(packet, read, keys, scope.asOf);
  await packet.addRows('adjustments/adjustments', await read((tx) => listAdjustments(tx, scope)));
  await packet.addRows('adjustments/proposals', await read((tx) => listProposals(tx, scope)));
  await packet.addRows('discrepancies/discrepancies', await read((tx) => listDiscrepancies(tx, scope)));
  if (range.sample !== undefined) await addSample(packet, read, keys, scope.asOf, range.sample);
}

async function addAuditLog(packet: Packet, read: Read, workspaceId: string, chain: Chain): Promise<void> {
  await packet.addJson('audit/chain.json', { workspaceId, before: chain.before, head: chain.head });
  await packet.addLines('audit/entries', sealedLines(read, chain));
}

async function* sealedLines(read: Read, { first, head }: Chain): AsyncGenerator<string> {
  if (head === null) return;
  for (let after = first - 1; after < head.position; ) {
    const limit = Math.min(entriesAtOnce, head.position - after);
    const page = await read((tx) => listSealedEntries(tx, String(after), limit));
    yield page.map(sealedLine).join('');
    after = Number(page.at(-1)?.position);
  }
}

const isOfRights = ({ change: { table, before, after } }: RowChange) =>
  table !== 'reps' || [before, after].some((row) => row !== null && ('role' in row || 'active' in row));

/** Settings, rights and plans, with their changes. */
async function addChanges(
  packet: Packet,
  read: Read,
  scope: EvidenceScope,
  { first, head, through }: Chain,
): Promise<void> {
  const tables = ['workspaces', 'reps', 'reporting_lines', 'delegations', 'tokens', 'plan_versions', 'plan_overrides'];
  const changes = head === null ? [] : await read((tx) => listChanges(tx, { first, last: head.position }, tables));
  const later = await read((tx) => listChanges(tx, { first: through + 1, last: null }, ['reps', 'plan_versions']));
  const inTables = (...names: readonly string[]) => changes.filter(({ change }) => names.includes(change.table));
  await packet.addRows('settings/changes', inTables('workspaces'));
  await packet.addRows('rights/people', await read((tx) => listPeople(tx, scope, later)));
  await packet.addRows(
    'rights/changes',
    inTables('reps', 'reporting_lines', 'delegations', 'tokens').filter(isOfRights),
  );
  const activatedLater = later.flatMap(({ change: { table, id, before } }) =>
    table === 'plan_versions' && before?.['status'] === 'draft' ? [id['plan_version_id'] ?? ''] : [],
  );
  await packet.addRows('plans/versions', await read((tx) => listPlanVersions(tx, scope, activatedLater)));
  await packet.addRows('plans/changes', inTables('plan_versions', 'plan_overrides'));
}

/** The statements of the keys, with their states and signatures. */
export async function addStatements(
  packet: Packet,
  read: Read,
  keys: readonly StatementKey[],
  asOf: Date,
): Promise<void> {
  const inPages = (list: (tx: Transaction, page: readonly StatementKey[], at: Date) => Promise<readonly unknown[]>) =>
    pages(keys, (page) => read((tx) => list(tx, page, asOf)));
  await packet.addRows('statements/statements', inPages(listStatements));
  await packet.addRows('statements/states', inPages(listStates));
  await packet.addRows('statements/signatures', inPages(listSignatures));
  await packet.addRows('statements/reassignments', inPages(listReassignments));
}

async function* pages<Row>(
  keys: readonly StatementKey[],
  list: (page: readonly StatementKey[]) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (const page of chunk(keys, keysAtOnce)) yield* await list(page);
}

/** The lines of approved statements, each with its id in the population. */
async function* approvedLines(read: Read, keys: readonly StatementKey[], asOf: Date) {
  for await (const statement of pages(keys, (page) => read((tx) => listStatements(tx, page, asOf)))) {
    const { repId, period, version, isCurrent, status, lines } = statement;
    if (!isCurrent || status !== 'approved') continue;
    for (const line of lines) yield { id: lineId(statement, line.eventId), repId, period, version, line };
  }
}

/** The population are the lines of approved statements; the seed orders it, and the first lines are the sample. */
async function addSample(
  packet: Packet,
  read: Read,
  keys: readonly StatementKey[],
  asOf: Date,
  { size, seed }: Sample,
): Promise<void> {
  const population: { readonly id: string; readonly rank: string }[] = [];
  for await (const { id } of approvedLines(read, keys, asOf))
    population.push({ id, rank: createHash('sha256').update(`${seed}:${id}`).digest('hex') });
  const ids = population.map(({ id }) => ({ id }));
  await packet.addRows('sample/population', ids);
  const drawn = population.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, size);
  const places = new Map(drawn.map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: { readonly id: string }) => places.get(id) ?? -1;
  const drawnKeys = keys.filter((key) => drawn.some(({ id }) => id.startsWith(lineId(key, ''))));
  const lines = [];
  for await (const line of approvedLines(read, drawnKeys, asOf)) if (placeOf(line) >= 0) lines.push(line);
  lines.sort((a, b) => placeOf(a) - placeOf(b));
  const deals = lines.flatMap(({ line }) => line.dealId ?? []);
  const sources = await read((tx) => listSourceRows(tx, deals, asOf));
  await packet.addRows(
    'sample/lines',
    lines.map(({ line, ...of }) => describeLine(of, line, sources)),
  );
}

/** The line as the statement shows it, its calculation, and the deal as it was reported. */
function describeLine(of: object, line: StatementLine, sources: ReadonlyMap<string, unknown>) {
  const { trace: _, ...rest } = line;
  const deal = line.dealId === null ? null : (sources.get(line.dealId) ?? null);
  return { ...of, line: rest, trace: decodeLineTrace(line), deal };
}

function lineId({ repId, period }: StatementKey, eventId: string): string {
  return `${repId}/${period}/${eventId}`;
}

const readme = `Evidence of commission

Every file is listed in manifest.json with its SHA-256, and manifest.sha256 has that of the manifest.
"node verify.js" checks all of it without a network: the files, the chain of the audit log, the documents that people have
accepted, the statements, the signatures and the sample. Compare the SHA-256 that it prints with the one that the service showed.

audit/entries         What people and keys did, each with the hash of the chain; chain.json has its two ends
audit/actions         The same actions as the service describes them, with their reasons
rights/operations     Which role may do what
rights/people         Who had which role at the instant asOf of the manifest, with the names of today
rights/changes        Changes of roles, reporting lines, delegations and keys
settings/changes      Changes of settings
plans/versions        Versions of plans that were active, as they were executed
plans/changes         Drafts, approvals, days and status of versions, and rates of single people
plans/acceptances     Who has accepted or declined which document
statements/statements Versions that counted or were signed, with their lines
statements/states     Drafts, approvals, and periods that were opened again
statements/signatures Who has signed which version
adjustments           Adjustments with everything that happened to them, and proposals with who decided them
discrepancies         What approved periods differed by, and what became of it
sample                The lines that the seed draws from all lines of approved statements, with their calculation and deals

Files end with .ndjson where each line is one JSON object. Times are UTC.
`;
