import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/** Whether the signers of overdue steps were reminded today. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workspaces
    -- the last day, in the zone of the workspace, on which signers were reminded
    add column signers_reminded_on date`.execute(db);
  await sql`
    create function workspaces_with_steps()
    returns table (workspace_id uuid, timezone text, test_day date, reminded_on date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.test_day, w.signers_reminded_on from workspaces w
      where w.approval_steps is not null
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_steps()']);
}
