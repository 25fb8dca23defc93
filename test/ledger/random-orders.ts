import { expect } from 'chai';
import { resetCommissions } from '#src/commissions/commands/reset-commissions.js';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { setDealCredits } from '#src/deals/commands/set-deal-credits.js';
import { deriveFromPeople } from '#src/deals/derive-from-people.js';
import { putRefund } from '#src/deals/refunds/commands/put-refund.js';
import { Failure } from '#src/kernel/failure.js';
import { recalculateIn } from '#src/ledger/requests/recalculate.js';
import { createAbsence } from '#src/people/absences/commands/create-absence.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { deleteAssignment } from '#src/people/assignments/commands/delete-assignment.js';
import { updateAssignment } from '#src/people/assignments/commands/update-assignment.js';
import { updateRep } from '#src/people/reps/commands/update-rep.js';
import { setScores } from '#src/people/scores/commands/set-scores.js';
import { setPlanOverride } from '#src/plans/commands/set-plan-override.js';
import { updatePlan } from '#src/plans/commands/update-plan.js';
import { type PlanVersion } from '#src/plans/plan.js';
import { deleteQuota } from '#src/plans/quotas/commands/delete-quota.js';
import { setQuotas } from '#src/plans/quotas/commands/set-quotas.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { setFiscalYears } from '#src/rates/fiscal-years/commands/set-fiscal-years.js';
import { expectSoundLedger, ledgerRows } from '#test/support/ledger-checks.js';
import { OfflineWorkspace, type Parts } from '#test/support/offline-workspace.js';
import { Random } from '#test/support/random.js';

const closeDates = ['2025-11-20', '2026-01-10', '2026-02-10', '2026-03-31', '2026-04-01', '2026-06-15', '2026-08-20'];
const firstDays = [undefined, undefined, undefined, '2026-01-01', '2026-02-15', '2026-05-01'];
const lastDays = [undefined, undefined, undefined, '2026-05-15', '2026-06-30'];
const today = ['2026-03-31T12:00:00Z', '2026-07-02T12:00:00Z', '2026-11-28T12:00:00Z'];
const steps = 18;
const dealIds = Array.from({ length: 7 }, (_, index) => `D${index}`);

/** Which calculations run between two facts. */
type Pace = 'all' | 'some' | 'divided';

/**
 * A workspace whose facts arrive in a random order, with calculations between them. In the end, its ledger is that of a
 * clean recalculation.
 */
export class RandomOrder {
  private readonly plans: PlanVersion[] = [];
  private readonly quotaIds = new Set<string>();
  private readonly assignmentIds = new Set<string>();
  /** Whether rows are kept that a calculation from nothing would not write. */
  private keepsRows = false;
  private readonly facts: string[] = [];

  private constructor(
    private readonly seed: number,
    private readonly random: Random,
    private readonly workspace: OfflineWorkspace,
    private readonly repIds: readonly string[],
    private readonly pace: Pace,
  ) {}

  static async run(seed: number): Promise<void> {
    const random = new Random(seed);
    const workspace = await OfflineWorkspace.create({ now: random.of(today) });
    const repIds = await workspace.addReps('Ada', 'Ben', 'Cleo', 'Max', 'Zoe');
    const order = new RandomOrder(seed, random, workspace, repIds, random.of(['all', 'some', 'some', 'divided']));
    await order.addPlans();
    for (let step = 0; step < steps; step += 1) {
      await order.addFact();
      await order.calculateSome();
    }
    await order.expectCleanLedger();
  }

  private async addPlans(): Promise<void> {
    const { random } = this;
    const rules = [sellerRules(random), periodicRules(random), rankRules(random), managerRules(random)];
    for (const [index, config] of rules.entries()) {
      const effectiveStart = random.of(firstDays);
      const dates = effectiveStart === undefined ? {} : { effectiveStart };
      const plan = await this.workspace.addPlan(`Plan ${index}`, config, dates);
      this.facts.push(`plan ${index} ${JSON.stringify(dates)} ${JSON.stringify(config)}`);
      this.plans.push(plan);
    }
    for (const { planId } of this.plans) if (random.below(3) > 0) await this.assign(planId, this.repIds);
  }

  /** Rejected requests change nothing. */
  private async send<Body>(operation: AnyOperation, parts: Parts): Promise<Body | null> {
    this.facts.push(`${operation.id} ${JSON.stringify(parts)}`);
    try {
      return await this.workspace.run(operation, parts);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.facts.push(`  rejected: ${error.code}`);
      return null;
    }
  }

  private addFact(): Promise<void> {
    const facts = [
      ...Array.from({ length: 8 }, () => this.putDeal),
      ...Array.from({ length: 4 }, () => this.assign),
      ...Array.from({ length: 4 }, () => this.setQuota),
      this.deleteDeal,
      this.deleteDeal,
      this.deleteQuota,
      this.changeAssignment,
      this.changeAssignment,
      this.deleteAssignment,
      this.changeManager,
      this.changeManager,
      this.employ,
      this.enterAbsence,
      this.setScore,
      this.setScore,
      this.credit,
      this.refund,
      this.changePlan,
      this.override,
      this.setFiscalYears,
      this.endDay,
    ];
    return this.random.of(facts).call(this);
  }

  private readonly rep = () => this.random.of(this.repIds);
  private readonly plan = () => this.random.of(this.plans);

  private async putDeal(): Promise<void> {
    const amount = this.random.of([1000, 2500, 4000, -500, 0, 333.33]);
    const body = {
      fields: { seats: this.random.of([1, 3, 10]), region: this.random.of(['EMEA', 'APAC']) },
      amount,
      closeDate: this.random.of(closeDates),
      repId: this.rep(),
    };
    await this.send(putDeal, { params: { dealId: this.random.of(dealIds) }, query: { corrections: 'keep' }, body });
  }

  private async deleteDeal(): Promise<void> {
    const hard = this.random.of(['true', 'false']);
    await this.send(deleteDeal, { params: { dealId: this.random.of(dealIds) }, query: { hard } });
  }

  private async setQuota(): Promise<void> {
    const { planId, rules } = this.plan();
    const rule = this.random.of(rules);
    const periods = {
      monthly: ['2025-11', '2026-02', '2026-06'],
      quarterly: ['2025-Q4', '2026-Q1', '2026-Q2', '2026-Q3'],
      annual: ['2025', '2026'],
    };
    const period = this.random.of(periods[rule.attainmentPeriod as keyof typeof periods]);
    const target = this.random.of([1000, 3000, 5000, 2]);
    const body = { repIds: [this.rep()], planId, measure: rule.name, period, target, variableTarget: 2000 };
    const quotas = await this.send<{ quotaId: string }[]>(setQuotas, { body });
    for (const { quotaId } of quotas ?? []) this.quotaIds.add(quotaId);
  }

  private async deleteQuota(): Promise<void> {
    const quotaId = this.pick(this.quotaIds);
    if (quotaId === null) return;
    this.quotaIds.delete(quotaId);
    await this.send(deleteQuota, { params: { quotaId } });
  }

  private async assign(planId = this.plan().planId, repIds: readonly string[] = [this.rep()]): Promise<void> {
    const [effectiveStart, effectiveEnd] = [this.random.of(firstDays), this.random.of(lastDays)];
    const dates = {
      ...(effectiveStart === undefined ? {} : { effectiveStart }),
      ...(effectiveEnd === undefined ? {} : { effectiveEnd }),
    };
    const assigned = await this.send<{ assignmentId: string }[]>(createAssignments, {
      body: { repIds, planId, ...dates },
    });
    for (const { assignmentId } of assigned ?? []) this.assignmentIds.add(assignmentId);
  }

  private async changeAssignment(): Promise<void> {
    const assignmentId = this.pick(this.assignmentIds);
    if (assignmentId === null) return;
    const change = this.random.of([
      { effectiveStart: this.random.of(firstDays) ?? null },
      { effectiveEnd: this.random.of(lastDays) ?? null },
    ]);
    await this.send(updateAssignment, { params: { assignmentId }, query: { dryRun: 'false' }, body: change });
  }

  private async deleteAssignment(): Promise<void> {
    const assignmentId = this.pick(this.assignmentIds);
    if (assignmentId === null) return;
    this.keepsRows = true;
    this.assignmentIds.delete(assignmentId);
    await this.send(deleteAssignment, { params: { assignmentId } });
  }

  private async changeManager(): Promise<void> {
    const managerFrom = this.random.of([undefined, undefined, '2026-02-01', '2026-04-01']);
    const body = {
      managerId: this.random.of([...this.repIds.slice(3), null]),
      ...(managerFrom === undefined ? {} : { managerFrom }),
    };
    await this.send(updateRep, { params: { repId: this.rep() }, query: { dryRun: 'false' }, body });
  }

  private async employ(): Promise<void> {
    const body = this.random.of([
      { hireDate: this.random.of([null, '2025-12-01', '2026-02-10']) },
      { endDate: this.random.of([null, '2026-03-15', '2026-06-30']) },
    ]);
    await this.send(updateRep, { params: { repId: this.rep() }, query: { dryRun: 'false' }, body });
  }

  private async enterAbsence(): Promise<void> {
    const body = { repId: this.rep(), from: '2026-02-01', to: this.random.of(['2026-02-20', '2026-05-10']) };
    await this.send(createAbsence, { query: { dryRun: 'false' }, body });
  }

  private async setScore(): Promise<void> {
    const period = this.random.of(['2025-Q4', '2026-Q1', '2026-Q2']);
    const scores = [{ repId: this.rep(), period, score: this.random.of([null, 50, 100, 120]) }];
    await this.send(setScores, { query: { dryRun: 'false', effect: 'false' }, body: { field: 'seats', scores } });
  }

  private async credit(): Promise<void> {
    const [first, second, third] = this.random.of([this.repIds, this.repIds.toReversed()]);
    const credits = [
      { repId: first, percent: 60, kind: 'split' },
      { repId: second, percent: 40, kind: 'split' },
      { repId: third, percent: 100, kind: 'overlay' },
    ];
    await this.send(setDealCredits, {
      params: { dealId: this.random.of(dealIds) },
      query: { dryRun: 'false' },
      body: { credits },
    });
  }

  private async refund(): Promise<void> {
    const body = { day: this.random.of(['2026-02-20', '2026-04-20', '2026-09-01']), cause: 'refund' };
    const params = { dealId: this.random.of(dealIds), refundId: this.random.of(['R1', 'R2']) };
    await this.send(putRefund, { params, query: { dryRun: 'false' }, body: { ...body, amount: 300 } });
  }

  private async changePlan(): Promise<void> {
    const change = this.random.of([
      { effectiveStart: this.random.of(firstDays) ?? null },
      { effectiveEnd: this.random.of(['2026-03-31', '2026-06-30', null]) },
    ]);
    await this.send(updatePlan, { params: { planRef: this.plan().planId }, query: {}, body: change });
  }

  private async override(): Promise<void> {
    const { planVersionId, rules } = this.plan();
    const rule = this.random.of(rules.filter(({ name }) => name === 'R' || name === 'M'));
    const tiers = [{ tierIndex: 0, rate: 0.2 }];
    await this.send(setPlanOverride, {
      params: { planVersionId, repId: this.rep() },
      query: {},
      body: { rules: rule === undefined ? [] : [{ ruleId: rule.id, tiers }] },
    });
  }

  private async setFiscalYears(): Promise<void> {
    const start = this.random.of(['2026-02-01', '2026-01-04']);
    await this.send(setFiscalYears, {
      query: { dryRun: 'false' },
      body: [{ year: 2026, start, pattern: start === '2026-02-01' ? 'months' : '4-4-5' }],
    });
  }

  /** A later day, and the requests of the sweep. */
  private async endDay(): Promise<void> {
    const { db } = this.workspace;
    db.now = new Date(db.now.getTime() + 40 * 86_400_000);
    this.facts.push(`it is ${db.now.toISOString()}`);
    await db.unitOfWork.run(this.workspace.admin, { lock: 'none', access: 'write' }, async (tx) => {
      const recalculate = recalculateIn(tx, new Set(), deriveFromPeople);
      for (const { planId, rules } of this.plans)
        if (rules.some(({ executionPhase }) => executionPhase === 'periodic'))
          await recalculate.plan(planId, 'periodic');
    });
  }

  /** Null if there is none. */
  private pick(ids: ReadonlySet<string>): string | null {
    return ids.size === 0 ? null : this.random.of([...ids]);
  }

  private async calculateSome(): Promise<void> {
    const kind = this.random.below(4);
    if (this.pace === 'all' || kind === 0) return this.workspace.calculateAll();
    if (kind === 3) return;
    const maxDeals = this.pace === 'divided' ? { maxDeals: 1 + this.random.below(3) } : {};
    for (let count = 0; count < kind; count += 1) {
      const repId = this.rep();
      this.facts.push(`  calculate ${this.repIds.indexOf(repId)}`);
      await this.workspace.calculate([repId], maxDeals);
    }
  }

  private async expectCleanLedger(): Promise<void> {
    const { workspace } = this;
    const { ownerUrl } = workspace.db;
    await workspace.calculateAll();
    const before = await this.rows();
    await expectSoundLedger(ownerUrl, workspace.workspaceId);
    await workspace.recalculate();
    this.expectSame('a recalculation', before, await this.rows());
    if (this.keepsRows) return;
    await workspace.run(resetCommissions, { body: { scope: 'events' } });
    await workspace.recalculate();
    this.expectSame('a recalculation from nothing', before, await this.rows());
  }

  private async rows(): Promise<{ readonly rows: string[] }> {
    return { rows: await ledgerRows(this.workspace.db.ownerUrl, this.workspace.workspaceId) };
  }

  private expectSame(
    what: string,
    { rows: found }: { readonly rows: string[] },
    { rows: clean }: { readonly rows: string[] },
  ): void {
    const onlyBefore = found.filter((row) => !clean.includes(row));
    const onlyClean = clean.filter((row) => !found.includes(row));
    const history = `${what}, seed ${this.seed}:\n${this.facts.join('\n')}`;
    expect({ onlyBefore, onlyClean }, history).to.deep.equal({ onlyBefore: [], onlyClean: [] });
  }
}

// Plans

const tiered = [
  { tierIndex: 0, minThreshold: 0, rate: 0.05 },
  { tierIndex: 1, minThreshold: 0.5, rate: 0.08 },
  { tierIndex: 2, minThreshold: 1, rate: 0.12 },
];
const fixed = [
  { tierIndex: 0, minThreshold: 0, flatAmount: 100 },
  { tierIndex: 1, minThreshold: 1, flatAmount: 500 },
];
const ranked = [
  { tierIndex: 0, minThreshold: 1, rate: 0.1 },
  { tierIndex: 1, minThreshold: 2, rate: 0.05 },
];

function period(random: Random): string {
  return random.of(['monthly', 'quarterly', 'quarterly', 'annual']);
}

function sellerRules(random: Random): object[] {
  const ways = [
    { tiers: tiered },
    { tiers: tiered, tierMode: 'marginal' },
    { tiers: tiered, tierMode: 'retroactive' },
    { tiers: tiered, cap: 200 },
    { tiers: fixed, payoutMode: 'stepped_bonus' },
    { tiers: fixed, payoutMode: 'flat_per_tier' },
    { tiers: tiered, measure: '_deals', payoutBase: 'amount' },
  ];
  const clawback = random.of([{}, { clawback: {} }]);
  const quotaGroup = random.of([{}, { quotaGroup: 'G' }]);
  const quotaProration = random.of(['none', 'calendar_days']);
  const attainmentPeriod = period(random);
  return ['A', 'B'].map((name) => ({
    name,
    measure: 'amount',
    attainmentPeriod,
    quotaProration,
    ...random.of(ways),
    ...clawback,
    ...quotaGroup,
  }));
}

function periodicRules(random: Random): object[] {
  const periodic = { measure: 'amount', executionPhase: 'periodic' };
  const ways = [
    { payoutBase: '1', tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }] },
    { payoutBase: 'variable_target', tiers: tiered },
    { tiers: tiered },
    { tiers: ranked, tierBy: 'rank' },
    { measure: 'seats', tiers: fixed },
  ];
  const rules = ['P', 'Q'].map((name) => ({ name, ...periodic, attainmentPeriod: period(random), ...random.of(ways) }));
  return random.below(3) > 0
    ? rules
    : [
        { name: 'O', measure: 'amount', attainmentPeriod: 'quarterly', quotaGroup: 'H', tiers: tiered },
        { name: 'P', ...periodic, attainmentPeriod: 'quarterly', quotaGroup: 'H', payoutBase: '1', tiers: fixed },
      ];
}

function rankRules(random: Random): object[] {
  return [{ name: 'R', measure: 'amount', attainmentPeriod: period(random), tierBy: 'rank', tiers: ranked }];
}

function managerRules(random: Random): object[] {
  const override = { measure: 'amount', executionPhase: 'cascade', attainmentPeriod: period(random) };
  const ways = [
    { tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] },
    { tiers: tiered, measure: '_earned' },
    { tiers: ranked, tierBy: 'rank' },
    { tiers: tiered, dependsOn: 'R' },
  ];
  return [
    { name: 'M', ...override, ...random.of(ways) },
    { name: 'N', measure: 'amount', executionPhase: 'periodic', payoutBase: '1', tiers: fixed },
  ];
}
