import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { forceRowSecurity, insertOnly } from './tenant-table.js';

const outsideWorkspaces = [
  'agent_clients',
  'attempt_counters',
  'billing_recovery',
  'billing_unmatched',
  'mail_outbox',
  'sign_in_codes',
  'sign_in_failures',
  'sign_in_states',
];

/** The owner reads tables without a workspace only in migrations and functions, and no history can be rewritten. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of outsideWorkspaces) await forceRowSecurity(db, table);
  await insertOnly(db, 'statement_period_history');
  // The only change of the history: the erasure of a person replaces the name of the approver.
  await sql`
    create function rename_approver_in_history(rep uuid, new_name text) returns void
    language sql volatile ${asOwner} as $$
      update statement_period_history set approver = jsonb_set(approver, '{name}', to_jsonb(new_name))
      where workspace_id = current_setting('app.workspace_id')::uuid and approver ->> 'repId' = rep::text
    $$`.execute(db);
  await grantToService(db, ['rename_approver_in_history(uuid, text)']);
}
