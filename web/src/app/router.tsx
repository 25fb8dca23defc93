import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { basePath } from '../api/client.js';
import { profileQuery } from '../api/queries.js';
import { NotFound, PageError } from '../components/PageProblems.js';
import { personSearch } from '../features/people/person-search.js';
import { bandKeys } from '../pages/team/bands.js';
import { adminRoutes } from './admin-routes.js';
import { findHome } from './navigation.js';
import { queryClient } from './query-client.js';
import { day, oneOf, pageNumber, parseSearch, period, readSearch, stringifySearch, text } from './search.js';
import { type Session } from './session.js';
import { page, requireSession, rootRoute, shellRoute } from './shell-route.js';

/** The page has no navigation: another program has opened it, and the person returns there. */
const connectAgentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connect-agent',
  validateSearch: readSearch({ request: text }),
  errorComponent: PageError,
  beforeLoad: requireSession,
  component: lazyRouteComponent(() => import('../pages/sign-in/ConnectAgentPage.js'), 'ConnectAgentPage'),
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: readSearch({ next: text }),
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

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: () => {
    const profile = queryClient.getQueryData(profileQuery.queryKey) as Session;
    throw redirect({ to: findHome(profile.role) as '/me', search: {} });
  },
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
      page('/account', () => import('../pages/account/AccountPage.js'), 'AccountPage'),
      page('/account/agents', () => import('../pages/account/AgentsPage.js'), 'AgentsPage'),
      page('/me/mail', () => import('../pages/account/MailPage.js'), 'MailPage'),
      page('/me', () => import('../pages/rep/MyPayPage.js'), 'MyPayPage', {
        period,
        trace: text,
        lines: oneOf('all'),
      }),
      page('/me/deals', () => import('../pages/deals/MyDealsPage.js'), 'MyDealsPage', {
        period,
        page: pageNumber,
        open: pageNumber,
      }),
      page('/deals/$dealId', () => import('../pages/deals/DealPage.js'), 'DealPage', { trace: text, edit: text }),
      page('/me/plan', () => import('../pages/rep/MyPlanPage.js'), 'MyPlanPage'),
      page('/me/simulate', () => import('../pages/rep/SimulatePage.js'), 'SimulatePage', { page: pageNumber }),
      page('/statements', () => import('../pages/statements/StatementsPage.js'), 'StatementsPage'),
      page('/statements/$repId', () => import('../pages/statements/StatementPage.js'), 'StatementPage', {
        period,
        trace: text,
        lines: oneOf('all'),
        find: text,
      }),
      page('/me/questions', () => import('../pages/questions/QuestionsPage.js'), 'QuestionsPage'),
      page('/questions/$disputeId', () => import('../pages/questions/QuestionPage.js'), 'QuestionPage'),
      page('/team', () => import('../pages/team/TeamPage.js'), 'TeamPage', {
        period,
        ...personSearch,
        band: oneOf(...bandKeys),
        beside: period,
      }),
      page('/approvals', () => import('../pages/team/approvals/ApprovalsPage.js'), 'ApprovalsPage', {
        period,
        tab: oneOf('review', 'approved', 'all'),
        ...personSearch,
      }),
      page('/exceptions', () => import('../pages/team/ExceptionsPage.js'), 'ExceptionsPage', {
        period,
        reason: text,
        ...personSearch,
        show: oneOf('expected'),
      }),
      page('/quota-progress', () => import('../pages/team/QuotaProgressPage.js'), 'QuotaProgressPage', {
        period,
        measure: text,
      }),
      page('/discrepancies', () => import('../pages/team/DiscrepanciesPage.js'), 'DiscrepanciesPage', {
        status: oneOf('open', 'dismissed', 'resolved'),
        open: text,
      }),
      page('/questions', () => import('../pages/team/TeamQuestionsPage.js'), 'TeamQuestionsPage', {
        tab: oneOf('waiting', 'decided', 'all'),
      }),
      page('/agent-changes', () => import('../pages/team/ChangeRequestsPage.js'), 'ChangeRequestsPage'),
      page('/payroll', () => import('../pages/payroll/PayrollPage.js'), 'PayrollPage', {
        period,
        layout: oneOf('generic', 'gusto', 'adp', 'rippling', 'workday', 'long'),
        scope: oneOf('full', 'new'),
        currency: text,
        ...personSearch,
      }),
      page('/payroll-statements', () => import('../pages/payroll/PeriodStatementsPage.js'), 'PeriodStatementsPage', {
        period,
        ...personSearch,
      }),
      page('/month-end', () => import('../pages/finance/FinancePage.js'), 'FinancePage', {
        month: period,
        company: text,
      }),
      page('/month-end/renewals', () => import('../pages/finance/RenewalsPage.js'), 'RenewalsPage', { month: period }),
      page('/holds', () => import('../pages/payroll/HoldsPage.js'), 'HoldsPage'),
      page('/hand-overs', () => import('../pages/payroll/HandoversPage.js'), 'HandoversPage'),
      page('/audit', () => import('../pages/settings/AuditPage.js'), 'AuditPage', {
        view: oneOf('engine'),
        actor: text,
        action: text,
        resource: text,
        from: day,
        to: day,
      }),
      page('/evidence', () => import('../pages/settings/EvidencePage.js'), 'EvidencePage'),
      page('/people', () => import('../pages/payroll/PeoplePage.js'), 'PeoplePage', personSearch),
      ...adminRoutes,
      unknownRoute,
    ]),
  ]),
  basepath: basePath === '' ? '/' : basePath,
  defaultPreload: 'intent',
  scrollRestoration: isOtherPage,
  parseSearch,
  stringifySearch,
});

let shownPath = '';

/** Opening a drawer, a tab or a filter is the same page, which keeps its place. Called once after each rendering. */
function isOtherPage({ location }: { readonly location: { readonly pathname: string } }): boolean {
  const isOther = location.pathname !== shownPath;
  shownPath = location.pathname;
  return isOther;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
