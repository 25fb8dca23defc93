import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Refund = Answer<'listRefunds'>['refunds'][number];
/** The terms of a refund as they are sent. */
export type SentRefund = Pick<Refund, 'day' | 'cause' | 'amount' | 'reason'>;

/** The refunds of a deal, in the order in which they count. */
export const refundsQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['refunds', dealId],
    queryFn: async ({ signal }) => (await api.listRefunds({ params: { dealId } }, { signal })).refunds,
  });

/** What the refund would take back of each person's commission; null for its removal. */
export const refundEffectQuery = (dealId: string, refundId: string, sent: SentRefund | null) =>
  queryOptions({
    queryKey: ['dry-run', 'refund', dealId, refundId, sent],
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) => {
      const params = { dealId, refundId };
      const query = { dryRun: 'true' } as const;
      return sent === null
        ? api.deleteRefund({ params, query }, { signal })
        : api.putRefund({ params, query, body: sent }, { signal });
    },
  });
