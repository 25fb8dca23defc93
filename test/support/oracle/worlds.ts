import fc from 'fast-check';
import { type PeriodKind, plusDays } from './calendar.js';
import { periodDays, periodIn, type WorldFiscalYear } from './fiscal.js';
import { withFormulas } from './formulas-in-rules.js';
import { afterHistory, buildPlan, type VersionDraft } from './histories.js';
import { tables, withLineRules, withLines } from './lines-in-rules.js';
import { setVersionStatus } from './timeline.js';
import type {
  FieldValue,
  GivenValues,
  PlanStatus,
  ReportingLine,
  World,
  WorldAbsence,
  WorldAssignment,
  WorldCredit,
  WorldCreditRule,
  WorldDeal,
  WorldFx,
  WorldPlan,
  WorldPlanVersion,
  WorldQuota,
  WorldRamp,
  WorldRate,
  WorldRefund,
} from './world.js';

interface WorldSize {
  reps?: number;
  plans?: number;
  versions?: number;
  rules?: number;
  deals?: number;
  quotas?: number;
  /** Approved periods, true-ups and stopped plans, with what was earned before the deals changed. Default true. */
  frozen?: boolean;
  /** Values near the bound, and amounts beyond it, which the API rejects. Default true. */
  unbounded?: boolean;
  /** Employment, absences, ramps, prorated quotas, fiscal years and dates of rules. Default true. */
  people?: boolean;
  /** Fiscal years, and rules that count fiscal periods. Default: as `people`. */
  fiscal?: boolean;
  /** Credit lines and credit rules. Default false. */
  credits?: boolean;
  /** Refunds with waivers, and plans that take something back. Default false. */
  refunds?: boolean;
  /** Deals that mirror others, and more caps. Default false. */
  creditNotes?: boolean;
  /** Exchange rates, missing and corrected ones too, and plans that convert. Default false. */
  fx?: boolean;
  /** Formulas as measures, bases, credit, tier values and fields of conditions. Default false. */
  formulas?: boolean;
  /** Lines of deals, rules that count them, and rate tables. Default false. */
  lines?: boolean;
  /** Also generate inputs whose result the design does not define. Default false. */
  contested?: boolean;
}

type Settings = Required<WorldSize>;

const REP_IDS = [1, 2, 3, 4, 5, 6].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`);
const PLAN_IDS = [1, 2, 3, 4].map((n) => `bbbbbbbb-0000-4000-8000-00000000000${n}`);

const RULE_NAMES = ['A', 'B', 'C', 'D'];
const AMOUNT_SLUGS = [
  'amount',
  'amount',
  'amount',
  'value',
  'dealAmount',
  'acv',
  'acv',
  'mrr',
  'tcv',
  'margin',
  'seats',
  'Margin',
  '_deals',
];
const CLOSE_DAYS = [
  '2025-12-31',
  '2026-01-01',
  '2026-01-15',
  '2026-01-31',
  '2026-02-10',
  '2026-02-10',
  '2026-02-28',
  '2026-03-05',
  '2026-03-31',
  '2026-04-01',
  '2026-05-20',
  '2026-06-30',
  '2026-07-01',
];

function oneOf<T>(...values: T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

function often<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });
}

function maybe<T>(value: fc.Arbitrary<T>, absentWeight = 2): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: absentWeight }, { arbitrary: value, weight: 1 });
}

/** Drops the keys that are undefined, so that no posted body carries them. */
function body<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

// Deals

const money: fc.Arbitrary<number> = fc.oneof(
  { arbitrary: oneOf(1000, 2000, 2500, 5000, 10000), weight: 5 },
  { arbitrary: oneOf(0, 0.5, 33.33, 999.99, 1234.565, 0.005), weight: 2 },
  { arbitrary: oneOf(-500, -1000, -2500, -4000), weight: 2 },
  { arbitrary: fc.integer({ min: -300000, max: 1200000 }).map((cents) => cents / 100), weight: 1 },
);

const atTheBound: fc.Arbitrary<FieldValue> = oneOf<FieldValue>(1e15, -1e15, '1e15', '999999999999999.99', 4e14);
const beyondTheBound: fc.Arbitrary<FieldValue> = oneOf<FieldValue>(
  1e18,
  -1e18,
  '1e400',
  '1000000000000000.01',
  '123456789012345678',
);

const moneyField: fc.Arbitrary<FieldValue> = fc.oneof(
  { arbitrary: money, weight: 50 },
  { arbitrary: money.map(String), weight: 8 },
  { arbitrary: oneOf<FieldValue>('.5', '-.5', '2.5e3'), weight: 1 },
  { arbitrary: fc.oneof(atTheBound, beyondTheBound), weight: 1 },
  { arbitrary: oneOf<FieldValue>(null, '', 'abc', true, '1_000', []), weight: 4 },
);

const dayText: fc.Arbitrary<string> = oneOf(
  '2025-12-31',
  '2026-01-10',
  '2026-01-31',
  '2026-02-10',
  '2026-03-05',
  '2026-03-31T23:30:00Z',
  '2026-02-01T02:00:00+00:00',
  '2026-04-01T05:00:00.000Z',
  'soon',
);

const stageText = oneOf('Won', 'won ', 'WON', 'lost', 'Open');

const fields: fc.Arbitrary<Record<string, FieldValue>> = fc
  .record({
    amount: often(moneyField, fc.constant(undefined), 8),
    value: maybe(moneyField),
    x_amt: maybe(moneyField, 1),
    acv: often(moneyField, fc.constant(undefined), 8),
    margin: maybe(moneyField, 1),
    seats: maybe(oneOf<FieldValue>(0, 1, 3, 10, 25, '12'), 1),
    SEATS: maybe(oneOf<FieldValue>(2, 7, null), 4),
    ACV: maybe(moneyField, 4),
    ACV_currency: maybe<FieldValue>(oneOf('USD', 'EUR'), 8),
    mrr: maybe(moneyField),
    stage: maybe<FieldValue>(often<FieldValue>(stageText, oneOf<FieldValue>(null, '')), 1),
    dealstage: maybe<FieldValue>(stageText),
    x_stage: maybe<FieldValue>(stageText),
    region: maybe(oneOf<FieldValue>('EMEA', 'emea ', 'APAC', 'North America', 7, null), 1),
    product: maybe(oneOf<FieldValue>(['core'], ['Core', 'addon'], ['addon '], [], 'core', 'support'), 1),
    strategic: maybe(oneOf<FieldValue>(true, false, null), 1),
    starts_on: maybe<FieldValue>(dayText, 1),
  })
  .map(body);

const given: fc.Arbitrary<GivenValues | undefined> = maybe(
  fc
    .record({
      dealAmount: maybe(money),
      dealStage: maybe(stageText),
      dealName: maybe(oneOf('Deal one', 'Deal two')),
      ownerId: maybe(oneOf('77', '78')),
      currency: maybe(oneOf('USD', 'EUR', 'JPY'), 8),
      createdDate: maybe(oneOf('2026-01-02', '2026-02-27T23:59:00Z')),
    })
    .map((value) => body(value) as GivenValues),
);

// Exchange rates

const CURRENCIES = ['USD', 'EUR', 'GBP'];
/** Quotients of 0.9 and 3 have no end; 0.9, 0.8 and 1.25 reach thresholds exactly. */
const RATE_VALUES = ['1.0837', '1.08', '0.9', '0.8', '1.25', '0.9228', '3', '0.0067', '149.87', '0.8123456789'];
const RATE_DAYS = ['2025-10-01', '2025-12-31', '2026-01-01', '2026-01-20', '2026-02-10', '2026-03-05', '2026-03-31'];

const exchangeRate: fc.Arbitrary<WorldRate> = fc
  .record({
    table: maybe(oneOf('default', 'budget'), 4),
    pair: fc.shuffledSubarray(CURRENCIES, { minLength: 2, maxLength: 2 }),
    day: often(fc.constantFrom(...RATE_DAYS), oneOf('2026-05-20', '2026-06-30', '2026-09-30')),
    rate: fc.constantFrom(...RATE_VALUES),
  })
  .map(({ pair: [from = '', to = ''], ...rate }) => body({ from, to, ...rate }) as WorldRate);

const exchangeRates = fc.uniqueArray(exchangeRate, {
  maxLength: 14,
  selector: ({ table = 'default', from, to, day }) => `${table} ${from} ${to} ${day}`,
});

/** The rates before some were corrected, entered or deleted. */
function ratesBefore(rates: WorldRate[]): fc.Arbitrary<WorldRate[]> {
  const change = (rate: WorldRate) =>
    fc.oneof(
      { arbitrary: fc.constant<WorldRate | null>(rate), weight: 3 },
      { arbitrary: fc.constant(null), weight: 1 },
      { arbitrary: fc.constantFrom(...RATE_VALUES).map((other) => ({ ...rate, rate: other })), weight: 2 },
    );
  return fc.tuple(...rates.map(change)).map((all) => all.filter((rate) => rate !== null));
}

const rates = exchangeRates.chain((after) => fc.record({ after: fc.constant(after), before: ratesBefore(after) }));

const planFx: fc.Arbitrary<WorldFx | null> = often<WorldFx | null>(
  fc
    .record({
      date: oneOf<WorldFx['date']>('close_date', 'close_date', 'period_start', 'period_end', 'fixed'),
      day: oneOf('2026-01-20', '2026-03-31', '2025-12-31'),
      table: maybe(fc.constant('budget'), 5),
    })
    .map(({ day, ...fx }) => body(fx.date === 'fixed' ? { ...fx, day } : fx) as WorldFx),
  fc.constant(null),
);

const currencyCode = oneOf('USD', 'EUR', 'GBP', 'eur', ' USD', 'CHF');

/** The deals in three currencies, with fields that have their own. */
function withCurrencies(deals: fc.Arbitrary<WorldDeal[]>): fc.Arbitrary<WorldDeal[]> {
  const codes = fc.record({
    deal: maybe(currencyCode, 1),
    fields: fc
      .record({
        acv_currency: maybe<FieldValue>(oneOf('EUR', 'usd', 'GBP', 'none'), 5),
        margin_currency: maybe<FieldValue>(oneOf('EUR', 'GBP'), 3),
        seats_currency: maybe<FieldValue>(fc.constant('EUR'), 12),
      })
      .map(body),
  });
  return deals.chain((all) =>
    fc.tuple(...all.map(() => codes)).map((found) =>
      all.map((deal, index) => {
        const { deal: currency, fields: own = {} } = found[index] ?? {};
        return { ...deal, fields: { ...deal.fields, ...own }, given: body({ ...deal.given, currency }) as GivenValues };
      }),
    ),
  );
}

// Credits

const PERCENTS = [[100], [50, 50], [70, 30], [60, 25, 15], [33.333333, 33.333333, 33.333334], [0.000001, 99.999999]];
const ROLES = ['AE', 'SE', 'CSM'];

type Line = Omit<WorldCredit, 'source'>;

const affects = often<WorldCredit['affects']>(fc.constant(undefined), oneOf('quota', 'payout'));

/** Split lines of different people, the house among them, which total 100. */
function splitLines(repIds: string[]): fc.Arbitrary<Line[]> {
  return fc
    .tuple(fc.shuffledSubarray<string | null>([...repIds, null], { minLength: 3 }), fc.constantFrom(...PERCENTS))
    .chain(([people, percents]) =>
      fc.tuple(
        ...percents.map((percent, index) =>
          fc
            .record({ role: maybe(fc.constantFrom(...ROLES)), affects })
            .map((line): Line => body({ repId: people[index] ?? null, kind: 'split' as const, percent, ...line })),
        ),
      ),
    );
}

function overlayLines(repIds: string[]): fc.Arbitrary<Line[]> {
  return fc.uniqueArray(
    fc
      .record({
        repId: fc.constantFrom<string | null>(...repIds, null),
        percent: oneOf(20, 25, 100, 150, 12.345678, 1000),
        role: maybe(fc.constantFrom(...ROLES), 1),
        affects,
      })
      .map((line): Line => body({ kind: 'overlay' as const, ...line })),
    { maxLength: 3, selector: ({ repId, role }) => `${repId}|${role}` },
  );
}

export function creditLines(repIds: string[], source: WorldCredit['source']): fc.Arbitrary<WorldCredit[]> {
  return fc
    .tuple(often(splitLines(repIds), fc.constant<Line[]>([]), 2), overlayLines(repIds))
    .map((lines) => lines.flat().map((line): WorldCredit => ({ source, ...line })));
}

function arbitraryCredits(repIds: string[]): fc.Arbitrary<WorldCredit[] | undefined> {
  const from = (source: WorldCredit['source']) => creditLines(repIds, source);
  const both = fc.tuple(from('api'), from('crm')).map((lines) => lines.flat());
  return fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 4 },
    { arbitrary: from('api'), weight: 3 },
    { arbitrary: from('crm'), weight: 1 },
    { arbitrary: both, weight: 1 },
  );
}

/** A percent of 0, or one beyond the bound, gives no line. */
const percentOfRule = fc.oneof(
  fc.record({ percent: oneOf(30, 80, 20, 100, 33.333333) }),
  fc.record({ percentField: oneOf('se_pct', 'seats', 'mrr') }),
);

export function creditRule(): fc.Arbitrary<WorldCreditRule> {
  return fc
    .tuple(
      fc.record({
        name: oneOf('SDR', 'partner', 'B', 'a'),
        kind: oneOf<WorldCreditRule['kind']>('split', 'overlay'),
        role: oneOf(null, 'SE', 'AE'),
        personField: oneOf('se', 'se', 'partner', 'owner_id'),
        conditions: conditionsWith(leaf).map((conditions) => (conditions ?? []) as WorldCreditRule['conditions']),
        effectiveStart: oneOf(null, null, '2026-01-15', '2026-02-10'),
        effectiveEnd: oneOf(null, null, '2026-03-05', '2026-05-20'),
      }),
      percentOfRule,
    )
    .map(([rule, percent]) => ({ ...rule, ...percent }));
}

function creditRules(): fc.Arbitrary<WorldCreditRule[]> {
  return fc.uniqueArray(creditRule(), { maxLength: 3, selector: ({ name }) => name });
}

function memberIdOf(index: number): string {
  return `m-${index + 1}`;
}

function emailOf(index: number): string {
  return `rep${index + 1}@example.com`;
}

function creditFields(repIds: string[]): fc.Arbitrary<WorldDeal['fields']> {
  const people = [...repIds.map((_, index) => memberIdOf(index)), ...repIds.map((_, index) => emailOf(index))];
  return fc
    .record({
      se: maybe<FieldValue>(oneOf<FieldValue>(...people, 'REP1@example.com', ' m-2 ', 'nobody', null, true), 1),
      partner: maybe<FieldValue>(oneOf<FieldValue>(...people), 1),
      se_pct: maybe<FieldValue>(oneOf<FieldValue>(10, '12.5', 0, -5, 150, 1001, 'x', 33.3333333), 1),
    })
    .map(body);
}

const refundAmount = oneOf(undefined, undefined, 1, 5000, 33333.33, 60_000, 0.07);

/** Some lines of a deal, also lines that it lacks. */
const refundedLines = fc.uniqueArray(
  fc.record({
    lineId: oneOf('l4', 'l4', 'l3', 'l2', 'l1'),
    amount: oneOf(undefined, undefined, 100, 333.33, 1000, 4000),
  }),
  { minLength: 1, maxLength: 3, selector: ({ lineId }) => lineId },
);

function arbitraryRefunds(repIds: string[], settings: Settings): fc.Arbitrary<WorldRefund[]> {
  const waiver = fc.record({ repId: oneOf(null, ...repIds), percent: oneOf(100, 50, 33.333333) });
  const refund = fc.record({
    day: oneOf('2025-12-20', '2026-01-20', '2026-02-01', '2026-02-28', '2026-03-31', '2026-04-20', '2026-06-30'),
    cause: oneOf<WorldRefund['cause']>('cancellation', 'refund', 'non_payment'),
    amount: refundAmount,
    waivers: maybe(fc.uniqueArray(waiver, { maxLength: 2, selector: ({ repId }) => repId }), 1),
    lines: settings.lines
      ? often<RawRefund['lines']>(refundedLines, fc.constant(undefined), 2)
      : fc.constant(undefined),
  });
  return fc
    .array(refund, { minLength: 1, maxLength: 3 })
    .map((all) => all.map((each, index) => toRefund(`r${index}`, each)));
}

interface RawRefund {
  day: string;
  cause: WorldRefund['cause'];
  amount: number | undefined;
  waivers: WorldRefund['waivers'] | undefined;
  lines: { lineId: string; amount: number | undefined }[] | undefined;
}

/** A refund has an amount or lines. */
function toRefund(refundId: string, { lines, amount, ...refund }: RawRefund): WorldRefund {
  const named = lines?.map((line) => body(line));
  return body({ refundId, ...refund, ...(named === undefined ? { amount } : { lines: named }) }) as WorldRefund;
}

const policy = oneOf<object>(
  {},
  { window: { days: 30 } },
  { window: { days: 180 }, declining: true },
  { window: { days: 77 }, declining: true, credit: 'none' },
  {
    steps: [
      { untilDay: 0, percent: 100 },
      { untilDay: 45, percent: 66.6 },
      { untilDay: 200, percent: 12.5 },
    ],
  },
  { causes: ['cancellation', 'refund'], credit: 'refund_period' },
);

/** A policy of the plan, and others or none in some rules. */
function withPolicies(config: fc.Arbitrary<object>, settings: Settings): fc.Arbitrary<object> {
  if (!settings.refunds) return config;
  const ofRule = often<object | null | undefined>(
    fc.constant(undefined),
    often<object | null>(policy, fc.constant(null)),
    2,
  );
  const ofRules = fc.array(ofRule, { minLength: settings.rules, maxLength: settings.rules });
  return fc
    .tuple(config, often<object | undefined>(policy, fc.constant(undefined)), ofRules)
    .map(([posted, ofPlan, own]) =>
      body({
        ...posted,
        clawback: ofPlan,
        rules: (posted as { rules: object[] }).rules.map((rule, index) => body({ ...rule, clawback: own[index] })),
      }),
    );
}

/** Some deals become the credit note of the one before, or of a part of it. */
function withCreditNotes(deals: fc.Arbitrary<WorldDeal[]>): fc.Arbitrary<WorldDeal[]> {
  const part = oneOf(undefined, -1, -1, -0.4);
  return fc.tuple(deals, fc.array(part, { minLength: 9, maxLength: 9 })).map(([all, parts]) =>
    all.map((deal, index) => {
      const sale = all[index - 1];
      const factor = parts[index];
      if (sale === undefined || factor === undefined) return deal;
      const { dealId } = deal;
      return { ...sale, dealId, fields: timesNumbers(sale.fields, factor), ...scaledAmount(sale, factor) };
    }),
  );
}

function timesNumbers(fieldsOfSale: WorldDeal['fields'], factor: number): WorldDeal['fields'] {
  return Object.fromEntries(
    Object.entries(fieldsOfSale).map(([slug, value]) => [slug, typeof value === 'number' ? value * factor : value]),
  );
}

function scaledAmount({ given: ofSale }: WorldDeal, factor: number): Pick<WorldDeal, 'given'> {
  return ofSale?.dealAmount === undefined ? {} : { given: { ...ofSale, dealAmount: ofSale.dealAmount * factor } };
}

function arbitraryDeals(ids: string[], repIds: string[], settings: Settings): fc.Arbitrary<WorldDeal[]> {
  const deals = arbitrarySales(ids, repIds, settings);
  const all = settings.lines ? withLines(deals, settings.fx) : deals;
  return settings.creditNotes ? withCreditNotes(all) : all;
}

function arbitrarySales(ids: string[], repIds: string[], settings: Settings): fc.Arbitrary<WorldDeal[]> {
  const { credits: withCredits } = settings;
  return fc.tuple(
    ...ids.map((dealId) =>
      fc
        .record({
          repId: often<string | null>(fc.constantFrom(...repIds), fc.constant(null), 15),
          fields: withCredits
            ? fc.tuple(fields, creditFields(repIds)).map(([all, people]) => ({ ...all, ...people }))
            : fields,
          closeDate: often<string | null>(fc.constantFrom(...CLOSE_DAYS), fc.constant(null), 15),
          given,
          credits: withCredits ? arbitraryCredits(repIds) : fc.constant(undefined),
          refunds: settings.refunds ? maybe(arbitraryRefunds(repIds, settings), 1) : fc.constant(undefined),
        })
        .map((deal) => body({ dealId, ...deal }) as WorldDeal),
    ),
  );
}

/** The same deals at an earlier time: some did not exist, others had another owner, day or content. */
function dealsBefore(deals: WorldDeal[], repIds: string[], settings: Settings): fc.Arbitrary<WorldDeal[]> {
  const change = (deal: WorldDeal): fc.Arbitrary<WorldDeal | null> =>
    fc.oneof(
      {
        arbitrary: arbitraryCredits(repIds).map((credits) => body({ ...deal, credits }) as WorldDeal),
        weight: settings.credits ? 4 : 0,
      },
      {
        arbitrary: arbitraryRefunds(repIds, settings).map((refunds) => ({ ...deal, refunds })),
        weight: settings.refunds ? 4 : 0,
      },
      {
        arbitrary: withLines(fc.constant([deal]), settings.fx).map(([changed]) => changed ?? deal),
        weight: settings.lines ? 3 : 0,
      },
      { arbitrary: fc.constant(deal), weight: 5 },
      { arbitrary: fc.constant(null), weight: 1 },
      { arbitrary: fc.constantFrom(...CLOSE_DAYS).map((closeDate) => ({ ...deal, closeDate })), weight: 2 },
      { arbitrary: fc.constantFrom(...repIds).map((repId) => ({ ...deal, repId })), weight: 1 },
      { arbitrary: money.map((amount) => ({ ...deal, fields: { ...deal.fields, amount, acv: amount } })), weight: 3 },
      { arbitrary: fields.map((each) => ({ ...deal, fields: each })), weight: 1 },
    );
  return fc.tuple(...deals.map(change)).map((all) => all.filter((deal) => deal !== null));
}

// Conditions

interface PostedLeaf {
  field: string;
  fieldType: string;
  operator: string;
  value?: unknown;
}

const numberValue = oneOf(0, 500, 1000, 2500, 5000, 999.99);

/** Mostly conditions that many deals pass, since a plan that never fires tests nothing. */
const leaf: fc.Arbitrary<PostedLeaf> = fc.oneof(
  fc.record({
    field: oneOf('stage', 'dealstage', 'dealStage', 'x_stage'),
    fieldType: oneOf('status', 'text', 'select'),
    operator: oneOf('equals', 'not_equals', 'contains', 'not_contains'),
    value: oneOf('won', ' Won', 'lost', 'o'),
  }),
  fc.record({
    field: oneOf('region', 'stage'),
    fieldType: oneOf('text', 'select'),
    operator: oneOf('in', 'not_in'),
    value: oneOf(['EMEA', 'apac'], ['won'], ['nowhere', 'Won ']),
  }),
  fc.record({
    field: fc.constant('product'),
    fieldType: oneOf('select', 'status'),
    operator: oneOf('equals', 'not_equals', 'contains'),
    value: oneOf('core', 'ADDON'),
  }),
  fc.record({
    field: fc.constant('product'),
    fieldType: fc.constant('select'),
    operator: oneOf('in', 'not_in'),
    value: oneOf(['core', 'support'], ['addon']),
  }),
  fc.record({
    field: oneOf('amount', 'acv', 'value', 'margin', 'tcv', 'seats'),
    fieldType: oneOf('number', 'currency'),
    operator: oneOf('equals', 'not_equals', 'gt', 'gte', 'lt', 'lte'),
    value: numberValue,
  }),
  fc.record({
    field: oneOf('region', 'stage'),
    fieldType: oneOf('text', 'number'),
    operator: oneOf('gt', 'lte'),
    value: numberValue,
  }),
  fc.record({
    field: oneOf('amount', 'acv', 'seats'),
    fieldType: oneOf('number', 'currency'),
    operator: fc.constant('between'),
    value: oneOf([0, 5000], [1000, 2500], [-1000, 10000]),
  }),
  fc.record({
    field: oneOf('amount', 'seats'),
    fieldType: fc.constant('number'),
    operator: oneOf('in', 'not_in'),
    value: oneOf([1000, 2500], [0, 3, 10]),
  }),
  fc.record({
    field: oneOf('starts_on', 'created_date'),
    fieldType: oneOf('date', 'timestamp'),
    operator: oneOf('before', 'after', 'equals', 'not_equals'),
    value: oneOf('2026-01-31', '2026-02-10', '2026-03-31'),
  }),
  fc.record({
    field: oneOf('starts_on', 'created_date'),
    fieldType: oneOf('date', 'timestamp'),
    operator: fc.constant('between'),
    value: oneOf(['2026-01-01', '2026-02-10'], ['2025-12-31', '2026-03-31']),
  }),
  fc.record({
    field: oneOf('starts_on', 'createdDate'),
    fieldType: oneOf('date', 'timestamp'),
    operator: fc.constant('in_period'),
    value: oneOf(
      'this_month',
      'last_month',
      'this_quarter',
      'last_quarter',
      'this_year',
      'last_year',
      '2026-Q1',
      '2026-01',
      '2026',
    ),
  }),
  fc.record({
    field: fc.constant('starts_on'),
    fieldType: oneOf('date', 'timestamp'),
    operator: fc.constant('in_last_n_days'),
    value: oneOf(1, 30, 90),
  }),
  fc.record({
    field: oneOf('region', 'starts_on', 'amount', 'product', 'stage', 'nothing'),
    fieldType: oneOf('text', 'select', 'date', 'number'),
    operator: oneOf('is_set', 'is_not_set'),
  }),
  fc.record({
    field: fc.constant('strategic'),
    fieldType: fc.constant('checkbox'),
    operator: oneOf('is_true', 'is_false'),
  }),
  fc.record({
    field: fc.constant('strategic'),
    fieldType: fc.constant('checkbox'),
    operator: oneOf('equals', 'not_equals'),
    value: fc.boolean(),
  }),
);

/** The close date has no mapped slug, because the design does not define what a periodic rule would read under it. */
const closeDateLeaf: fc.Arbitrary<PostedLeaf> = fc
  .record({
    field: oneOf('closeDate', 'close_date'),
    fieldType: fc.constant('date'),
    operator: oneOf('before', 'after', 'in_period'),
    value: oneOf('2026-02-15', '2026-03-05'),
  })
  .map((each) => (each.operator === 'in_period' ? { ...each, value: '2026-Q1' } : each));

type PostedCondition = PostedLeaf | { operator: 'and' | 'or'; rules: PostedLeaf[] };

function conditionsWith(leaves: fc.Arbitrary<PostedLeaf>): fc.Arbitrary<PostedCondition[] | undefined> {
  const group: fc.Arbitrary<PostedCondition> = fc.record({
    operator: oneOf('and' as const, 'or' as const),
    rules: fc.array(leaves, { minLength: 1, maxLength: 3 }),
  });
  return maybe(
    fc.array(
      fc.oneof({ arbitrary: leaves as fc.Arbitrary<PostedCondition>, weight: 2 }, { arbitrary: group, weight: 2 }),
      {
        maxLength: 2,
      },
    ),
    5,
  );
}

// Tiers

const RATES = [0, 0.01, 0.05, 0.08, 0.1, 0.12, 0.125, 0.15, 0.0775, 0.333, 1];
const FLATS = [0, 50, 100, 250.5, 500, 1000];

const THRESHOLDS = {
  attainment: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2],
  value: [0, 3, 500, 1000, 2500, 5000],
  rank: [1, 2, 3, 4],
};

type Pay = { rate: number } | { flatAmount: number };

const rate: fc.Arbitrary<Pay> = fc.record({ rate: fc.constantFrom(...RATES) });
const flat: fc.Arbitrary<Pay> = fc.record({ flatAmount: fc.constantFrom(...FLATS) });

interface GlobalTier {
  minThreshold: number;
  name: string | undefined;
  pay: Pay;
}

function globalTiers(thresholds: number[], pay: fc.Arbitrary<Pay>): fc.Arbitrary<GlobalTier[]> {
  const several = fc
    .tuple(fc.subarray(thresholds, { minLength: 1, maxLength: 4 }), oneOf(true, true, false))
    .map(([chosen, withFirst]) =>
      withFirst && chosen[0] !== thresholds[0] ? [thresholds[0] as number, ...chosen.slice(0, 3)] : chosen,
    );
  return fc.oneof({ arbitrary: several, weight: 4 }, { arbitrary: fc.constant([0]), weight: 1 }).chain((chosen) =>
    fc.tuple(
      ...chosen.map((minThreshold, index) =>
        fc.record({
          minThreshold: fc.constant(minThreshold),
          name: often(fc.constant<string | undefined>(`T${index}`), fc.constant(undefined), 6),
          pay,
        }),
      ),
    ),
  );
}

function withRepTiers(
  tiers: GlobalTier[],
  thresholds: number[],
  pay: fc.Arbitrary<Pay>,
  repIds: string[],
): fc.Arbitrary<object[]> {
  const globals = tiers.map((tier, tierIndex) =>
    body({ tierIndex, minThreshold: tier.minThreshold, name: tier.name, ...tier.pay }),
  );
  const own = fc.record({
    tierIndex: fc.nat({ max: tiers.length - 1 }),
    minThreshold: fc.constantFrom(...thresholds),
    name: maybe(fc.constant('own')),
    repId: fc.constantFrom(...repIds),
    pay,
  });
  return maybe(own, 7).map((tier) => {
    if (tier === undefined) return globals;
    const { pay: paid, ...rest } = tier;
    // An own threshold that violates the ascending order would be rejected with the plan.
    const low = tiers[rest.tierIndex - 1]?.minThreshold;
    const high = tiers[rest.tierIndex + 1]?.minThreshold;
    const fits = (low === undefined || low < rest.minThreshold) && (high === undefined || rest.minThreshold < high);
    const minThreshold = fits ? rest.minThreshold : (tiers[rest.tierIndex]?.minThreshold ?? 0);
    return [...globals, body({ ...rest, minThreshold, ...paid })];
  });
}

// Rules

/**
 * The constant parts of all versions of a plan. The design does not define a name that changes its period or key
 * during a year.
 */
interface PlanShape {
  shape: 'canonical' | 'second';
  quotaPeriod: PeriodKind;
  kinds: Record<string, PeriodKind>;
  groups: Record<string, string | undefined>;
  calendars: Record<string, 'fiscal' | undefined>;
  phases: Record<string, 'per_deal' | 'cascade' | 'periodic'>;
}

type PayStyle =
  | {
      tierBy: 'attainment';
      tierMode: 'full_rate' | 'marginal' | 'retroactive';
      payoutMode: string;
      thresholds: number[];
      pay: fc.Arbitrary<Pay>;
    }
  | {
      tierBy: 'value' | 'rank';
      tierMode: 'full_rate';
      payoutMode: string;
      thresholds: number[];
      pay: fc.Arbitrary<Pay>;
    };

const payStyle: fc.Arbitrary<PayStyle> = fc.oneof(
  {
    arbitrary: fc.record({
      tierBy: fc.constant('attainment' as const),
      tierMode: oneOf('full_rate' as const, 'marginal' as const, 'marginal' as const, 'retroactive' as const),
      payoutMode: fc.constant('rate'),
      thresholds: fc.constant(THRESHOLDS.attainment),
      pay: oneOf(rate, rate, rate, fc.oneof(rate, flat)),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      tierBy: fc.constant('attainment' as const),
      tierMode: fc.constant('full_rate' as const),
      payoutMode: oneOf('flat_per_tier', 'stepped_bonus', 'flat_per_event'),
      thresholds: fc.constant(THRESHOLDS.attainment),
      pay: fc.constant(flat),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      tierBy: fc.constant('attainment' as const),
      tierMode: oneOf('full_rate' as const, 'retroactive' as const),
      payoutMode: fc.constant('rate_times_attainment'),
      thresholds: fc.constant(THRESHOLDS.attainment),
      pay: fc.constant(rate),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      tierBy: fc.constant('value' as const),
      tierMode: fc.constant('full_rate' as const),
      payoutMode: oneOf('rate', 'flat_per_event'),
      thresholds: fc.constant(THRESHOLDS.value),
      pay: fc.constant(flat),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      tierBy: fc.constant('value' as const),
      tierMode: fc.constant('full_rate' as const),
      payoutMode: fc.constant('rate'),
      thresholds: fc.constant(THRESHOLDS.value),
      pay: fc.constant(rate),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      tierBy: fc.constant('rank' as const),
      tierMode: fc.constant('full_rate' as const),
      payoutMode: fc.constant('rate'),
      thresholds: fc.constant(THRESHOLDS.rank),
      pay: oneOf(rate, flat),
    }),
    weight: 2,
  },
);

function canonicalRule(
  name: string,
  shape: PlanShape,
  upstream: string[],
  repIds: string[],
  settings: Settings,
): fc.Arbitrary<object> {
  const phase = shape.phases[name] ?? 'per_deal';
  const isPeriodic = phase === 'periodic';
  const leaves = isPeriodic && !settings.contested ? leaf : often(leaf, closeDateLeaf, 8);
  return payStyle
    .map((style): PayStyle => {
      // A periodic rule has no deal to take a tier value from.
      if (!isPeriodic || style.tierBy !== 'value') return style;
      return { ...style, tierBy: 'rank', thresholds: THRESHOLDS.rank };
    })
    .chain((style) =>
      globalTiers(style.thresholds, style.pay).chain((tiers) =>
        fc.record({
          tiers: withRepTiers(tiers, style.thresholds, style.pay, repIds),
          style: fc.constant(style),
          measure: fc.constantFrom(...AMOUNT_SLUGS),
          payoutBase: isPeriodic
            ? maybe(oneOf('variable_target', '1'), 1)
            : maybe(oneOf('variable_target', '1', 'acv', 'margin', 'amount'), 3),
          dependsOn: maybe(fc.constantFrom('_total', ...upstream), 1),
          cap: maybe(
            settings.creditNotes ? oneOf(10, 50, 100, 500) : oneOf(100, 500, 1000, 0),
            settings.creditNotes ? 0 : 4,
          ),
          floor: maybe(oneOf(10, 100), 6),
          capMultiplier: maybe(oneOf(0.1, 0.5, 1), 5),
          floorAttainment: maybe(oneOf(0, 0.25, 0.5, 1), 5),
          credit: often(
            fc.constant<{ quotaMeasure?: string; quotaCredit?: object[] }>({}),
            fc.oneof(
              fc.record({ quotaMeasure: oneOf('acv', 'seats', 'margin') }),
              fc.record({
                quotaCredit: fc.array(
                  fc
                    .record({ field: oneOf('amount', 'acv', 'margin'), weight: maybe(oneOf(0.5, 2, 0.333), 1) })
                    .map(body),
                  { minLength: 1, maxLength: 2 },
                ),
              }),
            ),
            2,
          ),
          conditions: conditionsWith(leaves),
          counted: maybe(oneOf('_earned', undefined), 2),
          measuresTeam: fc.boolean(),
        }),
      ),
    )
    .map(({ style, credit, dependsOn, tiers, measure, counted, measuresTeam, ...rule }) =>
      body({
        name,
        measure: phase === 'cascade' && measuresTeam ? counted : measure,
        ...rule,
        ...(isPeriodic && !settings.contested ? {} : credit),
        tiers,
        executionPhase: phase === 'per_deal' ? undefined : phase,
        attainmentPeriod: shape.kinds[shape.groups[name] ?? name] ?? 'quarterly',
        quotaGroup: shape.groups[name],
        ...namedStyle(style),
        dependsOn: phase === 'cascade' ? dependsOn : undefined,
      }),
    );
}

/** Omits what is the default. */
function namedStyle({ tierBy, tierMode, payoutMode }: Pick<PayStyle, 'tierBy' | 'tierMode' | 'payoutMode'>) {
  return {
    tierBy: tierBy === 'attainment' ? undefined : tierBy,
    tierValueField: tierBy === 'value' ? 'seats' : undefined,
    tierMode: tierMode === 'full_rate' ? undefined : tierMode,
    payoutMode: payoutMode === 'rate' ? undefined : payoutMode,
  };
}

/** The proration of each attainment key: the rules of a group have one. */
type Prorations = Record<string, 'calendar_days' | 'whole_months' | undefined>;

const proration = oneOf<Prorations[string]>(undefined, 'calendar_days', 'calendar_days', 'whole_months');

function prorationsOf(settings: Settings): fc.Arbitrary<Prorations> {
  if (!settings.people) return fc.constant({});
  return fc.array(proration, { minLength: 5, maxLength: 5 }).map(([first, ...others]) => ({
    ...Object.fromEntries(RULE_NAMES.map((name, index) => [name, others[index]])),
    ...Object.fromEntries(RULE_NAMES.map((_, index) => [`Rule ${index + 1}`, others[index]])),
    G: first,
  }));
}

interface RuleDates {
  effectiveStart: string | undefined;
  effectiveEnd: string | undefined;
}

function ruleDates(settings: Settings): fc.Arbitrary<RuleDates> {
  const always: RuleDates = { effectiveStart: undefined, effectiveEnd: undefined };
  if (!settings.people) return fc.constant(always);
  return often(
    fc.constant(always),
    fc.record({
      effectiveStart: oneOf(undefined, '2026-01-15', '2026-02-10'),
      effectiveEnd: oneOf(undefined, '2026-02-10', '2026-03-05', '2026-05-20'),
    }),
  );
}

function secondShapeRule(name: string): fc.Arbitrary<object> {
  return payStyle
    .chain((style) =>
      fc.record({
        style: fc.constant(style),
        name: fc.constant(name.startsWith('Rule ') ? undefined : name),
        baseField: fc.constantFrom(...AMOUNT_SLUGS),
        slug: oneOf('seats', 'acv'),
        fixedUnder: oneOf('amount', 'flatAmount'),
        conditions: conditionsWith(leaf),
        tiers: globalTiers(style.thresholds, style.pay),
      }),
    )
    .map(({ style, slug, fixedUnder, tiers, ...rule }) =>
      body({
        ...rule,
        payoutMode: style.payoutMode,
        tierBy: style.tierBy === 'value' ? slug : style.tierBy,
        tierMode: style.tierMode === 'full_rate' ? undefined : style.tierMode,
        tiers: tiers.map((tier) =>
          body({
            name: tier.name,
            min: tier.minThreshold,
            ...('rate' in tier.pay ? tier.pay : { [fixedUnder]: tier.pay.flatAmount }),
          }),
        ),
      }),
    );
}

// Plans

function ruleNames(shape: PlanShape, settings: Settings): string[] {
  const names = RULE_NAMES.slice(0, settings.rules);
  return shape.shape === 'canonical'
    ? names
    : names.map((name, index) => (index % 2 === 0 ? `Rule ${index + 1}` : name));
}

function quotaKeys(shape: PlanShape, settings: Settings): string[] {
  const names = ruleNames(shape, settings);
  if (shape.shape === 'second') return names;
  return [...new Set(names.map((name) => shape.groups[name] ?? name))];
}

function periodKindOf(shape: PlanShape, key: string): PeriodKind {
  return shape.shape === 'second' ? shape.quotaPeriod : (shape.kinds[key] ?? 'quarterly');
}

const kind = oneOf<PeriodKind>('quarterly', 'quarterly', 'monthly', 'annual', 'semi_annual');

interface RuleCredits {
  creditKinds: WorldCredit['kind'][] | undefined;
  creditRoles: string[] | undefined;
}

const ruleCredits: fc.Arbitrary<RuleCredits> = fc.record({
  creditKinds: maybe(oneOf<WorldCredit['kind'][]>(['split'], ['overlay'], ['overlay'], ['split', 'overlay']), 1),
  creditRoles: maybe(oneOf(['SE'], ['AE', 'SE']), 4),
});

/** The rules with the lines that they count; cascade rules follow others. */
function withCreditTerms(config: fc.Arbitrary<object>, settings: Settings): fc.Arbitrary<object> {
  if (!settings.credits) return config;
  const terms = fc.array(ruleCredits, { minLength: settings.rules, maxLength: settings.rules });
  return fc.tuple(config, terms).map(([posted, ofRules]) => ({
    ...posted,
    rules: (posted as { rules: { executionPhase?: string }[] }).rules.map((rule, index) =>
      rule.executionPhase === 'cascade' ? rule : body({ ...rule, ...ofRules[index] }),
    ),
  }));
}

/** A rank in a quota that counts what is earned below would decide what is earned below: such plans are rejected. */
function hasSettledRanks(config: object): boolean {
  const { rules } = config as { readonly rules: readonly PostedRule[] };
  const countsEarnings = rules.some(
    ({ executionPhase, quotaGroup, measure = '_earned', quotaMeasure, quotaCredit, lines }) =>
      executionPhase === 'cascade' &&
      quotaGroup !== undefined &&
      (lines !== undefined || (measure === '_earned' && quotaMeasure === undefined && quotaCredit === undefined)),
  );
  return !countsEarnings || !rules.some(({ tierBy, quotaGroup }) => tierBy === 'rank' && quotaGroup !== undefined);
}

interface PostedRule {
  readonly executionPhase?: string;
  readonly quotaGroup?: string;
  readonly measure?: string;
  readonly quotaMeasure?: string;
  readonly quotaCredit?: object;
  readonly lines?: object;
  readonly tierBy?: string;
}

const fiscal = maybe(fc.constant('fiscal' as const), 3);

function arbitraryShape(settings: Settings): fc.Arbitrary<PlanShape> {
  const phase = oneOf<'per_deal' | 'cascade' | 'periodic'>(
    'per_deal',
    'per_deal',
    'cascade',
    'cascade',
    'cascade',
    'periodic',
  );
  return fc.record({
    shape: often<'canonical' | 'second'>(fc.constant('canonical'), fc.constant('second'), 3),
    quotaPeriod: fc.oneof(kind, fc.constant<PeriodKind>('semi_annual')),
    kinds: fc.record({ A: kind, B: kind, C: kind, D: kind, G: kind }),
    calendars: settings.fiscal
      ? fc.record({ A: fiscal, B: fiscal, C: fiscal, D: fiscal, G: fiscal, 'Rule 1': fiscal, 'Rule 3': fiscal })
      : fc.constant({}),
    groups: fc.record({
      A: maybe(fc.constant('G')),
      B: maybe(fc.constant('G')),
      C: maybe(fc.constant('G')),
      D: maybe(fc.constant('G')),
    }),
    phases: fc.record({ A: fc.constant('per_deal' as const), B: phase, C: phase, D: phase }),
  });
}

function arbitraryConfig(shape: PlanShape, repIds: string[], settings: Settings): fc.Arbitrary<object> {
  const names = ruleNames(shape, settings);
  const rules: fc.Arbitrary<object[]> =
    shape.shape === 'second'
      ? fc
          .integer({ min: 1, max: names.length })
          .chain((count) => fc.tuple(...names.slice(0, count).map((name) => secondShapeRule(name))))
      : fc.shuffledSubarray(names, { minLength: 1 }).chain((chosen) =>
          fc.tuple(
            ...chosen.map((name) =>
              canonicalRule(
                name,
                shape,
                // Upstream names are earlier in the alphabet, so there is no cycle.
                chosen.filter((other) => other < name && shape.phases[other] !== 'periodic'),
                repIds,
                settings,
              ),
            ),
          ),
        );
  return fc
    .record({
      dealConditions: maybe(
        conditionsWith(leaf).map((each) => each ?? []),
        6,
      ),
      rules,
    })
    .map((config) => body({ quotaPeriod: shape.shape === 'second' ? shape.quotaPeriod : undefined, ...config }));
}

/** The rules with their proration, calendar and dates. */
function withQuotaTerms(config: fc.Arbitrary<object>, shape: PlanShape, settings: Settings): fc.Arbitrary<object> {
  if (!settings.people && !settings.fiscal) return config;
  const dates = fc.array(ruleDates(settings), { minLength: settings.rules, maxLength: settings.rules });
  return fc.tuple(config, prorationsOf(settings), dates).map(([posted, prorations, ofRules]) => ({
    ...posted,
    rules: (posted as { rules: { name?: string; quotaGroup?: string }[] }).rules.map((rule, index) => {
      const name = rule.name ?? `Rule ${index + 1}`;
      const key = shape.shape === 'canonical' ? (rule.quotaGroup ?? name) : name;
      return body({
        ...rule,
        quotaProration: prorations[key],
        calendar: shape.calendars[key],
        ...ofRules[index],
      });
    }),
  }));
}

function formulasIn(config: fc.Arbitrary<object>, settings: Settings): fc.Arbitrary<object> {
  const withAll = settings.formulas ? withFormulas(config, settings.rules) : config;
  return settings.lines ? withLineRules(withAll, settings.rules) : withAll;
}

interface RawOverride {
  repId: string;
  rule: number;
  tier: number;
  pay: Pay;
  from: string | undefined;
  to: string | undefined;
}

interface RuleInConfig {
  name?: string;
  payoutMode?: string;
  tiers: { tierIndex?: number; repId?: string }[];
}

/** A last day before the first one is left out. */
function daysOf({ from, to }: RawOverride): { from?: string; to?: string } {
  const isEnded = to !== undefined && (from === undefined || from <= to);
  return { ...(from === undefined ? {} : { from }), ...(isEnded ? { to } : {}) };
}

/** An override refers to an existing rule and tier, and to a rep without an own tier there. */
function overridesOn(config: object, raw: RawOverride[]): WorldPlanVersion['overrides'] {
  const { rules } = config as { rules: RuleInConfig[] };
  const found: WorldPlanVersion['overrides'] = [];
  for (const each of raw) {
    const position = each.rule % rules.length;
    const rule = rules[position];
    if (rule === undefined) continue;
    const ruleName = rule.name ?? `Rule ${position + 1}`;
    const globals = rule.tiers.filter((tier) => tier.repId === undefined);
    const tierIndex = each.tier % globals.length;
    const hasOwn = rule.tiers.some((tier) => tier.repId === each.repId);
    const isByRate = rule.payoutMode === undefined || rule.payoutMode.startsWith('rate');
    const isByAmount = rule.payoutMode !== 'rate_times_attainment';
    if (hasOwn || ('rate' in each.pay ? !isByRate : !isByAmount)) continue;
    if (found.some((other) => other.repId === each.repId && other.ruleName === ruleName)) continue;
    found.push({ repId: each.repId, ruleName, tiers: [{ tierIndex, ...each.pay, ...daysOf(each) }] });
  }
  return found;
}

const MAPPINGS: (Record<string, string> | null)[] = [
  null,
  null,
  null,
  { amount: 'acv' },
  { tcv: 'x_amt' },
  { stage: 'x_stage', tcv: 'margin' },
];
const CONTESTED_MAPPINGS: (Record<string, string> | null)[] = [
  { dealAmount: 'margin' },
  { closeDate: 'starts_on' },
  { currency: 'region' },
];

interface RawPlan {
  shape: PlanShape;
  currency: string | null;
  drafts: VersionDraft[];
  /** The final statuses; undefined means the initial ones. */
  statusAfter: PlanStatus | undefined;
  versionStatusesAfter: (PlanStatus | undefined)[];
}

function arbitraryDraft(shape: PlanShape, repIds: string[], settings: Settings): fc.Arbitrary<VersionDraft> {
  const mappings = settings.contested ? [...MAPPINGS, ...CONTESTED_MAPPINGS] : MAPPINGS;
  const override = fc.record({
    repId: fc.constantFrom(...repIds),
    rule: fc.nat({ max: 3 }),
    tier: fc.nat({ max: 3 }),
    pay: fc.oneof(rate, flat),
    from: oneOf(undefined, undefined, undefined, '2026-01-15', '2026-02-10', '2026-04-01'),
    to: oneOf(undefined, undefined, undefined, '2026-02-15', '2026-05-31'),
  });
  return fc
    .record({
      status: often<PlanStatus>(fc.constant('active'), oneOf('draft', 'archived', 'deleted'), 8),
      effectiveStart: oneOf(null, null, null, '2026-01-01', '2026-02-01', '2026-02-10', '2026-04-01'),
      effectiveEnd: oneOf(null, null, null, null, null, '2026-02-28', '2026-03-31', '2026-06-30', '2026-12-31'),
      fieldMapping: fc.constantFrom(...mappings),
      config: withPolicies(
        formulasIn(
          withCreditTerms(withQuotaTerms(arbitraryConfig(shape, repIds, settings), shape, settings), settings),
          settings,
        ).filter(hasSettledRanks),
        settings,
      ),
      overrides: fc.array(override, { maxLength: 2 }),
      fx: settings.fx ? planFx : fc.constant(undefined),
      source: maybe(fc.nat({ max: 3 }), 1),
      names: oneOf<VersionDraft['names']>(
        'config',
        'config and dates',
        'config and start',
        'config and start',
        'start',
        'end',
        'dates',
      ),
      namesStatus: oneOf(true, false, false),
    })
    .map(({ fx, ...draft }) => ({
      ...draft,
      ...(fx === undefined ? {} : { fx }),
      overrides: overridesOn(draft.config, draft.overrides),
    }));
}

function arbitraryPlan(repIds: string[], settings: Settings): fc.Arbitrary<RawPlan> {
  const change = maybe(oneOf<PlanStatus>('active', 'archived', 'draft', 'deleted'), 5);
  return fc
    .record({
      shape: arbitraryShape(settings),
      currency: settings.fx
        ? oneOf<string | null>(null, ...CURRENCIES)
        : often<string | null>(fc.constant(null), oneOf('USD', 'EUR', 'JPY', 'BHD'), 4),
    })
    .chain(({ shape, currency }) =>
      fc.record({
        shape: fc.constant(shape),
        currency: fc.constant(currency),
        drafts: fc.array(arbitraryDraft(shape, repIds, settings), { minLength: 1, maxLength: settings.versions }),
        statusAfter: change,
        versionStatusesAfter: fc.array(change, { minLength: settings.versions, maxLength: settings.versions }),
      }),
    );
}

// Reps, assignments, quotas

/** Managers are earlier in the list of reps, so there is no cycle on any day. */
function arbitraryLines(index: number, repIds: string[]): fc.Arbitrary<ReportingLine[]> {
  const above = repIds.slice(0, index);
  if (above.length === 0) return fc.constant([]);
  const manager = fc.constantFrom(...above);
  return fc.oneof(
    { arbitrary: fc.constant<ReportingLine[]>([]), weight: 1 },
    { arbitrary: manager.map((managerId): ReportingLine[] => [{ managerId, from: null, to: null }]), weight: 3 },
    {
      arbitrary: fc
        .tuple(manager, manager, oneOf('2026-02-01', '2026-02-10', '2026-03-05'), fc.boolean())
        .map(([first, second, day, gap]): ReportingLine[] => [
          { managerId: first, from: null, to: plusDays(day, gap ? -3 : -1) },
          { managerId: second, from: day, to: null },
        ]),
      weight: 2,
    },
  );
}

interface RawAssignment {
  used: boolean;
  start: string | null;
  end: string | null;
  again: boolean;
  ramp: WorldRamp | undefined;
}

const rampStep = fc
  .record({
    months: oneOf(1, 1, 2, 3),
    quotaPercent: oneOf(0, 25, 50, 75, 100, 120, 33.333333),
    variablePercent: maybe(oneOf(0, 50, 100)),
    ratePercent: maybe(oneOf(50, 100, 150, 112.5)),
  })
  .map(body);

export const ramp: fc.Arbitrary<WorldRamp> = fc.record({
  from: oneOf<string | null>(null, null, '2025-12-31', '2026-01-15', '2026-01-31', '2026-03-05'),
  steps: fc.array(rampStep, { minLength: 1, maxLength: 4 }),
});

const assignment: fc.Arbitrary<RawAssignment> = fc.record({
  ramp: maybe(ramp),
  used: often(fc.constant(true), fc.constant(false), 10),
  start: oneOf(null, null, null, null, '2025-12-01', '2026-01-01', '2026-01-15', '2026-02-10'),
  end: oneOf(null, null, null, null, null, null, '2026-02-28', '2026-03-31', '2026-06-30'),
  again: fc.boolean(),
});

function toAssignments(repId: string, planId: string, raw: RawAssignment, isBounded: boolean): WorldAssignment[] {
  if (!raw.used) return [];
  // Periodic rules fire for every ended period since the assignment's start, so theirs must have one.
  const effectiveStart = isBounded ? (raw.start ?? '2026-01-01') : raw.start;
  const first = body({ repId, planId, effectiveStart, effectiveEnd: raw.end, ramp: raw.ramp });
  if (raw.end === null || !raw.again) return [first];
  return [first, body({ ...first, effectiveStart: plusDays(raw.end, 10), effectiveEnd: null })];
}

interface RawQuota {
  /** Null: for every rep. */
  rep: number | null;
  plan: number;
  key: number;
  day: string;
  target: number | string;
  variableTarget: number | string | null;
  prorate: false | undefined;
}

const quota: fc.Arbitrary<RawQuota> = fc.record({
  rep: often<number | null>(fc.constant(null), fc.nat({ max: 5 }), 2),
  plan: fc.nat({ max: 3 }),
  key: fc.nat({ max: 3 }),
  day: oneOf('2026-01-01', '2026-01-01', '2026-02-01', '2026-02-01', '2026-03-01', '2026-04-01'),
  target: oneOf<number | string>(5000, 10000, 1000, '4000', '3333.33', 2000, 50, 0),
  variableTarget: oneOf<number | string | null>(null, 1000, 2000, '750.5', 0),
  prorate: maybe(fc.constant(false as const), 8),
});

function toQuotas(
  raw: RawQuota[],
  repIds: string[],
  plans: RawPlan[],
  world: Pick<World, 'fiscalYears'>,
  settings: Settings,
): WorldQuota[] {
  const found: WorldQuota[] = [];
  for (const each of raw) {
    const identity = identityOf(each, plans, world, settings);
    if (identity === null) continue;
    const { planId, key, period } = identity;
    const ofReps = repIds.filter((_, index) => each.rep === null || each.rep % repIds.length === index);
    for (const repId of ofReps) {
      const isTaken = found.some(
        (other) => other.repId === repId && other.planId === planId && other.key === key && other.period === period,
      );
      if (isTaken) continue;
      const { target, variableTarget, prorate } = each;
      found.push({ repId, planId, key, period, target, variableTarget, ...(prorate === false ? { prorate } : {}) });
    }
  }
  return found;
}

/** The plan, the key and the period of a quota. Null: its day lies in no fiscal year. */
function identityOf(
  each: RawQuota,
  plans: RawPlan[],
  world: Pick<World, 'fiscalYears'>,
  settings: Settings,
): { planId: string; key: string; period: string } | null {
  const planIndex = each.plan % plans.length;
  const { shape } = plans[planIndex] as RawPlan;
  const keys = quotaKeys(shape, settings);
  const key = keys[each.key % keys.length] ?? 'A';
  const period = periodIn(world, shape.calendars[key] ?? 'calendar', periodKindOf(shape, key), each.day);
  return period === null ? null : { planId: PLAN_IDS[planIndex] as string, key, period };
}

// Employment, absences and fiscal years

interface RawPerson {
  hireDate: string | null;
  endDate: string | null;
  absences: Omit<WorldAbsence, 'repId'>[];
}

export const relief = maybe(oneOf(0, 50, 100, 12.5));

/** Absences of one person do not overlap. */
const person: fc.Arbitrary<RawPerson> = fc.record({
  hireDate: oneOf(null, null, '2025-12-15', '2026-01-20', '2026-02-10'),
  endDate: oneOf(null, null, null, '2026-03-15', '2026-05-20'),
  absences: fc
    .tuple(
      maybe(fc.record({ from: oneOf('2026-01-01', '2026-01-10'), to: oneOf('2026-01-10', '2026-02-05') })),
      maybe(fc.record({ from: oneOf('2026-02-06', '2026-02-10'), to: oneOf('2026-03-11', '2026-06-30') })),
    )
    .chain((days) =>
      fc.tuple(
        ...days
          .filter((each) => each !== undefined)
          .map((each) =>
            fc
              .record({ quotaRelief: relief, variableRelief: relief })
              .map((reliefs) => ({ ...each, ...body(reliefs) })),
          ),
      ),
    ),
});

export const fiscalYears: fc.Arbitrary<WorldFiscalYear[]> = oneOf<WorldFiscalYear[]>(
  [],
  [
    { year: 2025, start: '2025-02-01', pattern: 'months', weeks: 52 },
    { year: 2026, start: '2026-02-01', pattern: 'months', weeks: 52 },
  ],
  [{ year: 2026, start: '2026-01-04', pattern: '4-4-5', weeks: 52 }],
  [
    { year: 2025, start: '2025-01-30', pattern: '4-5-4', weeks: 53 },
    { year: 2026, start: '2026-02-05', pattern: '5-4-4', weeks: 52 },
  ],
  [{ year: 2026, start: '2025-08-31', pattern: 'months', weeks: 52 }],
);

// Approved periods

interface RawFrozen {
  /** Null: of every rep. */
  rep: number | null;
  period: string;
}

const frozenPeriod: fc.Arbitrary<RawFrozen> = fc.record({
  rep: oneOf<number | null>(null, 0, 1, 2, 3),
  period: often(
    oneOf('2026-01', '2026-01', '2026-02', '2026-02', '2026-Q1', '2026-Q1', '2026-03', '2025-12', '2026'),
    oneOf('FY2026-P01', 'FY2026-P02', 'FY2026-Q1', 'FY2026-Q2', 'FY2025-P12'),
  ),
});

const workspace: fc.Arbitrary<World['workspace']> = fc.record({
  currency: oneOf('USD', 'USD', 'EUR', 'JPY', 'BHD'),
  timeZone: oneOf('UTC', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'),
  standard: oneOf<World['workspace']['standard']>(
    {},
    { dealAmount: 'x_amt' },
    { dealAmount: 'x_amt', dealStage: 'x_stage' },
    { dealAmount: 'acv', createdDate: 'starts_on' },
  ),
  measures: oneOf<Record<string, string>>({}, { tcv: 'acv' }, { mrr: 'margin', tcv: 'x_amt' }),
});

/** A world with every input that the API accepts. */
export function arbitraryWorld(size: WorldSize = {}): fc.Arbitrary<World> {
  const settings: Settings = {
    reps: 4,
    plans: 2,
    versions: 3,
    rules: 4,
    deals: 9,
    quotas: 32,
    frozen: true,
    unbounded: true,
    people: true,
    fiscal: size.people ?? true,
    credits: false,
    refunds: false,
    creditNotes: false,
    fx: false,
    formulas: false,
    lines: false,
    contested: false,
    ...size,
  };
  const world = fc
    .record({
      reps: fc.integer({ min: Math.min(2, settings.reps), max: settings.reps }),
      deals: fc.integer({ min: Math.min(4, settings.deals), max: settings.deals }),
    })
    .chain((counts) => {
      const repIds = REP_IDS.slice(0, counts.reps);
      const dealIds = Array.from({ length: counts.deals }, (_, index) => `d${index + 1}`);
      const planIds = PLAN_IDS.slice(0, settings.plans);
      return fc
        .record({
          workspace,
          asOf: oneOf('2026-02-15', '2026-04-01', '2026-04-01', '2026-07-02'),
          lines: fc.tuple(...repIds.map((_, index) => arbitraryLines(index, repIds))),
          plans: fc.tuple(...planIds.map(() => arbitraryPlan(repIds, settings))),
          assignments: fc.tuple(...repIds.map(() => fc.tuple(...planIds.map(() => assignment)))),
          quotas: fc.array(settings.people ? quota : quota.map((each) => ({ ...each, prorate: undefined })), {
            minLength: Math.floor(settings.quotas / 2),
            maxLength: settings.quotas,
          }),
          deals: (settings.fx
            ? withCurrencies(arbitraryDeals(dealIds, repIds, settings))
            : arbitraryDeals(dealIds, repIds, settings)
          ).chain((last) =>
            fc.tuple(fc.constant(last), dealsBefore(last, repIds, settings)).chain(([after, second]) =>
              fc.record({
                last: fc.constant(settings.unbounded ? after : after.map(withinBounds)),
                second: fc.constant(second),
                first: dealsBefore(second, repIds, settings),
              }),
            ),
          ),
          people: fc.tuple(...repIds.map(() => person)),
          fiscalYears,
          rates: settings.fx ? rates : fc.constant(null),
          fxMaxAgeDays: oneOf(undefined, undefined, null, 0, 30),
          tables: settings.lines ? tables : fc.constant(undefined),
          currencyFields: oneOf<string[]>([], ['margin'], ['mrr', 'seats'], ['MARGIN', 'SEATS']),
          creditRules: settings.credits ? creditRules() : fc.constant<WorldCreditRule[]>([]),
          minQuotaPercent: maybe(oneOf(1, 40, 100)),
          frozen: often(fc.array(frozenPeriod, { minLength: 1, maxLength: 4 }), fc.constant<RawFrozen[]>([])),
          trueUpsBefore: oneOf<number[]>([], [0, 1, 2, 3, 4, 5], [4, 3, 2, 1, 0], [2, 5]),
          trueUpsAfter: oneOf<number[]>([], [], [0, 1, 2, 3], [3, 1]),
          unlocked: often(fc.constant<number[]>([]), fc.array(fc.nat({ max: 11 }), { maxLength: 1 }), 4),
        })
        .map((raw) => toWorld(raw, repIds, settings));
    });
  // With a bias towards small numbers, half of the worlds would have no row.
  return fc.noBias(world);
}

interface RawWorld {
  workspace: World['workspace'];
  asOf: string;
  lines: ReportingLine[][];
  plans: RawPlan[];
  assignments: RawAssignment[][];
  quotas: RawQuota[];
  deals: { last: WorldDeal[]; second: WorldDeal[]; first: WorldDeal[] };
  people: RawPerson[];
  fiscalYears: WorldFiscalYear[];
  rates: { after: WorldRate[]; before: WorldRate[] } | null;
  fxMaxAgeDays: number | null | undefined;
  tables: World['tables'] | undefined;
  currencyFields: string[];
  creditRules: WorldCreditRule[];
  minQuotaPercent: number | undefined;
  frozen: RawFrozen[];
  trueUpsBefore: number[];
  trueUpsAfter: number[];
  unlocked: number[];
}

/** The API returns JSON numbers, which are not exact to the cent near the bound, and rejects amounts beyond it. */
function isRejected(slug: string, value: unknown): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  const size = Math.abs(Number(value));
  return size > 1e11 && (size <= 1e15 || ['amount', 'value', 'x_amt'].includes(slug));
}

function withinBounds(deal: WorldDeal): WorldDeal {
  const entries = Object.entries(deal.fields).filter(([slug, value]) => !isRejected(slug, value));
  return { ...deal, fields: Object.fromEntries(entries) };
}

function toWorld(raw: RawWorld, repIds: string[], settings: Settings): World {
  const plansBefore = raw.plans.map(({ currency, drafts }, index): WorldPlan => {
    const planId = PLAN_IDS[index] ?? '';
    const idOf = (version: number): string => `cccccccc-000${planId.at(-1)}-4000-8000-00000000000${version}`;
    return buildPlan(planId, currency, drafts, idOf, raw.asOf);
  });
  const plans = raw.plans.map(({ statusAfter, versionStatusesAfter }, index): WorldPlan => {
    const { planId, status, versions } = plansBefore[index] as WorldPlan;
    return {
      planId,
      status: statusAfter ?? status,
      versions: versions.map((version, at) => {
        const changed = { ...version };
        setVersionStatus(changed, versionStatusesAfter[at] ?? version.status);
        return changed;
      }),
    };
  });
  const hasPeriodic = raw.plans.map((plan) => Object.values(plan.shape.phases).includes('periodic'));
  const people = settings.people ? peopleIn(raw, repIds) : null;
  const world: World = {
    asOf: raw.asOf,
    workspace: raw.workspace,
    reps: repIds.map((repId, index) => ({ repId, lines: raw.lines[index] ?? [] })),
    ...(settings.fiscal ? { fiscalYears: raw.fiscalYears } : {}),
    ...people,
    plans,
    assignments: repIds.flatMap((repId, rep) =>
      plans.flatMap((plan, index) => {
        const each = raw.assignments[rep]?.[index];
        if (each === undefined) return [];
        const terms = settings.people ? each : { ...each, ramp: undefined };
        return toAssignments(repId, plan.planId, terms, hasPeriodic[index] === true);
      }),
    ),
    quotas: toQuotas(raw.quotas, repIds, raw.plans, raw, settings),
    deals: raw.deals.last,
    ...(raw.tables === undefined ? {} : { tables: raw.tables }),
    frozen: [],
    storedRows: [],
  };
  if (raw.rates !== null) {
    world.fxRates = raw.rates.after;
    world.workspace = body({
      ...world.workspace,
      currency: CURRENCIES.includes(world.workspace.currency) ? world.workspace.currency : 'GBP',
      fxMaxAgeDays: raw.fxMaxAgeDays,
      currencyFields: raw.currencyFields,
    }) as World['workspace'];
  }
  if (settings.credits) {
    world.creditRules = raw.creditRules;
    world.reps = world.reps.map((rep, index) => ({ ...rep, email: emailOf(index), memberId: memberIdOf(index) }));
  }
  if (!settings.frozen) return { ...world, plans: plansBefore };
  const { first, second } = raw.deals;
  const isDefined = ({ period }: RawFrozen): boolean => periodDays(world, period) !== null;
  const frozen = raw.frozen
    .filter(isDefined)
    .flatMap(({ rep, period }) =>
      repIds.filter((_, index) => rep === null || rep % repIds.length === index).map((repId) => ({ repId, period })),
    );
  const before = raw.rates === null ? {} : { ratesBefore: raw.rates.before };
  return afterHistory(world, { first, second, plansBefore, ...before }, { ...raw, frozen });
}

/** The reps with their employment, and the absences. */
function peopleIn(raw: RawWorld, repIds: string[]): Pick<World, 'reps' | 'absences' | 'workspace'> {
  const reps = repIds.map((repId, index) => {
    const { hireDate = null, endDate = null, absences = [] } = raw.people[index] ?? {};
    return { repId, lines: raw.lines[index] ?? [], hireDate, endDate, absences };
  });
  return {
    reps: reps.map(({ absences: _, ...rep }) => rep),
    absences: reps.flatMap(({ repId, absences }) => absences.map((absence) => ({ repId, ...absence }))),
    workspace: body({ ...raw.workspace, minQuotaPercent: raw.minQuotaPercent }) as World['workspace'],
  };
}
