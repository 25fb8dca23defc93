import { newId } from '#src/kernel/ids.js';
import { operations } from '#src/operations.js';
import { type Example } from '#src/platform/operations/operation.js';
import { hashToken } from '#src/platform/secrets/token.js';
import { ClientProgram } from '#test/agents/access/oauth-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type Service } from '#test/support/service.js';

/** The callers: people by their role, keys, and agents of people, which call tools. */
export type CallerName =
  | 'key'
  | 'admin'
  | 'manager'
  | 'rep'
  | 'payroll'
  | 'integration'
  | 'connection'
  | 'agent'
  | 'repAgent'
  | 'none'
  | 'unknown';

const exampleOf = (id: string): Example => operations.find((operation) => operation.id === id)?.example ?? {};
const paramOf = (id: string, name: string): string => exampleOf(id).params?.[name] as string;

/** A workspace that contains the objects of the examples, so that the examples are valid requests in it. */
export class ExampleWorld {
  key: string;
  api: ApiClient;
  readonly tokens: Record<CallerName, string | null>;
  /** The ids of the examples and their replacements in this workspace. */
  ids: Readonly<Record<string, string>> = {};
  private program: ClientProgram | null = null;

  private constructor(
    readonly service: Service,
    readonly workspaceId: string,
    key: string,
  ) {
    this.key = key;
    this.api = service.client(key);
    const unknown = `ws_${'0'.repeat(32)}`;
    this.tokens = Object.fromEntries(
      ['none', 'unknown'].map((name) => [name, name === 'none' ? null : unknown]),
    ) as Record<CallerName, string | null>;
  }

  /** The service must have a public address, for agents. */
  static async create(service: Service): Promise<ExampleWorld> {
    const { workspaceId, apiKey } = await service.workspace({ currency: 'USD' });
    const world = new ExampleWorld(service, workspaceId, apiKey);
    await world.recreate();
    return world;
  }

  /** The example as a request to this workspace. */
  fill<T>(example: T): T {
    let text = JSON.stringify(example);
    for (const [shown, real] of Object.entries(this.ids))
      text = text.replaceAll(JSON.stringify(shown), JSON.stringify(real));
    return JSON.parse(text);
  }

  /** Creates the objects of the examples again if earlier requests deleted them. */
  async recreate(): Promise<void> {
    await this.restoreKey();
    const { api } = this;
    await api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: null, agentWrites: 'allow' });
    const suffix = newId().slice(-6);
    const [miaMail, benMail] = [`mia-${suffix}@acme.test`, `ben-${suffix}@acme.test`];
    const [mia, ben, ada, pam] = await api.saveReps(
      { email: miaMail, name: 'Mia', role: 'manager' },
      { email: benMail, name: 'Ben', crmMemberId: `ben-${suffix}`, managerEmail: miaMail },
      { email: `ada-${suffix}@acme.test`, name: 'Ada', role: 'admin' },
      { email: `pam-${suffix}@acme.test`, name: 'Pam', role: 'payroll' },
    );
    const plan = await api.createPlan({ ...(exampleOf('createPlan').body as object), name: `AE ${suffix}` });
    const assigned = { repIds: [ben], planId: plan.planId, effectiveStart: '2026-01-01' };
    const [assignment] = await api.expect(201, 'POST', '/v1/assignments', assigned);
    const leave = { repId: ben, from: '2026-07-01', to: '2026-07-15' };
    const absence = await api.expect(201, 'POST', '/v1/absences', leave);
    const ramp = await api.expect(201, 'POST', '/v1/ramps', {
      name: `Ramp ${suffix}`,
      steps: [{ months: 1, quotaPercent: 50 }],
    });
    const { rule } = await api.expect(201, 'POST', '/v1/credit-rules', {
      name: `Rule ${suffix}`,
      kind: 'overlay',
      personField: 'se',
      percent: 10,
    });
    const target = { repIds: [ben], measure: 'New business', period: '2026-Q1', target: 100_000 };
    const [quota] = await api.expect(201, 'POST', '/v1/quotas', target);
    const dealId = `D-${suffix}`;
    const deal = { amount: 120_000, stage: 'Won', closeDate: '2026-02-10', ownerId: `ben-${suffix}` };
    await api.expect(201, 'PUT', `/v1/deals/${dealId}`, deal);
    const { acceptanceId } = await api.expect(201, 'POST', '/v1/commissions/exceptions/accepted', {
      ...(exampleOf('acceptException').body as object),
      dealId,
    });
    const adjustment = await api.expect(200, 'POST', `/v1/statements/${ben}/adjust`, exampleOf('addAdjustment').body);
    await api.generate(ben, '2026-02');
    const comment = await api.expect(201, 'POST', `/v1/statements/${ben}/comments`, {
      period: '2026-02',
      body: 'Why?',
    });
    const job = await api.expect(200, 'POST', '/v1/commissions/recalculate', { repId: ben, async: true });
    const widget = await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', { label: 'CRM widget' });
    await this.service.sql(`delete from tokens where workspace_id = $1 and kind = 'int'`, this.workspaceId);
    const key = await api.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'BI', scopes: ['read'] });
    this.ids = {
      [paramOf('getRep', 'repId')]: ben,
      [(exampleOf('bulkInviteReps').body as { repIds: string[] }).repIds[1] as string]: mia,
      [paramOf('getPlan', 'planId')]: plan.planId,
      [paramOf('listPlanOverrides', 'planVersionId')]: plan.planVersionId,
      [(exampleOf('setPlanOverride').body as { rules: { ruleId: string }[] }).rules[0]?.ruleId as string]:
        plan.rules[0].id,
      [paramOf('updateAssignment', 'assignmentId')]: assignment.assignmentId,
      [paramOf('deleteAbsence', 'absenceId')]: absence.absenceId,
      [paramOf('deleteRamp', 'rampId')]: ramp.rampId,
      [paramOf('deleteAcceptedException', 'acceptanceId')]: acceptanceId,
      [paramOf('deleteQuota', 'quotaId')]: quota.quotaId,
      [paramOf('getRecalculationJob', 'jobId')]: job.jobId,
      [paramOf('putDeal', 'dealId')]: dealId,
      [paramOf('updateCreditRule', 'creditRuleId')]: rule.creditRuleId,
      [paramOf('updateAdjustment', 'adjustmentId')]: adjustment.eventId,
      [paramOf('deleteComment', 'commentId')]: comment.commentId,
      [paramOf('deleteConnectionToken', 'id')]: widget.id,
      [paramOf('revokeIntegrationKey', 'id')]: key.id,
      'mia@acme.test': miaMail,
      'ben@acme.test': benMail,
      ben: `ben-${suffix}`,
    };
    const session = (repId: string) => this.service.token(this.workspaceId, 'sess', repId);
    Object.assign(this.tokens, {
      key: this.key,
      admin: await session(ada),
      manager: await session(mia),
      rep: await session(ben),
      payroll: await session(pam),
      integration: key.key,
      connection: await this.service.token(this.workspaceId, 'conn'),
      agent: await this.connectAgent(await session(ada)),
      repAgent: await this.connectAgent(await session(ben)),
    } satisfies Partial<Record<CallerName, string>>);
  }

  private async connectAgent(session: string): Promise<string> {
    // A network may register a limited number of clients.
    this.program ??= await ClientProgram.register(this.service.url);
    return (await this.program.connect(this.service.client(session))).access_token;
  }

  /** A rotation may have invalidated the key, or given it an end. */
  private async restoreKey(): Promise<void> {
    const [valid] = await this.service.sql(
      'select 1 from tokens where token_hash = $1 and expires_at is null',
      hashToken(this.key),
    );
    if (valid !== undefined) return;
    const admin = newId();
    await this.service.sql(
      `insert into reps (workspace_id, rep_id, email, name, role, active) values ($1, $2, $3, 'Door', 'admin', true)`,
      this.workspaceId,
      admin,
      `${admin}@acme.test`,
    );
    await this.service.sql('insert into lanes (workspace_id, rep_id) values ($1, $2)', this.workspaceId, admin);
    const session = await this.service.as(this.workspaceId, admin);
    const { apiKey } = await session.expect(200, 'POST', '/v1/workspaces/keys/rotate', {});
    this.key = apiKey;
    this.api = this.service.client(apiKey);
  }
}
