import { sql } from 'kysely';
import { type Database, executeWithCommit } from './pool.js';
import { type Work } from './unit-of-work.js';

/**
 * Number of cache scopes into which the reps of a workspace are divided: few reps share a scope, and reading all
 * versions stays short.
 */
const repParts = 64;
/** Scope of deals without an owner. */
const ownerlessPart = 64;
/**
 * Every cached response depends on this scope. A trigger gives it a new version on changes that do not declare whom
 * they affect.
 */
const workspacePart = 65;

function partOf(repId: string | null): number {
  if (repId === null) return ownerlessPart;
  let part = 0;
  for (let index = 0; index < repId.length; index += 1) part = (part * 31 + repId.charCodeAt(index)) % repParts;
  return part;
}

const affectedParts = new WeakMap<Work, Set<number>>();

/**
 * Declares whose data the transaction changes, in addition to earlier calls; null means deals without an owner. A
 * transaction that never calls it affects the whole workspace.
 */
export function markAffected(trx: Work, repIds: Iterable<string | null>): void {
  const parts = affectedParts.get(trx) ?? new Set();
  for (const repId of repIds) parts.add(partOf(repId));
  affectedParts.set(trx, parts);
}

/**
 * Gives the affected scopes a new version with the commit, so that concurrent changes of the same scope wait for
 * each other as shortly as possible and cannot deadlock.
 */
export function bumpCacheVersions(trx: Work, workspaceId: string): void {
  const parts = [...(affectedParts.get(trx) ?? [workspacePart])];
  if (parts.length > 0)
    executeWithCommit(trx, sql`select raise_answer_revisions(${workspaceId}, ${parts}::smallint[])`.compile(trx));
}

/**
 * The cache version of one rep's data, or of the whole workspace if `repId` is null. It changes with every change of
 * the data. `parts` is the result of {@link readCacheVersions}.
 */
export function cacheVersionOf(parts: string, repId: string | null): string {
  if (repId === null) return parts;
  const prefixes = [partOf(repId), workspacePart].map((part) => `${part}:`);
  return parts
    .split(' ')
    .filter((part) => prefixes.some((prefix) => part.startsWith(prefix)))
    .join(' ');
}

/** The versions of the workspace's cache scopes, for {@link cacheVersionOf}. */
export async function readCacheVersions(database: Database, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ parts: string }>`select answer_revisions_of(${workspaceId}) as parts`.execute(database);
  return (rows[0] as { parts: string }).parts;
}
