import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** People that an identity provider provisions, and the scope of its key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scim_users (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- The id and the parts of the name as the provider has them, which it compares with later.
      external_id text check (length(external_id) <= 500),
      given_name text check (length(given_name) <= 200),
      family_name text check (length(family_name) <= 200),
      -- Set while the provider has deleted the person. The person stays here, without a right to sign in.
      removed_at timestamptz,
      primary key (workspace_id, rep_id),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await sql`create index scim_users_by_external_id on scim_users (workspace_id, external_id)`.execute(db);
  await tenantTable(db, 'scim_users');
  await sql`
    alter table tokens drop constraint tokens_check, add constraint tokens_check check ((kind = 'int') = (scopes is not null)
      and scopes <@ array['read', 'deals', 'plans', 'payroll', 'scim'] and cardinality(scopes) > 0)`.execute(db);
}
