import { type EventReceiver } from '../event-receiver.js';
import { type Mail, type Service } from '../service.js';
import { flatTier } from '../terms.js';
import { Workspace } from '../workspace.js';
import { features, shownPeriod, worldRates } from './features.js';

interface DealTerms {
  readonly dealId?: string;
  readonly day?: string;
  readonly [field: string]: unknown;
}

const asPaid = { schedule: [{ on: 'paid', percent: 100 }] };
const byQuota = (more: object = {}) => ({
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.1 },
    { tierIndex: 1, minThreshold: 1, rate: 0.2 },
  ],
  attainmentPeriod: 'monthly',
  quotaProration: 'calendar_days',
  ...more,
});

/** The terms of people whose rule is another one than 10 % of every deal. */
const ruleOf: Readonly<Record<string, object>> = {
  overlay: { creditKinds: ['overlay'] },
  formula: { measure: '= amount * (1 - default(discount, 0))' },
  ramp: byQuota(),
  absence: byQuota(),
  fiscalYear: byQuota({ attainmentPeriod: 'quarterly', calendar: 'fiscal' }),
  schedule: { payout: asPaid },
  splitScheduleInPounds: { payout: asPaid },
  guaranteeWaiting: { payout: asPaid },
  overlayInEuros: { creditKinds: ['overlay'] },
};
const inEuros = ['secondCurrency', 'overlayInEuros'];
const withClawback = ['refund', 'owed', 'refundInPounds'];
const clawback = { window: { days: 180 } };

/** A workspace with payouts from January 2026 on, in which each person has one feature of the money model. */
export class SurfaceWorld extends Workspace {
  private readonly ids = new Map<string, string>();
  private readonly assignments = new Map<string, string>();

  private constructor(
    base: Workspace,
    private readonly running: Service,
    /** Gets the events of the workspace. */
    readonly receiver: EventReceiver | null,
  ) {
    super(base.service, base.workspaceId, base.apiKey, base.api);
  }

  static async create(service: Service, receiver: EventReceiver): Promise<SurfaceWorld> {
    const base = await service.workspace({ currency: 'USD' });
    await base.api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url });
    return SurfaceWorld.within(service, base, receiver);
  }

  /** Enters the people and their pay in a workspace without any. */
  static async within(service: Service, base: Workspace, receiver: EventReceiver | null = null): Promise<SurfaceWorld> {
    const world = new SurfaceWorld(base, service, receiver);
    await world.enter();
    return world;
  }

  private async enter(): Promise<void> {
    const { api } = this;
    const people = [...Object.keys(features), 'other'];
    const saved = await api.saveReps(...people);
    for (const [index, person] of people.entries()) this.ids.set(person, saved[index] as string);
    await api.expect(200, 'PUT', '/v1/fiscal-years', [{ year: 2026, start: '2026-02-01', pattern: 'months' }]);
    const rates = worldRates.map(({ rate, ...pair }) => ({ ...pair, rate: Number(rate) }));
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    for (const person of people) await this.plan(person);
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    for (const [person, { enter }] of Object.entries(features)) await enter(this, person);
    await this.calculated();
    for (const [person, { complete }] of Object.entries(features)) await complete?.(this, person);
    await this.calculated();
    const drafts = Object.keys(features).filter((person) => features[person]?.figures().status === 'payable');
    for (const person of drafts) await api.generate(this.id(person), shownPeriod);
  }

  private async plan(person: string): Promise<void> {
    const rule = { name: 'New business', measure: 'amount', tiers: flatTier(0.1), ...ruleOf[person] };
    const currency = inEuros.includes(person) ? 'EUR' : 'USD';
    const config = { rules: [rule], ...(withClawback.includes(person) ? { clawback } : {}) };
    const { planId } = await this.api.createPlan({ name: `Plan ${person}`, currency, config });
    const [assignment] = await this.api.assign([this.id(person)], planId);
    this.assignments.set(person, assignment.assignmentId);
  }

  id(person: string): string {
    return this.ids.get(person) as string;
  }

  mailsTo(person: string): Promise<Mail[]> {
    return this.running.mailsTo(`${person.toLowerCase()}@x.io`);
  }

  dealOf(person: string, dealId = 'deal'): string {
    return `${person}-${dealId}`;
  }

  async deal(person: string, amount: number, { dealId, day = '2026-03-10', ...fields }: DealTerms = {}): Promise<void> {
    const id = this.dealOf(person, dealId);
    await this.api.putDeal(id, { amount, closeDate: day, ownerId: person.toLowerCase(), name: id, ...fields });
    await this.calculated();
  }

  async credits(person: string, credits: readonly object[]): Promise<void> {
    await this.api.expect(200, 'PUT', `/v1/deals/${this.dealOf(person)}/credits`, { credits });
  }

  async payIn(person: string, payCurrency: string): Promise<void> {
    await this.api.expect(200, 'PATCH', `/v1/reps/${this.id(person)}`, { payCurrency, payCurrencyFrom: '2026-01-01' });
  }

  async ramp(person: string, quotaPercent: number): Promise<void> {
    const { rampId } = await this.api.expect(201, 'POST', '/v1/ramps', {
      name: 'New hires',
      steps: [{ months: 1, quotaPercent }],
    });
    await this.api.expect(200, 'PATCH', `/v1/assignments/${this.assignments.get(person)}`, {
      effectiveStart: '2026-03-01',
      rampId,
    });
  }

  async quota(person: string, target: number, period = shownPeriod): Promise<void> {
    await this.api.setQuota([this.id(person)], 'New business', period, target);
  }

  async absence(person: string, from: string, to: string): Promise<void> {
    await this.api.expect(201, 'POST', '/v1/absences', { repId: this.id(person), from, to });
  }

  async invoice(
    person: string,
    amount: number,
    payments: readonly (readonly [day: string, amount: number])[],
    dealId?: string,
  ): Promise<void> {
    await this.api.expect(200, 'PUT', `/v1/deals/${this.dealOf(person, dealId)}/invoices/INV-1`, {
      amount,
      issuedOn: '2026-02-28',
      payments: payments.map(([paidOn, paid], index) => ({ paymentId: `P${index}`, amount: paid, paidOn })),
    });
  }

  async hold(person: string): Promise<void> {
    const terms = { dealId: this.dealOf(person), from: '2026-03-11', reason: 'The contract is disputed.' };
    await this.api.expect(201, 'POST', '/v1/payables/holds', terms);
  }

  async refund(person: string, dealId: string, amount: number, day: string): Promise<void> {
    const path = `/v1/deals/${this.dealOf(person, dealId)}/refunds/RF-1`;
    await this.api.expect(200, 'PUT', path, { amount, day, cause: 'cancellation' });
    await this.calculated();
  }

  async draw(person: string, kind: string, amount: number): Promise<void> {
    const days = { from: '2026-03-01', to: '2026-03-31' };
    const recovery = { start: 'after_end', maxPercent: 100 };
    const terms = { repId: this.id(person), kind, recoverable: true, amount, recovery, ...days };
    await this.api.expect(201, 'POST', '/v1/draws', terms);
  }

  async approve(person: string, ...periods: readonly string[]): Promise<void> {
    for (const period of periods) {
      await this.api.generate(this.id(person), period);
      await this.api.approve(this.id(person), period);
    }
  }

  async trueUp(person: string): Promise<void> {
    await this.calculated();
    await this.api.expect(200, 'POST', `/v1/statements/${this.id(person)}/true-up`, {
      period: shownPeriod,
      force: true,
    });
  }

  async carryForward(person: string, period: string): Promise<void> {
    await this.checked();
    const query = `repId=${this.id(person)}&period=${period}&status=open`;
    const { discrepancies } = await this.api.expect(200, 'GET', `/v1/discrepancies?${query}`);
    const path = `/v1/discrepancies/${discrepancies[0].discrepancyId}/resolve`;
    await this.api.expect(200, 'POST', path, { action: 'carry_forward', reason: 'Paid next month' });
    await this.calculated();
  }

  /** Pays what is approved and in no batch. */
  async batch(): Promise<void> {
    const { batchId } = await this.api.expect(201, 'POST', '/v1/payout-batches', { period: shownPeriod });
    await this.api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn: '2026-04-05' });
  }
}
