import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type DealChange = Answer<'listDealHistory'>['history'][number];

export const changesOnPage = 10;

/** A page of what happened to the deal, newest first. */
export const dealHistoryQuery = (dealId: string, page = 0) =>
  queryOptions({
    queryKey: ['deal-history', dealId, page],
    queryFn: ({ signal }) =>
      api.listDealHistory(
        { params: { dealId }, query: { limit: String(changesOnPage), offset: String(page * changesOnPage) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
