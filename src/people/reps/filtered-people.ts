import { type Caller, visibleReps } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { text } from '../../platform/operations/schemas.js';
import { idsQuery, type PersonFilter, personFilterQuery, wordsQuery } from './person-filter.js';
import { visibleAmong } from './rep.js';
import { findRepIds } from './rep-views.js';

/** Query parameters that restrict the response to some of the people whom the caller may see. */
export const filteredPeopleQuery = {
  query: text(200).optional().describe('Only people with this part of the name or of the e-mail address, in any case'),
  words: wordsQuery,
  ids: idsQuery,
  ...personFilterQuery,
};

/** Tools of agents leave the parameters out: agents find people by list_reps. */
export const unfilteredPeople = {
  query: { always: undefined },
  words: { always: undefined },
  ids: { always: undefined },
  title: { always: undefined },
  team: { always: undefined },
  location: { always: undefined },
  managerId: { always: undefined },
  role: { always: undefined },
  fields: { always: undefined },
};

export interface FilteredPeople extends Omit<PersonFilter, 'active'> {
  readonly query?: string | undefined;
  readonly words?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** The ids of the people whom the caller may see and the filter means; null for everyone. */
export async function filteredReps(
  tx: Transaction,
  caller: Caller,
  today: Day,
  { query, words, ids, title, team, location, managerId, role, fields }: FilteredPeople,
): Promise<readonly string[] | null> {
  const visible = visibleAmong(visibleReps(caller), ids);
  const profile = { title, team, location, managerId, role, fields };
  if (query === undefined && words === undefined && Object.values(profile).every((value) => value === undefined))
    return visible;
  const seen = visible === null ? {} : { repIds: visible };
  return findRepIds(tx, today, { ...seen, profile, query, words });
}
