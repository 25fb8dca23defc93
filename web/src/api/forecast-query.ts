import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Forecast = Extract<Answer<'getForecast'>, { readonly deals: unknown }>;

export const forecastQuery = (repId: string, period: string) =>
  queryOptions({
    queryKey: ['forecast', repId, period],
    queryFn: async ({ signal }) => (await api.getForecast({ query: { repId, period } }, { signal })) as Forecast,
  });
