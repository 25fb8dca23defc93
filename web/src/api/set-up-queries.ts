import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Assignment = Answer<'listAssignments'>[number];
export type Quota = Answer<'listQuotas'>[number];

/** Which plans the person is on, on which days. */
export const assignmentsOfPersonQuery = (repId: string) =>
  queryOptions({
    queryKey: ['assignments', repId],
    queryFn: ({ signal }) => api.listAssignments({ query: { repId } }, { signal }),
  });

/** Which plans these people are on, on which days. */
export const assignmentsOfPeopleQuery = (repIds: readonly string[]) =>
  queryOptions({
    queryKey: ['assignments', repIds],
    queryFn: async ({ signal }) =>
      repIds.length === 0 ? [] : api.listAssignments({ query: { repIds: repIds.join(',') } }, { signal }),
  });

export type DealOwner = Answer<'listDealOwners'>['owners'][number];

/** Owners of deals who match no person. */
export const dealOwnersQuery = queryOptions({
  queryKey: ['deal-owners'],
  queryFn: ({ signal }) => api.listDealOwners({ query: { limit: '500' } }, { signal }),
});

/** The quotas of these people for the plan. */
export const quotasOfPeopleQuery = (planId: string, repIds: readonly string[]) =>
  queryOptions({
    queryKey: ['quotas', planId, repIds],
    queryFn: async ({ signal }) =>
      repIds.length === 0 ? [] : api.listQuotas({ query: { planId, repIds: repIds.join(',') } }, { signal }),
  });
