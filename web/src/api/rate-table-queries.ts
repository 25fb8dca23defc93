import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type RateTableSummary = Answer<'listRateTables'>['rateTables'][number];
export type StoredRateTable = Answer<'getRateTable'>;
export type RateCoverage = Answer<'getRateCoverage'>;
export type MissingRow = RateCoverage['missing'][number];
export type RateTableRevision = Answer<'listRateTableRevisions'>['revisions'][number];
export type RateTableChange = Answer<'setRateTable'>;
/** A table as it is sent. */
export type SentRateTable = Parameters<typeof api.setRateTable>[0]['body'];

export const rateTablesQuery = queryOptions({
  queryKey: ['rate-tables'],
  queryFn: async ({ signal }) => (await api.listRateTables({}, { signal })).rateTables,
});

/** The table is loaded once: what is edited belongs to the revision that is shown. */
export const rateTableQuery = (name: string) =>
  queryOptions({
    queryKey: ['rate-table', name],
    queryFn: ({ signal }) => api.getRateTable({ params: { name } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const rateTableRevisionsQuery = (name: string) =>
  queryOptions({
    queryKey: ['rate-table-revisions', name],
    queryFn: async ({ signal }) => (await api.listRateTableRevisions({ params: { name } }, { signal })).revisions,
  });

/** Which deals of the last year meet no row of the stored table. */
export const rateCoverageQuery = (name: string, revision: number) =>
  queryOptions({
    queryKey: ['rate-coverage', name, revision],
    queryFn: ({ signal }) => api.getRateCoverage({ params: { name } }, { signal }),
    placeholderData: keepPreviousData,
  });

export function sendRateTable(name: string, body: SentRateTable, dryRun = false): Promise<RateTableChange> {
  return api.setRateTable({ params: { name }, query: { dryRun: dryRun ? 'true' : 'false' }, body });
}

export function removeRateTable(name: string, dryRun = false): Promise<RateTableChange> {
  return api.deleteRateTable({ params: { name }, query: { dryRun: dryRun ? 'true' : 'false' } });
}

/** What the table would do to commission. */
export const rateTableEffectQuery = (name: string, body: SentRateTable | null) =>
  queryOptions({
    queryKey: ['dry-run', 'rate-table', name, body],
    queryFn: async () => (body === null ? null : sendRateTable(name, body, true)),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
