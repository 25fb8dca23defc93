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

export type DealLines = Answer<'getDealLines'>;
export type DealLine = DealLines['lines'][number];
/** A product of a deal as it is sent. */
export type SentDealLine = Parameters<typeof api.setDealLines>[0]['body']['lines'][number];
type LinesChange = Answer<'setDealLines'>;

/** Replaces the products that were entered; null removes them, so that those of the CRM count. */
export function sendDealLines(
  dealId: string,
  lines: readonly SentDealLine[] | null,
  dryRun = false,
): Promise<LinesChange> {
  const params = { dealId };
  const query = { dryRun: dryRun ? ('true' as const) : ('false' as const) };
  return lines === null
    ? api.deleteDealLines({ params, query })
    : api.setDealLines({ params, query, body: { lines: [...lines] } });
}

/** What the products would do to the commission of each person. */
export const linesEffectQuery = (dealId: string, lines: readonly SentDealLine[] | null) =>
  queryOptions({
    queryKey: ['dry-run', 'lines', dealId, lines],
    queryFn: () => sendDealLines(dealId, lines, true),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The products of the deal. */
export const dealLinesQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['deal-lines', dealId],
    queryFn: ({ signal }) => api.getDealLines({ params: { dealId } }, { signal }),
  });

/** What the lines would do to the commission of each person; null lines are those of the CRM, of rules, or of the owner. */
export const creditsEffectQuery = (dealId: string, lines: readonly SentLine[] | null) =>
  queryOptions({
    queryKey: ['dry-run', 'credits', dealId, lines],
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

export type CreditRule = Answer<'listCreditRules'>['creditRules'][number];
export type CreditRuleChange = Answer<'createCreditRule'>;
/** The terms of a rule as they are sent. */
export type CreditRuleTerms = Omit<CreditRule, 'creditRuleId' | 'conditions'> &
  Pick<Parameters<typeof api.createCreditRule>[0]['body'], 'conditions'>;

export const creditRulesQuery = queryOptions({
  queryKey: ['credit-rules'],
  queryFn: async ({ signal }) => (await api.listCreditRules({}, { signal })).creditRules,
});

/** Creates the rule, or changes the one with the id. */
export function sendCreditRule(
  creditRuleId: string | null,
  terms: CreditRuleTerms,
  dryRun = false,
): Promise<CreditRuleChange> {
  const query = { dryRun: dryRun ? ('true' as const) : ('false' as const) };
  return creditRuleId === null
    ? api.createCreditRule({ query, body: terms })
    : api.updateCreditRule({ params: { creditRuleId }, query, body: terms });
}

/** What the rule would do to the lines of deals, and to commission. */
export const creditRuleEffectQuery = (creditRuleId: string | null, terms: CreditRuleTerms) =>
  queryOptions({
    queryKey: ['dry-run', 'credit-rule', creditRuleId, terms],
    queryFn: () => sendCreditRule(creditRuleId, terms, true),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** What the removal of a rule would do. */
export const creditRuleRemovalQuery = (creditRuleId: string) =>
  queryOptions({
    queryKey: ['dry-run', 'credit-rule-removal', creditRuleId],
    queryFn: () => api.deleteCreditRule({ params: { creditRuleId }, query: { dryRun: 'true' } }),
    retry: false,
  });
