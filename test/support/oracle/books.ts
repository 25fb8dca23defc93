import {
  add,
  addMonths,
  type LotFacts,
  type LotTerms,
  type LotTest,
  monthName,
  monthNumber,
  replayLots,
  share,
} from './book-lots.js';
import { companyOn, type Membership } from './companies.js';

/** A row of the ledger, in the smallest unit of its currency. */
interface BookRow {
  readonly id: string;
  readonly repId: string;
  readonly kind: 'deal' | 'refund' | 'adjustment' | 'period';
  /** The row from which a refund takes back. */
  readonly sourceId?: string;
  readonly dealId?: string;
  readonly day: string;
  readonly amount: number;
  readonly currency: string;
}

interface Dated {
  readonly day: string;
  readonly amount: number;
}

export interface BookDeal {
  readonly amount: number;
  readonly refunds: readonly Dated[];
  readonly contract?: {
    readonly start?: string;
    readonly end?: string;
    readonly months?: number;
    readonly terminatedOn?: string;
    readonly fields?: Readonly<Record<string, string>>;
  };
}

export interface BookPolicy {
  readonly from: string;
  readonly scope: 'new' | 'all';
  readonly treatment: 'capitalise' | 'expense';
  readonly period: { readonly months: number } | { readonly until: string } | { readonly contract: true };
  readonly start: string;
  readonly convention: LotTerms['convention'];
  readonly expedientMonths: number;
  readonly payrollTax: boolean;
  readonly correction: 'catch_up' | 'prospective';
}

export interface BookCompany {
  readonly currency: string;
  readonly framework: 'us_gaap' | 'ifrs' | 'frs102';
  readonly payrollTax: readonly { readonly from: string; readonly percent: number }[];
}

/** What the books are a function of. */
export interface BookFacts {
  readonly companies: Readonly<Record<string, BookCompany>>;
  readonly memberships: Readonly<Record<string, readonly Membership[]>>;
  readonly rows: readonly BookRow[];
  readonly deals: Readonly<Record<string, BookDeal>>;
  /** Versions of one policy that matches every row. */
  readonly policies: readonly BookPolicy[];
  readonly tests: readonly { readonly dealId: string; readonly month: string; readonly value: number }[];
  readonly payments: readonly {
    readonly repId: string;
    readonly company: string;
    readonly currency: string;
    readonly day: string;
    readonly amount: number;
  }[];
  /** Units of the second currency for ten thousand units of the first. */
  readonly rates: readonly {
    readonly from: string;
    readonly to: string;
    readonly day: string;
    readonly rate: number;
  }[];
}

const costColumns = ['cost', 'amortised', 'clawedBack', 'impaired', 'carrying'] as const;
const owedColumns = ['earned', 'takenBack', 'adjustments', 'paid'] as const;
type Sums<Column extends string> = Record<Column, number>;
const zero = <Column extends string>(columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, 0])) as Sums<Column>;

/** Sums since the beginning, of which `inMonth` is of rows whose day is in the month. */
interface Truth {
  readonly costs: Map<string, Sums<(typeof costColumns)[number]> & { costInMonth: number }>;
  readonly owed: Map<string, Sums<(typeof owedColumns)[number]> & { inMonth: Sums<(typeof owedColumns)[number]> }>;
  readonly accounts: Map<string, number>;
  readonly terms: Map<string, Frozen>;
  /** The carrying amounts of each company in later months. */
  readonly foresee: (company: string, month: number) => number;
}

/** What a closing decides permanently about a lot. */
interface Frozen {
  readonly policy: BookPolicy;
  readonly isCapitalised: boolean;
  readonly cost: number;
  readonly terms: LotTerms | null;
}

interface CostRow
  extends Sums<'opening' | 'additions' | 'corrections' | 'amortised' | 'clawedBack' | 'impaired' | 'closing'> {}
interface OwedRow
  extends Sums<'opening' | 'earned' | 'corrections' | 'adjustments' | 'takenBack' | 'paid' | 'closing'> {}

/** The books of a month. Keys are of company, person and deal, of company, person and currency, of company and account. */
export interface BookMonth {
  readonly costs: Readonly<Record<string, CostRow>>;
  readonly owed: Readonly<Record<string, OwedRow>>;
  readonly accounts: Readonly<Record<string, number>>;
  readonly current: (company: string) => number;
}

/** The books of a workspace, written from the page `finance.md`. Closings are in the order of their months. */
export class OracleBooks {
  private readonly closed = new Map<number, { readonly truth: Truth; readonly view: BookMonth }>();

  constructor(private readonly from: string) {}

  close(month: string, facts: BookFacts): void {
    const truth = this.truth(monthNumber(month), facts);
    const view = this.read(month, facts);
    this.closed.set(monthNumber(month), { truth, view });
  }

  read(month: string, facts: BookFacts): BookMonth {
    const at = monthNumber(month);
    const stored = this.closed.get(at);
    if (stored !== undefined) return stored.view;
    const now = this.truth(at, facts);
    const before =
      at === monthNumber(this.from) ? empty : (this.closed.get(at - 1)?.truth ?? this.truth(at - 1, facts));
    return {
      costs: difference(now.costs, before.costs, costRow),
      owed: difference(now.owed, before.owed, owedRow),
      accounts: difference(now.accounts, before.accounts, (sum = 0, earlier = 0) =>
        sum === earlier ? null : sum - earlier,
      ),
      current: (company) => now.foresee(company, at) - now.foresee(company, at + 12),
    };
  }

  /** What is known of all months until the end of the month, with what closings decided. */
  private truth(month: number, facts: BookFacts): Truth {
    const lots = new Lots(this.closed, facts, month);
    const histories = lots.replay();
    const foresee = (company: string, at: number) =>
      add(histories.filter(({ lot }) => lot.company === company).map(({ history }) => history.foresee(at)));
    const truth: Truth = { costs: new Map(), owed: new Map(), accounts: new Map(), terms: lots.frozen, foresee };
    const post = (company: string, account: string, value: number) => {
      const key = `${company} ${account}`;
      truth.accounts.set(key, (truth.accounts.get(key) ?? 0) + value);
      if (account !== 'fx_gain_loss')
        truth.accounts.set(`${company} fx_gain_loss`, (truth.accounts.get(`${company} fx_gain_loss`) ?? 0) - value);
    };
    const owe = (key: string, column: (typeof owedColumns)[number], { day, amount }: Dated) => {
      const sums = truth.owed.get(key) ?? { ...zero(owedColumns), inMonth: zero(owedColumns) };
      truth.owed.set(key, sums);
      sums[column] += amount;
      if (monthNumber(day) === month) sums.inMonth[column] += amount;
    };
    for (const row of lots.rows) {
      owe(`${row.company} ${row.repId} ${row.currency}`, columnOf[row.kind], row);
      if (!lots.has(row)) post(row.company, 'commission_expense', row.value);
    }
    for (const { repId, company, currency, day, amount } of facts.payments.filter(
      ({ day: on }) => monthNumber(on) <= month,
    )) {
      owe(`${company} ${repId} ${currency}`, 'paid', { day, amount: 0 - amount });
      const value = convert(facts, amount, { from: currency, company, day });
      post(company, 'payroll_clearing', 0 - value);
      const tax = share(value, taxOn(facts, company, day), 10_000);
      post(company, 'payroll_tax_clearing', 0 - tax);
      post(company, 'payroll_tax_expense', tax);
    }
    const lastDay = `${monthName(month)}-31`;
    for (const [key, sums] of truth.owed) {
      const [company, , currency] = key.split(' ') as [string, string, string];
      const value = convert(facts, owedOf(sums), { from: currency, company, day: lastDay });
      post(company, value > 0 ? 'accrued_commission' : 'commission_receivable', 0 - value);
      const tax = share(Math.max(0, value), taxOn(facts, company, lastDay), 10_000);
      post(company, 'accrued_payroll_tax', 0 - tax);
      post(company, 'payroll_tax_expense', tax);
    }
    for (const { lot, history } of histories) {
      const key = `${lot.company} ${lot.repId} ${lot.dealId}`;
      const sums = truth.costs.get(key) ?? { ...zero(costColumns), costInMonth: 0 };
      truth.costs.set(key, sums);
      sums.cost += lot.cost;
      if (monthNumber(lot.day) === month) sums.costInMonth += lot.cost;
      for (const { amortised, clawedBack, impaired, beyond } of history.months.values()) {
        sums.amortised += amortised;
        sums.clawedBack += clawedBack;
        sums.impaired += impaired;
        post(lot.company, 'amortisation_expense', amortised);
        post(lot.company, 'impairment_expense', impaired);
        post(lot.company, 'commission_expense', 0 - beyond);
      }
      const carrying = [...history.months.values()].at(-1)?.carrying ?? 0;
      sums.carrying += carrying;
      post(lot.company, 'contract_cost', carrying);
      post(lot.company, 'payroll_tax_expense', 0 - lot.tax);
      post(lot.company, 'commission_expense', lot.belowZero);
    }
    return truth;
  }
}

const columnOf = { deal: 'earned', period: 'earned', refund: 'takenBack', adjustment: 'adjustments' } as const;
const empty: Truth = { costs: new Map(), owed: new Map(), accounts: new Map(), terms: new Map(), foresee: () => 0 };

const owedOf = (sums: Sums<(typeof owedColumns)[number]>) =>
  owedColumns.reduce((total, column) => total + sums[column], 0);

function costRow(
  now = { ...zero(costColumns), costInMonth: 0 },
  before = { ...zero(costColumns), costInMonth: 0 },
): CostRow | null {
  const row = {
    opening: before.carrying,
    additions: now.costInMonth,
    corrections: now.cost - now.costInMonth - before.cost,
    amortised: before.amortised - now.amortised,
    clawedBack: before.clawedBack - now.clawedBack,
    impaired: before.impaired - now.impaired,
    closing: now.carrying,
  };
  return Object.values(row).every((amount) => amount === 0) ? null : row;
}

function owedRow(
  now = { ...zero(owedColumns), inMonth: zero(owedColumns) },
  before = { ...zero(owedColumns), inMonth: zero(owedColumns) },
): OwedRow | null {
  const { earned, takenBack, adjustments } = now.inMonth;
  const rowsOf = (sums: Sums<(typeof owedColumns)[number]>) => sums.earned + sums.takenBack + sums.adjustments;
  const row = {
    opening: owedOf(before),
    ...{ earned, takenBack, adjustments },
    corrections: rowsOf(now) - rowsOf(now.inMonth) - rowsOf(before),
    paid: now.paid - before.paid,
    closing: owedOf(now),
  };
  return Object.values(row).every((amount) => amount === 0) ? null : row;
}

function difference<Sum, Row>(
  now: ReadonlyMap<string, Sum>,
  before: ReadonlyMap<string, Sum>,
  toRow: (now: Sum | undefined, before: Sum | undefined) => Row | null,
): Record<string, Row> {
  const rows: Record<string, Row> = {};
  for (const key of new Set([...now.keys(), ...before.keys()])) {
    const row = toRow(now.get(key), before.get(key));
    if (row !== null) rows[key] = row;
  }
  return rows;
}

function convert(
  { companies, rates }: BookFacts,
  amount: number,
  { from, company, day }: { readonly from: string; readonly company: string; readonly day: string },
): number {
  const to = (companies[company] as BookCompany).currency;
  if (from === to || amount === 0) return amount;
  const until = rates.filter((rate) => rate.from === from && rate.to === to && rate.day <= day);
  const latest = until.sort((a, b) => (a.day < b.day ? 1 : -1))[0];
  if (latest === undefined) throw new Error(`no rate of ${from} to ${to} on ${day}`);
  return share(amount, latest.rate, 10_000);
}

/** Hundredths of a percent. */
function taxOn({ companies }: BookFacts, company: string, day: string): number {
  const entries = (companies[company] as BookCompany).payrollTax.filter(({ from }) => from <= day);
  return Math.round((entries.sort((a, b) => (a.from < b.from ? 1 : -1))[0]?.percent ?? 0) * 100);
}

interface Placed extends BookRow {
  readonly company: string;
  readonly value: number;
}

interface BookLot {
  readonly id: string;
  readonly repId: string;
  readonly dealId: string;
  readonly company: string;
  readonly day: string;
  /** What is capitalised, of which `tax` is payroll tax, and what of the row is below zero. */
  readonly cost: number;
  readonly tax: number;
  readonly belowZero: number;
  readonly facts: LotFacts;
}

/** The rows of a truth in their companies, and the lots of them. */
class Lots {
  readonly rows: readonly Placed[];
  readonly frozen = new Map<string, Frozen>();
  private readonly lots = new Map<string, BookLot>();

  constructor(
    private readonly closed: ReadonlyMap<number, { readonly truth: Truth }>,
    private readonly facts: BookFacts,
    private readonly month: number,
  ) {
    const byId = new Map(facts.rows.map((row) => [row.id, row]));
    this.rows = facts.rows
      .filter(({ day }) => monthNumber(day) <= month)
      .map((row) => {
        const { repId, day } = byId.get(row.sourceId ?? row.id) as BookRow;
        const company = companyOn(facts.memberships[repId] ?? [], day);
        return { ...row, company, value: convert(facts, row.amount, { from: row.currency, company, day: row.day }) };
      });
    for (const row of this.rows.filter(({ kind }) => kind === 'deal')) this.add(row);
  }

  has(row: Placed): boolean {
    return this.lots.has(`${row.company} ${row.sourceId ?? row.id}`);
  }

  replay() {
    const groups = new Map<string, BookLot[]>();
    for (const lot of this.lots.values()) {
      const key = `${lot.company} ${lot.dealId}`;
      groups.set(key, [...(groups.get(key) ?? []), lot]);
    }
    return [...groups.values()].flatMap((lots) => {
      const [{ company, dealId }] = lots as [BookLot];
      const tests: LotTest[] = this.facts.tests
        .filter((test) => test.dealId === dealId)
        .map(({ month, value }) => ({ month: monthNumber(month), value }));
      const isReversible = this.facts.companies[company]?.framework !== 'us_gaap';
      const histories = replayLots(
        lots.map(({ facts }) => facts),
        { until: this.month, tests, isReversible },
      );
      return histories.map((history) => ({ lot: this.lots.get(history.id) as BookLot, history }));
    });
  }

  private frozenIn(id: string, month: number): Frozen | undefined {
    return this.closed.get(month)?.truth.terms.get(id);
  }

  private add(row: Placed): void {
    const id = `${row.company} ${row.id}`;
    const first = [...this.closed.keys()].find((month) => this.frozenIn(id, month) !== undefined);
    const decided = first === undefined ? undefined : this.frozenIn(id, first);
    const policy = decided === undefined ? this.policyOf(row) : decided.policy;
    if (policy === null) return;
    const isCapitalised = decided?.isCapitalised ?? (policy.treatment === 'capitalise' && !this.isShort(row, policy));
    const percent = policy.payrollTax ? taxOn(this.facts, row.company, row.day) : 0;
    const tax = share(Math.max(0, row.value), percent, 10_000);
    const cost = Math.max(0, row.value) + tax;
    const deal = this.facts.deals[row.dealId as string] as BookDeal;
    const isClosed = (month: number) => this.closed.has(month);
    const frozen = { policy, isCapitalised, cost, terms: this.termsOf(row, policy, this.month) };
    this.frozen.set(id, frozen);
    if (!isCapitalised) return;
    this.lots.set(id, {
      ...{ id, repId: row.repId, dealId: row.dealId as string, company: row.company, day: row.day },
      ...{ cost, tax, belowZero: Math.min(0, row.value) },
      facts: {
        id,
        earnedOn: row.day,
        costIn: (month) =>
          policy.correction === 'prospective' && isClosed(month) ? (this.frozenIn(id, month)?.cost ?? 0) : cost,
        termsIn: (month) =>
          (isClosed(month) ? this.frozenIn(id, month)?.terms : null) ?? this.termsOf(row, policy, month),
        dealAmount: deal.amount,
        refunds: deal.refunds,
        terminatedOn: deal.contract?.terminatedOn ?? null,
        takenBack: this.rows
          .filter(({ sourceId }) => sourceId === row.id)
          .map(({ day, value }) => ({ day, amount: 0 - value })),
      },
    });
  }

  /** The last version whose month is not after that of the earned day. */
  private policyOf({ day }: Placed): BookPolicy | null {
    return this.facts.policies.filter(({ from }) => from <= day.slice(0, 7)).at(-1) ?? null;
  }

  /** The terms of a month: those of the lot's version, or of a later one for all lots. */
  private termsOf(row: Placed, own: BookPolicy, month: number): LotTerms {
    const { policies } = this.facts;
    const later = policies.slice(policies.indexOf(own) + 1);
    const version =
      later
        .filter(
          ({ scope, treatment, from }) => scope === 'all' && treatment === 'capitalise' && monthNumber(from) <= month,
        )
        .at(-1) ?? own;
    return { length: this.lengthOf(row, version), convention: version.convention, start: this.startOf(row, version) };
  }

  private startOf({ dealId }: Placed, { start }: BookPolicy): string | null {
    if (start === 'earned') return null;
    const contract = this.facts.deals[dealId as string]?.contract;
    return (start === 'start' ? contract?.start : contract?.fields?.[start]) ?? null;
  }

  private lengthOf({ dealId }: Placed, { period }: BookPolicy): LotTerms['length'] {
    if ('months' in period) return period;
    const contract = this.facts.deals[dealId as string]?.contract;
    if ('contract' in period && contract?.months !== undefined) return { months: contract.months };
    const until = 'until' in period && period.until !== 'end' ? contract?.fields?.[period.until] : contract?.end;
    return { until: until as string };
  }

  private isShort(row: Placed, policy: BookPolicy): boolean {
    const { length, start } = this.termsOf(row, policy, monthNumber(row.day));
    if ('months' in length) return length.months <= policy.expedientMonths;
    return length.until < addMonths(start ?? row.day, policy.expedientMonths);
  }
}
