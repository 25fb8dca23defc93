import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Updates = Answer<'getUpdates'>;

const visitQuery = queryOptions({ queryKey: ['visit'], queryFn: () => api.recordVisit() });

/** What is new since the last visit; null in the first one. A visit is recorded when a page with updates is opened. */
export const updatesQuery = (repId: string) =>
  queryOptions({
    queryKey: ['updates', repId],
    queryFn: async ({ client, signal }) => {
      const { since } = await client.ensureQueryData(visitQuery);
      return since === null ? null : api.getUpdates({ query: { repId, since } }, { signal });
    },
  });
