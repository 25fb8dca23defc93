import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

type Acceptances = Answer<'listAcceptances'>;
export type Acceptance = Acceptances['acceptances'][number];
export type PlanDocument = Answer<'getPlanDocument'>['document'];

/** The acceptances of the person. */
export const ownAcceptancesQuery = (repId: string) =>
  queryOptions({
    queryKey: ['acceptances', 'own'],
    queryFn: ({ signal }) => api.listAcceptances({ query: { repId } }, { signal }),
  });

const shownPeople = 50;

/** How many have accepted the version, and the first people who have not. */
export const versionAcceptanceQuery = (planVersionId: string) =>
  queryOptions({
    queryKey: ['acceptances', planVersionId],
    queryFn: ({ signal }) =>
      api.listAcceptances(
        { query: { planRef: planVersionId, status: 'waiting,declined', limit: `${shownPeople}` } },
        { signal },
      ),
  });

export const planDocumentQuery = (planVersionId: string) =>
  queryOptions({
    queryKey: ['plan-document', planVersionId],
    queryFn: ({ signal }) => api.getPlanDocument({ params: { planVersionId } }, { signal }),
  });
