import { queryOptions, useQueries } from '@tanstack/react-query';
import { api } from './client.js';
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

export interface PeopleById {
  readonly people: ReadonlyMap<string, Person>;
  readonly isPending: boolean;
}

/** The people with the ids, which may be repeated or absent. */
export function usePeopleById(ids: readonly (string | null | undefined)[]): PeopleById {
  const wanted = [...new Set(ids)].filter((id) => typeof id === 'string' && isUuid(id)) as string[];
  return useQueries({ queries: wanted.map(personOfIdQuery), combine: combinePeople });
}

function combinePeople(
  results: readonly { readonly data: Person | null | undefined; readonly isLoading: boolean }[],
): PeopleById {
  const people = results.flatMap(({ data }) => (data == null ? [] : [data]));
  return {
    people: new Map(people.map((person) => [person.id, person])),
    isPending: results.some(({ isLoading }) => isLoading),
  };
}

/** The name of the person with the id; undefined while it loads and if there is none. */
export function usePersonNames(ids: readonly (string | null | undefined)[]): (id: string | null) => string | undefined {
  const { people } = usePeopleById(ids);
  return (id) => (id === null ? undefined : people.get(id)?.name);
}
