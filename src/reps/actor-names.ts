import { type Transaction } from '../platform/database/unit-of-work.js';
import { keyAuthor } from './author.js';
import { findRepNames } from './rep-views.js';

/** A person by id, with the agent that acted for them; or a key, also one of an identity provider. */
const actorPattern = /^(?:mcp:|scim:)?(?:rep:([0-9a-f-]{36})( via .+)?|api-key|key:.+)$/;

/** The names of the actors, by actor: of the person, of the person and the agent, or of a key. Others have none. */
export async function readActorNames(
  tx: Transaction,
  actors: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const parsed = [...new Set(actors)].flatMap((actor) => {
    const match = actorPattern.exec(actor ?? '');
    return match === null ? [] : [{ actor: match[0], repId: match[1], agent: match[2] ?? '' }];
  });
  const people = await findRepNames(
    tx,
    parsed.flatMap(({ repId }) => repId ?? []),
  );
  return new Map(
    parsed.map(({ actor, repId, agent }) => [
      actor,
      repId === undefined ? keyAuthor : `${people.get(repId) ?? ''}${agent}`,
    ]),
  );
}
