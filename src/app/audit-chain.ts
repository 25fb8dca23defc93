import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { newId } from '../kernel/ids.js';
import { type Database } from '../platform/database/pool.js';

const pageSize = 1000;

export interface ChainReport {
  readonly workspaceId: string;
  /** Number of stored entries whose hash is correct. */
  readonly entries: number;
  /** Position and hash of the last of them; null for an empty chain. */
  readonly head: string | null;
  /** Number of entries that are not in the chain yet. */
  readonly unsealed: number;
  /** What is wrong with the first incorrect entry; null if the chain is correct. */
  readonly problem: string | null;
}

interface SealedEntry {
  readonly entry_id: string;
  readonly content: string;
  readonly position: string;
  readonly hash: Buffer;
}

/**
 * Recomputes the chain of a workspace, from the first entry that was not deleted by {@link deleteAuditEntries}, whose entry
 * in the chain states the hash to begin with. With `expectedHead`, which is the head of an earlier report, also checks that the
 * chain still contains it: otherwise entries at the end could be deleted unnoticed.
 */
export async function verifyChain(
  database: Database,
  workspaceId: string,
  expectedHead: string | null = null,
): Promise<ChainReport> {
  const start = await findStart(database, workspaceId);
  let { position, hash } = start;
  let problem: string | null = null;
  const formatHead = () => (position === 0 ? null : `${position}:${hash.toString('hex')}`);
  let isHeadFound = expectedHead === null || formatHead() === expectedHead;
  for (let isLast = false; !isLast && problem === null; ) {
    const page = await readPage(database, workspaceId, position);
    isLast = page.length < pageSize;
    for (const entry of page) {
      problem = findProblem(workspaceId, entry, position + 1, hash);
      if (problem !== null) break;
      position += 1;
      hash = entry.hash;
      isHeadFound ||= formatHead() === expectedHead;
    }
  }
  if (problem === null && !isHeadFound) problem = `the chain does not contain ${expectedHead}`;
  const [entries, unsealed] = [position - start.position, await countUnsealed(database, workspaceId)];
  return { workspaceId, entries, head: formatHead(), unsealed, problem };
}

function findProblem(workspaceId: string, entry: SealedEntry, position: number, previous: Buffer): string | null {
  if (Number(entry.position) !== position) return `entry ${position} is missing`;
  const text = `${workspaceId}:${position}:${entry.content}`;
  const hash = createHash('sha256').update(previous).update(text).digest();
  if (!hash.equals(entry.hash)) return `entry ${position} (${entry.entry_id}) or an entry before it was changed`;
  const { entryId } = JSON.parse(entry.content) as { entryId: string };
  return entryId === entry.entry_id ? null : `entry ${position} has the id ${entry.entry_id} instead of ${entryId}`;
}

interface Start {
  readonly position: number;
  readonly hash: Buffer;
}

/** The last deleted entry, as the entry about the deletion states it; the beginning if nothing was deleted. */
async function findStart(database: Database, workspaceId: string): Promise<Start> {
  const { rows } = await sql<{ content: string }>`
    select content from audit_entries
    where workspace_id = ${workspaceId} and position is not null and content like ${`%"operation":"${deletion}"%`}
      and not exists (select from audit_entries where workspace_id = ${workspaceId} and position = 1)
    order by position desc limit 1`.execute(database);
  const entry = rows[0] === undefined ? null : (JSON.parse(rows[0].content) as DeletionEntry);
  // A path or a name in another entry may contain the same text.
  if (entry?.operation !== deletion) return { position: 0, hash: Buffer.alloc(0) };
  const [position = '', hash = ''] = entry.params.through.split(':');
  return { position: Number(position), hash: Buffer.from(hash, 'hex') };
}

const deletion = 'deleteAuditEntries';

interface DeletionEntry {
  readonly operation: string;
  readonly params: { readonly before: Day; readonly through: string };
}

export interface DeletedEntries {
  readonly workspaceId: string;
  readonly deleted: number;
  /** Position and hash of the last deleted entry; null if none was deleted. */
  readonly through: string | null;
}

/**
 * Deletes the entries of earlier days, but never the newest entry, and records the deletion in the chain. The caller has
 * verified the chain. A dry run only counts.
 */
export async function deleteAuditEntries(
  owner: Database,
  workspaceId: string,
  before: Day,
  isDryRun: boolean,
): Promise<DeletedEntries> {
  return owner.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`audit:${workspaceId}`}, 0))`.execute(trx);
    const { rows } = await sql<{ position: string; hash: Buffer }>`
      select position, hash from audit_entries
      where workspace_id = ${workspaceId} and position < (
        select coalesce(min(position) filter (where at >= ${before}::date), max(position)) from audit_entries
        where workspace_id = ${workspaceId} and position is not null
      )
      order by position desc limit 1`.execute(trx);
    const [last] = rows;
    if (last === undefined) return { workspaceId, deleted: 0, through: null };
    const through = `${last.position}:${last.hash.toString('hex')}`;
    const old = sql`from audit_entries where workspace_id = ${workspaceId} and position <= ${last.position}`;
    const { rows: counts } = await sql<{ count: number }>`select count(*)::int as count ${old}`.execute(trx);
    const deleted = counts[0]?.count ?? 0;
    if (isDryRun) return { workspaceId, deleted, through };
    const entryId = newId();
    const head = {
      entryId,
      at: new Date().toISOString(),
      actor: 'command-line',
      personId: null,
      keyId: null,
      requestId: entryId,
      operation: deletion,
      outcome: 'done',
      params: { before, through },
    };
    await sql`select insert_audit_entry(${workspaceId}::uuid, ${entryId}::uuid, ${JSON.stringify(head)})`.execute(trx);
    await sql`select seal_audit_entries(${maxSealed})`.execute(trx);
    await sql`delete ${old}`.execute(trx);
    return { workspaceId, deleted, through };
  });
}

/** More than the entries of a few seconds, which are all that is not sealed yet. */
const maxSealed = 1_000_000;

async function readPage(database: Database, workspaceId: string, after: number): Promise<readonly SealedEntry[]> {
  const { rows } = await sql<SealedEntry>`
    select entry_id, content, position, hash from audit_entries
    where workspace_id = ${workspaceId} and position > ${after} order by position limit ${pageSize}`.execute(database);
  return rows;
}

async function countUnsealed(database: Database, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_entries
    where workspace_id = ${workspaceId} and position is null`.execute(database);
  return rows[0]?.count ?? 0;
}
