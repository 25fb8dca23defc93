import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from '../../api/client.js';

export type SavedView = Answer<'listSavedViews'>['views'][number];

/** The views of all lists that the person has saved. */
export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: async ({ signal }) => (await api.listSavedViews({}, { signal })).views,
});
