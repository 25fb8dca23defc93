import { OracleDraws } from '../oracle/draws.js';
import { money, type OracleEvent, OraclePayables, type OraclePayout } from '../oracle/payables.js';
import { flatTier } from '../terms.js';
import { Workspace } from '../workspace.js';

/** The pay periods that are walked, and the one after them. */
export const months = [
  { name: '2026-08', lastDay: '2026-08-31' },
  { name: '2026-09', lastDay: '2026-09-30' },
  { name: '2026-10', lastDay: '2026-10-31' },
  { name: '2026-11', lastDay: '2026-11-30' },
] as const;

interface Sale {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly day: string;
  readonly amount: number;
  readonly currency?: 'USD' | 'EUR';
  readonly discount?: number;
  readonly services?: number;
  /** Percent of the deal by person; without it, the owner has all of it. */
  readonly shares?: Readonly<Record<string, number>>;
  readonly overlays?: Readonly<Record<string, number>>;
  readonly paid?: readonly (readonly [day: string, amount: number])[];
}

/** People by the name that the test calls them. The first team reports to Mara, the other one to Otto. */
export const teams = {
  mara: ['rosa', 'hiro', 'ben', 'chloe', 'noah', 'lukasz', 'eve', 'grace', 'vic', 'liam', 'nina', 'sven'],
  otto: ['elodie', 'celik', 'paul', 'zoe', 'ida', 'tom', 'uma', 'jan', 'amy', 'kai'],
} as const;
const names: Readonly<Record<string, string>> = {
  mara: 'Mara Quinn',
  otto: 'Otto Weiss',
  joan: 'Joan Pereira',
  rosa: 'Rosa Vidal',
  hiro: 'Hiro Tanaka',
  ben: 'Ben Carter',
  chloe: 'Chloé Lefèvre',
  noah: 'Noah Reed',
  lukasz: 'Łukasz Nowak',
  eve: 'Eve Novak',
  grace: 'Grace Kim',
  vic: 'Vic Volume',
  liam: 'Liam Byrne',
  nina: 'Nina Costa',
  sven: 'Sven Lund',
  elodie: 'Élodie Roux',
  celik: 'Çelik Aydın',
  paul: 'Paul Okoro',
  zoe: 'Zoe Zimmer',
  ida: 'Ida Lind',
  tom: 'Tom Hale',
  uma: 'Uma Rao',
  jan: 'Jan Peeters',
  amy: 'Amy Stone',
  kai: 'Kai Brandt',
};
export const sellers: readonly string[] = [...teams.mara, ...teams.otto];
export const nameOf = (person: string): string => names[person] as string;

/** Deals of people who have nothing special: one each month, half of which the customer pays on the 25th. */
const plainSales: readonly Sale[] = teams.otto.flatMap((owner, index) =>
  [8, 9, 10].map((month) => {
    const amount = 12_000 + 7_300 * index + 1_150 * month;
    const inMonth = `2026-${String(month).padStart(2, '0')}`;
    const id = `${owner.toUpperCase()}-${month}`;
    const day = `${inMonth}-${String(4 + index).padStart(2, '0')}`;
    return { id, name: `Account ${id}`, owner, day, amount, paid: [[`${inMonth}-25`, amount / 2]] as const };
  }),
);

const manySales: readonly Sale[] = Array.from({ length: 120 }, (_, index) => ({
  id: `V-${String(index).padStart(3, '0')}`,
  name: `Small account ${index + 1}`,
  owner: 'vic',
  day: `2026-10-${String(1 + (index % 28)).padStart(2, '0')}`,
  amount: 1_000 + 25 * index,
}));

const full = (day: string, amount: number) => ({ amount, paid: [[day, amount]] as const });

const sales: readonly Sale[] = [
  { id: 'R-AUG', name: 'Northgate Energy', owner: 'rosa', day: '2026-08-12', ...full('2026-09-10', 84_000) },
  {
    id: 'R-SEP',
    name: 'Harbour Media',
    owner: 'rosa',
    day: '2026-09-15',
    amount: 60_000,
    paid: [['2026-09-28', 15_000]],
  },
  {
    ...{ id: 'R-SHARED', name: 'Titan Shipbuilding', owner: 'rosa', day: '2026-10-20', amount: 120_000, discount: 0.1 },
    services: 15_000,
    shares: { rosa: 60, hiro: 40 },
    overlays: { sven: 100 },
    paid: [['2026-10-28', 30_000]],
  },
  {
    ...{ id: 'R-EUR', name: 'Brasserie Lipp', owner: 'rosa', day: '2026-10-22', amount: 45_000, currency: 'EUR' },
    paid: [['2026-10-29', 9_000]],
  },
  { id: 'H-SEP', name: 'Helios Airlines', owner: 'hiro', day: '2026-09-09', ...full('2026-09-29', 92_000) },
  { id: 'B-AUG', name: 'Bright Foods', owner: 'ben', day: '2026-08-20', ...full('2026-08-28', 70_000) },
  { id: 'B-SEP', name: 'Bolt Logistics', owner: 'ben', day: '2026-09-10', ...full('2026-09-25', 120_000) },
  { id: 'C-AUG', name: 'Maison Verte', owner: 'chloe', day: '2026-08-18', amount: 31_000, currency: 'EUR' },
  { id: 'C-SEP', name: 'Atelier Nord', owner: 'chloe', day: '2026-09-08', amount: 60_000, currency: 'EUR' },
  { id: 'C-OCT', name: 'Port Sud', owner: 'chloe', day: '2026-10-14', amount: 62_000, currency: 'EUR' },
  { id: 'N-SEP', name: 'Nimbus', owner: 'noah', day: '2026-09-21', amount: 21_600 },
  { id: 'N-OCT', name: 'Nordlicht', owner: 'noah', day: '2026-10-12', ...full('2026-10-27', 90_000) },
  { id: 'L-OCT', name: 'Lumen', owner: 'lukasz', day: '2026-10-08', ...full('2026-10-20', 70_000) },
  { id: 'E-SEP', name: 'Elba Tools', owner: 'eve', day: '2026-09-03', ...full('2026-09-20', 40_000) },
  { id: 'G-SEP', name: 'Garden Co', owner: 'grace', day: '2026-09-17', ...full('2026-09-24', 25_000) },
  { id: 'G-OCT', name: 'Granite Bank', owner: 'grace', day: '2026-10-16', ...full('2026-10-30', 500_000) },
  {
    id: 'LI-SEP',
    name: 'Lagan Systems',
    owner: 'liam',
    day: '2026-09-14',
    ...full('2026-09-26', 27_000),
    currency: 'EUR',
  },
  { id: 'NI-SEP', name: 'Novo Clinic', owner: 'nina', day: '2026-09-11', ...full('2026-09-22', 80_000) },
  { id: 'NI-OCT', name: 'Nexa Labs', owner: 'nina', day: '2026-10-13', ...full('2026-10-23', 50_000) },
  ...manySales,
  ...plainSales,
];

interface Refund {
  readonly deal: string;
  readonly day: string;
  readonly amount: number;
}

const refunds: readonly Refund[] = [
  { deal: 'R-AUG', day: '2026-10-15', amount: 21_000 },
  { deal: 'B-SEP', day: '2026-10-20', amount: 90_000 },
  { deal: 'E-SEP', day: '2026-10-10', amount: 10_000 },
];
const holds: Readonly<Record<string, string>> = { 'L-OCT': '2026-10-09', 'R-EUR': '2026-10-23' };
/** Euros in dollars from the day on, and dollars in pounds. */
const eurRates = [
  ['2026-08-01', 1.081],
  ['2026-09-01', 1.084],
  ['2026-10-01', 1.0868],
  ['2026-11-01', 1.09],
] as const;
const gbpRates = [
  ['2026-08-31', '0.77'],
  ['2026-09-30', '0.76'],
  ['2026-10-31', '0.75'],
] as const;
const quota = 180_000;
/** Of 92 days, 14 of absence; 50 % of a ramp. */
const quotaOf: Readonly<Record<string, number>> = { noah: (quota * 78) / 92, nina: quota / 2 };
const windowDays = 180;
const guarantee = { recoverable: true, from: '2026-09-15', to: '2026-09-30', day: null, forgiveOn: null, forgiven: [] };

const newBusiness = {
  name: 'New business',
  measure: '= amount * (1 - default(discount, 0))',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
    { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Club' },
  ],
  tierMode: 'marginal',
  attainmentPeriod: 'quarterly',
  calendar: 'fiscal',
  quotaProration: 'calendar_days',
};
const asPaid = {
  schedule: [
    { on: 'close', percent: 40 },
    { on: 'paid', percent: 60 },
  ],
};
const inThirds = { parts: 3, everyMonths: 1 };
const clawback = { window: { days: windowDays }, declining: true };

const plans = {
  ae: {
    name: 'Account executive',
    currency: 'USD',
    fx: { date: 'close_date' },
    config: {
      rules: [
        { ...newBusiness, payout: asPaid },
        {
          ...{ name: 'Services', measure: 'services', tiers: flatTier(0.06), payout: inThirds },
          conditions: [{ field: 'services', fieldType: 'number', operator: 'gt', value: 0 }],
        },
      ],
      clawback,
    },
  },
  eu: {
    name: 'Account executive, Europe',
    currency: 'EUR',
    config: { rules: [{ name: 'New business', measure: 'amount', tiers: flatTier(0.1) }] },
  },
  se: {
    name: 'Sales engineer',
    currency: 'USD',
    config: { rules: [{ name: 'Overlay', measure: 'amount', tiers: flatTier(0.01), creditKinds: ['overlay'] }] },
  },
};
const planOf = (person: string) => (person === 'chloe' ? 'eu' : person === 'sven' ? 'se' : 'ae');

/**
 * A company with a fiscal year from February, payouts from August, and what people have in such a company: two currencies,
 * instalments, a shared deal with an overlay, a ramp, an absence, a guarantee, declining clawbacks, and holds.
 */
export class Northwind extends Workspace {
  private readonly ids = new Map<string, string>();

  private constructor(base: Workspace) {
    super(base.service, base.workspaceId, base.apiKey, base.api);
  }

  static async within(base: Workspace): Promise<Northwind> {
    const world = new Northwind(base);
    await world.enter();
    return world;
  }

  id(person: string): string {
    return this.ids.get(person) as string;
  }

  private async enter(): Promise<void> {
    const { api } = this;
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      ...{ currency: 'USD', timezone: 'America/New_York', managerScope: 'reports' },
    });
    const roles: Readonly<Record<string, string>> = { mara: 'manager', otto: 'manager', joan: 'payroll' };
    const people = ['mara', 'otto', 'joan', ...sellers];
    const saved = await api.saveReps(
      ...people.map((person, index) => ({
        name: nameOf(person),
        email: `${person}@northwind.test`,
        crmMemberId: person,
        role: roles[person] ?? 'rep',
        payrollId: `NW-${100 + index}`,
        ...(person in teams ? {} : { hireDate: '2024-02-01' }),
      })),
    );
    for (const [index, person] of people.entries()) this.ids.set(person, saved[index] as string);
    for (const [manager, reports] of Object.entries(teams))
      for (const person of reports)
        await api.expect(200, 'PATCH', `/v1/reps/${this.id(person)}`, { managerId: this.id(manager) });
    await api.expect(200, 'PUT', '/v1/fiscal-years', [{ year: 2026, start: '2026-02-01', pattern: 'months' }]);
    const rates = [
      ...eurRates.map(([day, rate]) => ({ from: 'EUR', to: 'USD', day, rate })),
      ...gbpRates.map(([day, rate]) => ({ from: 'USD', to: 'GBP', day, rate: Number(rate) })),
    ];
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-08-01' } });
    await this.enterTerms();
    await this.enterSales();
    await this.calculated();
  }

  private async enterTerms(): Promise<void> {
    const { api } = this;
    for (const [key, plan] of Object.entries(plans)) {
      const of = sellers.filter((person) => planOf(person) === key);
      const { planId } = await api.createPlan(plan);
      const assigned = await api.assign(
        of.map((person) => this.id(person)),
        planId,
      );
      if (key === 'ae') await this.ramp(assigned[of.indexOf('nina')].assignmentId);
    }
    const withQuota = sellers.filter((person) => planOf(person) === 'ae').map((person) => this.id(person));
    await api.setQuota(withQuota, 'New business', 'FY2026-Q3', quota);
    await api.expect(201, 'POST', '/v1/absences', { repId: this.id('noah'), from: '2026-08-03', to: '2026-08-16' });
    await api.expect(201, 'POST', '/v1/draws', {
      ...{ repId: this.id('noah'), kind: 'guarantee', recoverable: guarantee.recoverable, amount: 4000 },
      ...{ from: guarantee.from, to: guarantee.to, recovery: { start: 'after_end', maxPercent: 50 } },
    });
    await api.expect(200, 'PATCH', `/v1/reps/${this.id('ben')}`, { payCurrency: 'GBP', payCurrencyFrom: '2026-08-01' });
  }

  private async ramp(assignmentId: string): Promise<void> {
    const steps = [{ months: 12, quotaPercent: 50 }];
    const { rampId } = await this.api.expect(201, 'POST', '/v1/ramps', { name: 'New hires', steps });
    await this.api.expect(200, 'PATCH', `/v1/assignments/${assignmentId}`, { effectiveStart: '2026-08-01', rampId });
  }

  private async enterSales(): Promise<void> {
    const { api } = this;
    for (const sale of sales) {
      await this.put(sale);
      const { id, amount, day, shares, overlays = {}, paid } = sale;
      if (shares !== undefined)
        await api.expect(200, 'PUT', `/v1/deals/${id}/credits`, {
          credits: [
            ...Object.entries(shares).map(([person, percent]) => ({ repId: this.id(person), percent })),
            ...Object.entries(overlays).map(([person, percent]) => ({
              repId: this.id(person),
              percent,
              kind: 'overlay',
            })),
          ],
        });
      if (paid !== undefined)
        await api.expect(200, 'PUT', `/v1/deals/${id}/invoices/INV-1`, {
          ...{ amount, issuedOn: day },
          payments: paid.map(([paidOn, sum], index) => ({ paymentId: `P${index}`, amount: sum, paidOn })),
        });
    }
    for (const { deal, day, amount } of refunds)
      await api.expect(200, 'PUT', `/v1/deals/${deal}/refunds/RF-1`, {
        amount,
        day,
        cause: 'cancellation',
        reason: 'Fewer seats',
      });
    for (const [dealId, from] of Object.entries(holds))
      await api.expect(201, 'POST', '/v1/payables/holds', { dealId, from, reason: 'The contract is disputed.' });
  }

  private put({ id, name, owner, day, amount, currency = 'USD', discount, services }: Sale) {
    const fields = { ...(discount === undefined ? {} : { discount }), ...(services === undefined ? {} : { services }) };
    return this.api.putDeal(id, {
      name,
      amount,
      closeDate: day,
      currency,
      ownerId: owner,
      stage: 'Closed Won',
      fields,
    });
  }

  /** What the person earns by own arithmetic, deal by deal. */
  events(person: string): OracleEvent[] {
    return eventsOf(person, sales);
  }
}

/** The share of the person of a sale, of which an overlay is another kind. */
function creditOf({ owner, shares, overlays }: Sale, person: string): number {
  const plan = planOf(person) === 'se' ? (overlays ?? {}) : (shares ?? { [owner]: 100 });
  return plan[person] ?? 0;
}

function rateOf({ currency = 'USD', day }: Sale, person: string): number {
  if (currency === 'USD' || person === 'chloe') return 1;
  return eurRates.findLast(([from]) => from <= day)?.[1] ?? 1;
}

function eventsOf(person: string, all: readonly Sale[]): OracleEvent[] {
  const own = all.filter((sale) => creditOf(sale, person) > 0);
  const base = (sale: Sale) =>
    ((sale.amount * (1 - (planOf(person) === 'ae' ? (sale.discount ?? 0) : 0)) * creditOf(sale, person)) / 100) *
    rateOf(sale, person);
  const commissions = own.map((sale) => ({ sale, amount: pays(person, own, base, sale) }));
  return commissions.flatMap(({ sale, amount }) => {
    const currency = person === 'chloe' ? 'EUR' : 'USD';
    const takenBack = refunds.flatMap((refund) =>
      refund.deal === sale.id && planOf(person) === 'ae'
        ? [
            {
              amount: cents(-amount * (refund.amount / sale.amount) * remaining(sale.day, refund.day)),
              day: refund.day,
            },
          ]
        : [],
    );
    const isAe = planOf(person) === 'ae';
    const event = (key: string, rows: OracleEvent['rows'], payout: OraclePayout | null): OracleEvent => ({
      ...{ key: `${sale.id} ${key} ${currency}`, currency, rows },
      source: { closes: sale.day, payout, deal: dealOf(sale) },
      holds: holds[sale.id] === undefined ? [] : [{ from: holds[sale.id] as string, to: null }],
    });
    const services = isAe ? ((sale.services ?? 0) * creditOf(sale, person) * 6) / 10_000 : 0;
    return [
      event('main', [{ amount: cents(amount), day: sale.day }, ...takenBack], isAe ? asPaid : null),
      ...(services === 0 ? [] : [event('services', [{ amount: cents(services), day: sale.day }], inThirds)]),
    ];
  });
}

/** Tiers of the fiscal quarter, in which a refund gives credit back on its day. */
function pays(person: string, own: readonly Sale[], base: (sale: Sale) => number, sale: Sale): number {
  if (person === 'chloe') return base(sale) * 0.1;
  if (person === 'sven') return base(sale) * 0.01;
  const before = own
    .filter(({ id, day }) => day < sale.day || (day === sale.day && id < sale.id))
    .reduce((sum, earlier) => {
      const refunded = refunds.filter(({ deal, day }) => deal === earlier.id && day <= sale.day);
      return sum + base(earlier) * (1 - refunded.reduce((part, { amount }) => part + amount / earlier.amount, 0));
    }, 0);
  const target = quotaOf[person] ?? quota;
  const below = Math.max(0, Math.min(base(sale), target - before));
  return below * 0.08 + (base(sale) - below) * 0.12;
}

function remaining(closed: string, refunded: string): number {
  const days = (Date.parse(refunded) - Date.parse(closed)) / 86_400_000;
  return Math.max(0, windowDays - days) / windowDays;
}

const cents = (amount: number) => ((Math.round(Math.abs(amount) * 100 + 1e-6) / 100) * Math.sign(amount)).toFixed(2);

function dealOf({ id, amount, paid = [] }: Sale) {
  return {
    amount: String(amount),
    dates: {},
    refunds: refunds
      .filter(({ deal }) => deal === id)
      .map((refund) => ({ day: refund.day, amount: String(refund.amount) })),
    invoices: [
      {
        ...{ amount: String(amount), gross: null, status: 'open' as const },
        payments: paid.map(([day, sum]) => ({ day, amount: String(sum) })),
      },
    ],
  };
}

/** What a person is to be paid, by the oracle. */
export class ExpectedPay {
  private readonly oracle = new OraclePayables(months, 100);
  private readonly currencies = ['USD', 'EUR'];
  private readonly currency: string;

  constructor(
    private readonly person: string,
    events: OracleEvent[],
  ) {
    this.currency = { ben: 'GBP', chloe: 'EUR' }[person] ?? 'USD';
    this.oracle.payCurrency = this.currency;
    this.oracle.rates = gbpRates.map(([day, rate]) => ({ from: 'USD', to: 'GBP', day, rate }));
    this.oracle.events = events;
  }

  /** What the statement of the month pays, in the currency of the bank. */
  payable(month: number): string {
    return `${this.currency} ${this.person === 'noah' ? this.withGuarantee(month) : this.paid(month)}`;
  }

  private paid(month: number): string {
    const paid = this.oracle.pay(month, this.currencies);
    return paid === null ? '' : money(paid);
  }

  private withGuarantee(month: number): string {
    const draws = new OracleDraws(
      months.map(({ name, lastDay }) => ({ first: `${name}-01`, last: lastDay })),
      [{ id: 'guarantee', ...guarantee, kind: 'guarantee', amount: 400_000n, start: 'after_end', maxPercent: 50n }],
      100n,
    );
    for (let each = 0; each <= month; each += 1) draws.close(each, BigInt(this.paid(each).replace('.', '')), 0n);
    const units = draws.paid[month] ?? 0n;
    return `${units / 100n}.${String(units % 100n).padStart(2, '0')}`;
  }

  approve(month: number): void {
    this.oracle.approve(month, this.currencies);
  }
}
