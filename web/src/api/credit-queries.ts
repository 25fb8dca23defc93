import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type DealCredits = Answer<'getDealCredits'>;
export type CreditLine = DealCredits['credits'][number];
export type CreditsChange = Answer<'setDealCredits'>;

/** A line as it is sent: `repId` is null for the house. */
export interface SentLine extends Pick<CreditLine, 'repId' | 'kind' | 'percent' | 'affects'> {
  readonly role?: string;
}

export const dealCreditsQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['deal-credits', dealId],
    queryFn: ({ signal }) => api.getDealCredits({ params: { dealId } }, { signal }),
  });

/** What the lines would do to the commission of each person; null lines are those of the CRM, of rules, or of the owner. */
export const creditsEffectQuery = (dealId: string, lines: readonly SentLine[] | null) =>
  queryOptions({
    queryKey: ['credits-effect', dealId, lines],
    queryFn: () => sendCredits(dealId, lines, true),
    placeholderData: keepPreviousData,
    retry: false,
  });

export function sendCredits(dealId: string, lines: readonly SentLine[] | null, dryRun = false): Promise<CreditsChange> {
  const params = { dealId };
  const query = { dryRun: dryRun ? ('true' as const) : ('false' as const) };
  return lines === null
    ? api.deleteDealCredits({ params, query })
    : api.setDealCredits({ params, query, body: { credits: [...lines] } });
}
