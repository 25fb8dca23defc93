import { expect } from 'chai';
import { type QuotaProration } from '#src/engine/effective-quota.js';
import { Decimal } from '#src/kernel/decimal.js';
import { type CalendarName, kindOfPeriod } from '#src/kernel/period-calendar.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectCurrentResponses } from '#test/support/current-answers.js';
import { byKey } from '#test/support/engine-world.js';
import { earnedRows } from '#test/support/ledger-checks.js';
import { type DayRange, plusDays } from '#test/support/oracle/calendar.js';
import { calculated } from '#test/support/oracle/clean-ledger.js';
import { numberFrom } from '#test/support/oracle/fields.js';
import { periodDays, periodIn, type WorldFiscalYear } from '#test/support/oracle/fiscal.js';
import { unlocked } from '#test/support/oracle/histories.js';
import { effectiveQuota } from '#test/support/oracle/quota.js';
import {
  type PlanPatch,
  patched,
  resolvePlan,
  setPlanStatus,
  setVersionStatus,
  versionOn,
} from '#test/support/oracle/timeline.js';
import { countedIn, liveRows, sumAmounts, type TrueUpLine, trueUpLines } from '#test/support/oracle/true-up.js';
import type {
  LedgerRow,
  PlanStatus,
  StandardName,
  World,
  WorldAbsence,
  WorldAssignment,
  WorldCredit,
  WorldCreditRule,
  WorldDeal,
  WorldOverride,
  WorldPlan,
  WorldPlanVersion,
  WorldQuota,
  WorldRamp,
} from '#test/support/oracle/world.js';
import { type Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

/** The content of a deal without its owner. */
export type DealContent = Pick<WorldDeal, 'fields' | 'given' | 'closeDate'>;

/** A deal as it is sent. Its owner is a rep id or the owner's id in the CRM. */
export interface ReportedDeal {
  readonly dealId: string;
  readonly content: DealContent;
  readonly rep: number | null;
  readonly by: 'repId' | 'ownerId';
  readonly at: string | null;
}

/** What the service stores about a deal besides its content. A soft deletion keeps it, a hard deletion does not. */
interface StoredDeal {
  readonly reported: ReportedDeal;
  readonly sourceUpdatedAt: number | null;
  readonly deleted: boolean;
}

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly quotaGroup?: string;
  readonly attainmentPeriod: Parameters<typeof periodIn>[2];
  readonly calendar?: CalendarName;
  readonly quotaProration?: QuotaProration;
  readonly payoutMode: string;
  readonly tiers: readonly { readonly tierIndex: number; readonly repId?: string }[];
}

/** A manual amount. */
interface Adjustment {
  readonly repId: string;
  readonly earnedOn: string;
  readonly amount: number;
}

/** The fields of a PATCH; undefined fields are omitted. */
export interface PatchPlan {
  readonly config?: number | undefined;
  readonly start?: string | null | undefined;
  readonly end?: string | null | undefined;
  readonly status?: PlanStatus | undefined;
}

type LiveVersion = WorldPlanVersion & { readonly rules: readonly Rule[] };
type LiveQuota = WorldQuota & { readonly quotaId: string };
type LiveAssignment = WorldAssignment & { readonly assignmentId: string };
type LiveAbsence = WorldAbsence & { readonly absenceId: string };

export type AbsenceTerms = Omit<WorldAbsence, 'repId'>;
export type QuotaTerms = Pick<WorldQuota, 'target' | 'variableTarget' | 'prorate'>;

export type Pay = { readonly rate: number } | { readonly flatAmount: number };

/** The generated versions of a plan; their configs are sent in changes. */
type Drafts = readonly WorldPlanVersion[];

/**
 * A workspace of the running service and the oracle's world for it. Every change is made to both, through the API
 * and in memory, so that the ledger can be compared with a full calculation at any time. The expected responses are
 * checked too.
 */
export class LiveWorld {
  private readonly storedDeals = new Map<string, StoredDeal>();
  private drafts: Drafts[] = [];
  /** Net payouts of the approved statements, true-ups included, in the workspace's currency. */
  private readonly approved = new Map<string, Decimal>();
  private adjustments: Adjustment[] = [];
  /** The ids of ramps by their steps. */
  private readonly ramps = new Map<string, string>();
  private rampCount = 0;
  /** The lines that were given for each deal: its deletion keeps them, a hard deletion does not. */
  private readonly credits = new Map<string, WorldCredit[]>();
  private creditRuleCount = 0;

  private constructor(
    private readonly service: Service,
    private readonly api: ApiClient,
    readonly workspaceId: string,
    private readonly world: World,
  ) {}

  /** Creates the generated world through the API, with the first version of every plan. */
  static async create(
    service: Service,
    generated: World,
    clientFor: (workspace: Workspace) => ApiClient = ({ api }) => api,
  ): Promise<LiveWorld> {
    const { currency, timeZone, standard, measures } = generated.workspace;
    const workspace = await service.workspace({ currency, timezone: timeZone });
    const { workspaceId } = workspace;
    const api = clientFor(workspace);
    const people = generated.reps.map((_, index) => ({
      email: `rep${index}@example.com`,
      name: `Rep ${index}`,
      crmMemberId: memberIdOf(index),
    }));
    const repIds: string[] = await api.saveReps(...people);
    if (Object.keys(standard).length + Object.keys(measures).length > 0) {
      await api.expect(201, 'POST', '/v1/fields/save', { standard, measures });
    }
    const world = withRepIds(generated, repIds);
    const empty = {
      ...world,
      workspace: withoutMinimum(world.workspace),
      reps: repIds.map((repId, index) => ({
        repId,
        lines: [],
        email: `rep${index}@example.com`,
        memberId: memberIdOf(index),
      })),
      creditRules: [],
      absences: [],
      plans: [],
      assignments: [],
      quotas: [],
      deals: [],
    };
    const live = new LiveWorld(service, api, workspaceId, empty);
    await live.fill(world);
    return live;
  }

  private async fill(world: World): Promise<void> {
    await this.api.expect(200, 'PUT', '/v1/fiscal-years', world.fiscalYears ?? []);
    for (const [rep, { lines }] of world.reps.entries()) {
      for (const { managerId, from, to } of lines) {
        await this.changeManager(rep, this.repIndex(managerId), from);
        if (to !== null) await this.changeManager(rep, null, plusDays(to, 1));
      }
    }
    await this.fillWorkingTimes(world);
    for (const [index, plan] of world.plans.entries()) await this.createPlan(plan, index);
    const placements = new Map<string, WorldAssignment[]>();
    for (const one of world.assignments) {
      const placement = JSON.stringify([one.planId, one.effectiveStart, one.effectiveEnd, one.ramp]);
      placements.set(placement, [...(placements.get(placement) ?? []), one]);
    }
    for (const assignments of placements.values()) {
      const [{ planId, effectiveStart, effectiveEnd, ramp }] = assignments as [WorldAssignment];
      const plan = world.plans.findIndex((each) => each.planId === planId);
      const reps = assignments.map((one) => this.repIndex(one.repId));
      await this.assign(reps, plan, effectiveStart, effectiveEnd, ramp ?? null);
    }
    await this.fillQuotas(world);
    await this.importDeals(
      world.deals.map(({ dealId, repId, ...content }) => ({
        dealId,
        content,
        rep: repId === null ? null : this.repIndex(repId),
        by: 'repId',
        at: null,
      })),
    );
    for (const rule of world.creditRules ?? []) await this.createCreditRule(rule);
    for (const { dealId, credits = [] } of world.deals) await this.setCredits(dealId, credits);
  }

  private async fillWorkingTimes({ workspace, reps, absences = [] }: World): Promise<void> {
    if (workspace.minQuotaPercent !== undefined) await this.setMinimum(workspace.minQuotaPercent);
    for (const [rep, { hireDate = null, endDate = null }] of reps.entries())
      await this.employ(rep, { hireDate, endDate });
    for (const { repId, ...absence } of absences) await this.enterAbsence(this.repIndex(repId), absence);
  }

  private async fillQuotas(world: World): Promise<void> {
    const settings = new Map<string, WorldQuota[]>();
    for (const quota of world.quotas) {
      const { planId, key, period, target, variableTarget, prorate } = quota;
      const setting = [planId, key, period, target, variableTarget, prorate].join('|');
      settings.set(setting, [...(settings.get(setting) ?? []), quota]);
    }
    for (const quotas of settings.values()) {
      const [{ planId, key, period, ...terms }] = quotas as [WorldQuota];
      const plan = world.plans.findIndex((each) => each.planId === planId);
      const reps = quotas.map((quota) => this.repIndex(quota.repId));
      await this.setQuota(
        plan,
        (rule) => keyOf(rule) === key,
        () => period,
        reps,
        terms,
      );
    }
  }

  get repCount(): number {
    return this.world.reps.length;
  }

  get planCount(): number {
    return this.world.plans.length;
  }

  private repIndex(repId: string): number {
    return this.world.reps.findIndex((rep) => rep.repId === repId);
  }

  private repId(rep: number): string {
    return this.world.reps[rep % this.repCount]?.repId as string;
  }

  private plan(index: number): WorldPlan & { versions: LiveVersion[] } {
    return this.world.plans[index % this.planCount] as WorldPlan & { versions: LiveVersion[] };
  }

  // Deals

  /** The deal as it was reported last, or nothing if it is unknown or deleted. */
  reported(dealId: string): ReportedDeal | undefined {
    const stored = this.storedDeals.get(dealId);
    return stored === undefined || stored.deleted ? undefined : stored.reported;
  }

  async putDeal(deal: ReportedDeal): Promise<void> {
    const stored = this.storedDeals.get(deal.dealId);
    const answer = await this.api.put(`/v1/deals/${deal.dealId}`, this.bodyOf(deal));
    const isStale = this.note(deal) === 'stale';
    expectStatus(answer, stored === undefined ? 201 : 200, `PUT ${deal.dealId}`);
    expect(answer.body.stale ?? false, `${deal.dealId} is stale`).to.equal(isStale);
  }

  /** Sends the deals concurrently, so each deal id occurs once. */
  async putTogether(deals: readonly ReportedDeal[]): Promise<void> {
    const distinct = new Map(deals.map((deal) => [deal.dealId, deal]));
    await Promise.all([...distinct.values()].map((deal) => this.putDeal(deal)));
  }

  async importDeals(deals: readonly ReportedDeal[]): Promise<void> {
    const rows = deals.map((deal) => ({ dealId: deal.dealId, ...this.bodyOf(deal) }));
    const answer = await this.api.expect(200, 'POST', '/v1/deals/import?mode=replace', { deals: rows });
    const readable = withoutRepetitions(deals.filter((deal) => hasReadableAmount(deal.content, this.world)));
    const stale = readable.filter((deal) => this.note(deal) === 'stale').length;
    expect(answer.rejected, 'rejected rows').to.have.lengthOf(deals.length - readable.length);
    expect(answer.stale, 'stale rows').to.equal(stale);
    expect(answer.accepted + answer.unchanged, 'other rows').to.equal(readable.length - stale);
  }

  async deleteDeal(dealId: string, hard: boolean): Promise<void> {
    const stored = this.storedDeals.get(dealId);
    const answer = await this.api.expect(200, 'DELETE', `/v1/deals/${dealId}${hard ? '?hard=true' : ''}`);
    expect(answer.softDeleted, 'softDeleted').to.equal(stored !== undefined && !hard);
    expect(answer.hardDeleted, 'hardDeleted').to.equal(stored !== undefined && hard);
    this.world.deals = this.world.deals.filter((deal) => deal.dealId !== dealId);
    // On a stopped day an event is deleted with its deal and not restored with it.
    await this.waitForCalculations();
    this.recordCleanRows();
    if (stored === undefined) return;
    if (hard) {
      this.storedDeals.delete(dealId);
      this.credits.delete(dealId);
    } else
      this.storedDeals.set(dealId, {
        ...stored,
        deleted: true,
        sourceUpdatedAt: Math.max(stored.sourceUpdatedAt ?? 0, Date.now()),
      });
  }

  /** Only lines of the API; without any, those that were given before are removed. */
  async setCredits(dealId: string, given: readonly WorldCredit[]): Promise<void> {
    const deal = this.world.deals.find((each) => each.dealId === dealId);
    if (deal === undefined) return;
    const lines = given.filter(({ source }) => source === 'api');
    if (lines.length === 0) await this.api.expect(200, 'DELETE', `/v1/deals/${dealId}/credits`);
    else
      await this.api.expect(200, 'PUT', `/v1/deals/${dealId}/credits`, {
        credits: lines.map(({ source: _, ...line }) => line),
      });
    this.credits.set(dealId, lines);
    this.world.deals = this.world.deals.map((each) => (each === deal ? { ...deal, credits: lines } : each));
  }

  /** Lines whose people are the positions of reps. */
  async setCreditsOf(dealId: string, given: readonly WorldCredit[]): Promise<void> {
    const repIds = this.world.reps.map(({ repId }) => repId);
    await this.setCredits(
      dealId,
      given.map((line) => ({
        ...line,
        repId: line.repId === null ? null : (repIds[Number(line.repId) % repIds.length] as string),
      })),
    );
  }

  async createCreditRule(rule: WorldCreditRule): Promise<void> {
    const name = `${rule.name} ${this.creditRuleCount}`;
    this.creditRuleCount += 1;
    await this.api.expect(201, 'POST', '/v1/credit-rules', { ...rule, name });
    this.world.creditRules = [...(this.world.creditRules ?? []), { ...rule, name }];
  }

  async deleteCreditRule(which: number): Promise<void> {
    const rules = this.world.creditRules ?? [];
    const rule = rules[which % Math.max(1, rules.length)];
    if (rule === undefined) return;
    const { creditRules } = await this.api.expect(200, 'GET', '/v1/credit-rules');
    const { creditRuleId } = creditRules.find(({ name }: { name: string }) => name === rule.name);
    await this.api.expect(200, 'DELETE', `/v1/credit-rules/${creditRuleId}`);
    this.world.creditRules = rules.filter((each) => each !== rule);
  }

  private bodyOf({ content, rep, by, at }: ReportedDeal): Record<string, unknown> {
    const { dealAmount, dealStage, dealName, ...given } = content.given ?? {};
    const owner =
      rep === null ? {} : by === 'repId' ? { repId: this.repId(rep) } : { ownerId: memberIdOf(rep % this.repCount) };
    return {
      fields: content.fields,
      closeDate: content.closeDate,
      ...given,
      ...(dealAmount === undefined ? {} : { amount: dealAmount }),
      ...(dealStage === undefined ? {} : { stage: dealStage }),
      ...(dealName === undefined ? {} : { name: dealName }),
      ...owner,
      ...(at === null ? {} : { sourceUpdatedAt: at }),
    };
  }

  /** Updates the expected world with the deal, unless the deal is older than the stored version. */
  private note(reported: ReportedDeal): 'stale' | 'applied' {
    const stored = this.storedDeals.get(reported.dealId);
    const at = reported.at === null ? null : Date.parse(reported.at);
    if (at !== null && stored !== undefined && stored.sourceUpdatedAt !== null && at < stored.sourceUpdatedAt)
      return 'stale';
    this.storedDeals.set(reported.dealId, {
      reported,
      deleted: false,
      sourceUpdatedAt: at ?? stored?.sourceUpdatedAt ?? null,
    });
    const { dealId, content, rep, by } = reported;
    const ownerId = rep !== null && by === 'ownerId' ? { ownerId: memberIdOf(rep % this.repCount) } : {};
    const deal: WorldDeal = {
      dealId,
      repId: rep === null ? null : this.repId(rep),
      ...content,
      given: { ...usualValues(content, this.world), ...content.given, ...ownerId },
      credits: this.credits.get(dealId) ?? [],
    };
    this.world.deals = [...this.world.deals.filter((each) => each.dealId !== dealId), deal];
    return 'applied';
  }

  // Plans

  private async createPlan({ versions }: WorldPlan, index: number): Promise<void> {
    const [first, second] = versions as [WorldPlanVersion, ...WorldPlanVersion[]];
    const { config, status, effectiveStart, effectiveEnd, currency, fieldMapping } = first;
    const body = { name: `Plan ${index}`, config, status, effectiveStart, effectiveEnd, currency, fieldMapping };
    const created = await this.api.createPlan(body);
    this.world.plans.push({ planId: created.planId, status, versions: [] });
    this.drafts.push(versions);
    const { planVersionId, version, rules } = created;
    this.plan(index).versions.push({ ...first, planVersionId, version, rules, overrides: [] });
    await this.putOverrides(index, first);
    if (second === undefined) return;
    const { effectiveStart: start, effectiveEnd: end } = second;
    await this.patchPlan(index, null, { config: 1, start, end });
  }

  /**
   * Creates a version by planId or from one of the plan's versions. The config is one of those generated for the
   * plan.
   */
  async patchPlan(index: number, source: number | null, { config, start, end, status }: PatchPlan): Promise<void> {
    const plan = this.plan(index);
    if (plan.status === 'deleted') return;
    const from = (
      source === null ? resolvePlan(plan, this.today()) : plan.versions[source % plan.versions.length]
    ) as LiveVersion;
    const drafts = this.drafts[index % this.planCount] as Drafts;
    const draft = config === undefined ? undefined : drafts[config % drafts.length];
    const patch = consistentPatch(from, {
      ...(draft === undefined ? {} : { config: draft.config }),
      ...(start === undefined ? {} : { effectiveStart: start }),
      ...(end === undefined ? {} : { effectiveEnd: end }),
      ...(status === undefined ? {} : { status }),
    });
    if (draft === undefined && patch.effectiveStart === undefined && patch.effectiveEnd === undefined) return;
    this.recordCleanRows();
    const ref = source === null ? plan.planId : from.planVersionId;
    const answer = await this.api.expect(200, 'PATCH', `/v1/plans/${ref}`, patch);
    const { planVersionId, version, rules } = answer;
    expect(version, 'version').to.equal(plan.versions.length + 1);
    const made = patched(from, patch, { planVersionId, version });
    plan.versions.push({ ...made.version, rules });
    if (source === null && status === 'active') plan.status = 'active';
    expect(sortedTiers(answer.overridesDropped), 'overridesDropped').to.deep.equal(sortedTiers(made.dropped));
    if (draft !== undefined) await this.putOverrides(index, draft);
  }

  private async putOverrides(index: number, draft: WorldPlanVersion): Promise<void> {
    const live = this.plan(index).versions.at(-1) as LiveVersion;
    for (const { repId, ruleName, tiers } of draft.overrides) {
      const rule = live.rules.find((each) => each.name === ruleName);
      if (rule !== undefined) await this.putOverride(live, repId, { ruleName, tiers });
    }
  }

  async setPlanStatus(index: number, status: PlanStatus): Promise<void> {
    const plan = this.plan(index);
    this.recordCleanRows();
    await this.api.expect(200, 'PATCH', `/v1/plans/${plan.planId}/status`, { status });
    setPlanStatus(plan, status);
  }

  async setVersionStatus(which: number, status: PlanStatus): Promise<void> {
    const versions = this.world.plans.flatMap((plan) => plan.versions);
    const version = versions[which % Math.max(1, versions.length)];
    if (version === undefined) return;
    this.recordCleanRows();
    await this.api.expect(200, 'PATCH', `/v1/plans/${version.planVersionId}/status`, { status });
    setVersionStatus(version, status);
  }

  async override(index: number, rep: number, which: number, pay: Pay): Promise<void> {
    const { versions } = this.plan(index);
    const version = versions[which % versions.length] as LiveVersion;
    const rule = version.rules[which % version.rules.length] as Rule;
    const repId = this.repId(rep);
    const shared = rule.tiers.filter((tier) => tier.repId === undefined);
    const tier = shared[which % shared.length];
    // A tier with the repId in the config is an alternative to an override. The design does not define which one has
    // priority.
    if (tier === undefined || !pays(rule, pay) || rule.tiers.some((each) => each.repId === repId)) return;
    await this.putOverride(version, repId, { ruleName: rule.name, tiers: [{ tierIndex: tier.tierIndex, ...pay }] });
  }

  private async putOverride(
    version: LiveVersion,
    repId: string,
    { ruleName, tiers }: Omit<WorldOverride, 'repId'>,
  ): Promise<void> {
    const others = version.overrides.filter((each) => each.repId === repId && each.ruleName !== ruleName);
    const overrides: WorldOverride[] = [...others, { repId, ruleName, tiers }];
    // A new version keeps the override of a tier also where its rule has another payout mode, but no request sets it.
    const mayPay = (each: WorldOverride) => {
      const rule = version.rules.find(({ name }) => name === each.ruleName);
      return rule !== undefined && each.tiers.every((tier) => pays(rule, tier));
    };
    if (!overrides.every(mayPay)) return;
    const ruleIds = new Map(version.rules.map((rule) => [rule.name, rule.id]));
    const rules = overrides.map((each) => ({ ruleId: ruleIds.get(each.ruleName), tiers: each.tiers }));
    await this.api.expect(200, 'PUT', `/v1/plans/${version.planVersionId}/overrides/${repId}`, { rules });
    version.overrides = [...version.overrides.filter((each) => each.repId !== repId), ...overrides];
  }

  async deleteOverride(which: number): Promise<void> {
    const versions = this.world.plans.flatMap((plan) => plan.versions);
    const all = versions.flatMap((version) => version.overrides.map(({ repId }) => ({ version, repId })));
    const one = all[which % Math.max(1, all.length)];
    if (one === undefined) return;
    await this.api.expect(200, 'DELETE', `/v1/plans/${one.version.planVersionId}/overrides/${one.repId}`);
    one.version.overrides = one.version.overrides.filter((each) => each.repId !== one.repId);
  }

  // Assignments

  async assign(
    reps: readonly number[],
    index: number,
    start: string | null,
    end: string | null,
    ramp: WorldRamp | null,
  ): Promise<void> {
    const { planId } = this.plan(index);
    const ramped = ramp === null ? {} : { rampId: await this.rampWith(ramp.steps), rampFrom: ramp.from };
    const placement = { planId, effectiveStart: this.startFor(index, start), effectiveEnd: end };
    const repIds = [...new Set(reps.map((rep) => this.repId(rep)))];
    const answer = await this.api.post('/v1/assignments', { repIds, ...placement, ...ramped });
    const rejections = repIds
      .map((repId) => this.errorStatusOf({ repId, ...placement }, null))
      .filter((status) => status !== null);
    expectStatus(answer, rejections[0] ?? 201, 'POST assignments');
    if (rejections.length > 0) return;
    for (const { repId, assignmentId } of answer.body as { repId: string; assignmentId: string }[]) {
      const live: LiveAssignment = { repId, ...placement, assignmentId, ...(ramp === null ? {} : { ramp }) };
      this.world.assignments.push(live);
    }
  }

  async moveAssignment(
    which: number,
    change: { effectiveStart?: string | null; effectiveEnd?: string | null },
  ): Promise<void> {
    const assignments = this.world.assignments as LiveAssignment[];
    const one = assignments[which % Math.max(1, assignments.length)];
    if (one === undefined) return;
    const index = this.world.plans.findIndex((plan) => plan.planId === one.planId);
    const body = {
      ...change,
      ...(change.effectiveStart === undefined ? {} : { effectiveStart: this.startFor(index, change.effectiveStart) }),
    };
    const answer = await this.api.patch(`/v1/assignments/${one.assignmentId}`, body);
    const status = this.errorStatusOf({ ...one, ...body }, one) ?? 200;
    expectStatus(answer, status, 'PATCH assignment');
    if (status === 200) Object.assign(one, body);
  }

  /** Gives the assignment another ramp, or none. */
  async setRamp(which: number, ramp: WorldRamp | null): Promise<void> {
    const assignments = this.world.assignments as LiveAssignment[];
    const one = assignments[which % Math.max(1, assignments.length)];
    if (one === undefined) return;
    const rampId = ramp === null ? null : await this.rampWith(ramp.steps);
    await this.api.expect(200, 'PATCH', `/v1/assignments/${one.assignmentId}`, {
      rampId,
      rampFrom: ramp?.from ?? null,
    });
    const { ramp: _, ...unramped } = one;
    assignments[assignments.indexOf(one)] = ramp === null ? unramped : { ...unramped, ramp };
  }

  /** Changes the steps of a ramp for every assignment that has it. */
  async changeRamp(which: number, steps: WorldRamp['steps']): Promise<void> {
    const ramps = [...this.ramps];
    const one = ramps[which % Math.max(1, ramps.length)];
    if (one === undefined || this.ramps.has(JSON.stringify(steps))) return;
    const [known, rampId] = one;
    await this.api.expect(200, 'PATCH', `/v1/ramps/${rampId}`, { steps });
    this.ramps.delete(known);
    this.ramps.set(JSON.stringify(steps), rampId);
    this.world.assignments = this.world.assignments.map((each) =>
      JSON.stringify(each.ramp?.steps) === known ? { ...each, ramp: { ...(each.ramp as WorldRamp), steps } } : each,
    );
  }

  /** Ramps with equal steps are one, so that a change of it concerns several people. */
  private async rampWith(steps: WorldRamp['steps']): Promise<string> {
    const key = JSON.stringify(steps);
    const known = this.ramps.get(key);
    if (known !== undefined) return known;
    this.rampCount += 1;
    const { rampId } = await this.api.expect(201, 'POST', '/v1/ramps', { name: `Ramp ${this.rampCount}`, steps });
    this.ramps.set(key, rampId);
    return rampId;
  }

  // Working time

  async employ(rep: number, employment: { hireDate?: string | null; endDate?: string | null }): Promise<void> {
    const person = this.world.reps[rep % this.repCount];
    if (person === undefined) return;
    await this.api.expect(200, 'PATCH', `/v1/reps/${person.repId}`, employment);
    Object.assign(person, employment);
  }

  /** An absence replaces the one of the person that begins on the same day, and overlaps no other. */
  async enterAbsence(rep: number, terms: AbsenceTerms): Promise<'entered' | 'rejected'> {
    const repId = this.repId(rep);
    const replaced = this.absences.find((each) => each.repId === repId && each.from === terms.from);
    const answer = await this.api.post('/v1/absences', { repId, ...terms });
    const status = this.absenceStatus({ repId, ...terms }, replaced) ?? 201;
    expectStatus(answer, status, 'POST absence');
    if (status !== 201) return 'rejected';
    const entered = { repId, ...terms, absenceId: answer.body.absenceId as string };
    this.world.absences = [...this.absences.filter((each) => each !== replaced), entered];
    return 'entered';
  }

  async changeAbsence(which: number, change: Partial<AbsenceTerms>): Promise<void> {
    const one = this.absences[which % Math.max(1, this.absences.length)];
    if (one === undefined) return;
    const answer = await this.api.patch(`/v1/absences/${one.absenceId}`, change);
    const status = this.absenceStatus({ ...one, ...change }, one) ?? 200;
    expectStatus(answer, status, 'PATCH absence');
    if (status === 200) Object.assign(one, change);
  }

  async deleteAbsence(which: number): Promise<void> {
    const one = this.absences[which % Math.max(1, this.absences.length)];
    if (one === undefined) return;
    await this.api.expect(200, 'DELETE', `/v1/absences/${one.absenceId}`);
    this.world.absences = this.absences.filter((each) => each !== one);
  }

  get absenceCount(): number {
    return this.absences.length;
  }

  private get absences(): LiveAbsence[] {
    return (this.world.absences ?? []) as LiveAbsence[];
  }

  private absenceStatus({ repId, from, to }: WorldAbsence, except: LiveAbsence | undefined): 400 | 409 | null {
    if (to < from) return 400;
    const others = this.absences.filter((each) => each !== except && each.repId === repId);
    return others.some((each) => each.from <= to && each.to >= from) ? 409 : null;
  }

  async setMinimum(minQuotaPercent: number): Promise<void> {
    await this.api.expect(200, 'PATCH', '/v1/workspaces', { minQuotaPercent });
    this.world.workspace = { ...this.world.workspace, minQuotaPercent };
  }

  /** The design does not define from when a periodic rule counts periods under an assignment without a start. */
  private startFor(index: number, start: string | null): string | null {
    const drafts = this.drafts[index % this.planCount] as Drafts;
    return start === null && JSON.stringify(drafts).includes('"periodic"') ? '2026-01-01' : start;
  }

  private errorStatusOf(wanted: WorldAssignment, except: WorldAssignment | null): 400 | 409 | null {
    const { effectiveStart: start, effectiveEnd: end } = wanted;
    if (start !== null && end !== null && end < start) return 400;
    const overlaps = this.world.assignments.some(
      (each) =>
        each !== except &&
        each.repId === wanted.repId &&
        each.planId === wanted.planId &&
        (each.effectiveStart ?? '') <= (end ?? '9') &&
        (start ?? '') <= (each.effectiveEnd ?? '9'),
    );
    return overlaps ? 409 : null;
  }

  // Quotas

  async setQuotaOn(
    index: number,
    rule: number,
    day: string,
    reps: readonly number[],
    terms: QuotaTerms,
  ): Promise<void> {
    const names = [...new Set(this.rulesInForce(index).map((each) => each.name))].sort();
    const name = names[rule % Math.max(1, names.length)];
    await this.setQuota(
      index,
      (each) => each.name === name,
      (each) => periodIn(this.world, each.calendar ?? 'calendar', each.attainmentPeriod, day),
      reps,
      terms,
    );
  }

  private async setQuota(
    index: number,
    isMeant: (rule: Rule) => boolean,
    periodFor: (rule: Rule) => string | null,
    reps: readonly number[],
    { target, variableTarget, prorate }: QuotaTerms,
  ): Promise<void> {
    const { planId } = this.plan(index);
    const rule = this.rulesInForce(index).find(isMeant);
    if (rule === undefined) return;
    const repIds = [...new Set(reps.map((rep) => this.repId(rep)))];
    const amounts = {
      target: Number(target),
      variableTarget: variableTarget === null ? null : Number(variableTarget),
      prorate: prorate ?? true,
    };
    const period = periodFor(rule);
    if (period === null) return;
    const saved = await this.api.expect(201, 'POST', '/v1/quotas', { repIds, planRuleId: rule.id, period, ...amounts });
    for (const { quotaId, repId } of saved as { quotaId: string; repId: string }[]) {
      const quota: LiveQuota = { repId, planId, key: keyOf(rule), period, ...amounts, quotaId };
      this.world.quotas = [...this.world.quotas.filter((each) => (each as LiveQuota).quotaId !== quotaId), quota];
    }
  }

  /** Newest version first. */
  private rulesInForce(index: number): Rule[] {
    const { versions }: { versions: LiveVersion[] } = this.plan(index);
    const active = versions.filter((version) => version.status === 'active');
    return active.toSorted((a, b) => b.version - a.version).flatMap((version) => version.rules);
  }

  async deleteQuota(which: number): Promise<void> {
    const quota = this.world.quotas[which % Math.max(1, this.world.quotas.length)] as LiveQuota | undefined;
    if (quota === undefined) return;
    await this.api.expect(200, 'DELETE', `/v1/quotas/${quota.quotaId}`);
    this.world.quotas = this.world.quotas.filter((each) => each !== quota);
  }

  // Fiscal years

  /**
   * The days of a year do not change while an approved statement lies in it. Rows that stay keep the period of their time,
   * so the years change only while every version is active and nothing is trued up.
   */
  async setFiscalYears(years: readonly WorldFiscalYear[]): Promise<void> {
    const { fiscalYears = [], plans, frozen } = this.world;
    const versions = plans.flatMap((plan) => [plan, ...plan.versions]);
    if (versions.some(({ status }) => status !== 'active') || frozen.some(({ truedUp }) => truedUp !== null)) return;
    await this.waitForCalculations();
    this.recordCleanRows();
    const isSame = (a: WorldFiscalYear) => years.some((b) => JSON.stringify(a) === JSON.stringify(b));
    const lies = (list: readonly WorldFiscalYear[], { year }: WorldFiscalYear) => {
      const days = periodDays({ fiscalYears: [...list] }, `FY${year}`);
      const isIn = ({ first, last }: DayRange) => days !== null && first <= days.last && last >= days.first;
      return frozen.some(({ period }) => isIn(this.days(period)));
    };
    const changed = fiscalYears.filter((year) => !isSame(year));
    const inUse = changed.some((year) => lies(fiscalYears, year) || lies(years, year));
    expectStatus(await this.api.put('/v1/fiscal-years', years), inUse ? 409 : 200, 'PUT fiscal years');
    if (!inUse) this.world.fiscalYears = [...years];
  }

  // Reps

  /**
   * Managers are earlier in the list of reps, so there is no cycle. Without a day the manager applies from the first
   * day.
   */
  async changeManager(rep: number, manager: number | null, from: string | null): Promise<void> {
    const person = this.world.reps[rep % this.repCount];
    if (person === undefined) return;
    const managerId = manager === null ? null : this.repId(manager % Math.max(1, rep % this.repCount));
    if (managerId === person.repId) return;
    const body = { managerId, ...(from === null ? {} : { managerFrom: from }) };
    await this.api.expect(200, 'PATCH', `/v1/reps/${person.repId}`, body);
    const today = this.today();
    const current =
      person.lines.find((line) => (line.from ?? '') <= today && (line.to ?? '9') >= today)?.managerId ?? null;
    if (from === null && current === managerId) return;
    const before = from === null ? [] : person.lines.filter((line) => (line.from ?? '') < from);
    const ended = before.map((line) => ({
      ...line,
      to: line.to === null || line.to >= (from as string) ? plusDays(from as string, -1) : line.to,
    }));
    person.lines = managerId === null ? ended : [...ended, { managerId, from, to: null }];
  }

  // Statements

  /** The new version equals a full calculation plus the manual amounts. */
  async generate(rep: number, period: string): Promise<void> {
    const repId = this.repId(rep);
    await this.waitForCalculations();
    const answer = await this.api.post(`/v1/statements/${repId}/generate`, { period });
    expectStatus(answer, this.isApproved(repId, period) ? 409 : 200, `generate ${period}`);
    if (answer.status !== 200) return;
    const net = this.earnedIn(repId, period).plus(this.adjustedIn(repId, period));
    expect(Decimal.of(answer.body.summary.netPayout).toString(), `net payout of ${period}`).to.equal(net.toString());
  }

  /** The rows of the period do not change after this. */
  async approve(rep: number, period: string): Promise<void> {
    const repId = this.repId(rep);
    await this.generate(rep, period);
    const answer = await this.api.post(`/v1/statements/${repId}/approve`, { period, status: 'approved' });
    if (this.isApproved(repId, period)) return expectStatus(answer, 200, `approve ${period} again`);
    const neverGenerated = this.overlapping(repId, period).length > 0;
    expectStatus(answer, neverGenerated ? 409 : 200, `approve ${period}`);
    if (neverGenerated) return;
    this.recordCleanRows();
    this.world.frozen.push({ repId, period, truedUp: null });
    this.approved.set(`${repId}|${period}`, Decimal.of(answer.body.summary.netPayout));
  }

  async unlock(which: number): Promise<void> {
    const position = which % Math.max(1, this.world.frozen.length);
    const frozen = this.world.frozen[position];
    if (frozen === undefined) return;
    const { repId, period } = frozen;
    await this.waitForCalculations();
    this.recordCleanRows();
    await this.api.unlock(repId, period);
    Object.assign(this.world, unlocked(this.world, position));
    this.approved.delete(`${repId}|${period}`);
  }

  /** An approved period rejects adjustments. */
  async adjust(rep: number, period: string, amount: number): Promise<void> {
    const repId = this.repId(rep);
    const answer = await this.api.post(`/v1/statements/${repId}/adjust`, { period, amount, reason: 'model' });
    const earnedOn = this.lastOpenDay(repId, period);
    expectStatus(answer, earnedOn === null ? 400 : 200, `adjust ${period}`);
    if (earnedOn !== null) this.adjustments.push({ repId, earnedOn, amount });
  }

  /** The last day of the period that no approved statement covers. */
  private lastOpenDay(repId: string, period: string): string | null {
    const { first, last } = this.days(period);
    for (let day = last; day >= first; day = plusDays(day, -1))
      if (this.overlapping(repId, period, day).length === 0) return day;
    return null;
  }

  /**
   * Pays the difference to the amount of the period if nothing were frozen for the rep and for everyone below. Its
   * lines describe each deal, and a second true-up has nothing to pay.
   */
  async trueUp(which: number): Promise<void> {
    const frozen = this.world.frozen[which % Math.max(1, this.world.frozen.length)];
    if (frozen === undefined) return;
    const { repId, period } = frozen;
    await this.waitForCalculations();
    this.recordCleanRows();
    const { currency } = this.world.workspace;
    const rows = liveRows(this.now(), repId, period);
    const live = Decimal.of(sumAmounts(rows, currency).toFixed()).plus(this.adjustedIn(repId, period));
    const key = `${repId}|${period}`;
    const delta = live.minus(this.approved.get(key) as Decimal);
    const trueUp = (force: boolean) =>
      this.api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, ...(force ? { force } : {}) });
    const isLarge = delta.absolute().compare(Decimal.of(500)) > 0;
    if (isLarge)
      expect(await trueUp(false), 'without force').to.include({ action: 'requires_approval', approvalThreshold: 500 });
    const answer = await trueUp(isLarge);
    expect(Decimal.of(answer.delta).toString(), `true-up of ${period}`).to.equal(delta.toString());
    expect(answer.action).to.equal(delta.isZero() ? 'none' : 'trued_up');
    if (!delta.isZero()) {
      expectLines(answer.lines, trueUpLines(countedIn(this.world, frozen), rows, currency));
      frozen.truedUp = rows;
    }
    this.approved.set(key, live);
    await this.waitForCalculations();
    expect(await trueUp(true), 'a second true-up').to.include({ action: 'none', delta: 0 });
  }

  async approveAll(period: string): Promise<void> {
    for (let rep = 0; rep < this.repCount; rep += 1) await this.approve(rep, period);
  }

  async trueUpAll(inReverse: boolean): Promise<void> {
    const count = this.world.frozen.length;
    for (let index = 0; index < count; index += 1) await this.trueUp(inReverse ? count - 1 - index : index);
  }

  /**
   * Approved periods do not change. The recalculation restores everything else except stopped days and manual
   * amounts.
   */
  async reset(): Promise<void> {
    await this.waitForCalculations();
    const isFrozen = (row: LedgerRow) => this.overlapping(row.repId, row.earnedOn.slice(0, 7), row.earnedOn).length > 0;
    this.world.storedRows = this.cleanRows().filter(isFrozen);
    await this.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
    this.adjustments = this.adjustments.filter(
      ({ repId, earnedOn: day }) => this.overlapping(repId, day, day).length > 0,
    );
    await this.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
  }

  private isApproved(repId: string, period: string): boolean {
    return this.world.frozen.some((each) => each.repId === repId && each.period === period);
  }

  /** The rep's approved periods that share days with the period. */
  private overlapping(repId: string, period: string, day?: string): string[] {
    const { first, last } = day === undefined ? this.days(period) : { first: day, last: day };
    return this.world.frozen
      .filter((each) => each.repId === repId)
      .map((each) => each.period)
      .filter((other) => this.days(other).first <= last && this.days(other).last >= first);
  }

  private days(period: string) {
    return periodDays(this.world, period) as DayRange;
  }

  private earnedIn(repId: string, period: string): Decimal {
    const { first, last } = this.days(period);
    return this.cleanRows()
      .filter((row) => row.repId === repId && row.currency === this.world.workspace.currency)
      .filter((row) => row.earnedOn >= first && row.earnedOn <= last)
      .reduce((sum, row) => sum.plus(Decimal.of(row.amount)), Decimal.zero);
  }

  private adjustedIn(repId: string, period: string): Decimal {
    const { first, last } = this.days(period);
    return this.adjustments
      .filter((one) => one.repId === repId && one.earnedOn >= first && one.earnedOn <= last)
      .reduce((sum, one) => sum.plus(Decimal.of(one.amount)), Decimal.zero);
  }

  // Recalculation

  async recalculate(scope: 'deal' | 'rep' | 'plan' | 'workspace', which: number, isAsync: boolean): Promise<void> {
    const dealIds = [...this.storedDeals.keys()].sort();
    const target = {
      deal: { dealId: dealIds[which % Math.max(1, dealIds.length)] },
      rep: { repId: this.repId(which) },
      plan: { planId: this.plan(which).planId },
      workspace: {},
    }[scope];
    const expected = scope === 'deal' && dealIds.length === 0 ? 'workspace' : scope;
    const answer = await this.api.expect(200, 'POST', '/v1/commissions/recalculate', { ...target, async: isAsync });
    expect(answer.scope, 'scope').to.equal(expected);
    expect(answer.status, 'status').to.equal(isAsync ? 'running' : 'completed');
  }

  /** Recalculates everything and returns the rows that this wrote, each with its previous values. */
  async recalculateAll(): Promise<unknown[]> {
    const answer = await this.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    expect(answer.status, 'recalculation').to.equal('completed');
    if (this.world.frozen.length === 0) expect(answer.statementLocked).to.equal(false);
    const written = await this.service.sql(
      `select h.change, h.rep_id, h.deal_key, h.rule_name, h.amount, h.trace, b.status as status_before, b.amount as amount_before, b.trace as trace_before
      from audit_run_jobs j join commission_event_history h on h.workspace_id = j.workspace_id and h.run_id = j.run_id
      left join commission_event_history b on b.workspace_id = h.workspace_id and b.rep_id = h.rep_id and b.event_id = h.event_id
        and b.revision = h.revision - 1
      where j.workspace_id = $1 and j.job_id = $2`,
      this.workspaceId,
      answer.jobId,
    );
    if (written.length === 0) expect(answer, 'recalculation').to.include({ eventsWritten: 0, eventsReversed: 0 });
    return written;
  }

  // Comparison

  /** Cached responses equal fresh ones. */
  async expectCurrentAnswers(): Promise<void> {
    const { api, world, workspaceId } = this;
    const repIds = world.reps.map((rep) => rep.repId);
    const years = new Set(world.deals.flatMap(({ closeDate }) => (closeDate === null ? [] : [closeDate.slice(0, 4)])));
    await expectCurrentResponses(this.service, api, workspaceId, repIds, [...years]);
  }

  waitForCalculations(): Promise<void> {
    return this.service.waitForCalculations(this.workspaceId);
  }

  /** The result of a full calculation of the expected world. */
  cleanRows(): LedgerRow[] {
    return calculated(this.now()).rows.toSorted(byKey);
  }

  private now(): World {
    return { ...this.world, asOf: this.today() };
  }

  /** The current rows matter later if their days are approved or stopped. */
  private recordCleanRows(): void {
    this.world.storedRows = this.cleanRows();
  }

  /** Counters are the sums of the counted rows. Rows of a true-up replace the approved ones. */
  async expectQuotaCounters(): Promise<void> {
    const { counted } = calculated(this.now());
    const found = await this.service.sql<{ quotaId: string; value: string }>(
      'select quota_id as "quotaId", trim_scale(current_value)::text as value from quotas where workspace_id = $1',
      this.workspaceId,
    );
    const values = new Map(found.map(({ quotaId, value }) => [quotaId, value]));
    for (const quota of this.world.quotas as LiveQuota[]) {
      const { quotaId, repId, planId, key, period } = quota;
      const credit = counted
        .filter((row) => row.repId === repId && row.planId === planId && row.attainmentKey === key)
        .filter((row) => row.period === period)
        .reduce((sum, row) => sum.plus(Decimal.of(row.credit)), Decimal.zero);
      expect(values.get(quotaId), `current_value of ${key} in ${period}`).to.equal(credit.toString());
    }
  }

  /** The target that a quota shows is that of the calculation, under the last version of its period. */
  async expectEffectiveTargets(): Promise<void> {
    const world = this.now();
    const quotas: { quotaId: string; target: number; effectiveTarget?: number }[] = await this.api.expect(
      200,
      'GET',
      '/v1/quotas',
    );
    const shown = new Map(quotas.map((quota) => [quota.quotaId, quota.effectiveTarget ?? quota.target]));
    const isAssigned = ({ repId, planId }: WorldQuota) =>
      world.assignments.some((each) => each.repId === repId && each.planId === planId);
    for (const quota of (world.quotas as LiveQuota[]).filter(isAssigned)) {
      const proration = this.prorationOf(quota);
      const expected = effectiveQuota(world, quota, proration);
      expect(shown.get(quota.quotaId), `target of ${quota.key} in ${quota.period} (${proration})`).to.equal(
        Number(expected.target.toFixed()),
      );
    }
  }

  /** A fiscal period whose year is not defined has no days that an absence could shorten. */
  private prorationOf({ planId, key, period }: WorldQuota): QuotaProration {
    const plan = this.world.plans.find((each) => each.planId === planId) as WorldPlan & { versions: LiveVersion[] };
    const days = periodDays(this.world, period);
    if (days === null) return 'none';
    for (let day = days.last; day >= days.first; day = plusDays(day, -1)) {
      const version = plan.status === 'active' ? versionOn(plan, day) : null;
      const rule = (version as LiveVersion | null)?.rules.find((each) => keyOf(each) === key);
      if (rule !== undefined) return rule.quotaProration ?? 'none';
    }
    return 'none';
  }

  /** The earned rows of the service. */
  async ledgerRows(): Promise<LedgerRow[]> {
    return (await earnedRows(this.service.database.ownerUrl, this.workspaceId)).toSorted(byKey);
  }

  async historyLength(): Promise<number> {
    const [row] = await this.service.sql<{ count: number }>(
      'select count(*)::int as count from commission_event_history where workspace_id = $1',
      this.workspaceId,
    );
    return row?.count as number;
  }

  private today(): string {
    return new Intl.DateTimeFormat('en-CA', { timeZone: this.world.workspace.timeZone }).format(new Date());
  }
}

function withoutMinimum({ minQuotaPercent: _, ...workspace }: World['workspace']): World['workspace'] {
  return workspace;
}

/** Whether a tier of the rule may pay these terms. */
function pays({ payoutMode }: Rule, pay: { readonly rate?: number; readonly flatAmount?: number }): boolean {
  if (pay.rate === undefined) return payoutMode !== 'rate_times_attainment';
  return payoutMode === 'rate' || payoutMode === 'rate_times_attainment';
}

function memberIdOf(rep: number): string {
  return `member-${rep}`;
}

function keyOf(rule: Rule): string {
  return rule.quotaGroup ?? rule.name;
}

function expectStatus(answer: ApiResponse, status: number, what: string): void {
  expect(answer.status, `${what} answered ${JSON.stringify(answer.body).slice(0, 500)}`).to.equal(status);
}

/** Replaces the generated rep ids by those of the service. */
/** A file has an id once, unless the first row and the later one say when they changed. */
function withoutRepetitions(deals: readonly ReportedDeal[]): ReportedDeal[] {
  return deals.filter((deal) => {
    const first = deals.find(({ dealId }) => dealId === deal.dealId);
    return first === deal || (first?.at !== null && deal.at !== null);
  });
}

function withRepIds(world: World, repIds: readonly string[]): World {
  const text = world.reps.reduce(
    (json, rep, index) => json.replaceAll(rep.repId, repIds[index] as string),
    JSON.stringify(world),
  );
  return JSON.parse(text) as World;
}

const usualSlugs: Partial<Record<StandardName, readonly string[]>> = {
  dealAmount: ['amount', 'value'],
  dealStage: ['stage', 'dealstage'],
};

/** The raw value of an unmapped standard value: the first default field that has a value. */
function usualValue(name: 'dealAmount' | 'dealStage', { fields }: DealContent, { workspace }: World): unknown {
  if (workspace.standard[name] !== undefined) return fields[workspace.standard[name]];
  const values = (usualSlugs[name] as readonly string[]).map((slug) => fields[slug]);
  return values.find(
    (value) => value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
}

/** Without a mapping, the API reads standard values from default fields. */
function usualValues(content: DealContent, world: World): WorldDeal['given'] {
  const { dealAmount, dealStage } = world.workspace.standard;
  const amount = dealAmount === undefined ? usualValue('dealAmount', content, world) : undefined;
  const stage = dealStage === undefined ? usualValue('dealStage', content, world) : undefined;
  return {
    ...(isNumeric(amount) ? { dealAmount: Number(amount) } : {}),
    ...(typeof stage === 'string' ? { dealStage: stage } : {}),
  };
}

function isNumeric(value: unknown): boolean {
  return numberFrom(value) !== null;
}

/** An import rejects rows whose amount is invalid. */
function hasReadableAmount(content: DealContent, world: World): boolean {
  if (content.given?.dealAmount !== undefined) return true;
  const value = usualValue('dealAmount', content, world);
  const isAbsent =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return isAbsent || isNumeric(value);
}

function sortedTiers(tiers: readonly { repId: string; ruleName: string; tierIndex: number }[]): string[] {
  return tiers.map(({ repId, ruleName, tierIndex }) => `${repId} ${ruleName} ${tierIndex}`).sort();
}

interface Line {
  /** Null for an amount of a periodic rule. */
  readonly dealId: string | null;
  readonly planId: string;
  readonly ruleName: string;
  readonly approved: number;
  readonly live: number;
  readonly delta: number;
}

function expectLines(lines: readonly Line[], expected: readonly TrueUpLine[]): void {
  // The oracle has the period as the deal of a periodic rule. No deal of a random world has such an id.
  const dealOf = ({ dealId }: Line | TrueUpLine) => (dealId === null || kindOfPeriod(dealId) !== null ? null : dealId);
  const textOf = (line: Line | TrueUpLine) =>
    [dealOf(line), line.planId, line.ruleName, Number(line.approved), Number(line.live), Number(line.delta)].join(' ');
  expect(lines.map(textOf).sort(), 'lines').to.deep.equal(expected.map(textOf).sort());
  const sizes = lines.map((line) => Math.abs(line.delta));
  expect(sizes, 'sizes of lines').to.deep.equal(sizes.toSorted((a, b) => b - a));
}

/** Without an end before the start, which a request may not have. */
function consistentPatch(from: LiveVersion, patch: PlanPatch): PlanPatch {
  const start = patch.effectiveStart === undefined ? from.effectiveStart : patch.effectiveStart;
  const end = patch.effectiveEnd === undefined ? from.effectiveEnd : patch.effectiveEnd;
  return start !== null && end !== null && end < start ? { ...patch, effectiveEnd: null } : patch;
}
