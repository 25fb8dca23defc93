import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../kernel/ids.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Subject } from '../../platform/operations/operation.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { type Ramp, rampNotFound } from './ramp.js';

/** The ramps as a table expression: the current ones, or in a transaction with `asOf` those of that instant. */
function rampsTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`ramps`;
  return sql`(select * from ${latestRows(tx, 'ramp_history', ['ramp_id'])} where name is not null)`;
}

/** Ramps by name, each with the number of its assignments today. */
export async function listRamps(
  tx: Transaction,
  { rampId, limit, offset = 0 }: OptionalPage & { readonly rampId?: string } = {},
): Promise<Ramp[]> {
  const { rows } = await sql<Ramp>`
    select r.ramp_id as "rampId", r.name, r.steps, (
      select count(*)::int from assignments a
      where a.workspace_id = r.workspace_id and a.ramp_id = r.ramp_id and a.deleted_at is null
    ) as assignments
    from ${rampsTable(tx)} r where r.workspace_id = ${tx.workspaceId} ${rampId === undefined ? sql`` : sql`and r.ramp_id = ${rampId}`}
    order by lower(r.name), r.ramp_id
    limit ${limit ?? null} offset ${offset}`.execute(tx.db);
  return rows;
}

export async function countRamps(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${rampsTable(tx)} r where r.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

export async function findRamp(tx: Transaction, rampId: string): Promise<Ramp> {
  const [found] = isUuid(rampId) ? await listRamps(tx, { rampId }) : [];
  if (found === undefined) throw rampNotFound();
  return found;
}

/** A change of the ramp: it pays the people whose assignments have it. */
export async function loadRampSubject(tx: Transaction, rampId: string): Promise<Subject> {
  const { rows } = await sql<{ repId: string }>`
    select distinct rep_id as "repId" from assignments
    where workspace_id = ${tx.workspaceId} and ramp_id::text = ${rampId} and deleted_at is null`.execute(tx.db);
  const [ramp = null] = isUuid(rampId) ? await listRamps(tx, { rampId }) : [];
  return { paid: rows.map(({ repId }) => repId), state: ramp };
}
