import { sql } from 'kysely';
import { type Database, executeWithCommit } from './pool.js';
import { type Work } from './unit-of-work.js';

/** Reps are spread over so many parts of their workspace, so that few lie in a part and a look at all of them is short. */
const repParts = 64;
/** Of deals without an owner. */
const nobodysPart = 64;
/** Every answer rests on it; migration 27 raises it for whoever does not raise parts. */
const everyonesPart = 65;

function partOf(repId: string | null): number {
  if (repId === null) return nobodysPart;
  let part = 0;
  for (let index = 0; index < repId.length; index += 1) part = (part * 31 + repId.charCodeAt(index)) % repParts;
  return part;
}

const concerned = new WeakMap<Work, Set<number>>();

/**
 * Says whose data the transaction changes: these reps', together with those that it has said before; null for deals
 * without an owner. One that is never heard of concerns everyone.
 */
export function markAffected(trx: Work, repIds: Iterable<string | null>): void {
  const parts = concerned.get(trx) ?? new Set();
  for (const repId of repIds) parts.add(partOf(repId));
  concerned.set(trx, parts);
}

/**
 * Gives the parts that the transaction concerns a new revision, at its end: others who change the same part wait for it
 * from there on, and it for nobody who could be waiting for it.
 */
export function bumpCacheVersions(trx: Work, workspaceId: string): void {
  const parts = [...(concerned.get(trx) ?? [everyonesPart])];
  if (parts.length > 0)
    executeWithCommit(trx, sql`select raise_answer_revisions(${workspaceId}, ${parts}::smallint[])`.compile(trx));
}

/**
 * The revision of one rep's data, or of the whole workspace's: another one after every change of what it could be read
 * from. Given those of all parts, as the database tells them.
 */
export function cacheVersionOf(parts: string, repId: string | null): string {
  if (repId === null) return parts;
  const wanted = [partOf(repId), everyonesPart].map((part) => `${part}:`);
  return parts
    .split(' ')
    .filter((part) => wanted.some((name) => part.startsWith(name)))
    .join(' ');
}

/** The revisions of the workspace's parts, for {@link cacheVersionOf}. */
export async function readCacheVersions(database: Database, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ parts: string }>`select answer_revisions_of(${workspaceId}) as parts`.execute(database);
  return (rows[0] as { parts: string }).parts;
}
