import { type Transaction } from '../../platform/database/unit-of-work.js';
import { keyAuthor } from './author.js';
import { findRepNames } from './rep-views.js';

/** A person by id, with the agent that acted for them; a key, also one of an identity provider; or a scheduled import. */
const actorPattern =
  /^(?:mcp:|scim:)?(?:rep:([0-9a-f-]{36})( via .+)?|api-key|key:.+|scheduled-import:([0-9a-f-]{36}))$/;

/** The names of the actors, by actor: of the person, of the person and the agent, of a key or a schedule. Others have none. */
export async function readActorNames(
  tx: Transaction,
  actors: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const parsed = [...new Set(actors)].flatMap((actor) => {
    const match = actorPattern.exec(actor ?? '');
    return match === null ? [] : [{ actor: match[0], repId: match[1], agent: match[2] ?? '', scheduleId: match[3] }];
  });
  const people = await findRepNames(
    tx,
    parsed.flatMap(({ repId }) => repId ?? []),
  );
  const schedules = await readScheduleNames(
    tx,
    parsed.flatMap(({ scheduleId }) => scheduleId ?? []),
  );
  return new Map(
    parsed.map(({ actor, repId, agent, scheduleId }) => {
      if (scheduleId !== undefined) return [actor, schedules.get(scheduleId) ?? 'A deleted schedule'];
      return [actor, repId === undefined ? keyAuthor : `${people.get(repId) ?? ''}${agent}`];
    }),
  );
}

/** The names of scheduled imports, by id. */
async function readScheduleNames(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.db
    .selectFrom('scheduled_imports')
    .select(['scheduled_import_id', 'name'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.scheduled_import_id, `Schedule “${row.name}”`]));
}
