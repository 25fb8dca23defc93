import { type Kysely, sql } from 'kysely';
import { asOwnerWithIndexes, grantToService } from './owner-functions.js';

/**
 * The revision of the configuration, as it is committed when the function is called and not when its statement began: a
 * volatile function takes a new snapshot. A transaction calls it after the lock under which the configuration stays.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function configuration_revision_of(workspace uuid) returns uuid
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    begin
      return (select w.configuration_revision from workspaces w where w.workspace_id = workspace);
    end $$`.execute(db);
  await grantToService(db, ['configuration_revision_of(uuid)']);
}
