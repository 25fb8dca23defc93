import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Assignment = Answer<'listAssignments'>[number];
export type Quota = Answer<'listQuotas'>[number];

/** Who is on which plan, on which days. */
export const assignmentsQuery = queryOptions({
  queryKey: ['assignments'],
  queryFn: ({ signal }) => api.listAssignments({}, { signal }),
});

export type DealOwner = Answer<'listDealOwners'>['owners'][number];

/** Owners of deals who match no person. */
export const dealOwnersQuery = queryOptions({
  queryKey: ['deal-owners'],
  queryFn: ({ signal }) => api.listDealOwners({ query: { limit: '500' } }, { signal }),
});

/** The quotas of every plan and period. */
export const quotasQuery = queryOptions({
  queryKey: ['quotas', null],
  queryFn: ({ signal }) => api.listQuotas({}, { signal }),
});
