import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.js';

type Scores = Parameters<typeof api.setScores>[0]['body']['scores'];

/** The stored scores of a field. */
export const scoresQuery = (field: string) =>
  queryOptions({
    queryKey: ['scores', field],
    queryFn: async ({ signal }) => (await api.listScores({ query: { field } }, { signal })).scores,
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
