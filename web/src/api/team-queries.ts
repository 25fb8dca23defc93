import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { byName } from '../shared/format/texts.js';
import { loadAllPages } from './all-pages.js';
import { type Answer, api } from './client.js';
import { withCollectedCredit } from './collected-credit.js';
import { withOwnCurrency } from './own-currency.js';
import { idsOfRequest } from './person-list-queries.js';
import { type Statement } from './queries.js';

export type TeamOverview = Extract<Answer<'getCommissions'>, { reps: readonly { attainment: unknown }[] }>;
export type TeamMember = TeamOverview['reps'][number];
export type Attainment = TeamMember['attainment'][number];
export type TeamStatements = Extract<Answer<'getStatements'>, { statements: unknown }>;
export type TeamStatement = TeamStatements['statements'][number];
export type Exceptions = Answer<'listCommissionExceptions'>;
/** The list itself, not the progress of its calculation. */
export type ExceptionList = Exceptions & { readonly job?: undefined };
export type ExceptionGroup = Exceptions['exceptions'][number];
export type ApprovalJob = Answer<'listApprovalJobs'>['jobs'][number];
export type GenerationJob = Answer<'listGenerationJobs'>['jobs'][number];
export type DisputeDetail = Answer<'getDispute'>;
export type Discrepancy = Answer<'listDiscrepancies'>['discrepancies'][number];

/** The people who are meant, as the service reads it; empty for everyone. */
export type PeopleQuery = Readonly<
  Partial<Record<'words' | 'ids' | 'team' | 'title' | 'location' | 'managerId' | 'fields', string>>
> & {
  readonly role?: 'admin' | 'manager' | 'payroll' | 'finance' | 'auditor' | 'rep';
};

const everyone: PeopleQuery = {};

/**
 * While people are chosen, the list stays as it is until the next one has arrived. A period never shows another. What is read of people by
 * id belongs to their rows (`useTogether`).
 */
export function keepPeriod(period: string, { ids }: PeopleQuery = everyone) {
  return <Data>(data: Data | undefined, query: { readonly queryKey: readonly unknown[] } | undefined) =>
    query?.queryKey[1] === period && ids === undefined ? data : undefined;
}

/** People on a page of a list of the team: as many as one request names by id. */
export const teamOnPage = idsOfRequest;

/** The page as the service reads it. */
export function pageOf(page: number) {
  return { limit: String(teamOnPage), offset: String(page * teamOnPage) };
}

/** A page of what the people whom the caller may see earned in the period, with the sums of everyone. */
export const teamOverviewQuery = (period: string, people = everyone, page = 0) =>
  queryOptions({
    queryKey: ['team-overview', period, people, page],
    queryFn: ({ signal }) =>
      api.getCommissions({ query: { period, ...people, ...pageOf(page) } }, { signal }) as Promise<TeamOverview>,
    select: (team) => ({ ...team, reps: byName(team.reps).map(withCollectedCredits) }),
    placeholderData: keepPeriod(period, people),
  });

function withCollectedCredits(member: TeamMember): TeamMember {
  return { ...member, attainment: member.attainment.map(withCollectedCredit) };
}

/** The sums of what the people earned in the period, without their list. */
export const teamSumsQuery = (period: string, people = everyone) =>
  queryOptions({
    queryKey: ['team-sums', period, people],
    queryFn: ({ signal }) =>
      api.getCommissions({ query: { period, ...people, limit: '1' } }, { signal }) as Promise<TeamOverview>,
  });

/** The number of people on all pages; those of the only page in lists that a caller reads whole. */
export function countOf({ count }: { readonly count?: number | undefined }, rows: readonly unknown[]): number {
  return count ?? rows.length;
}

/** Whether one page has everyone, so that its figures are those of everyone. */
export function isWhole(answer: { readonly count?: number | undefined }, rows: readonly unknown[]): boolean {
  return countOf(answer, rows) <= Math.max(rows.length, teamOnPage);
}

/** The ids of people, as a filter. */
export function withIds(people: readonly { readonly repId: string }[]): PeopleQuery {
  return { ids: people.map(({ repId }) => repId).join(',') };
}

/** How many statements the person can approve, and how many are not generated, without their list. */
export const toApproveQuery = (period: string) =>
  queryOptions({
    queryKey: ['to-approve', period],
    queryFn: ({ signal }) =>
      api.getStatements({ query: { period, limit: '1', status: 'draft' } }, { signal }) as Promise<TeamStatements>,
    select: ({ toApprove = 0, statuses }) => ({ toApprove, none: statuses?.none ?? 0 }),
  });

/** Which statements of the team are listed: those of people, with a status. */
export type StatementFilter = PeopleQuery & {
  readonly status?: 'open' | 'missing' | 'approved';
  /** Only of people to whom something is owed that no batch contains. */
  readonly unpaid?: 'true';
};

/** A page of the statements of the team, each compared with the rep's last months, with the sums of everyone. */
export const teamStatementsQuery = (period: string, of: StatementFilter = everyone, page = 0) =>
  queryOptions({
    queryKey: ['team-statements', period, of, page],
    queryFn: ({ signal }) =>
      api.getStatements(
        { query: { period, deviations: 'true', ...of, ...pageOf(page) } },
        { signal },
      ) as Promise<TeamStatements>,
    select: (team) => ({ ...team, statements: byName(team.statements).map(withOwnCurrency) }),
    placeholderData: keepPeriod(period, of),
  });

export interface ExceptionsOf {
  readonly period: string;
  /** The filter of people. */
  readonly people?: PeopleQuery;
  /** Only what an admin accepted as expected to pay nothing. */
  readonly accepted?: boolean;
  readonly reason?: ExceptionGroup['reason'];
  readonly page?: number;
}

/** Deals of each reason on a page. */
export const exceptionsOnPage = 100;

/** What did not pay. While a worker calculates the list of a large workspace, its progress is read every second. */
const exceptionListQuery = ({ period, people = everyone, accepted = false, reason, page = 0 }: ExceptionsOf) =>
  queryOptions({
    queryKey: ['exceptions', period, people, accepted, reason, page],
    queryFn: ({ signal }) =>
      api.listCommissionExceptions(
        {
          query: {
            period,
            limit: String(exceptionsOnPage),
            ...people,
            ...(accepted ? { accepted: 'true' } : {}),
            ...(reason === undefined ? {} : { reason }),
            ...(page === 0 ? {} : { skip: String(page * exceptionsOnPage) }),
          },
        },
        { signal },
      ),
    placeholderData: keepPeriod(period, people),
    refetchInterval: ({ state: { data } }) => (data?.job?.status === 'running' ? 1000 : false),
  });

export const exceptionsQuery = (period: string, people = everyone) => exceptionListQuery({ period, people });

/** A page of the deals of one reason. The page before stays while it loads. */
export const exceptionsPageQuery = (wanted: ExceptionsOf & Required<Pick<ExceptionsOf, 'reason' | 'page'>>) => ({
  ...exceptionListQuery(wanted),
  placeholderData: keepPreviousData,
});

/** The list, once it is calculated. */
export function finishedExceptions(answer: Exceptions | undefined): ExceptionList | undefined {
  return answer?.job === undefined ? (answer as ExceptionList | undefined) : undefined;
}

/** The approvals of many statements of the period that the person may see, the latest first. A running one is read again. */
export const approvalJobsQuery = (period: string) =>
  queryOptions({
    queryKey: ['approval-jobs', period],
    queryFn: ({ signal }) => api.listApprovalJobs({ query: { period } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.jobs.some(isRunning) === true ? 1000 : false),
  });

/** The generations of many statements of the period that the person may see, the latest first. */
export const generationJobsQuery = (period: string) =>
  queryOptions({
    queryKey: ['generation-jobs', period],
    queryFn: ({ signal }) => api.listGenerationJobs({ query: { period } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.jobs.some(isRunning) === true ? 1000 : false),
  });

export function isRunning({ status }: { readonly status: string }): boolean {
  return status === 'running';
}

/** What an admin accepted as expected to pay nothing. */
export const acceptedExceptionsQuery = (period: string, people = everyone) =>
  exceptionListQuery({ period, people, accepted: true });

/** The max number of discrepancies of one response. */
const discrepanciesOfPage = 200;

/** All differences between approved statements and their periods as of now, the latest first. */
export const discrepanciesQuery = (status: Discrepancy['status']) =>
  queryOptions({
    queryKey: ['discrepancies', status],
    queryFn: ({ signal }) =>
      loadAllPages(
        discrepanciesOfPage,
        async (page) => (await api.listDiscrepancies({ query: { status, ...page } }, { signal })).discrepancies,
      ),
    placeholderData: keepPreviousData,
  });

/** The open differences of the person: what approved statements owe. */
export const openDifferencesQuery = (repId: string) =>
  queryOptions({
    queryKey: ['discrepancies', 'of', repId],
    queryFn: ({ signal }) => api.listDiscrepancies({ query: { repId, status: 'open', limit: '200' } }, { signal }),
  });

/** How many open differences the team has. */
export const differenceCountQuery = queryOptions({
  queryKey: ['discrepancies', 'count'],
  queryFn: ({ signal }) => api.listDiscrepancies({ query: { status: 'open', limit: '1' } }, { signal }),
  select: ({ count }) => count,
});

/** The number of lines on a page of a discrepancy. */
export const discrepancyLinesPage = 100;

/** A page of the differences of a discrepancy, the largest first. */
export const discrepancyLinesQuery = (discrepancyId: string, page: number) =>
  queryOptions({
    queryKey: ['discrepancy-lines', discrepancyId, page],
    queryFn: ({ signal }) =>
      api.listDiscrepancyLines(
        {
          params: { discrepancyId },
          query: { limit: String(discrepancyLinesPage), offset: String(page * discrepancyLinesPage) },
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

/** One stored version of a statement. */
export const versionQuery = (repId: string, period: string, version: number) =>
  queryOptions({
    queryKey: ['statement-version', repId, period, version],
    queryFn: ({ signal }) =>
      api.getStatements({ query: { repId, period, version: String(version) } }, { signal }) as Promise<Statement>,
    staleTime: Number.POSITIVE_INFINITY,
    select: withOwnCurrency<Statement>,
  });

/** Whether another approved statement pays the days of this one, which then can no longer be approved. */
export function isPaidElsewhere({ status, coveredBy }: Pick<TeamStatement, 'status' | 'coveredBy'>): boolean {
  return status !== 'approved' && coveredBy.length > 0;
}
