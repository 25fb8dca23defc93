import { sql } from 'kysely';
import { rowsFrom } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Projection } from './deal.js';

/** Whose the deal is: a rep, nobody yet (null), or undefined for a rep that was given and does not exist. */
export type FindOwner = (deal: Pick<Projection, 'givenRepId' | 'ownerId' | 'ownerEmail'>) => string | null | undefined;

/** Looks the owners of the deals up at once: the given rep, else the CRM's member, else the one with the e-mail. */
export async function ownersOf(trx: Work, workspaceId: string, deals: readonly Projection[]): Promise<FindOwner> {
  const keys = distinct(deals.flatMap(({ givenRepId, ownerId, ownerEmail }) => [givenRepId, ownerId, ownerEmail]));
  if (keys.length === 0) return () => null;
  const { rows } = await sql<{ rep_id: string; crm_member_id: string | null; email: string }>`
    with keys as materialized (select key from ${rowsFrom(keys, [['key', 'text', (key) => key]])})
    select rep_id, crm_member_id, email from reps
    where workspace_id = ${workspaceId}
      and (rep_id::text in (select key from keys) or crm_member_id in (select key from keys) or email in (select key from keys))`.execute(
    trx,
  );
  const ids = new Set(rows.map((row) => row.rep_id));
  const byMember = new Map(
    rows.flatMap((row) => (row.crm_member_id === null ? [] : [[row.crm_member_id, row.rep_id]])),
  );
  const byEmail = new Map(rows.map((row) => [row.email, row.rep_id]));
  return ({ givenRepId, ownerId, ownerEmail }) => {
    if (givenRepId !== null) return ids.has(givenRepId) ? givenRepId : undefined;
    return byMember.get(ownerId ?? '') ?? byEmail.get(ownerEmail ?? '') ?? null;
  };
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))];
}
