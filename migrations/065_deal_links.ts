import { type Kysely, sql } from 'kysely';

/** The address of a deal's page in its CRM, which each sync reads; that of crm-b follows from the account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table crm_connections add column deal_url text check (deal_url like 'https://%{id}%')`.execute(db);
  await sql`
    update crm_connections set deal_url = 'https://app.hubspot.com/contacts/' || account_id || '/record/0-3/{id}'
    where provider = 'crmb' and account_id ~ '^[0-9]+$'`.execute(db);
}
