import { expect } from 'chai';
import { type NewWorkspace } from '#src/access/workspaces/create-workspace.js';
import { type ApiClient } from '#test/support/api-client.js';
import { won } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { workedDeals, workedTiers } from '#test/support/worked-example.js';
import { type Json, service } from './running-service.js';

export type Person = 'mgr' | 'ben' | 'cat';

export { expectError } from '#test/support/errors.js';
export { flatTier, won } from '#test/support/terms.js';
export { workedTiers as exampleTiers };

/** The id of nothing. */
export const unknownId = '5f0c1d1e-0000-4000-8000-000000000000';

/** The three deals of the worked example, which are Ben's. */
export const exampleDeals = workedDeals.map((deal) => ({ ...deal, stage: 'Won' })) as [Json, Json, Json];

export interface Plan {
  readonly planId: string;
  readonly planVersionId: string;
  readonly rules: readonly { readonly id: string; readonly name: string }[];
}

/** A workspace with manager Mia (`mgr`), her reps Ben and Cat, and clients with every kind of token. */
export class World {
  private constructor(
    readonly workspaceId: string,
    readonly apiKey: string,
    /** With the workspace API key. */
    readonly admin: ApiClient,
    readonly mgr: ApiClient,
    readonly ben: ApiClient,
    readonly cat: ApiClient,
    /** With a connection token. */
    readonly conn: ApiClient,
    readonly anyone: ApiClient,
    readonly ids: Readonly<Record<Person, string>>,
    readonly tokens: Readonly<Record<Person | 'conn', string>>,
  ) {}

  static async create(options: Partial<NewWorkspace> = {}): Promise<World> {
    const { workspaceId, apiKey, api } = await service().workspace(options);
    const managerEmail = `mia@${workspaceId}.test`;
    const [mgr, ben, cat] = await api.saveReps(
      { email: managerEmail, name: 'Mia', role: 'manager', crmMemberId: 'mia' },
      { email: `ben@${workspaceId}.test`, name: 'Ben', crmMemberId: 'ben', managerEmail },
      { email: `cat@${workspaceId}.test`, name: 'Cat', crmMemberId: 'cat', managerEmail },
    );
    const conn = (await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', { label: 'widget' })).token;
    const [ofMgr, ofBen, ofCat] = (await Promise.all(
      [mgr, ben, cat].map((repId) => service().token(workspaceId, 'sess', repId)),
    )) as [string, string, string];
    const client = (token: string | null) => service().client(token);
    return new World(
      workspaceId,
      apiKey,
      api,
      client(ofMgr),
      client(ofBen),
      client(ofCat),
      client(conn),
      client(null),
      { mgr, ben, cat },
      { mgr: ofMgr, ben: ofBen, cat: ofCat, conn },
    );
  }

  /** The worked example: plan "AE" for Ben and Cat, Ben's quota of 100,000 for 2026-Q1, and his three deals. */
  static async example({ deals = true, rule = {} }: { deals?: boolean; rule?: object } = {}) {
    const world = await World.create();
    const plan = await world.plan('AE', [{ name: 'Commission', measure: 'amount', tiers: workedTiers, ...rule }]);
    await world.assign(plan, 'ben', 'cat');
    await world.quota(plan, 'ben', '2026-Q1', 100_000);
    if (deals) for (const deal of exampleDeals) await world.deal(deal.dealId, deal);
    await world.waitForCalculations();
    return { world, plan, ruleId: plan.rules[0]?.id as string };
  }

  email(person: Person): string {
    return `${person === 'mgr' ? 'mia' : person}@${this.workspaceId}.test`;
  }

  client(person: Person | 'admin' | 'conn'): ApiClient {
    return this[person];
  }

  get(path: string): Promise<Json> {
    return this.admin.expect(200, 'GET', path);
  }

  /** A plan that pays on won deals. */
  async plan(name: string, rules: readonly object[], more: object = {}): Promise<Plan> {
    const config = { dealConditions: [won], rules };
    return this.admin.createPlan({ name, config, ...more });
  }

  async assign({ planId }: Pick<Plan, 'planId'>, ...people: readonly Person[]): Promise<Json[]> {
    const repIds = people.map((person) => this.ids[person]);
    return this.admin.assign(repIds, planId);
  }

  async quota({ rules }: Plan, person: Person, period: string, target: number, more: object = {}): Promise<Json> {
    const body = { repIds: [this.ids[person]], planRuleId: rules[0]?.id, period, target, ...more };
    return (await this.admin.expect(201, 'POST', '/v1/quotas', body))[0];
  }

  /** Stores a deal. By default Ben owns it and it is won. */
  async deal(dealId: string, { dealId: _, ...deal }: Json = {}): Promise<Json> {
    const body = { amount: 10_000, closeDate: '2026-01-15', stage: 'Won', ownerId: 'ben', ...deal };
    if ('repId' in body) delete body.ownerId;
    const answer = await this.admin.put(`/v1/deals/${dealId}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body;
  }

  waitForCalculations(): Promise<void> {
    return service().waitForCalculations(this.workspaceId);
  }

  recalculate(scope: object = {}): Promise<Json> {
    return this.admin.expect(200, 'POST', '/v1/commissions/recalculate', scope);
  }

  /** The person's current earned events by deal, after all calculations. */
  async earned(person: Person = 'ben', ruleName?: string): Promise<Record<string, number>> {
    await this.waitForCalculations();
    const rows = await this.events(person, ruleName);
    return Object.fromEntries(rows.map(({ deal_key, amount }) => [deal_key, Number(amount)]));
  }

  events(person: Person, ruleName?: string): Promise<Json[]> {
    return service().sql(
      `select deal_key, rule_name, plan_version_id, amount, base, credit, tier_name, period, kind, status, category
       from commission_events where workspace_id = $1 and rep_id = $2 and status = 'earned'
         and kind = 'commission_earned' and ($3::text is null or rule_name = $3) order by earned_on, deal_key`,
      this.workspaceId,
      this.ids[person],
      ruleName ?? null,
    );
  }

  /** How often events of the workspace have changed. */
  async historyLength(): Promise<number> {
    const [found] = await service().sql(
      'select count(*)::int as count from commission_event_history where workspace_id = $1',
      this.workspaceId,
    );
    return found.count;
  }

  async counter(person: Person, period = '2026-Q1'): Promise<number> {
    const quotas = await this.get(`/v1/quotas?repId=${this.ids[person]}&period=${period}`);
    return quotas[0].current_value;
  }

  async breakdown(dealId: string): Promise<Json> {
    return this.get(`/v1/commissions?dealId=${dealId}`);
  }

  generate(person: Person, period: string): Promise<Json> {
    return this.admin.generate(this.ids[person], period);
  }

  async approve(person: Person, period: string): Promise<Json> {
    await this.generate(person, period);
    const body = { period, status: 'approved' };
    return this.admin.expect(200, 'POST', `/v1/statements/${this.ids[person]}/approve`, body);
  }

  unlock(person: Person, period: string): Promise<Json> {
    return this.admin.unlock(this.ids[person], period);
  }

  adjust(person: Person, amount: number, period: string, more: object = {}): Promise<Json> {
    const body = { amount, reason: 'correction', period, ...more };
    return this.admin.expect(200, 'POST', `/v1/statements/${this.ids[person]}/adjust`, body);
  }

  async jobEnd(jobId: string): Promise<Json> {
    return until(
      async () => {
        const job = await this.get(`/v1/commissions/recalculate/jobs/${jobId}`);
        return job.status === 'running' ? undefined : job;
      },
      { what: `the end of job ${jobId}` },
    );
  }
}

export const currentMonth = () => new Date().toISOString().slice(0, 7);
