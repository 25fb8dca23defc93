import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/** A client of agents is used when it gets tokens. Anyone who has registered one can make the service look it up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function find_agent_client(id text) returns table (metadata jsonb)
    language sql stable ${asOwner} as $$
      select c.metadata from agent_clients c where c.client_id = id
    $$`.execute(db);
  await sql`
    create function note_agent_client(id text) returns void
    language sql volatile ${asOwner} as $$
      update agent_clients set used_at = now() where client_id = id
    $$`.execute(db);
  await grantToService(db, ['note_agent_client(text)']);
}
