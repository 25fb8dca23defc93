import { type Browser } from '#test/support/browser.js';

export const largePeriod = '2026-02';

interface LargeWorkspace {
  readonly admin: string;
  readonly manager: string;
  readonly payroll: string;
  /** Parts of the addresses of pages, such as `planId`. */
  readonly parts: Readonly<Record<string, string>>;
}

/**
 * Adds people with a plan, a quota, an amount and half of them a draft of a statement, each a copy of one person whom the service
 * calculated; with payouts, everyone has an approved statement. Every fiftieth person manages the people up to the next manager. Returns
 * the people to sign in as, by role, and the parts of addresses.
 */
export async function addLargeWorkspace(
  browser: Pick<Browser, 'service' | 'workspace'>,
  people: number,
  { paysOut = false }: { readonly paysOut?: boolean } = {},
): Promise<LargeWorkspace> {
  const { api, workspaceId } = browser.workspace;
  const sql = (text: string) => browser.service.sql(text.replaceAll(':workspace', `'${workspaceId}'`));
  const { reps } = await api.expect(200, 'PUT', '/v1/reps', {
    reps: [
      { email: 'first@large.example', name: 'Ada First' },
      { email: 'manager@large.example', name: 'Ada Manager', role: 'manager' },
      { email: 'payroll@large.example', name: 'Ada Payroll', role: 'payroll' },
    ],
  });
  const [first, manager, payroll] = reps.map(({ id }: { id: string }) => id);
  const { planId, planVersionId } = await api.expect(201, 'POST', '/v1/plans', {
    name: 'Large',
    config: {
      dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
      rules: [
        {
          name: 'Sales',
          measure: 'amount',
          attainmentPeriod: 'monthly',
          tierMode: 'marginal',
          tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.05, name: 'All' }],
        },
      ],
    },
  });
  await api.expect(201, 'POST', '/v1/assignments', { repIds: [first], planId });
  await api.expect(201, 'POST', '/v1/quotas', {
    ...{ repIds: [first], planId, measure: 'Sales', period: largePeriod, target: 10_000 },
  });
  const rep = await browser.workspace.as(first);
  await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/acceptance`, { acceptance: 'required' });
  const { sha256 } = await rep.expect(200, 'GET', `/v1/plans/${planVersionId}/document`);
  await rep.expect(200, 'POST', `/v1/plans/${planVersionId}/acceptances`, { signedName: 'Ada First', sha256 });
  await api.expect(200, 'PUT', '/v1/rate-tables/Products', {
    ...{ keys: [{ name: 'family', field: 'line.family', match: 'exact' }], columns: [{ name: 'base', kind: 'rate' }] },
    rows: [{ keys: { family: 'software' }, values: { base: 0.1 } }],
  });
  await api.expect(201, 'PUT', '/v1/deals/L-1', {
    ...{ name: 'First', amount: 4000, stage: 'Won', closeDate: `${largePeriod}-10`, ownerId: 'first@large.example' },
  });
  await browser.workspace.calculated();
  if (paysOut) await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
  await api.expect(200, 'POST', '/v1/statements/generate', { period: largePeriod });
  if (paysOut) await api.approve(first, largePeriod);
  const { disputeId } = await rep.expect(201, 'POST', '/v1/disputes', {
    ...{ period: largePeriod, type: 'wrong_amount', description: 'L-1 is too low.' },
  });
  const hasStatement = paysOut ? 'true' : 'n % 2 = 0';
  const fill = async (table: string, changes: Readonly<Record<string, string>>, where = 'true') => {
    const columns = await browser.service.sql<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = '${table}' and is_generated = 'NEVER'
       order by ordinal_position`,
    );
    const names = columns.map(({ name }) => name);
    await sql(
      `insert into ${table} (${names.join(', ')})
       select ${names.map((name) => changes[name] ?? `t.${name}`).join(', ')}
       from ${table} t, generate_series(1, ${people}) n
       where t.workspace_id = :workspace and t.rep_id = '${first}' and ${where}`,
    );
  };
  const person = `md5('large' || n)::uuid`;
  const manages = 'n % 50 = 1';
  await fill('reps', {
    rep_id: person,
    email: `'p' || n || '@large.example'`,
    name: `'Person ' || n`,
    role: `case when ${manages} then 'manager' else 'rep' end`,
    title: `'Title ' || n % 20`,
    team: `'Team ' || n / 50 % 100`,
    location: `'Location ' || n % 10`,
    payroll_id: `case when n % 100 > 0 then 'P' || n end`,
    payroll_key: `case when n % 100 > 0 then 'p' || n end`,
  });
  await fill('lanes', { rep_id: person });
  await fill('assignments', { assignment_id: 'gen_random_uuid()', rep_id: person });
  await fill('plan_acceptances', { acceptance_id: 'gen_random_uuid()', rep_id: person }, 'n % 2 = 0');
  await fill('quotas', { quota_id: 'gen_random_uuid()', rep_id: person, current_value: '4000 + n % 13000' });
  await fill('rep_months', { rep_id: person });
  await fill('statement_periods', { rep_id: person }, hasStatement);
  await fill('statements', { statement_id: 'gen_random_uuid()', rep_id: person }, hasStatement);
  await sql(
    `insert into reporting_lines (workspace_id, rep_id, from_day, manager_id)
     select :workspace, md5('large' || n)::uuid, '2020-01-01',
       case when ${manages} then '${manager}' else md5('large' || (n - (n - 1) % 50))::uuid end
     from generate_series(1, ${people}) n`,
  );
  await sql('analyze');
  const parts = { planId, repId: first, dealId: 'L-1', disputeId, kind: 'deals', name: 'Products' };
  return { admin: 'admin', manager, payroll, parts };
}
