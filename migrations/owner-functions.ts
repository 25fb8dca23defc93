import { type Kysely, sql } from 'kysely';
import { appRole, ownerSearchPath } from './tenant-table.js';

/**
 * Properties of a function that runs with the owner's rights and reads all workspaces; see tenant-table.ts. The fixed
 * search path prevents that a caller substitutes a table.
 */
export const asOwner = sql.raw(`security definer set search_path = ${ownerSearchPath}`);

/**
 * The same for functions in PL/pgSQL that run with every request. The server keeps their plans for the life of the
 * connection and may plan them while the tables are empty, so they must use the indexes.
 */
export const asOwnerWithIndexes = sql.raw(
  `security definer set search_path = ${ownerSearchPath} set enable_seqscan = off`,
);

/** Lets the service execute the functions, and no other role. */
export async function grantToService(db: Kysely<unknown>, signatures: readonly string[]): Promise<void> {
  for (const signature of signatures.map((text) => sql.raw(text))) {
    await sql`revoke all on function ${signature} from public`.execute(db);
    await sql`grant execute on function ${signature} to ${sql.raw(appRole)}`.execute(db);
  }
}
