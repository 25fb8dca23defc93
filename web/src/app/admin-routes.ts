import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type DealSearch, isDealShow } from '../pages/data/deal-search.js';
import { periodIn, type Search, shellRoute, text } from './shell-route.js';

const day = (value: unknown) => (/^\d{4}-\d{2}-\d{2}$/.test(String(value)) ? String(value) : undefined);

const importsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/imports',
  component: lazyRouteComponent(() => import('../pages/data/ImportsPage.js'), 'ImportsPage'),
});

const importRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/imports/$kind',
  component: lazyRouteComponent(() => import('../pages/data/ImportPage.js'), 'ImportPage'),
});

const dealsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deals',
  validateSearch: (search: Search): DealSearch => ({
    query: text(search['query']),
    repId: text(search['repId']),
    stage: text(search['stage']),
    from: day(search['from']),
    to: day(search['to']),
    show: isDealShow(search['show']) ? search['show'] : undefined,
    page: Number.isInteger(search['page']) && Number(search['page']) > 0 ? Number(search['page']) : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/data/DealsPage.js'), 'DealsPage'),
});

const membersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/members',
  validateSearch: (search: Search): { view?: 'tree' } => ({ view: search['view'] === 'tree' ? 'tree' : undefined }),
  component: lazyRouteComponent(() => import('../pages/data/MembersPage.js'), 'MembersPage'),
});

const recalculationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/recalculations',
  validateSearch: (search: Search): { job?: string } => ({ job: text(search['job']) }),
  component: lazyRouteComponent(() => import('../pages/data/RecalculationsPage.js'), 'RecalculationsPage'),
});

const plansRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/plans',
  validateSearch: (search: Search): { part?: 'archived' } => ({
    part: search['part'] === 'archived' ? 'archived' : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/plans/PlansPage.js'), 'PlansPage'),
});

const newPlanRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/plans/new',
  component: lazyRouteComponent(() => import('../pages/plans/NewPlanPage.js'), 'NewPlanPage'),
});

const newPlanEditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/plans/new/edit',
  validateSearch: (search: Search): { template?: string } => ({ template: text(search['template']) }),
  component: lazyRouteComponent(() => import('../pages/plans/builder/BuilderPage.js'), 'NewPlanEditPage'),
});

const planRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/plans/$planId',
  component: lazyRouteComponent(() => import('../pages/plans/PlanPage.js'), 'PlanPage'),
});

const planEditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/plans/$planId/edit',
  component: lazyRouteComponent(() => import('../pages/plans/builder/BuilderPage.js'), 'EditPlanPage'),
});

const assignmentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/assignments',
  component: lazyRouteComponent(() => import('../pages/data/AssignmentsPage.js'), 'AssignmentsPage'),
});

const quotasRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/quotas',
  validateSearch: (search: Search): { year?: string; rule?: string } => ({
    year: /^\d{4}$/.test(String(search['year'])) ? String(search['year']) : undefined,
    rule: text(search['rule']),
  }),
  component: lazyRouteComponent(() => import('../pages/data/QuotasPage.js'), 'QuotasPage'),
});

const connectionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connections',
  component: lazyRouteComponent(() => import('../pages/settings/ConnectionsPage.js'), 'ConnectionsPage'),
});

const fieldsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/fields',
  component: lazyRouteComponent(() => import('../pages/settings/FieldsPage.js'), 'FieldsPage'),
});

const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/settings/KeysPage.js'), 'KeysPage'),
});

const overviewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/overview',
  validateSearch: (search: Search): { period?: string } => ({ period: periodIn(search) }),
  component: lazyRouteComponent(() => import('../pages/overview/OverviewPage.js'), 'OverviewPage'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/endpoints',
  validateSearch: (search: Search): { endpoint?: string } => ({ endpoint: text(search['endpoint']) }),
  component: lazyRouteComponent(() => import('../pages/settings/WebhooksPage.js'), 'WebhooksPage'),
});

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  validateSearch: (
    search: Search,
  ): { view?: 'engine'; actor?: string; action?: string; resource?: string; from?: string; to?: string } => ({
    view: search['view'] === 'engine' ? 'engine' : undefined,
    actor: text(search['actor']),
    action: text(search['action']),
    resource: text(search['resource']),
    from: day(search['from']),
    to: day(search['to']),
  }),
  component: lazyRouteComponent(() => import('../pages/settings/AuditPage.js'), 'AuditPage'),
});

const workspaceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workspace',
  component: lazyRouteComponent(() => import('../pages/settings/WorkspacePage.js'), 'WorkspacePage'),
});

/** The pages of admins. */
export const adminRoutes = [
  overviewRoute,
  webhooksRoute,
  auditRoute,
  workspaceRoute,
  connectionsRoute,
  fieldsRoute,
  keysRoute,
  importsRoute,
  importRoute,
  dealsRoute,
  membersRoute,
  recalculationsRoute,
  plansRoute,
  newPlanRoute,
  newPlanEditRoute,
  planRoute,
  planEditRoute,
  assignmentsRoute,
  quotasRoute,
] as const;
