import { type Browser } from '#test/support/browser.js';

/** The pages of an admin, by the name of their picture. */
export async function adminPages(browser: Browser): Promise<Readonly<Record<string, string>>> {
  const plans: { planId: string; planStatus: string }[] = await browser.workspace.api.expect(200, 'GET', '/v1/plans');
  const planId = plans.find(({ planStatus }) => planStatus === 'active')?.planId ?? '';
  return {
    overview: '/overview',
    imports: '/imports',
    import: '/imports/deals',
    plans: '/plans',
    'new-plan': '/plans/new',
    plan: `/plans/${planId}`,
    'plan-builder': `/plans/${planId}/edit`,
    'new-plan-builder': '/plans/new/edit?template=marginal-ae',
    assignments: '/assignments',
    quotas: '/quotas',
    scores: '/scores',
    'all-deals': '/deals',
    members: '/members',
    person: `/members/${browser.repId('rep')}`,
    ramps: '/ramps',
    'rate-tables': '/rate-tables',
    'new-rate-table': '/new-rate-table',
    'credit-rules': '/credit-rules',
    'fx-rates': '/fx-rates',
    'members-tree': '/members?view=tree',
    recalculations: '/recalculations',
    connections: '/connections',
    fields: '/fields',
    keys: '/keys',
    'fiscal-calendar': '/fiscal-calendar',
    installation: '/installation',
    webhooks: '/endpoints',
    audit: '/audit',
    'audit-engine': '/audit?view=engine',
    workspace: '/workspace',
  };
}
