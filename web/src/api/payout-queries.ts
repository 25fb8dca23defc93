import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { csvRows } from '../shared/format/csv.js';
import { type Answer, api } from './client.js';
import { type Layout, type PayrollFile } from './payroll-queries.js';
import { type PeopleQuery } from './team-queries.js';

export type PayoutBatch = Answer<'listPayoutBatches'>['batches'][number];
export type Payable = Answer<'listPayables'>['payables'][number];
export type PayableTotals = Answer<'listPayables'>['totals'][number];
export type Invoice = Answer<'listInvoices'>['invoices'][number];
export type Hold = Answer<'listHolds'>['holds'][number];

/** The batches of a pay period, latest first. */
export const payoutBatchesQuery = (period: string) =>
  queryOptions({
    queryKey: ['payout-batches', period],
    queryFn: async ({ signal }) => (await api.listPayoutBatches({ query: { period } }, { signal })).batches,
  });

/** The batches of all pay periods, latest first. */
export const allPayoutBatchesQuery = queryOptions({
  queryKey: ['payout-batches'],
  queryFn: async ({ signal }) => (await api.listPayoutBatches({}, { signal })).batches,
});

interface NextBatch {
  readonly period: string;
  readonly layout: Layout;
  /** Null for all. */
  readonly currency: string | null;
  /** What the file is compared with. With other sums, the file is another one. */
  readonly sums: unknown;
}

/** The file of the batch that would be created now, in one currency or all. */
export const nextBatchQuery = ({ period, layout, currency, sums }: NextBatch) =>
  queryOptions({
    queryKey: ['dry-run', 'payout-batch', period, layout, currency, sums],
    queryFn: async ({ signal }): Promise<PayrollFile> => {
      const {
        content = '',
        filename,
        sha256,
      } = await api.createPayoutBatch(
        {
          query: { dryRun: 'true', lines: '0' },
          body: { period, layout, ...(currency === null ? {} : { currency }) },
        },
        { signal },
      );
      const file = new File([content], filename);
      const [header = [], ...rows] = csvRows(await file.text());
      return { layout, scope: 'full', file, sha256, header, rows };
    },
    placeholderData: keepPreviousData,
  });

/** What of a deal is waiting, held, payable, approved or paid; empty in workspaces without payouts. */
export const payablesOfDealQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['payables', 'deal', dealId],
    queryFn: ({ signal }) => api.listPayables({ query: { dealId } }, { signal }),
  });

/** The same of everything that a person has earned, now or at an earlier instant. */
export const payablesOfRepQuery = (repId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['payables', 'rep', repId, asOf ?? null],
    queryFn: ({ signal }) =>
      api.listPayables({ query: { repId, limit: '1000', ...(asOf === undefined ? {} : { asOf }) } }, { signal }),
  });

/** The invoices of a deal with the payments of the customer, by day. */
export const invoicesQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['invoices', dealId],
    queryFn: async ({ signal }) => (await api.listInvoices({ params: { dealId } }, { signal })).invoices,
  });

/** The holds of pay, of everyone or of a deal, the latest first. */
export const holdsQuery = (dealId?: string) =>
  queryOptions({
    queryKey: ['holds', dealId ?? null],
    queryFn: async ({ signal }) =>
      (await api.listHolds({ query: dealId === undefined ? {} : { dealId } }, { signal })).holds,
  });

/** What is held of the pay of the people, at most the first thousand amounts. */
export const heldPayablesQuery = (people: PeopleQuery = {}) =>
  queryOptions({
    queryKey: ['payables', 'held', people],
    queryFn: ({ signal }) => api.listPayables({ query: { ...people, status: 'held', limit: '1000' } }, { signal }),
  });

/** What the person owes after the approved statements. */
export const balancesQuery = (repId: string) =>
  queryOptions({
    queryKey: ['balances', repId],
    queryFn: async ({ signal }) => (await api.listBalances({ query: { repId } }, { signal })).balances,
  });
