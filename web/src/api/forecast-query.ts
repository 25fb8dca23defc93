import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Forecast = Extract<Answer<'getForecast'>, { readonly deals: unknown }>;

/** With a goal, what reaches it. */
export const forecastQuery = (repId: string, period: string, goal?: number) =>
  queryOptions({
    queryKey: ['forecast', repId, period, goal ?? null],
    queryFn: async ({ signal }) => {
      const query = { repId, period, ...(goal === undefined ? {} : { goal: `${goal}` }) };
      return (await api.getForecast({ query }, { signal })) as Forecast;
    },
  });
