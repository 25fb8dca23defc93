import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ServiceFile } from '#src/client.js';
import { csvRows } from '../shared/format/csv.js';
import { type Answer, api, ReadableError } from './client.js';
import { finishedFile } from './download.js';
import { isRunning, keepPeriod, type PeopleQuery, pageOf } from './team-queries.js';

export type Handover = Answer<'listPayrollHandovers'>['handovers'][number];
export type PayrollSums = Answer<'getPayrollSums'>;
/** The number of people, and the first of them. */
export type SomePeople = PayrollSums['withoutPayrollId'];
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

/** The hand-overs of the period that workers record and the person may see, the latest first. A running one is read again. */
export const handoverJobsQuery = (period: string) =>
  queryOptions({
    queryKey: ['handover-jobs', period],
    queryFn: ({ signal }) => api.listHandoverJobs({ query: { period } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.jobs.some(isRunning) === true ? 1000 : false),
  });

/** The codes of payroll files. */
export const payrollTermsQuery = queryOptions({
  queryKey: ['payroll-terms'],
  queryFn: async ({ signal }) => (await api.getWorkspace({ query: { assigned: '0' } }, { signal })).payroll,
});

/** What payroll pays in the period: sums and numbers of the people, without a list of them, and a page of their teams. */
export const payrollSumsQuery = (period: string, people: PeopleQuery = {}, page = 0) =>
  queryOptions({
    queryKey: ['payroll-sums', period, people, page],
    queryFn: ({ signal }) => api.getPayrollSums({ query: { period, ...people, ...pageOf(page) } }, { signal }),
    placeholderData: keepPeriod(period, people),
  });

/** The number of people with a statement or a plan in the period. */
export function peopleOf({ approved, missing, covered }: PayrollSums): number {
  return approved.people + missing.people + covered;
}

/** Files of more people are requested by the reader and made by a worker, and what is held of them is not listed. */
export const maxPeopleAtOnce = 2000;

interface FileOfPeriod {
  readonly period: string;
  readonly layout: Layout;
  readonly scope: Scope;
  readonly isLarge: boolean;
  /** What the file is compared with. With other sums, the file is another one. */
  readonly sums: unknown;
}

export const payrollFileQuery = ({ period, layout, scope, isLarge, sums }: FileOfPeriod) =>
  queryOptions({
    queryKey: ['payroll-file', period, layout, scope, sums],
    queryFn: async ({ signal }): Promise<PayrollFile> => {
      const query = { period, layout, scope, ...(isLarge ? ({ async: 'true' } as const) : {}) };
      const file = (await finishedFile(await api.exportStatementsCsv({ query }, { signal }), {
        signal,
      })) as ServiceFile;
      if (!(file instanceof File) || file.sha256 === null) throw new ReadableError('The service returned no file.');
      const [header = [], ...rows] = csvRows(await file.text());
      return { layout, scope, file, sha256: file.sha256, header, rows };
    },
    placeholderData: keepPreviousData,
  });
