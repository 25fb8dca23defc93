import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

type Acceptances = Answer<'listAcceptances'>;
export type Acceptance = Acceptances['acceptances'][number];
export type PlanDocument = Answer<'getPlanDocument'>['document'];

/** Who has accepted the plan, or for a rep which of the own plans they have. */
export const acceptancesQuery = (planId?: string) =>
  queryOptions({
    queryKey: ['acceptances', planId],
    queryFn: ({ signal }) =>
      api.listAcceptances({ query: planId === undefined ? {} : { planRef: planId } }, { signal }),
  });

export const planDocumentQuery = (planVersionId: string) =>
  queryOptions({
    queryKey: ['plan-document', planVersionId],
    queryFn: ({ signal }) => api.getPlanDocument({ params: { planVersionId } }, { signal }),
  });
