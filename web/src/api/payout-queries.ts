import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type PayoutBatch = Answer<'listPayoutBatches'>['batches'][number];
export type Payable = Answer<'listPayables'>['payables'][number];
export type PayableTotals = Answer<'listPayables'>['totals'][number];

/** The batches of a pay period, latest first. */
export const payoutBatchesQuery = (period: string) =>
  queryOptions({
    queryKey: ['payout-batches', period],
    queryFn: async ({ signal }) => (await api.listPayoutBatches({ query: { period } }, { signal })).batches,
  });

/** What of a deal is waiting, held, payable, approved or paid; empty in workspaces without payouts. */
export const payablesOfDealQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['payables', 'deal', dealId],
    queryFn: ({ signal }) => api.listPayables({ query: { dealId } }, { signal }),
  });

/** The same of everything that a person has earned. */
export const payablesOfRepQuery = (repId: string) =>
  queryOptions({
    queryKey: ['payables', 'rep', repId],
    queryFn: ({ signal }) => api.listPayables({ query: { repId, limit: '1000' } }, { signal }),
  });
