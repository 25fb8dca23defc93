import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Refund = Answer<'listRefunds'>['refunds'][number];
/** The terms of a refund as they are sent. */
export type SentRefund = Pick<Refund, 'day' | 'cause' | 'amount' | 'reason'>;

/** The terms of a waiver as they are sent. */
export type SentWaiver = Pick<Refund['waivers'][number], 'repId' | 'reason'> & { readonly percent: number | null };
export type RefundEffectAnswer = Pick<Answer<'putRefund'>, 'byRep' | 'locked' | 'warnings'>;

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
    queryFn: ({ signal }): Promise<RefundEffectAnswer> => {
      const params = { dealId, refundId };
      const query = { dryRun: 'true' } as const;
      return sent === null
        ? api.deleteRefund({ params, query }, { signal })
        : api.putRefund({ params, query, body: sent }, { signal });
    },
  });

/** What the waiver would leave to each person. */
export const waiverEffectQuery = (dealId: string, refundId: string, sent: SentWaiver | null) =>
  queryOptions({
    queryKey: ['dry-run', 'waiver', dealId, refundId, sent],
    placeholderData: keepPreviousData,
    retry: false,
    enabled: sent !== null,
    queryFn: ({ signal }): Promise<RefundEffectAnswer> =>
      api.waiveRefund(
        { params: { dealId, refundId }, query: { dryRun: 'true' }, body: sent as SentWaiver },
        { signal },
      ),
  });
