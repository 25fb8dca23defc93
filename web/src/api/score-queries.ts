import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.js';

type Scores = Parameters<typeof api.setScores>[0]['body']['scores'];

/** The stored scores of these people in a field. */
export const scoresOfPeopleQuery = (field: string, repIds: readonly string[]) =>
  queryOptions({
    queryKey: ['scores', field, repIds],
    queryFn: async ({ signal }) =>
      repIds.length === 0
        ? []
        : (await api.listScores({ query: { field, repIds: repIds.join(',') } }, { signal })).scores,
  });

/** What other scores would do to commission. */
export const scoreEffectQuery = (field: string, scores: Scores) =>
  queryOptions({
    queryKey: ['dry-run', 'scores', field, scores],
    queryFn: async () =>
      (await api.setScores({ query: { dryRun: 'true', effect: 'true' }, body: { field, scores } })).effect ?? null,
    placeholderData: keepPreviousData,
    retry: false,
  });

export const saveScores = (field: string, scores: Scores) => api.setScores({ body: { field, scores } });
