import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { csvRows } from '../shared/format/csv.js';
import { type Answer, api, ReadableError } from './client.js';

export type Handover = Answer<'listPayrollHandovers'>['handovers'][number];
export type WaitingPeriod = Answer<'listPayrollHandovers'>['waiting'][number];
export type PayrollTerms = Answer<'getWorkspace'>['payroll'];
export type Layout = Handover['layout'];
/** full: everyone in the period; new: what earlier hand-overs do not contain. */
export type Scope = Handover['scope'];

/** A payroll file as the service writes it. */
export interface PayrollFile {
  readonly layout: Layout;
  readonly scope: Scope;
  readonly file: File;
  /** The service states the hash: browsers compute hashes only on pages with TLS. */
  readonly sha256: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The recorded hand-overs of all periods, latest first, and the periods with approved amounts that are in no file. */
export const handoversQuery = queryOptions({
  queryKey: ['payroll-handovers'],
  queryFn: ({ signal }) => api.listPayrollHandovers({}, { signal }),
});

/** The codes of payroll files. */
export const payrollTermsQuery = queryOptions({
  queryKey: ['payroll-terms'],
  queryFn: async ({ signal }) => (await api.getWorkspace({ query: { assigned: '0' } }, { signal })).payroll,
});

export const payrollFileQuery = (period: string, layout: Layout, scope: Scope) =>
  queryOptions({
    queryKey: ['payroll-file', period, layout, scope],
    queryFn: async ({ signal }): Promise<PayrollFile> => {
      const file = await api.exportStatementsCsv({ query: { period, layout, scope } }, { signal });
      if (!(file instanceof File) || file.sha256 === null) throw new ReadableError('The service returned no file.');
      const [header = [], ...rows] = csvRows(await file.text());
      return { layout, scope, file, sha256: file.sha256, header, rows };
    },
    placeholderData: keepPreviousData,
  });
