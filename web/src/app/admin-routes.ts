import { personSearch } from '../features/people/person-search.js';
import { isDealShow } from '../pages/data/deal-search.js';
import { day, oneOf, pageNumber, period, text, year } from './search.js';
import { pagesFor } from './shell-route.js';

const page = pagesFor('admin');

/** The pages of admins. */
export const adminRoutes = [
  page('/overview', () => import('../pages/overview/OverviewPage.js'), 'OverviewPage', { period }),
  page('/endpoints', () => import('../pages/settings/WebhooksPage.js'), 'WebhooksPage', { endpoint: text }),
  page('/workspace', () => import('../pages/settings/WorkspacePage.js'), 'WorkspacePage'),
  page('/installation', () => import('../pages/settings/InstallationPage.js'), 'InstallationPage'),
  page('/fiscal-calendar', () => import('../pages/settings/FiscalCalendarPage.js'), 'FiscalCalendarPage'),
  page('/connections', () => import('../pages/settings/ConnectionsPage.js'), 'ConnectionsPage'),
  page('/fields', () => import('../pages/settings/FieldsPage.js'), 'FieldsPage', { name: text }),
  page('/keys', () => import('../pages/settings/KeysPage.js'), 'KeysPage'),
  page('/imports', () => import('../pages/data/ImportsPage.js'), 'ImportsPage', {
    import: text,
    page: pageNumber,
  }),
  page('/imports/scheduled', () => import('../pages/data/ScheduledImportsPage.js'), 'ScheduledImportsPage', {
    schedule: text,
  }),
  page('/imports/$kind', () => import('../pages/data/ImportPage.js'), 'ImportPage'),
  page('/deals', () => import('../pages/data/DealsPage.js'), 'DealsPage', {
    query: text,
    repId: text,
    stage: text,
    field: text,
    value: text,
    from: day,
    to: day,
    show: (value) => (isDealShow(value) ? value : undefined),
    page: pageNumber,
  }),
  page('/members', () => import('../pages/data/MembersPage.js'), 'MembersPage', {
    view: oneOf('tree'),
    ...personSearch,
  }),
  page('/person-fields', () => import('../pages/settings/PersonFieldsPage.js'), 'PersonFieldsPage'),
  page('/members/$repId', () => import('../pages/data/PersonPage.js'), 'PersonPage', { year }),
  page('/owners', () => import('../pages/data/OwnersPage.js'), 'OwnersPage'),
  page('/recalculations', () => import('../pages/data/RecalculationsPage.js'), 'RecalculationsPage', { job: text }),
  page('/plans', () => import('../pages/plans/PlansPage.js'), 'PlansPage', { part: oneOf('archived') }),
  page('/plans/new', () => import('../pages/plans/NewPlanPage.js'), 'NewPlanPage'),
  page('/plans/new/edit', () => import('../pages/plans/builder/BuilderPage.js'), 'NewPlanEditPage', {
    template: text,
    copy: text,
  }),
  page('/plans/$planId', () => import('../pages/plans/PlanPage.js'), 'PlanPage'),
  page('/plans/$planId/edit', () => import('../pages/plans/builder/BuilderPage.js'), 'EditPlanPage', { rule: text }),
  page('/credit-rules', () => import('../pages/plans/CreditRulesPage.js'), 'CreditRulesPage'),
  page('/fx-rates', () => import('../pages/plans/FxRatesPage.js'), 'FxRatesPage', { enter: text }),
  page('/rate-tables', () => import('../pages/rate-tables/RateTablesPage.js'), 'RateTablesPage'),
  page('/rate-tables/$name', () => import('../pages/rate-tables/RateTablePage.js'), 'RateTablePage'),
  page('/new-rate-table', () => import('../pages/rate-tables/RateTablePage.js'), 'NewRateTablePage'),
  page('/ramps', () => import('../pages/plans/RampsPage.js'), 'RampsPage'),
  page('/assignments', () => import('../pages/data/AssignmentsPage.js'), 'AssignmentsPage', {
    assign: text,
    plan: text,
    ...personSearch,
  }),
  page('/scores', () => import('../pages/data/ScoresPage.js'), 'ScoresPage', {
    year,
    rule: text,
    ...personSearch,
  }),
  page('/quotas', () => import('../pages/data/QuotasPage.js'), 'QuotasPage', {
    year,
    rule: text,
    ruleId: text,
    person: text,
    day,
    ...personSearch,
  }),
] as const;
