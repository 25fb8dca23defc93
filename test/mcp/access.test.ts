import { expect } from 'chai';
import { type AccessLevel, type Caller } from '#src/kernel/caller.js';
import { operations } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { mayCall } from '#src/platform/operations/operation-scope.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';
import { done, FetchClient, rejected, sdkClient, seededWorkspace } from './mcp-fixture.js';

const unknown = '3f0b2a44-0000-4000-8000-000000000000';

/** One call of every tool that changes nothing, and its result for a caller with access. `<self>` is the caller. */
const calls: Readonly<Record<string, readonly [given: Record<string, unknown>, outcome: string]>> = {
  get_workspace: [{}, 'ok'],
  list_fields: [{}, 'ok'],
  get_field_options: [{ slug: 'nope' }, 'field_not_found'],
  get_field_mapping: [{}, 'ok'],
  list_reps: [{}, 'ok'],
  list_deals: [{}, 'ok'],
  get_deal_lines: [{ dealId: 'nope' }, 'deal_not_found'],
  get_deal_credits: [{ dealId: 'nope' }, 'deal_not_found'],
  set_deal_credits: [{ dealId: 'nope', credits: [{ repId: null, percent: 100 }] }, 'deal_not_found'],
  list_rate_tables: [{}, 'ok'],
  get_rate_table: [{ name: 'nope' }, 'rate_table_not_found'],
  look_up_rate: [{ name: 'nope', values: {} }, 'rate_table_not_found'],
  list_plan_templates: [{}, 'ok'],
  list_plans: [{}, 'ok'],
  get_plan: [{ planId: unknown }, 'plan_not_found'],
  get_plan_history: [{ planId: unknown }, 'plan_not_found'],
  create_plan: [{ name: 'x', config: {} }, 'VALIDATION_FAILED'],
  update_plan: [{ planRef: unknown, effectiveStart: '2026-01-01' }, 'plan_not_found'],
  set_plan_status: [{ planRef: unknown, status: 'draft' }, 'plan_not_found'],
  delete_plan: [{ planId: unknown, confirm: true }, 'plan_not_found'],
  list_plan_overrides: [{ planVersionId: unknown }, 'plan_not_found'],
  set_plan_override: [
    { planVersionId: unknown, repId: unknown, rules: [{ ruleId: unknown, tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    'plan_not_found',
  ],
  delete_plan_override: [{ planVersionId: unknown, repId: unknown }, 'plan_not_found'],
  list_assignments: [{}, 'ok'],
  create_assignments: [{ repIds: [unknown], planId: unknown }, 'plan_not_found'],
  update_assignment: [{ assignmentId: unknown, effectiveEnd: 'never' }, 'assignment_not_found'],
  delete_assignment: [{ assignmentId: unknown }, 'assignment_not_found'],
  list_quotas: [{}, 'ok'],
  list_absences: [{}, 'ok'],
  list_draws: [{}, 'ok'],
  create_draw: [{ repId: unknown, kind: 'advance', recoverable: true, amount: 1, from: '2026-01-01' }, 'rep_not_found'],
  update_draw: [{ drawId: unknown, to: '2026-01-31' }, 'draw_not_found'],
  list_ramps: [{}, 'ok'],
  create_ramp: [{ name: 'x', steps: [] }, 'VALIDATION_FAILED'],
  update_ramp: [{ rampId: unknown, name: 'x' }, 'ramp_not_found'],
  list_fx_rates: [{}, 'ok'],
  set_fx_rates: [{ rates: [{ from: 'EUR', to: 'EUR', day: '2026-01-01', rate: 1 }] }, 'invalid_rate'],
  put_refund: [{ dealId: 'nope', refundId: 'r', day: '2026-01-01', cause: 'refund' }, 'deal_not_found'],
  set_absence: [{ repId: unknown, from: '2026-01-01', to: '2026-01-02' }, 'rep_not_found'],
  set_quota: [{ repIds: [unknown], measure: 'x', period: '2026-Q1', target: 1 }, 'rep_not_found'],
  delete_quota: [{ quotaId: unknown }, 'quota_not_found'],
  preview_plan_change: [{ planRef: unknown, status: 'archived', period: '2026' }, 'plan_not_found'],
  run_plan_tests: [{ planRef: unknown }, 'plan_not_found'],
  simulate_commissions: [{ planId: unknown, period: '2026-Q1', repId: '<self>' }, 'plan_not_found'],
  recalculate_commissions: [{ planId: unknown }, 'plan_not_found'],
  get_recalculation_job: [{ jobId: unknown }, 'job_not_found'],
  get_commissions: [{ dealId: 'D-1' }, 'ok'],
  get_forecast: [{ repId: '<self>' }, 'ok'],
  get_pay_calendar: [{ repId: '<self>' }, 'ok'],
  get_liability: [{}, 'accounting_off'],
  get_contract_costs: [{}, 'accounting_off'],
  list_audit_logs: [{}, 'ok'],
  list_change_requests: [{}, 'ok'],
  list_exceptions: [{}, 'ok'],
  set_people: [{ reps: [] }, 'VALIDATION_FAILED'],
  invite_people: [{ repIds: [] }, 'VALIDATION_FAILED'],
  list_disputes: [{}, 'ok'],
  open_dispute: [
    { repId: '<self>', period: '2026-01', type: 'other', description: 'x', dealId: 'nope' },
    'deal_not_found',
  ],
  list_discrepancies: [{}, 'ok'],
  list_payables: [{}, 'ok'],
  list_approvals: [{}, 'ok'],
  list_acceptances: [{}, 'ok'],
  resolve_discrepancy: [{ discrepancyId: unknown, action: 'dismiss', reason: 'x' }, 'discrepancy_not_found'],
};

const callers: Readonly<Record<string, AccessLevel>> = {
  'the workspace key': 'admin',
  'an admin': 'admin',
  'a manager': 'manager',
  'a rep': 'rep',
  'a payroll clerk': 'payroll',
  'a connection token': 'connection',
};
const all: readonly AnyOperation[] = operations;
const tools = all.filter((operation) => operation.tool !== undefined);

describe('access to the tools', () => {
  const service = Service.duringSuite();
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  const tokens = new Map<string, string>();

  before(async () => {
    seeded = await seededWorkspace(service);
    const { workspaceId, apiKey, ada, mia, ben } = seeded;
    tokens.set('the workspace key', apiKey);
    tokens.set('an admin', await service.token(workspaceId, 'sess', ada));
    tokens.set('a manager', await service.token(workspaceId, 'sess', mia));
    const [clerk] = await seeded.api.saveReps({ name: 'Pat', role: 'payroll' });
    tokens.set('a payroll clerk', await service.token(workspaceId, 'sess', clerk));
    tokens.set('a rep', await service.token(workspaceId, 'sess', ben));
    tokens.set('a connection token', await service.token(workspaceId, 'conn'));
  });

  const agentOf = (caller: string) => new FetchClient(service.url, tokens.get(caller) as string);
  const selfOf = (caller: string) => (caller === 'a manager' ? seeded.mia : seeded.ben);

  for (const [caller, accessLevel] of Object.entries(callers)) {
    const may = (operation: AnyOperation) => mayCall({ accessLevel: accessLevel } as Caller, operation);

    it(`${caller} gets exactly the tools that it may use, in their order`, async () => {
      const shown = (await agentOf(caller).tools()).map(({ name }) => name);
      const names = tools.filter(may).map((operation) => operation.tool?.name as string);
      const isFirst = (name: string) => name === 'get_workspace';
      expect(shown).to.deep.equal([...names.filter(isFirst), ...names.filter((name) => !isFirst(name))]);
      expect(shown).to.have.length(
        { public: 0, connection: 11, payroll: 9, finance: 9, auditor: 0, rep: 26, manager: 33, admin: 63 }[accessLevel],
      );
    });

    for (const operation of tools) {
      const name = operation.tool?.name as string;
      const [given, outcome] = calls[name] as (typeof calls)[string];
      const expected = may(operation) ? outcome : 'forbidden';

      it(`${caller} calls ${name} → ${expected}`, async () => {
        const requested = JSON.parse(JSON.stringify(given).replaceAll('<self>', selfOf(caller)));
        const { isError, structuredContent } = await agentOf(caller).call(name, requested);
        const got = isError === true ? structuredContent.code : 'ok';
        expect(got, JSON.stringify(structuredContent).slice(0, 300)).to.equal(expected);
      });
    }
  }

  it('people are found by a part of their name or address', async () => {
    const admin = agentOf('an admin');
    for (const [query, names] of [
      ['BE', ['Ben']],
      ['mia@', ['Mia']],
      ['nope', []],
    ] as const) {
      const { reps } = await done(admin, 'list_reps', { query });
      expect(
        reps.map(({ name }: { name: string }) => name),
        query,
      ).to.deep.equal(names);
    }
  });

  it('a plan is unchanged after a rep tried to delete it', async () => {
    const plan = {
      name: 'AE',
      config: { rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
    };
    const { planId } = await seeded.api.createPlan(plan);
    const { code } = await rejected(agentOf('a rep'), 'delete_plan', { planId, confirm: true });
    expect(code).to.equal('forbidden');
    const rows = await query(service.database.ownerUrl, 'select 1 from plans where plan_id = $1', [planId]);
    expect(rows).to.have.length(1);
  });

  it('a rep reads only their own data, as over REST', async () => {
    const rep = agentOf('a rep');
    expect((await done(rep, 'list_reps')).reps.map((one: { id: string }) => one.id)).to.deep.equal([seeded.ben]);
    for (const given of [{}, { repId: seeded.mia }])
      expect((await rejected(rep, 'get_commissions', given)).code).to.equal('forbidden');
  });

  it('an error result satisfies the output schema, which the official client validates', async () => {
    const { client, agent } = await sdkClient(service.url, tokens.get('a rep') as string);
    await client.listTools();
    for (const [name, [given, outcome]] of Object.entries(calls).filter(([, [, outcome]]) => outcome !== 'ok')) {
      const requested = JSON.parse(JSON.stringify(given).replaceAll('<self>', seeded.ben));
      expect((await rejected(agent, name, requested)).code).to.be.oneOf([outcome, 'forbidden']);
    }
    await agent.close();
  });

  it('the actor of a change by an agent has the prefix mcp:', async () => {
    await done(agentOf('the workspace key'), 'recalculate_commissions');
    await done(agentOf('an admin'), 'recalculate_commissions', { repId: seeded.ben });
    const rows = await query<{ actor: string }>(
      service.database.ownerUrl,
      'select actor from jobs where workspace_id = $1 order by started_at',
      [seeded.workspaceId],
    );
    expect(rows.map(({ actor }) => actor)).to.deep.equal(['mcp:api-key', `mcp:rep:${seeded.ada}`]);
  });
});
