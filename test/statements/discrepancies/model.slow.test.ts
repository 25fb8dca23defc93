import { expect } from 'chai';
import { findDifference } from '#src/statements/pay-difference.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { Random } from '#test/support/random.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Body = any;

const months = ['2026-01', '2026-02', '2026-03'];
const seeds = [1, 2, 3];
const commandsPerRun = 40;
/** Rejections that a random command may cause. */
const expected = new Set([
  'statement_not_found',
  'statement_locked',
  'statement_overlap',
  'open_dispute',
  'carried_forward',
  'invalid_transition',
  'forbidden',
  'deal_not_found',
]);

/** A workspace with random commands of several people, and what the list of discrepancies must contain after each. */
class Model {
  private readonly dismissed = new Map<string, string>();
  private carried = 0;
  private readonly deals = new Map<string, object>();

  private constructor(
    private readonly service: Service,
    private readonly random: Random,
    private readonly workspaceId: string,
    private readonly api: ApiClient,
    private readonly people: ReadonlyMap<string, string>,
    private readonly actors: readonly ApiClient[],
    private readonly planId: string,
  ) {}

  static async create(service: Service, seed: number): Promise<Model> {
    const { workspaceId, api } = await service.workspace();
    const managerEmail = 'mia@x.io';
    const [mia, ada, ben, kim] = await api.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Ada', role: 'admin' },
      { name: 'Ben', managerEmail },
      { name: 'Kim', managerEmail },
    );
    const people = new Map(Object.entries({ Mia: mia, Ada: ada, Ben: ben, Kim: kim }));
    const repIds = [ben, kim];
    const { planId } = await api.createPlan({ name: 'AE', config: { rules: [sellerRule(0.1)] } }, repIds);
    await api.createPlan({ name: 'Lead', config: { rules: [leadRule] } }, [mia]);
    await api.setQuota(repIds, 'New', '2026-Q1', 10_000);
    const sessions = [mia, ada, ben].map((repId) => service.as(workspaceId, repId));
    const actors = [api, api, ...(await Promise.all(sessions))];
    const model = new Model(service, new Random(seed), workspaceId, api, people, actors, planId);
    for (let deal = 0; deal < 6; deal += 1) await model.putDeal();
    await service.waitForChecks(workspaceId);
    for (const repId of people.values()) await model.approve(api, repId, '2026-01');
    return model;
  }

  /** Runs one random command, and returns its description. */
  async step(): Promise<string> {
    const commands = [
      [4, () => this.putDeal()],
      [2, () => this.renameDeal()],
      [1, () => this.deleteDeal()],
      [3, () => this.approve()],
      [1, () => this.unlock()],
      [6, () => this.resolve()],
      [1, () => this.dispute()],
      [2, () => this.decide()],
      [2, () => this.changeQuota()],
      [1, () => this.changePlan()],
      [1, () => this.recalculate()],
    ] as const;
    const deck = commands.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));
    return this.random.of(deck)();
  }

  async check(): Promise<void> {
    await this.service.waitForChecks(this.workspaceId);
    const listed = (await this.api.expect(200, 'GET', '/v1/discrepancies?limit=100')).discrepancies.filter(
      ({ status }: Body) => status !== 'resolved',
    );
    const deltas = await this.deltas();
    for (const [key, delta] of this.dismissed) if (deltas.get(key) !== delta) this.dismissed.delete(key);
    const state = (key: string, delta: string) => `${key} ${delta} ${this.dismissed.has(key) ? 'dismissed' : 'open'}`;
    expect(
      listed.map(({ repId, period, delta, status }: Body) => `${repId} ${period} ${delta} ${status}`).sort(),
    ).to.deep.equal(
      [...deltas]
        .filter(([, delta]) => delta !== '0')
        .map(([key, delta]) => state(key, delta))
        .sort(),
    );
    const [events] = await this.service.sql<{ carried: number }>(
      `select count(*)::int as carried from commission_event_history h join true_ups t using (workspace_id, event_id)
       where h.workspace_id = $1 and h.change = 'inserted' and h.period <> t.period`,
      this.workspaceId,
    );
    expect(events?.carried, 'every carry-forward is paid once').to.equal(this.carried);
  }

  sound(): Promise<void> {
    return this.service.expectSoundLedger(this.workspaceId);
  }

  /** The delta of every approved period, from a new calculation. */
  private async deltas(): Promise<Map<string, string>> {
    const approved = await this.service.sql<{ rep_id: string; period: string }>(
      `select rep_id, period from statement_periods where workspace_id = $1 and status = 'approved'`,
      this.workspaceId,
    );
    const deltas = new Map<string, string>();
    for (const { rep_id: repId, period } of approved) {
      const key = { repId, period };
      const { owed } = await this.service.running.service.unitOfWork.read({ workspaceId: this.workspaceId }, (tx) =>
        findDifference(tx, key, new Date()),
      );
      expect(owed.amounts).to.have.length.at.most(1);
      deltas.set(`${repId} ${period}`, owed.amounts[0]?.delta.toString() ?? '0');
    }
    return deltas;
  }

  private repId(names: readonly string[] = ['Ben', 'Kim', 'Mia']): string {
    return this.people.get(this.random.of(names)) as string;
  }

  private anyDeal(): string {
    return this.random.of([...this.deals.keys()]);
  }

  private day(): string {
    return `${this.random.of(months)}-${String(1 + this.random.below(28)).padStart(2, '0')}`;
  }

  private accept(answer: ApiResponse): ApiResponse {
    if (answer.status >= 300 && !expected.has(answer.body.code)) throw new Error(JSON.stringify(answer.body));
    return answer;
  }

  private async putDeal(): Promise<string> {
    const isNew = this.deals.size < 6 || this.random.below(4) === 0;
    const dealId = isNew ? `d${this.deals.size}` : this.anyDeal();
    const deal = { amount: 100 * this.random.below(50), closeDate: this.day(), repId: this.repId(['Ben', 'Kim']) };
    this.deals.set(dealId, deal);
    this.accept(await this.api.put(`/v1/deals/${dealId}`, deal));
    return `put ${dealId} ${JSON.stringify(deal)}`;
  }

  private async deleteDeal(): Promise<string> {
    const dealId = this.anyDeal();
    this.accept(await this.api.delete(`/v1/deals/${dealId}`));
    return `delete ${dealId}`;
  }

  /** The rep is calculated again, and nothing changes. */
  private async renameDeal(): Promise<string> {
    const dealId = this.anyDeal();
    const name = `Deal ${this.random.below(1000)}`;
    this.accept(await this.api.put(`/v1/deals/${dealId}`, { ...this.deals.get(dealId), name }));
    return `rename ${dealId}`;
  }

  private async approve(
    actor = this.random.of(this.actors),
    repId = this.repId(),
    period = this.random.of(months),
  ): Promise<string> {
    this.accept(await this.api.post(`/v1/statements/${repId}/generate`, { period }));
    const { status, body } = this.accept(
      await actor.post(`/v1/statements/${repId}/approve`, { period, status: 'approved' }),
    );
    return `approve ${repId} ${period}: ${status} ${body.code ?? ''}`;
  }

  private async unlock(): Promise<string> {
    const [repId, period] = [this.repId(), this.random.of(months)];
    const { status } = this.accept(await this.api.post(`/v1/statements/${repId}/approve`, { period, status: 'draft' }));
    if (status < 300) this.dismissed.delete(`${repId} ${period}`);
    return `unlock ${repId} ${period}: ${status}`;
  }

  private async resolve(): Promise<string> {
    const { discrepancies } = await this.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    if (discrepancies.length === 0) return this.putDeal();
    const { discrepancyId, repId, period, delta } = this.random.of(discrepancies as Body[]);
    const action = this.random.of(['true_up', 'carry_forward', 'dismiss', 'dismiss']);
    const { status, body } = this.accept(
      await this.random
        .of(this.actors)
        .post(`/v1/discrepancies/${discrepancyId}/resolve`, { action, reason: 'agreed', force: true }),
    );
    if (status < 300 && action === 'dismiss') this.dismissed.set(`${repId} ${period}`, String(delta));
    if (status < 300 && action === 'carry_forward') this.carried += 1;
    return `${action} ${repId} ${period} ${delta}: ${status} ${body.code ?? body.result.action}`;
  }

  private async dispute(): Promise<string> {
    const dispute = { repId: this.repId(), period: this.random.of(months), type: 'other', description: 'x' };
    const { status } = this.accept(await this.random.of(this.actors).post('/v1/disputes', dispute));
    return `dispute ${dispute.repId} ${dispute.period}: ${status}`;
  }

  private async decide(): Promise<string> {
    const { disputes } = await this.api.expect(200, 'GET', '/v1/disputes');
    const open = disputes.filter(({ status }: Body) => status === 'open' || status === 'in_review');
    if (open.length === 0) return 'no dispute';
    const { disputeId } = this.random.of(open as Body[]);
    const status = this.random.of(['in_review', 'accepted', 'rejected', 'withdrawn']);
    const adjustment = status === 'accepted' ? { adjustment: { amount: 7, period: '2026-06' } } : {};
    const answer = this.accept(
      await this.random.of(this.actors).patch(`/v1/disputes/${disputeId}`, { status, ...adjustment }),
    );
    return `${status} ${disputeId}: ${answer.status}`;
  }

  private async changeQuota(): Promise<string> {
    const target = 1000 * (1 + this.random.below(20));
    const quota = { repIds: [this.repId(['Ben', 'Kim'])], measure: 'New', period: '2026-Q1', target };
    this.accept(await this.api.post('/v1/quotas', quota));
    return `quota ${target}`;
  }

  private async changePlan(): Promise<string> {
    const rate = (1 + this.random.below(20)) / 100;
    this.accept(await this.api.patch(`/v1/plans/${this.planId}`, { config: { rules: [sellerRule(rate)] } }));
    return `rate ${rate}`;
  }

  private async recalculate(): Promise<string> {
    this.accept(await this.api.post('/v1/commissions/recalculate', { async: true }));
    return 'recalculate';
  }
}

const sellerRule = (rate: number) => ({
  name: 'New',
  measure: 'amount',
  attainmentPeriod: 'quarterly',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate },
    { tierIndex: 1, minThreshold: 0.5, rate: rate * 2 },
  ],
});
const leadRule = flatRule('Override', 0.1, { executionPhase: 'cascade' });

describe('discrepancies after random commands', () => {
  const service = Service.duringSuite();

  for (const seed of seeds)
    it(`equal what approved periods owe and was not dismissed, each carry-forward is paid once (seed ${seed})`, async () => {
      const model = await Model.create(service, seed);
      const steps: string[] = [];
      try {
        for (let step = 0; step < commandsPerRun; step += 1) {
          steps.push(await model.step());
          await model.check();
        }
        await model.sound();
      } catch (error) {
        throw new Error(`after\n${steps.join('\n')}`, { cause: error });
      }
    });
});
