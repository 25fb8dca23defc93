import { sql } from 'kysely';
import { z } from 'zod';
import { type Day, earliestDay } from '../kernel/day.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { day } from '../platform/operations/schemas.js';
import { recordEvents } from '../platform/outbound/outgoing-events.js';
import { entityCode } from './entity.js';
import { mainEntity } from './settings-views.js';

export const repEntities = z
  .array(
    z
      .strictObject({
        from: day.optional().describe('First day, YYYY-MM-DD; absent: from the beginning'),
        entity: entityCode,
      })
      .describe('The entity from a day on'),
  )
  .max(200)
  .describe('The entities in the order of their days; each holds until the next one. On other days it is main');

/** The entity to which a person belongs from a day on. */
export interface RepEntity {
  readonly from?: Day | undefined;
  readonly entity: string;
}

export function inOrderOfDays(entities: readonly RepEntity[]): RepEntity[] {
  return entities.toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
}

/** The entity on the day, of entities in the order of their days. */
export function entityOn(entities: readonly RepEntity[], on: Day): string {
  return entities.findLast((each) => startOf(each) <= on)?.entity ?? mainEntity;
}

function startOf({ from = earliestDay }: RepEntity): Day {
  return from;
}

/** The entities of the reps as they were stored at `asOf`. People without an entry are absent. */
export async function loadRepEntities(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly RepEntity[]>> {
  const { rows } = await sql<{ repId: string; entities: readonly RepEntity[] }>`
    select distinct on (rep_id) rep_id as "repId", entities from accounting_rep_entities
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
      and stored_at <= ${tx.until}::timestamptz
    order by rep_id, version desc`.execute(tx.db);
  return new Map(rows.map(({ repId, entities }) => [repId, entities]));
}

/** Stores the entities of the people in place of those that they had. Earlier ones stay in the history. */
export async function storeRepEntities(
  tx: Transaction,
  changed: readonly { readonly repId: string; readonly entities: readonly RepEntity[] }[],
  at: Date,
): Promise<void> {
  await sql`
    insert into accounting_rep_entities (workspace_id, rep_id, version, entities, stored_at)
    select ${tx.workspaceId}::uuid, rep_id, 1 + coalesce((
        select max(e.version) from accounting_rep_entities e
        where e.workspace_id = ${tx.workspaceId} and e.rep_id = input.rep_id), 0), entities, ${at}::timestamptz
    from ${unnestRows(changed, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['entities', 'jsonb', ({ entities }) => JSON.stringify(entities)],
    ])}`.execute(tx.db);
  await recordEvents(
    tx,
    changed.map(({ repId }) => ({ type: 'accounting.rep_entities_changed', repId, data: { repId } })),
  );
}
