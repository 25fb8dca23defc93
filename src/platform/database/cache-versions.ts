import { sql } from 'kysely';
import { type Database, executeWithCommit, type Work } from './pool.js';

/**
 * Number of cache scopes into which the reps of a workspace are divided: few reps share a scope, and reading all
 * versions stays short.
 */
const repScopes = 64;
/** Scope of deals without an owner. */
const ownerlessScope = 64;
/**
 * Every cached response depends on this scope. A trigger gives it a new version on changes that do not declare whom
 * they affect.
 */
const workspaceScope = 65;

function scopeOf(repId: string | null): number {
  if (repId === null) return ownerlessScope;
  let scope = 0;
  for (let index = 0; index < repId.length; index += 1) scope = (scope * 31 + repId.charCodeAt(index)) % repScopes;
  return scope;
}

const affectedScopes = new WeakMap<Work, Set<number>>();

/**
 * Declares whose data the transaction changes, in addition to earlier calls; null means deals without an owner. A
 * transaction that never calls it affects the whole workspace.
 */
export function markAffected(trx: Work, repIds: Iterable<string | null>): void {
  const scopes = affectedScopes.get(trx) ?? new Set();
  for (const repId of repIds) scopes.add(scopeOf(repId));
  affectedScopes.set(trx, scopes);
}

/**
 * Gives the affected scopes a new version with the commit, so that concurrent changes of the same scope wait for
 * each other as shortly as possible and cannot deadlock.
 */
export function bumpCacheVersions(trx: Work, workspaceId: string): void {
  const scopes = [...(affectedScopes.get(trx) ?? [workspaceScope])];
  if (scopes.length > 0)
    executeWithCommit(trx, sql`select bump_cache_versions(${workspaceId}, ${scopes}::smallint[])`.compile(trx));
}

/**
 * The cache version of one rep's data, or of the whole workspace if `repId` is null. It changes with every change of
 * the data. `versions` is the result of {@link readCacheVersions}.
 */
export function cacheVersionOf(versions: string, repId: string | null): string {
  if (repId === null) return versions;
  const prefixes = [scopeOf(repId), workspaceScope].map((scope) => `${scope}:`);
  return versions
    .split(' ')
    .filter((version) => prefixes.some((prefix) => version.startsWith(prefix)))
    .join(' ');
}

/** The versions of the workspace's cache scopes, for {@link cacheVersionOf}. */
export async function readCacheVersions(database: Database, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ versions: string }>`select cache_versions_of(${workspaceId}) as versions`.execute(
    database,
  );
  return (rows[0] as { versions: string }).versions;
}
