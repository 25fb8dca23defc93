import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { loadAllPages } from './all-pages.js';
import { type Answer, api } from './client.js';

export type Person = Answer<'listReps'>['reps'][number];

type Query = NonNullable<NonNullable<Parameters<typeof api.listReps>[0]>['query']>;
export type PersonChoices = Answer<'listRepChoices'>;
/** Which people are meant, as the service reads it. */
export type PeopleFilter = Omit<Query, 'limit' | 'offset' | 'ids' | 'email'>;

/** Rows on a page of a list with a row for each person, and the people whom a choice offers at a time. */
export const peopleOnPage = 500;

/** Those who work and may be on a plan. */
export const earningPeople: PeopleFilter = { active: 'true', roles: 'manager,finance,auditor,rep' };

/** Those who may sign statements of others. */
export const signingPeople: PeopleFilter = { active: 'true', roles: 'admin,manager' };

/** A page of the people whom the caller sees, by name if the filter has no other order, with the number on all pages. */
export const peopleQuery = (filter: PeopleFilter = {}, page = 0, pageSize = peopleOnPage) =>
  queryOptions({
    queryKey: ['reps', filter, page, pageSize],
    queryFn: async ({ signal }) => {
      const of = { sort: 'name', limit: String(pageSize), offset: String(page * pageSize) } as const;
      const { reps, count = reps.length } = await api.listReps({ query: { ...of, ...filter } }, { signal });
      return { reps, count };
    },
    placeholderData: keepPreviousData,
  });

/** The max number of people whom one request changes. */
export const maxChangedPeople = 1000;

/** The people who pass the filter, to change all of them. */
export async function loadPeopleToChange(filter: PeopleFilter): Promise<readonly Person[]> {
  return (await api.listReps({ query: { ...filter, limit: String(maxChangedPeople) } })).reps;
}

const peopleOfRequest = 2000;

/** Everyone who passes the filter, page by page: a file is compared with the names, addresses and managers of all people. */
export const allPeopleQuery = (filter: PeopleFilter = {}) =>
  queryOptions({
    queryKey: ['reps', 'all', filter],
    queryFn: () =>
      loadAllPages(peopleOfRequest, async (page) => (await api.listReps({ query: { ...filter, ...page } })).reps),
    placeholderData: keepPreviousData,
  });

/** How many people pass the filter, without their list. */
export const peopleCountQuery = (filter: PeopleFilter) => ({
  ...peopleQuery(filter, 0, 1),
  select: ({ count }: { readonly count: number }) => count,
});

/** The values by which people can be filtered. */
export const personChoicesQuery = (filter: Pick<PeopleFilter, 'roles' | 'active'>) =>
  queryOptions({
    queryKey: ['reps', 'choices', filter],
    queryFn: ({ signal }) => api.listRepChoices({ query: filter }, { signal }),
  });

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** The max number of ids of one request, whose address has a limit. */
export const idsOfRequest = 200;
