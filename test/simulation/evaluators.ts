import { expect } from 'chai';
import fc from 'fast-check';
import { Decimal } from '#src/kernel/decimal.js';
import { readable } from '#test/ledger/commands.js';
import { LiveWorld } from '#test/ledger/live-world.js';
import { type ApiClient } from '#test/support/api-client.js';
import type { World } from '#test/support/oracle/world.js';
import { arbitraryWorld } from '#test/support/oracle/worlds.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

/** A world with one plan, and a change of the plan. */
interface ChangedWorld {
  readonly world: World;
  readonly change: { readonly config: object; readonly effectiveStart?: string };
  /** Whether a test of the plan can describe the world: everyone is on the plan on all days, managers never change. */
  readonly isTestable: boolean;
}

/** The amounts by rep, rule and deal or period. */
type Amounts = Readonly<Record<string, string>>;

interface Saved {
  readonly repId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly amount: string;
  readonly earnedOn: string;
}

const year = '2026';

function arbitraryChange(): fc.Arbitrary<ChangedWorld> {
  const size = {
    reps: 4,
    plans: 1,
    versions: 2,
    rules: 3,
    deals: 8,
    quotas: 16,
    frozen: false,
    unbounded: false,
    people: false,
  };
  return fc
    .record({
      world: arbitraryWorld(size).filter(hasTwoConfigs),
      isTestable: fc.boolean(),
      effectiveStart: fc.constantFrom(undefined, undefined, '2026-02-01', '2026-02-10'),
    })
    .map(({ world, isTestable, effectiveStart }) => {
      const { planId, versions } = world.plans[0] as World['plans'][number];
      const [first, second] = versions as [World['plans'][number]['versions'][number], { config: object }];
      const overrides = isTestable ? [] : first.overrides;
      const version = { ...first, status: 'active', effectiveStart: null, effectiveEnd: null, overrides } as const;
      const everyone = world.reps.map(({ repId }) => ({ repId, planId, effectiveStart: null, effectiveEnd: null }));
      return {
        world: {
          ...world,
          plans: [{ planId, status: 'active', versions: [version] }],
          deals: world.deals.map((deal) => ({ ...deal, ...readable(deal, world.workspace) })),
          ...(isTestable ? { assignments: everyone, reps: world.reps.map(withOneManager) } : {}),
        },
        change: { config: second.config, ...(isTestable || effectiveStart === undefined ? {} : { effectiveStart }) },
        isTestable,
      };
    });
}

function hasTwoConfigs({ plans: [plan] }: World): boolean {
  const [first, second] = plan?.versions ?? [];
  return second !== undefined && JSON.stringify(first?.config) !== JSON.stringify(second.config);
}

function withOneManager({ repId, lines: [line] }: World['reps'][number]): World['reps'][number] {
  return { repId, lines: line === undefined ? [] : [{ ...line, from: null, to: null }] };
}

/** The world in a separate workspace. */
class SavedWorld {
  private constructor(
    private readonly service: Service,
    private readonly api: ApiClient,
    private readonly workspaceId: string,
    private readonly planId: string,
    private readonly repIds: ReadonlyMap<string, string>,
  ) {}

  static async create(service: Service, world: World): Promise<SavedWorld> {
    let workspace: Workspace | undefined;
    const live = await LiveWorld.create(service, world, (created) => {
      workspace = created;
      return created.api;
    });
    const { api, workspaceId } = workspace as unknown as Workspace;
    const [{ plan_id: planId = '' } = {}] = await service.sql<{ plan_id: string }>(
      'select plan_id from plans where workspace_id = $1',
      workspaceId,
    );
    const reps = await service.sql<{ rep_id: string; email: string }>(
      `select rep_id, email from reps where workspace_id = $1 and email like 'rep%'`,
      workspaceId,
    );
    expect(reps).to.have.length(live.repCount);
    const byEmail = new Map(reps.map(({ rep_id: repId, email }) => [email, repId]));
    const repIds = world.reps.map(({ repId }, index) => [repId, byEmail.get(`rep${index}@example.com`) ?? ''] as const);
    await service.waitForCalculations(workspaceId);
    return new SavedWorld(service, api, workspaceId, planId, new Map(repIds));
  }

  /** The value with the ids of the stored reps in place of those of the world. */
  private withRepIds<T>(value: T): T {
    const text = [...this.repIds].reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(value));
    return JSON.parse(text) as T;
  }

  /** The saved rows, also those outside the year. */
  rows(): Promise<Saved[]> {
    return this.service.sql<Saved>(
      `select rep_id as "repId", rule_name as "ruleName", deal_key as "dealKey", earned_on::text as "earnedOn",
         trim_scale(amount)::text as amount
       from commission_events where workspace_id = $1 and kind = 'commission_earned' and status = 'earned'`,
      this.workspaceId,
    );
  }

  async simulate(change: ChangedWorld['change']): Promise<Amounts> {
    const body = { planId: this.planId, period: year, ...this.withRepIds(change) };
    const { reps } = await this.api.expect(200, 'POST', '/v1/commissions/simulate', body);
    return toAmounts(
      reps.flatMap(({ repId, rules }: SimulatedRep) =>
        rules.flatMap(({ name, deals }) =>
          deals.map(({ dealId, amount }) => ({ repId, ruleName: name, dealKey: dealId, amount })),
        ),
      ),
    );
  }

  /** What the change moves, by the same keys. */
  async preview(change: ChangedWorld['change']): Promise<Amounts> {
    const body = { ...this.withRepIds(change), period: year, limit: 500 };
    const { byDeal } = await this.api.expect(200, 'POST', `/v1/plans/${this.planId}/preview`, body);
    return toAmounts(
      byDeal.map(({ dealId, period, repId, ruleName, delta }: PreviewedDeal) => ({
        repId,
        ruleName,
        dealKey: dealId ?? period ?? '',
        amount: delta,
      })),
    );
  }

  /** Saves the change; returns the rows after it. */
  async save(change: ChangedWorld['change']): Promise<Saved[]> {
    await this.api.expect(200, 'PATCH', `/v1/plans/${this.planId}`, this.withRepIds(change));
    await this.service.waitForCalculations(this.workspaceId);
    return this.rows();
  }

  /** What fails of a test that describes the world and expects the saved amounts. */
  async testFailures({ world, change }: ChangedWorld, saved: readonly Saved[]): Promise<unknown[]> {
    const { config } = this.withRepIds(change);
    const body = { config, tests: [await this.describe(this.withRepIds(world), saved)] };
    return (await this.api.expect(200, 'POST', `/v1/plans/${this.planId}/tests/run`, body)).failed;
  }

  private async describe(world: World, saved: readonly Saved[]): Promise<object> {
    const plan = await this.api.expect(200, 'GET', `/v1/plans/${this.planId}`);
    const rules: { readonly name: string; readonly quotaGroup?: string }[] = plan.rules;
    const keys = new Set(rules.map(({ name, quotaGroup }) => quotaGroup ?? name));
    const quotas = await this.service.sql<StoredQuota>(
      `select rep_id as rep, attainment_key as measure, period, target::float8, variable_target::float8 as "variableTarget"
       from quotas where workspace_id = $1`,
      this.workspaceId,
    );
    const stored = await this.service.sql<{ dealId: string; asOf: string }>(
      `select d.deal_id as "dealId", (now() at time zone w.timezone)::date::text as "asOf"
       from deals d join workspaces w using (workspace_id)
       where workspace_id = $1 and d.rep_id is not null and extract(year from d.close_date) = $2`,
      this.workspaceId,
      year,
    );
    const dealIds = new Set(stored.map(({ dealId }) => dealId));
    const amountOf = (rows: readonly Saved[]) =>
      rows.reduce((sum, { amount }) => sum.plus(Decimal.of(amount)), Decimal.zero).toNumber();
    const ofYear = inYear(saved);
    return {
      name: 'As saved',
      // A world stores assignments without a start from the first day of the year.
      assignment: { effectiveStart: `${year}-01-01` },
      deals: world.deals.filter(({ dealId }) => dealIds.has(dealId)).map(toTestDeal),
      quotas: quotas
        .filter(({ measure }) => keys.has(measure))
        .map(({ variableTarget, ...quota }) => (variableTarget === null ? quota : { ...quota, variableTarget })),
      managers: Object.fromEntries(
        world.reps.flatMap(({ repId, lines: [line] }) => (line ? [[repId, line.managerId]] : [])),
      ),
      asOf: stored[0]?.asOf,
      expected: world.reps.flatMap(({ repId }) =>
        rules.map(({ name }) => ({
          ruleName: name,
          rep: repId,
          // A test calculates the days that it names, and rules of periods pay until today.
          period: year,
          amount: amountOf(ofYear.filter((row) => row.repId === repId && row.ruleName === name)),
        })),
      ),
      total: amountOf(ofYear),
    };
  }
}

interface SimulatedRep {
  readonly repId: string;
  readonly rules: readonly {
    readonly name: string;
    readonly deals: readonly { readonly dealId: string; readonly amount: number }[];
  }[];
}

interface PreviewedDeal {
  readonly dealId: string | null;
  readonly period?: string;
  readonly repId: string;
  readonly ruleName: string;
  readonly delta: number;
}

interface StoredQuota {
  readonly rep: string;
  readonly measure: string;
  readonly period: string;
  readonly target: number;
  readonly variableTarget: number | null;
}

function toTestDeal({ dealId, repId, fields, closeDate, given = {} }: World['deals'][number]): object {
  const { dealAmount: amount, dealStage: stage, dealName: name, currency, createdDate } = given;
  const named = Object.entries({ amount, stage, name, currency, createdDate });
  return {
    dealId,
    rep: repId,
    fields,
    closeDate,
    ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
  };
}

/** Rows without an amount are left out: not every evaluator names them. */
function toAmounts(
  rows: readonly (Pick<Saved, 'repId' | 'ruleName' | 'dealKey'> & { amount: string | number })[],
): Amounts {
  const amounts = rows.map(
    ({ repId, ruleName, dealKey, amount }) =>
      [`${repId} ${ruleName} ${dealKey}`, Decimal.of(amount).toString()] as const,
  );
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== '0').sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inYear(rows: readonly Saved[]): Saved[] {
  return rows.filter(({ earnedOn }) => earnedOn.startsWith(year));
}

function difference(after: Amounts, before: Amounts): Amounts {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const moved = keys.map((key) => {
    const delta = Decimal.of(after[key] ?? '0').minus(Decimal.of(before[key] ?? '0'));
    return [key, delta.toString()] as const;
  });
  return Object.fromEntries(moved.filter(([, delta]) => delta !== '0'));
}

/** Compares what a change is said to pay with what it pays when it is saved. */
export function describeEvaluators(worldCount: number, seed: number): void {
  describe(`what a change of a plan would pay, seed ${seed}`, function () {
    this.timeout(240_000 + worldCount * 30_000);
    const service = Service.duringSuite();

    it(`is the same in a preview, a simulation, a test of the plan and after the save, in ${worldCount} random worlds`, async () => {
      const counts = { moved: 0, tested: 0 };
      await fc.assert(
        fc.asyncProperty(arbitraryChange(), async (changed) => {
          const saved = await SavedWorld.create(service, changed.world);
          const before = toAmounts(inYear(await saved.rows()));
          const simulated = await saved.simulate(changed.change);
          const previewed = await saved.preview(changed.change);
          const rows = await saved.save(changed.change);
          const after = toAmounts(inYear(rows));
          expect(simulated, 'the simulation').to.deep.equal(after);
          expect(previewed, 'the preview').to.deep.equal(difference(after, before));
          if (changed.isTestable) expect(await saved.testFailures(changed, rows), 'the test').to.deep.equal([]);
          counts.moved += Object.keys(previewed).length;
          if (changed.isTestable && rows.length > 0) counts.tested += 1;
        }),
        { numRuns: worldCount, seed, endOnFailure: true },
      );
      expect(counts.moved).to.be.greaterThan(worldCount / 10);
      expect(counts.tested).to.be.greaterThan(worldCount / 10);
    });
  });
}
