import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ProviderNames } from './scim-user.js';

interface ProvisionedUser extends ProviderNames {
  readonly repId: string;
  readonly isRemoved: boolean;
}

/** What providers have stored about people, by the id of the rep. */
export async function loadProvisioned(tx: Transaction): Promise<ReadonlyMap<string, ProvisionedUser>> {
  const { rows } = await sql<ProvisionedUser>`
    select rep_id as "repId", external_id as "externalId", given_name as "givenName", family_name as "familyName",
      removed_at is not null as "isRemoved"
    from scim_users where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return new Map(rows.map((row) => [row.repId, row]));
}

/** Stores what the provider sent about a person, who is not removed any more. */
export async function storeNames(tx: Transaction, repId: string, names: ProviderNames): Promise<void> {
  const { externalId, givenName, familyName } = names;
  await tx.db
    .insertInto('scim_users')
    .values({
      workspace_id: tx.workspaceId,
      rep_id: repId,
      external_id: externalId,
      given_name: givenName,
      family_name: familyName,
      removed_at: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'rep_id']).doUpdateSet({
        external_id: externalId,
        given_name: givenName,
        family_name: familyName,
        removed_at: null,
      }),
    )
    .execute();
}

/** The provider has deleted the person. */
export async function markRemoved(tx: Transaction, repId: string): Promise<void> {
  await sql`
    insert into scim_users (workspace_id, rep_id, removed_at) values (${tx.workspaceId}, ${repId}, now())
    on conflict (workspace_id, rep_id) do update set removed_at = now()`.execute(tx.db);
}
