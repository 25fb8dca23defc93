import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/** Whether the audit log has entries to seal or repetitions to record, so that an idle service runs neither. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function audit_work() returns table (kind text)
    language sql stable ${asOwner} as $$
      (select 'seal' from audit_entries where position is null limit 1)
      union all
      (select 'record' from rejected_calls where minute < date_trunc('minute', now()) limit 1)
    $$`.execute(db);
  await grantToService(db, ['audit_work()']);
}
