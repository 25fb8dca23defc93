import { queryOptions, type UseQueryResult, useQueries } from '@tanstack/react-query';
import { api } from './client.js';
import { combinedState } from './combined-state.js';
import { idsOfRequest, isUuid, type Person } from './person-list-queries.js';

interface Batch {
  readonly ids: Set<string>;
  readonly people: Promise<ReadonlyMap<string, Person>>;
}

let open: Batch | null = null;

function openBatch(): Batch {
  const ids = new Set<string>();
  const sent = new Promise((resolve) => setTimeout(resolve)).then(async () => {
    if (open?.ids === ids) open = null;
    const { reps } = await api.listReps({ query: { ids: [...ids].join(',') } });
    return new Map(reps.map((person) => [person.id as string, person]));
  });
  return { ids, people: sent };
}

/** People who are needed at the same moment are loaded by one request. */
async function loadPerson(id: string): Promise<Person | null> {
  if (open === null || open.ids.size === idsOfRequest) open = openBatch();
  open.ids.add(id);
  return (await open.people).get(id) ?? null;
}

/** A form begins with what is stored now, so nothing stays in the cache when it is closed. */
const personOfIdQuery = (id: string) =>
  queryOptions({ queryKey: ['reps', 'id', id], queryFn: () => loadPerson(id), gcTime: 0 });

export type PeopleById = ReadonlyMap<string, Person>;

type PersonResult = Pick<UseQueryResult<Person | null>, 'data' | 'error' | 'fetchStatus' | 'refetch'>;
type Ids = readonly (string | null | undefined)[];

/** The people with the ids, which may be repeated or absent, as one query. */
export function usePeopleById(ids: Ids) {
  return useQueries({ queries: queriesOf(ids), combine: combinePeople });
}

/** The name of the person with the id; undefined while it loads and if there is none. */
export function usePersonNames(ids: Ids): (id: string | null) => string | undefined {
  const people = useQueries({ queries: queriesOf(ids), combine: mapById });
  return (id) => (id === null ? undefined : people.get(id)?.name);
}

function queriesOf(ids: Ids) {
  const wanted = [...new Set(ids)].filter((id) => typeof id === 'string' && isUuid(id)) as string[];
  return wanted.map(personOfIdQuery);
}

function combinePeople(results: readonly PersonResult[]) {
  return {
    ...combinedState(results),
    data: results.every(({ data }) => data !== undefined) ? mapById(results) : undefined,
  };
}

function mapById(results: readonly Pick<PersonResult, 'data'>[]): PeopleById {
  return new Map(results.flatMap(({ data }) => (data == null ? [] : [[data.id, data] as const])));
}
