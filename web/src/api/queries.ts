import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { loadAllPages } from './all-pages.js';
import { type Answer, api } from './client.js';
import { withCollectedCredit } from './collected-credit.js';
import { dashboardInOwnCurrency, withOwnCurrency } from './own-currency.js';

export type Profile = Answer<'getProfile'>;
export type Dashboard = Extract<Answer<'getCommissions'>, { closedDeals: unknown }>;
export type Breakdown = Extract<Answer<'getCommissions'>, { outcomes: unknown }>;
export type Statement = Extract<Answer<'getStatements'>, { lineItems: unknown }>;
export type Line = Statement['lineItems'][number];
export type OwnStatement = Answer<'listRepStatements'>[number];
export type Deal = Answer<'listDeals'>['deals'][number];
export type Plan = Answer<'getPlan'>;
export type Explanation = Answer<'explainCommission'>;
export type Simulation = Answer<'simulateCommissions'>;

/** Who is signed in. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => api.getProfile({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type Mails = Answer<'getMailPreferences'>;

/** Which mails the person receives. */
export const mailsQuery = queryOptions({
  queryKey: ['mails'],
  queryFn: ({ signal }) => api.getMailPreferences({}, { signal }),
});

export const dashboardQuery = (repId: string, period: string) =>
  queryOptions({
    queryKey: ['dashboard', repId, period],
    queryFn: async ({ signal }) => {
      const dashboard = (await api.getCommissions({ query: { repId, period } }, { signal })) as Dashboard;
      return { ...dashboard, attainment: dashboard.attainment.map(withCollectedCredit) };
    },
    select: dashboardInOwnCurrency<Dashboard>,
  });

/** The number of closed deals in one dashboard. */
export const closedDealsPage = 100;

/** A page of the deals that closed in the period, with what they paid. */
export const closedDealsQuery = (repId: string, period: string, page: number) =>
  queryOptions({
    queryKey: ['closed-deals', repId, period, page],
    queryFn: ({ signal }) =>
      api.getCommissions(
        { query: { repId, period, closedDealsOffset: String(page * closedDealsPage) } },
        { signal },
      ) as Promise<Dashboard>,
    placeholderData: keepPreviousData,
  });

/** What one deal paid and why; of the caller's own people. */
export const breakdownQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['breakdown', dealId],
    queryFn: ({ signal }) => api.getCommissions({ query: { dealId } }, { signal }) as Promise<Breakdown>,
  });

/** The latest version of a statement, or with `live` the ledger of today. */
export const statementQuery = (repId: string, period: string, live = false) =>
  queryOptions({
    queryKey: ['statement', repId, period, live],
    queryFn: ({ signal }) =>
      api.getStatements(
        { query: { repId, period, ...(live ? { live: 'true' } : {}) } },
        { signal },
      ) as Promise<Statement>,
    select: withOwnCurrency<Statement>,
  });

export const ownStatementsQuery = (repId: string) =>
  queryOptions({
    queryKey: ['statements-of', repId],
    queryFn: ({ signal }) => api.listRepStatements({ params: { repId } }, { signal }),
  });

/** The active plans, without their people. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => api.listPlans({ query: { status: 'active', assigned: '0' } }, { signal }),
});

/** The active plans to which the person is assigned. */
export const ownPlansQuery = (repId: string) =>
  queryOptions({
    queryKey: ['plans', repId],
    queryFn: ({ signal }) => api.listPlans({ query: { status: 'active', repId, assigned: '0' } }, { signal }),
  });

export const explanationQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['explanation', eventId],
    queryFn: ({ signal }) => api.explainCommission({ params: { eventId } }, { signal }),
  });

export type DealFilter = NonNullable<NonNullable<Parameters<typeof api.listDeals>[0]>['query']>;

export const dealsQuery = (filter: DealFilter) =>
  queryOptions({
    queryKey: ['deals', filter],
    queryFn: ({ signal }) => api.listDeals({ query: filter }, { signal }),
  });

/** The number of open deals on a page. */
export const openDealsPage = 100;

/** A page of the deals of the rep that are neither won nor lost. */
export const openDealsQuery = (repId: string, page: number) => ({
  ...dealsQuery({ repId, isClosed: 'false', limit: String(openDealsPage), offset: String(page * openDealsPage) }),
  placeholderData: keepPreviousData,
});

/** The max number of comments of one response. */
const commentsOfPage = 500;

export const commentsQuery = (repId: string, period: string) =>
  queryOptions({
    queryKey: ['comments', repId, period],
    queryFn: ({ signal }) =>
      loadAllPages(commentsOfPage, (page) =>
        api.listComments({ params: { repId }, query: { period, ...page } }, { signal }),
      ),
  });

export const overridesQuery = (planVersionId: string, repId: string) =>
  queryOptions({
    queryKey: ['overrides', planVersionId, repId],
    queryFn: ({ signal }) => api.listPlanOverrides({ params: { planVersionId } }, { signal }),
  });

export const planHistoryQuery = (planId: string) =>
  queryOptions({
    queryKey: ['plan-history', planId],
    queryFn: ({ signal }) => api.getPlanHistory({ params: { planId }, query: { assigned: '100' } }, { signal }),
  });

export type Dispute = Answer<'listDisputes'>['disputes'][number];

/** The latest disputes of a person. */
export const disputesQuery = (filter: { readonly repId?: string; readonly period?: string }) =>
  queryOptions({
    queryKey: ['disputes', filter],
    queryFn: ({ signal }) => api.listDisputes({ query: { ...filter, limit: '500' } }, { signal }),
    placeholderData: keepPreviousData,
  });

/** The states in which a dispute waits for a decision. */
const waitingStates = ['open', 'in_review'] as const;

export function isWaiting({ status }: Pick<Dispute, 'status'>): boolean {
  return waitingStates.some((state) => state === status);
}

/** The max number of disputes of one response. */
const disputesOfPage = 500;

/** Every dispute that waits, the latest first. */
export const waitingDisputesQuery = queryOptions({
  queryKey: ['disputes', 'waiting'],
  queryFn: async ({ signal }) => {
    const lists = await Promise.all(
      waitingStates.map((status) =>
        loadAllPages(
          disputesOfPage,
          async (page) => (await api.listDisputes({ query: { status, ...page } }, { signal })).disputes,
        ),
      ),
    );
    return lists.flat().sort((a, b) => (a.openedAt < b.openedAt ? 1 : -1));
  },
});

/** How many disputes wait, of all that there are. */
export const disputeCountsQuery = queryOptions({
  queryKey: ['disputes', 'counts'],
  queryFn: async ({ signal }) => {
    const [all = 0, ...waiting] = await Promise.all(
      [{}, ...waitingStates.map((status) => ({ status }))].map(
        async (filter) => (await api.listDisputes({ query: { ...filter, limit: '1' } }, { signal })).count,
      ),
    );
    return { all, waiting: waiting.reduce((sum, count) => sum + count, 0) };
  },
});

/** Every dispute that the person may see, the latest first. */
export const allDisputesQuery = queryOptions({
  queryKey: ['disputes', 'all'],
  queryFn: ({ signal }) =>
    loadAllPages(disputesOfPage, async (page) => (await api.listDisputes({ query: page }, { signal })).disputes),
});

export const disputeQuery = (disputeId: string) =>
  queryOptions({
    queryKey: ['dispute', disputeId],
    queryFn: ({ signal }) => api.getDispute({ params: { disputeId } }, { signal }),
  });

/** What a rep would earn in the period if the deals closed as given. */
export const simulationQuery = (planId: string, repId: string, period: string, deals: readonly SimulatedDeal[]) =>
  queryOptions({
    queryKey: ['simulation', planId, repId, period, deals],
    queryFn: ({ signal }) =>
      api.simulateCommissions(
        { body: { planId, repId, period, deals: [...deals] } },
        { signal },
      ) as Promise<Simulation>,
  });

export interface SimulatedDeal {
  readonly dealId: string;
  readonly amount?: number;
  readonly stage: string;
  readonly closeDate: string;
}

export type AgentRequest = Answer<'getAgentRequest'>;

/** What an agent asks the person to permit. */
export const agentRequestQuery = (request: string) =>
  queryOptions({
    queryKey: ['agent-request', request],
    queryFn: ({ signal }) => api.getAgentRequest({ query: { request } }, { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

export type Agent = Answer<'listAgents'>['agents'][number];

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => api.listAgents({}, { signal }),
});

export type ChangeRequest = Answer<'listChangeRequests'>['changeRequests'][number];

export const changeRequestsQuery = queryOptions({
  queryKey: ['change-requests'],
  queryFn: ({ signal }) => api.listChangeRequests({}, { signal }),
});
