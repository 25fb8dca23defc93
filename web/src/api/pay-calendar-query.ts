import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type PayCalendar = Answer<'getPayCalendar'>;

/** What the next statements pay a person, and with the open deals. */
export const payCalendarQuery = (repId: string) =>
  queryOptions({
    queryKey: ['pay-calendar', repId],
    queryFn: ({ signal }) => api.getPayCalendar({ query: { repId } }, { signal }),
  });
