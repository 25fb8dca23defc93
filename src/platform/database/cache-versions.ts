import { sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type Database } from './pool.js';
import { type Transaction } from './transaction.js';

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

function hashScope(repId: string | null): number {
  if (repId === null) return ownerlessScope;
  let scope = 0;
  for (let index = 0; index < repId.length; index += 1) scope = (scope * 31 + repId.charCodeAt(index)) % repScopes;
  return scope;
}

/**
 * Gives the scopes of the affected reps a new version; null affects the whole workspace. It is sent with the commit, so that
 * concurrent changes of the same scope wait for each other as shortly as possible and cannot deadlock.
 */
export function bumpCacheVersions(tx: Transaction, affected: ReadonlySet<string | null> | null): void {
  const scopes = affected === null ? [workspaceScope] : [...new Set([...affected].map(hashScope))];
  if (scopes.length > 0) tx.callWithCommit(sql`bump_cache_versions(${tx.workspaceId}, ${scopes}::smallint[])`);
}

/**
 * The cache version of one rep's data, or of the whole workspace if `repId` is null. It changes with every change of
 * the data. `versions` is the result of {@link readCacheVersions}.
 */
export function selectCacheVersion(versions: string, repId: string | null): string {
  if (repId === null) return versions;
  const prefixes = [hashScope(repId), workspaceScope].map((scope) => `${scope}:`);
  return versions
    .split(' ')
    .filter((version) => prefixes.some((prefix) => version.startsWith(prefix)))
    .join(' ');
}

/** The versions of the workspace's cache scopes, for {@link selectCacheVersion}. */
export async function readCacheVersions(database: Database, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ versions: string }>`select cache_versions_of(${workspaceId}) as versions`.execute(
    database,
  );
  return (rows[0] as { versions: string }).versions;
}

/** Changes with everything that a computation reads of the workspace, and with the day. */
export async function readBasis(tx: Transaction, today: Day): Promise<string> {
  return `${today} ${await readCacheVersions(tx.db, tx.workspaceId)}`;
}
