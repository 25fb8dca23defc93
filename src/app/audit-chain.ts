import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Database } from '../platform/database/pool.js';

const pageSize = 1000;

export interface ChainReport {
  readonly workspaceId: string;
  /** Number of entries whose hash is correct. */
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
 * Recomputes the chain of a workspace. With `expectedHead`, which is the head of an earlier report, also checks that the
 * chain still contains it: otherwise entries at the end could be deleted unnoticed.
 */
export async function verifyChain(
  database: Database,
  workspaceId: string,
  expectedHead: string | null = null,
): Promise<ChainReport> {
  let entries = 0;
  let hash: Buffer = Buffer.alloc(0);
  let problem: string | null = null;
  let isHeadFound = expectedHead === null;
  const headOf = () => (entries === 0 ? null : `${entries}:${hash.toString('hex')}`);
  for (let isLast = false; !isLast && problem === null; ) {
    const page = await readPage(database, workspaceId, entries);
    isLast = page.length < pageSize;
    for (const entry of page) {
      problem = problemOf(workspaceId, entry, entries + 1, hash);
      if (problem !== null) break;
      entries += 1;
      hash = entry.hash;
      isHeadFound ||= headOf() === expectedHead;
    }
  }
  if (problem === null && !isHeadFound) problem = `the chain does not contain ${expectedHead}`;
  return { workspaceId, entries, head: headOf(), unsealed: await countUnsealed(database, workspaceId), problem };
}

function problemOf(workspaceId: string, entry: SealedEntry, position: number, previous: Buffer): string | null {
  if (Number(entry.position) !== position) return `entry ${position} is missing`;
  const text = `${workspaceId}:${position}:${entry.content}`;
  const hash = createHash('sha256').update(previous).update(text).digest();
  if (!hash.equals(entry.hash)) return `entry ${position} (${entry.entry_id}) or an entry before it was changed`;
  const { entryId } = JSON.parse(entry.content) as { entryId: string };
  return entryId === entry.entry_id ? null : `entry ${position} has the id ${entry.entry_id} instead of ${entryId}`;
}

async function readPage(database: Database, workspaceId: string, after: number): Promise<readonly SealedEntry[]> {
  const { rows } = await sql<SealedEntry>`
    select entry_id, content, position, hash from audit_entries
    where workspace_id = ${workspaceId} and position > ${after} order by position limit ${pageSize}`.execute(database);
  return rows;
}

async function countUnsealed(database: Database, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_entries where workspace_id = ${workspaceId} and position is null`.execute(
    database,
  );
  return rows[0]?.count ?? 0;
}
