import { expect } from 'chai';
import { tableContentExample } from '#src/plans/rate-tables/rate-table.js';
import { done, FetchClient, rejected, seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { snapshotQuery } from '#test/support/rejections.js';
import { type Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { definitions } from './definitions.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
export type Json = any;

/** Shows with calls of tools that the service does what the words say. */
type Proof = (world: ClaimWorld) => Promise<void>;

/** Another test that shows it, by its file below `test` and its title. */
interface TestedIn {
  readonly file: string;
  readonly title: string;
}

/** By tool: words of its description, each with its proof. */
export type Claims = Readonly<Record<string, Readonly<Record<string, Proof | TestedIn>>>>;

export const testedIn = (file: string, title: string): TestedIn => ({ file: `${file}.test.ts`, title });

export const tier = (rate: number, tierIndex = 0, minThreshold = 0) => ({ tierIndex, minThreshold, rate });
export const rule = (tiers: readonly object[], name = 'New business') => ({ name, measure: 'amount', tiers });
export const flat = (rate: number) => ({ rules: [rule([tier(rate)])] });
/** 10 % up to the quota and 20 % above. */
export const tiered = { rules: [{ ...rule([tier(0.1), tier(0.2, 1, 1)]), attainmentPeriod: 'monthly' }] };

/** The month of all deals that a proof adds. */
export const month = '2026-03';

/** A workspace in which every proof uses its own people, plans and deals. */
export class ClaimWorld {
  private count = 0;

  private constructor(
    readonly service: Service,
    readonly workspaceId: string,
    readonly api: ApiClient,
    readonly agent: FetchClient,
    /** What the ids of the examples stand for, such as `<repId>`. */
    readonly ids: Readonly<Record<string, string>>,
    private readonly snapshot: string,
  ) {}

  static async create(service: Service): Promise<ClaimWorld> {
    const { workspaceId, apiKey, api, ben, mia } = await seededWorkspace(service);
    const agent = new FetchClient(service.url, apiKey);
    const given = { name: 'Existing plan', config: flat(0.08), effectiveStart: '2026-01-01', detail: 'full' };
    const { planId, planVersionId, rules } = await done(agent, 'create_plan', given);
    await done(agent, 'create_assignments', { repIds: [ben], planId });
    await api.expect(200, 'PUT', '/v1/rate-tables/Products', tableContentExample);
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-01' } });
    const { jobId } = await done(agent, 'recalculate_commissions', {});
    const ids = { repId: ben, managerId: mia, planId, planVersionId, ruleId: rules[0].id, jobId };
    const snapshot = await snapshotQuery(service.database.ownerUrl);
    const world = new ClaimWorld(service, workspaceId, api, agent, ids, snapshot);
    await world.finishedJob(jobId);
    return world;
  }

  call(tool: string, given: Json = {}): Promise<Json> {
    return done(this.agent, tool, given);
  }

  async expectCode(code: string, tool: string, given: Json = {}): Promise<void> {
    expect((await rejected(this.agent, tool, given)).code).to.equal(code);
  }

  name(what: string): string {
    this.count += 1;
    return `${what} ${this.count}`;
  }

  async addRep(more: object = {}): Promise<string> {
    const name = this.name('Rep');
    const person = { email: `${name.replace(' ', '-')}@acme.test`, name, ...more };
    return (await this.call('set_people', { reps: [person] })).reps[0].id;
  }

  /** A plan that pays 10 %. */
  addPlan(more: object = {}): Promise<Json> {
    return this.call('create_plan', { name: this.name('Plan'), config: flat(0.1), detail: 'full', ...more });
  }

  assign(repId: string, planId: string, more: object = {}): Promise<Json> {
    return this.call('create_assignments', { repIds: [repId], planId, ...more });
  }

  /** Creates a version with these terms that applies to all days. */
  changePlan(planId: string, more: object = {}): Promise<Json> {
    return this.call('update_plan', { planRef: planId, effectiveStart: 'always', detail: 'full', ...more });
  }

  /** A rep on a plan, and the first rule of the plan. */
  async addPaidRep(more: object = {}) {
    const repId = await this.addRep();
    const plan = await this.addPlan(more);
    const { planId, rules }: { planId: string; rules: { id: string }[] } = plan;
    const { assignments } = await this.assign(repId, planId);
    const assignmentId: string = assignments[0].assignmentId;
    return { repId, plan, planId, ruleId: rules[0]?.id ?? '', assignmentId };
  }

  /** Sets the quota of the rep under the rule and returns its id. */
  async setQuota(repId: string, planRuleId: string, target: number, period = month): Promise<string> {
    const { quotas } = await this.call('set_quota', { repIds: [repId], planRuleId, target, period });
    return quotas[0].quotaId;
  }

  /** Gives the rep a first tier of 50 % under the rule. */
  overrideRate(repId: string, planVersionId: string, ruleId: string): Promise<Json> {
    const rules = [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.5 }] }];
    return this.call('set_plan_override', { planVersionId, repId, rules });
  }

  /** A won deal of 1,000, and its id. */
  async addDeal(repId: string, more: object = {}): Promise<string> {
    const dealId = this.name('Deal').replace(' ', '-');
    await this.changeDeal(dealId, { amount: 1000, stage: 'Won', closeDate: `${month}-10`, repId, ...more });
    return dealId;
  }

  async changeDeal(dealId: string, body: object): Promise<void> {
    const { status } = await this.api.put(`/v1/deals/${dealId}`, body);
    expect(status).to.be.oneOf([200, 201]);
  }

  /** What the deal pays once everything is calculated. */
  async total(dealId: string): Promise<number> {
    await this.calculated();
    return (await this.call('get_commissions', { dealId })).total;
  }

  async totals(...dealIds: string[]): Promise<number[]> {
    const totals = [];
    for (const dealId of dealIds) totals.push(await this.total(dealId));
    return totals;
  }

  calculated(): Promise<void> {
    return this.service.waitForCalculations(this.workspaceId);
  }

  /** The job after its end, which follows the last calculation. */
  async finishedJob(jobId: string): Promise<Json> {
    const job = async () => {
      const found = await this.call('get_recalculation_job', { jobId });
      return found.status === 'running' ? null : found;
    };
    return until(job, { what: 'the end of the job' });
  }

  /** Resolves when no calculation, check of an approved period, job or mail of any workspace is pending. */
  async checked(): Promise<void> {
    const pending = `select from period_checks union all select from calculation_requests
      union all select from jobs where status = 'running'
      union all select from mail_outbox where sent_at is null and not_before <= now() limit 1`;
    await until(async () => (await this.service.sql(pending)).length === 0, { what: 'the end of the pending work' });
  }

  async approve(repId: string, period = month): Promise<void> {
    await this.calculated();
    await this.api.generate(repId, period);
    await this.api.approve(repId, period);
  }

  async netPayout(repId: string, period = month): Promise<number> {
    const { summary } = await this.api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);
    return summary.netPayout;
  }

  /** The number of rows in the table that satisfy the condition on `$1`. */
  async rows(table: string, where: string, value: string): Promise<number> {
    const [row] = await this.service.sql<{ rows: number }>(
      `select count(*)::int as rows from ${table} where ${where}`,
      value,
    );
    return row?.rows ?? 0;
  }

  /** A hash of every table except those named. */
  async tables(except: readonly string[]): Promise<Json[]> {
    return (await this.service.sql<{ name: string }>(this.snapshot)).filter(({ name }) => !except.includes(name));
  }

  exampleOf(tool: string): Json {
    const description = definitions.find(({ name }) => name === tool)?.description ?? '';
    const text = /^Example: (.+)$/m.exec(description)?.[1] ?? '{}';
    return JSON.parse(text.replace(/<(\w+)>/g, (_, id: string) => this.ids[id] ?? id));
  }
}

/** The example of the tool runs and leaves every table unchanged, except those named. */
export function changesNothing(tool: string, except: readonly string[] = []): Proof {
  return async (world) => {
    const given = world.exampleOf(tool);
    await world.checked();
    const before = await world.tables(except);
    await world.call(tool, given);
    expect(await world.tables(except)).to.deep.equal(before);
  };
}

/** The names of what is listed, in its order. */
export const valuesOf = (rows: readonly Json[], key: string): Json[] => rows.map((row) => row[key]);
