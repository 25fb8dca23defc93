import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { basePath } from '../api/client.js';
import { profileQuery } from '../api/queries.js';
import { NotFound, PageError } from '../components/PageProblems.js';
import { adminRoutes } from './admin-routes.js';
import { homeOf } from './navigation.js';
import { queryClient } from './query-client.js';
import { type Session } from './session.js';
import { periodIn, requireSession, rootRoute, type Search, shellRoute, text } from './shell-route.js';

/** Reads the search parameters of pages with a period and the drawer of one amount. */
function periodAndTrace(search: Search): { period?: string; trace?: string } {
  return { period: periodIn(search), trace: text(search['trace']) };
}

const layouts = ['generic', 'gusto', 'adp', 'long'] as const;
type Layout = (typeof layouts)[number];
const isLayout = (value: unknown): value is Layout => layouts.some((layout) => layout === value);

const approvalTabs = ['review', 'approved', 'all'] as const;
type ApprovalTab = (typeof approvalTabs)[number];

function periodAndTab(search: Search): { period?: string; tab?: ApprovalTab } {
  return { period: periodIn(search), tab: approvalTabs.find((tab) => tab === search['tab']) };
}

/** Without the navigation: another program has opened the page, and the person returns to it. */
const connectAgentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connect-agent',
  validateSearch: (search: Search): { request?: string } => ({ request: text(search['request']) }),
  errorComponent: PageError,
  beforeLoad: requireSession,
  component: lazyRouteComponent(() => import('../pages/sign-in/ConnectAgentPage.js'), 'ConnectAgentPage'),
});

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: () => {
    const profile = queryClient.getQueryData(profileQuery.queryKey) as Session;
    throw redirect({ to: homeOf(profile.role) as '/me', search: {} });
  },
});

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/AccountPage.js'), 'AccountPage'),
});

const agentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account/agents',
  component: lazyRouteComponent(() => import('../pages/account/AgentsPage.js'), 'AgentsPage'),
});

const changeRequestsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agent-changes',
  component: lazyRouteComponent(() => import('../pages/team/ChangeRequestsPage.js'), 'ChangeRequestsPage'),
});

const mailRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/me/mail',
  component: lazyRouteComponent(() => import('../pages/account/MailPage.js'), 'MailPage'),
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search: Search): { next?: string } => ({ next: text(search['next']) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/LoginPage.js'), 'LoginPage'),
});

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/start',
  component: lazyRouteComponent(() => import('../pages/sign-in/StartPage.js'), 'StartPage'),
});

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/sign-in/SetupPage.js'), 'SetupPage'),
});

const myPayRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/me',
  validateSearch: periodAndTrace,
  component: lazyRouteComponent(() => import('../pages/rep/MyPayPage.js'), 'MyPayPage'),
});

const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team',
  validateSearch: (search: Search): { period?: string; name?: string } => ({
    period: periodIn(search),
    name: text(search['name']),
  }),
  component: lazyRouteComponent(() => import('../pages/team/TeamPage.js'), 'TeamPage'),
});

const exceptionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/exceptions',
  validateSearch: (search: Search): { period?: string; reason?: string } => ({
    period: periodIn(search),
    reason: text(search['reason']),
  }),
  component: lazyRouteComponent(() => import('../pages/team/ExceptionsPage.js'), 'ExceptionsPage'),
});

const quotaProgressRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/quota-progress',
  validateSearch: (search: Search): { period?: string; measure?: string } => ({
    period: periodIn(search),
    measure: text(search['measure']),
  }),
  component: lazyRouteComponent(() => import('../pages/team/QuotaProgressPage.js'), 'QuotaProgressPage'),
});

const discrepancyStates = ['open', 'dismissed', 'resolved'] as const;

const discrepanciesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/discrepancies',
  validateSearch: (search: Search): { status?: (typeof discrepancyStates)[number]; open?: string } => ({
    status: discrepancyStates.find((status) => status === search['status']),
    open: text(search['open']),
  }),
  component: lazyRouteComponent(() => import('../pages/team/DiscrepanciesPage.js'), 'DiscrepanciesPage'),
});

const disputeTabs = ['waiting', 'decided', 'all'] as const;

const teamQuestionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/questions',
  validateSearch: (search: Search): { tab?: (typeof disputeTabs)[number] } => ({
    tab: disputeTabs.find((tab) => tab === search['tab']),
  }),
  component: lazyRouteComponent(() => import('../pages/team/TeamQuestionsPage.js'), 'TeamQuestionsPage'),
});

const approvalsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/approvals',
  validateSearch: periodAndTab,
  component: lazyRouteComponent(() => import('../pages/team/approvals/ApprovalsPage.js'), 'ApprovalsPage'),
});

const myDealsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/me/deals',
  validateSearch: (search: Search): { period?: string } => ({ period: periodIn(search) }),
  component: lazyRouteComponent(() => import('../pages/deals/MyDealsPage.js'), 'MyDealsPage'),
});

const dealRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deals/$dealId',
  validateSearch: (search: Search): { trace?: string } => ({ trace: text(search['trace']) }),
  component: lazyRouteComponent(() => import('../pages/deals/DealPage.js'), 'DealPage'),
});

const myPlanRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/me/plan',
  component: lazyRouteComponent(() => import('../pages/rep/MyPlanPage.js'), 'MyPlanPage'),
});

const simulateRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/me/simulate',
  component: lazyRouteComponent(() => import('../pages/rep/SimulatePage.js'), 'SimulatePage'),
});

const statementsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/statements',
  component: lazyRouteComponent(() => import('../pages/statements/StatementsPage.js'), 'StatementsPage'),
});

const statementRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/statements/$repId',
  validateSearch: periodAndTrace,
  component: lazyRouteComponent(() => import('../pages/statements/StatementPage.js'), 'StatementPage'),
});

const questionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/me/questions',
  component: lazyRouteComponent(() => import('../pages/questions/QuestionsPage.js'), 'QuestionsPage'),
});

const questionRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/questions/$disputeId',
  component: lazyRouteComponent(() => import('../pages/questions/QuestionPage.js'), 'QuestionPage'),
});

const payrollRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/payroll',
  validateSearch: (search: Search): { period?: string; layout?: Layout } => ({
    period: periodIn(search),
    layout: isLayout(search['layout']) ? search['layout'] : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/payroll/PayrollPage.js'), 'PayrollPage'),
});

const payrollStatementsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/payroll-statements',
  validateSearch: (search: Search): { period?: string } => ({ period: periodIn(search) }),
  component: lazyRouteComponent(() => import('../pages/payroll/PeriodStatementsPage.js'), 'PeriodStatementsPage'),
});

const peopleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('../pages/payroll/PeoplePage.js'), 'PeoplePage'),
});

/** An address without a page. */
const unknownRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFound,
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    loginRoute,
    startRoute,
    setupRoute,
    connectAgentRoute,
    shellRoute.addChildren([
      homeRoute,
      accountRoute,
      mailRoute,
      agentsRoute,
      changeRequestsRoute,
      myPayRoute,
      myDealsRoute,
      dealRoute,
      myPlanRoute,
      simulateRoute,
      statementsRoute,
      statementRoute,
      questionsRoute,
      questionRoute,
      teamRoute,
      approvalsRoute,
      exceptionsRoute,
      quotaProgressRoute,
      payrollRoute,
      payrollStatementsRoute,
      peopleRoute,
      discrepanciesRoute,
      teamQuestionsRoute,
      ...adminRoutes,
      unknownRoute,
    ]),
  ]),
  basepath: basePath === '' ? '/' : basePath,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
