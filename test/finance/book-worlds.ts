import { expect } from 'chai';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { deleteRefund } from '#src/deals/refunds/commands/delete-refund.js';
import { putRefund } from '#src/deals/refunds/commands/put-refund.js';
import { putContract } from '#src/finance/commands/change-contract.js';
import { putImpairment } from '#src/finance/commands/change-impairment.js';
import { closeAccountingMonth, prepareAccountingMonth } from '#src/finance/commands/change-month.js';
import { approvePolicy, proposePolicy } from '#src/finance/commands/change-policy.js';
import { putEntity } from '#src/finance/commands/put-entity.js';
import { setRepEntities } from '#src/finance/commands/set-rep-entities.js';
import { getContractCosts } from '#src/finance/queries/get-contract-costs.js';
import { getLiability } from '#src/finance/queries/get-liability.js';
import { listJournalLines } from '#src/finance/queries/list-journal-lines.js';
import { type Caller } from '#src/kernel/caller.js';
import { newId } from '#src/kernel/ids.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { setFxRates } from '#src/rates/fx-rates/commands/set-fx-rates.js';
import { addAdjustment } from '#src/statements/commands/add-adjustment.js';
import { deleteAdjustment } from '#src/statements/commands/delete-adjustment.js';
import { OfflineWorkspace, type Parts } from '#test/support/offline-workspace.js';
import { Random } from '#test/support/random.js';
import { flatRule } from '#test/support/terms.js';
import { share } from '../support/oracle/book-lots.js';
import { type BookFacts, type BookMonth, type BookPolicy, OracleBooks } from '../support/oracle/books.js';

const months = Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`);
const steps = 12;
const companies = ['main', 'uk'];
const frameworks = ['us_gaap', 'ifrs', 'frs102'] as const;
const clawbacks = [
  { window: { from: 'close_date', days: 365 } },
  {
    window: { from: 'close_date', days: 365 },
    steps: [40, 150].map((untilDay, index) => ({ untilDay, percent: 100 - 50 * index })),
  },
];

interface SoldDeal {
  readonly repId: string;
  readonly day: string;
  readonly amount: number;
  readonly refunds: ReadonlyMap<string, { readonly day: string; readonly amount: number }>;
  readonly contract: NonNullable<BookFacts['deals'][string]['contract']>;
}

type Facts = { -readonly [Key in keyof BookFacts]: BookFacts[Key] };

/**
 * A workspace whose deals, refunds, adjustments, payments, contracts, companies and policies change between closings of months. Its books are those
 * of the oracle, which gets the same facts and nothing of the service.
 */
export class RandomBooks {
  private readonly random: Random;
  private readonly oracle = new OracleBooks('2026-01');
  private readonly deals = new Map<string, SoldDeal>();
  private readonly adjustments = new Map<string, BookFacts['rows'][number]>();
  private readonly log: string[] = [];
  private readonly clawback: (typeof clawbacks)[number];
  private readonly correction: BookPolicy['correction'];
  private readonly facts: Facts;
  private closed = 0;
  private workspace!: OfflineWorkspace;
  /** An admin who is signed in. */
  private ned: Caller | undefined;
  private repIds: readonly string[] = [];

  private constructor(private readonly seed: number) {
    this.random = new Random(seed);
    this.clawback = this.random.of(clawbacks);
    this.correction = this.random.of(['catch_up', 'catch_up', 'prospective']);
    const company = (currency: string) => ({
      ...{ currency, framework: this.random.of(frameworks) },
      payrollTax: this.random.of([
        [],
        [{ from: '2026-01-01', percent: 7.65 }],
        [
          { from: '2026-01-01', percent: 7.65 },
          { from: '2026-04-10', percent: 13.8 },
        ],
      ]),
    });
    this.facts = {
      companies: { main: company('USD'), uk: company(this.random.of(['USD', 'GBP'])) },
      ...{ memberships: {}, rows: [], deals: {}, policies: [], tests: [], payments: [] },
      rates: months.map((month) => ({
        from: 'USD',
        to: 'GBP',
        day: `${month}-01`,
        rate: 7000 + this.random.below(2000),
      })),
    };
  }

  static async run(seed: number): Promise<void> {
    const books = new RandomBooks(seed);
    await books.open();
    for (let step = 0; step < steps; step += 1) await books.change();
    await books.compare();
  }

  private async open(): Promise<void> {
    this.workspace = await OfflineWorkspace.create({ now: '2027-01-15T12:00:00Z' });
    const [ann, ben, ned] = await this.workspace.addReps('Ann', 'Ben', 'Ned');
    this.repIds = [ann, ben];
    this.ned = this.workspace.caller('admin', ned);
    const { planId } = await this.workspace.addPlan('AE', [
      flatRule('New business', 0.08, { clawback: this.clawback }),
    ]);
    await this.send(createAssignments, { body: { repIds: this.repIds, planId } });
    await this.send(updateWorkspace, {
      body: { fxMaxAgeDays: null, accounting: { enabled: true, from: '2026-01', secondPerson: false } },
    });
    for (const [code, company] of Object.entries(this.facts.companies))
      await this.send(putEntity, { params: { code }, body: { ...company, name: code, accounts: {} } });
    const rates = this.facts.rates.map((each) => ({ ...each, rate: each.rate / 10_000 }));
    await this.send(setFxRates, { body: { rates } });
    await this.decide('2026-01');
    for (let deal = 0; deal < 3; deal += 1) await this.sell();
  }

  private async send(operation: AnyOperation, parts: Parts) {
    this.log.push(`${operation.id} ${JSON.stringify(parts)}`);
    try {
      return await this.workspace.run(operation, parts, this.ned);
    } catch (error) {
      throw new Error(this.about(String(error)), { cause: error });
    }
  }

  private about(what: string): string {
    return `seed ${this.seed}: ${what}\n${this.log.join('\n')}`;
  }

  private async change(): Promise<void> {
    const { random } = this;
    const changes = [
      this.sell,
      this.correct,
      this.correct,
      this.refund,
      this.refund,
      this.takeRefundBack,
      this.adjust,
      this.adjust,
      this.withdraw,
      this.agree,
      this.test,
      this.move,
      this.pay,
      this.pay,
      this.redecide,
      this.close,
      this.close,
    ];
    await random.of(changes).call(this);
  }

  private day(): string {
    return `${this.random.of(months)}-${String(1 + this.random.below(28)).padStart(2, '0')}`;
  }

  private dealId = () => this.random.of([...this.deals.keys()]);

  private contract(): SoldDeal['contract'] {
    const { random } = this;
    const length =
      random.below(2) === 0
        ? { months: 6 + random.below(40) }
        : { end: `${2027 + random.below(3)}-${this.day().slice(5)}` };
    const other = [{ terminatedOn: this.day() }, { start: this.day() }, { start: this.day() }, {}, {}, {}];
    return { ...length, ...random.of(other) };
  }

  private async sell(): Promise<void> {
    const deal = {
      repId: this.random.of(this.repIds),
      day: this.day(),
      amount: this.amount(),
      refunds: new Map(),
      contract: this.contract(),
    };
    await this.put(`D${this.deals.size}`, deal);
  }

  private amount(): number {
    return 100_000 + this.random.below(9_000_000);
  }

  private async put(dealId: string, deal: SoldDeal): Promise<void> {
    this.deals.set(dealId, deal);
    const body = { amount: deal.amount / 100, closeDate: deal.day, repId: deal.repId };
    await this.send(putDeal, { params: { dealId }, body });
    await this.send(putContract, { params: { dealId }, body: deal.contract });
  }

  private async correct(): Promise<void> {
    const dealId = this.dealId();
    const deal = this.deals.get(dealId) as SoldDeal;
    const { random } = this;
    const changes = [
      { amount: this.amount() },
      { amount: this.amount() },
      { day: this.day() },
      { repId: random.of(this.repIds) },
    ];
    const change = random.of(this.correction === 'prospective' ? changes.slice(0, 2) : changes);
    const smallest = Math.max(0, ...[...deal.refunds.values()].map(({ amount }) => amount));
    const changed = { ...deal, ...change };
    await this.put(dealId, { ...changed, amount: Math.max(changed.amount, smallest) });
  }

  private async agree(): Promise<void> {
    const dealId = this.dealId();
    await this.put(dealId, { ...(this.deals.get(dealId) as SoldDeal), contract: this.contract() });
  }

  private async refund(): Promise<void> {
    const dealId = this.dealId();
    const deal = this.deals.get(dealId) as SoldDeal;
    const refundId = this.random.of(['R1', 'R2', 'R3']);
    const refund = {
      day: this.day(),
      amount: this.random.below(3) === 0 ? deal.amount : 1 + this.random.below(deal.amount),
    };
    const refunds = new Map([...deal.refunds, [refundId, refund]]);
    this.deals.set(dealId, { ...deal, refunds });
    const body = { day: refund.day, amount: refund.amount / 100, cause: 'refund' };
    await this.send(putRefund, { params: { dealId, refundId }, body });
  }

  private async takeRefundBack(): Promise<void> {
    const dealId = this.dealId();
    const deal = this.deals.get(dealId) as SoldDeal;
    const [refundId] = deal.refunds.keys();
    if (refundId === undefined) return;
    this.deals.set(dealId, { ...deal, refunds: new Map([...deal.refunds].slice(1)) });
    await this.send(deleteRefund, { params: { dealId, refundId } });
  }

  /** An amount, or one that takes money back, on the last day of its month. */
  private async adjust(): Promise<void> {
    const { random } = this;
    const [repId, period, amount] = [random.of(this.repIds), random.of(months), 1 + random.below(500_000)];
    const kind = random.of(['adjustment', 'adjustment', 'clawback'] as const);
    const signed = kind === 'clawback' || random.below(3) === 0 ? 0 - amount : amount;
    const { eventId } = await this.send(addAdjustment, {
      params: { repId },
      body: { period, kind, amount: signed / 100, reason: 'Agreed' },
    });
    const day = new Date(Date.UTC(2026, months.indexOf(period) + 1, 0)).toISOString().slice(0, 10);
    this.adjustments.set(eventId, { id: eventId, kind: 'adjustment', currency: 'USD', repId, day, amount: signed });
  }

  private async withdraw(): Promise<void> {
    const [adjustment] = this.adjustments.values();
    if (adjustment === undefined) return;
    const { id: adjustmentId, repId } = adjustment;
    this.adjustments.delete(adjustmentId);
    await this.send(deleteAdjustment, { params: { repId, adjustmentId } });
  }

  private async test(): Promise<void> {
    const [dealId, month] = [this.dealId(), months[this.closed + this.random.below(4)]];
    if (month === undefined) return;
    const value = this.random.below(600_000);
    this.facts.tests = [
      ...this.facts.tests.filter((test) => test.dealId !== dealId || test.month !== month),
      { dealId, month, value },
    ];
    await this.send(putImpairment, {
      params: { dealId, month },
      body: { remainingConsideration: value / 100, remainingCost: 0 },
    });
  }

  private async move(): Promise<void> {
    const repId = this.random.of(this.repIds);
    if (this.isPaid(repId)) return;
    const days = [null, ...Array.from({ length: this.random.below(3) }, () => this.day())];
    const memberships = [...new Set(days)].map((from) => ({ from, company: this.random.of(companies) }));
    this.facts.memberships = { ...this.facts.memberships, [repId]: memberships };
    const entities = memberships.map(({ from, company }) =>
      from === null ? { entity: company } : { from, entity: company },
    );
    await this.send(setRepEntities, { params: { repId }, body: { entities } });
  }

  private isPaid(repId: string): boolean {
    return this.facts.payments.some((payment) => payment.repId === repId);
  }

  /** Payroll pays on a day of an open month, and only people of one company: what it pays others is divided. */
  private async pay(): Promise<void> {
    const { random } = this;
    const [repId, month] = [random.of(this.repIds), months[this.closed + random.below(3)]];
    const hasEarned = this.known().rows.some((row) => row.repId === repId);
    if (month === undefined || !hasEarned || this.facts.memberships[repId] !== undefined) return;
    await this.workspace.calculateAll();
    const payment = { repId, company: 'main', currency: 'USD', day: `${month}-20`, amount: 1 + random.below(900_000) };
    this.facts.payments = [...this.facts.payments, payment];
    this.log.push(`paid ${JSON.stringify(payment)}`);
    const amounts = [{ repId, currency: 'USD', summary: { netPayout: payment.amount / 100 } }];
    const handover_id = newId();
    await this.workspace.insert.row('payroll_handovers', {
      ...{ handover_id, period: month, layout: 'generic', filename: 'a.csv', sha256: '', bytes: 0, row_count: 1 },
      ...{ totals: '[]', missing_payroll_ids: '[]', changed_payroll_ids: '[]', scope: 'new', actor: 'api-key' },
      ...{ amounts: JSON.stringify(amounts), created_at: new Date(`${payment.day}T12:00:00Z`) },
    });
  }

  private async redecide(): Promise<void> {
    const from = months[this.closed + this.random.below(3)];
    if (from === undefined || from <= (this.facts.policies.at(-1) as BookPolicy).from) return;
    await this.decide(from);
  }

  private async decide(from: string): Promise<void> {
    const { random } = this;
    const policy: BookPolicy = {
      ...{ from, scope: random.of(['new', 'all']), treatment: random.below(6) === 0 ? 'expense' : 'capitalise' },
      period: random.of([{ months: 6 + random.below(40) }, { months: 36 }, { contract: true }]),
      start: random.of(['earned', 'earned', 'start']),
      convention: random.of(['full_month', 'full_month', 'next_month', 'daily']),
      ...{ expedientMonths: random.of([12, 12, 0]), payrollTax: random.below(3) === 0, correction: this.correction },
    };
    this.facts.policies = [...this.facts.policies, policy];
    const { version } = await this.send(proposePolicy, {
      params: { name: 'All' },
      body: { ...policy, position: 1, match: {} },
    });
    await this.send(approvePolicy, { params: { name: 'All', version: String(version) } });
  }

  private async close(): Promise<void> {
    const month = months[this.closed];
    if (month === undefined) return;
    await this.workspace.calculateAll();
    const { hash } = await this.send(prepareAccountingMonth, { params: { month } });
    await this.send(closeAccountingMonth, { params: { month }, body: { hash } });
    this.oracle.close(month, this.known());
    this.closed += 1;
  }

  /** All facts, with the rows that the rule and its clawback make of them. */
  private known(): BookFacts {
    const rows = [...this.deals].flatMap(([dealId, deal]) => this.rowsOf(dealId, deal));
    const deals = Object.fromEntries(
      [...this.deals].map(([dealId, deal]) => [dealId, { ...deal, refunds: refundsOf(deal) }]),
    );
    return { ...this.facts, rows: [...rows, ...this.adjustments.values()], deals };
  }

  private rowsOf(dealId: string, deal: SoldDeal): BookFacts['rows'] {
    const { repId, day, amount } = deal;
    const common = { repId, dealId, currency: 'USD' };
    const earned = { ...common, id: `${repId}/${dealId}`, kind: 'deal', day, amount: share(amount, 8, 100) } as const;
    let [until, before] = [0, 0];
    const refunds = refundsOf(deal).map((refund) => {
      const on = refund.day > day ? refund.day : day;
      until += refund.amount * this.percentOf(day, on);
      const sum = share(earned.amount, until, amount * 100);
      const part = sum - before;
      before = sum;
      return {
        ...common,
        id: `${earned.id}/${refund.id}`,
        sourceId: earned.id,
        kind: 'refund',
        day: on,
        amount: 0 - part,
      } as const;
    });
    return [earned, ...refunds];
  }

  private percentOf(closeDate: string, day: string): number {
    const elapsed = (Date.parse(day) - Date.parse(closeDate)) / 86_400_000;
    const { steps: percents = [{ untilDay: 365, percent: 100 }] } = this.clawback;
    return percents.find(({ untilDay }) => elapsed <= untilDay)?.percent ?? 0;
  }

  private async compare(): Promise<void> {
    await this.workspace.calculateAll();
    const facts = this.known();
    const compared = [this.closed - 2, this.closed - 1, this.closed, this.closed + 1, months.length - 1];
    for (const month of new Set(compared.flatMap((index) => months[index] ?? []))) {
      const actual = await this.read(month);
      const { costs, owed, accounts, current } = this.oracle.read(month, facts);
      const about = this.about(month);
      expect(actual.costs, about).to.deep.equal(costs);
      expect(actual.owed, about).to.deep.equal(owed);
      expect(actual.accounts, about).to.deep.equal(accounts);
      expect(actual.current, about).to.deep.equal(Object.fromEntries(companies.map((code) => [code, current(code)])));
    }
  }

  private async read(month: string) {
    const query = { month, limit: '1000' };
    const costs: Record<string, object> = {};
    const current: Record<string, number> = {};
    for (const entity of companies) {
      const found = await this.workspace.run(getContractCosts, { query: { ...query, entity, groupBy: 'deal' } });
      current[entity] = cents(found.current);
      for (const row of found.contractCosts) costs[`${entity} ${row.repId} ${row.dealId}`] = pick(row, costColumns);
    }
    const { liability } = await this.workspace.run(getLiability, { query: { ...query, groupBy: 'person' } });
    const owed = Object.fromEntries(
      liability.map((row: Row) => [`${row.entity} ${row.repId} ${row.currency}`, pick(row, owedColumns)]),
    );
    return { costs, owed, current, accounts: await this.accounts(query) };
  }

  private async accounts(query: object): Promise<Record<string, number>> {
    const { lines } = await this.workspace.run(listJournalLines, { query });
    const sums: Record<string, number> = {};
    for (const { entity, account, value } of lines)
      sums[`${entity} ${account}`] = (sums[`${entity} ${account}`] ?? 0) + cents(value);
    return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
  }
}

type Row = Readonly<Record<string, string>>;
const costColumns = [
  'opening',
  'additions',
  'corrections',
  'amortised',
  'clawedBack',
  'impaired',
  'closing',
] as const satisfies (keyof BookMonth['costs'][string])[];
const owedColumns = [
  'opening',
  'earned',
  'takenBack',
  'adjustments',
  'corrections',
  'paid',
  'closing',
] as const satisfies (keyof BookMonth['owed'][string])[];

const cents = (amount: number) => Math.round(amount * 100);
const pick = (row: Row, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, cents(Number(row[column]))]));

/** The refunds in the order of their days, each at most what those before it have left of the deal. */
function refundsOf({ amount, refunds }: SoldDeal) {
  let left = amount;
  const byDay = [...refunds]
    .map(([id, refund]) => ({ id, ...refund }))
    .sort((a, b) => (`${a.day} ${a.id}` < `${b.day} ${b.id}` ? -1 : 1));
  return byDay.map((refund) => {
    const part = Math.min(left, refund.amount);
    left -= part;
    return { ...refund, amount: part };
  });
}
