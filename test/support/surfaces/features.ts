import { type OracleDraw, OracleDraws } from '../oracle/draws.js';
import {
  add,
  money,
  type OracleEvent,
  OraclePayables,
  type OraclePayout,
  type OracleRate,
} from '../oracle/payables.js';
import { type SurfaceWorld } from './world.js';

/** The period that every surface shows, and the months before it. */
export const shownPeriod = '2026-03';
const months = [
  { name: '2026-01', first: '2026-01-01', lastDay: '2026-01-31' },
  { name: '2026-02', first: '2026-02-01', lastDay: '2026-02-28' },
  { name: '2026-03', first: '2026-03-01', lastDay: '2026-03-31' },
];
const shown = 2;

/** What surfaces show about a person. Amounts are texts with the currency, such as "USD 2000.00". */
export interface Figures {
  /** What the statement pays, in the currency of the person. */
  readonly payable: string;
  readonly earned: readonly string[];
  readonly status: 'payable' | 'approved' | 'in_batch' | 'partly_paid' | 'paid';
  /** The lines of the payslip between earned and payable. */
  readonly lines: Readonly<Record<string, string>>;
  readonly waiting?: string;
  readonly held?: string;
  readonly owed?: string;
  readonly paid?: string;
  /** Words that say what moved the amount. */
  readonly words?: readonly RegExp[];
  /** The same where an amount is explained. */
  readonly steps?: readonly RegExp[];
  /** The name of the deal. */
  readonly deal?: string;
}

export interface Feature {
  /** Enters everything but approvals. */
  readonly enter: (world: SurfaceWorld, person: string) => Promise<void>;
  /** Approves, corrects and pays. */
  readonly complete?: (world: SurfaceWorld, person: string) => Promise<void>;
  readonly figures: () => Figures;
}

interface Earned {
  readonly key?: string;
  /** What is earned, in whole units, until the last day of which month. */
  readonly amount: string;
  readonly day: string;
  readonly payout?: OraclePayout;
  readonly dealAmount?: string;
  readonly paid?: { day: string; amount: string }[];
  readonly takenBack?: { day: string; amount: string };
  readonly holds?: OracleEvent['holds'];
}

function toEvent({
  key = 'D USD',
  amount,
  day,
  payout,
  dealAmount,
  paid = [],
  takenBack,
  holds = [],
}: Earned): OracleEvent {
  return {
    key,
    currency: key.slice(-3),
    rows: [{ amount, day }, ...(takenBack === undefined ? [] : [takenBack])],
    source: {
      closes: day,
      payout: payout ?? null,
      deal: {
        amount: dealAmount ?? null,
        dates: {},
        refunds: [],
        invoices: [{ amount: dealAmount ?? '0', gross: null, status: 'open', payments: paid }],
      },
    },
    holds,
  };
}

/** The oracle of one person; `approved` months are closed one after the other. */
function oracleOf(earned: readonly Earned[], approved: readonly number[] = []): OraclePayables {
  const oracle = new OraclePayables(months, 100);
  oracle.payCurrency = 'USD';
  oracle.events = earned.map(toEvent);
  for (const index of approved) oracle.approve(index, ['USD', 'EUR']);
  return oracle;
}

const inUsd = (amount: string) => `USD ${amount}`;
const payableOf = (oracle: OraclePayables, currency = 'USD') =>
  `${currency} ${money(oracle.totals(shown, currency).payable)}`;

/** Of a person whose only deal of the month is paid at once. */
function atOnce(amount: string, more: Partial<Figures> = {}, currency = 'USD'): Figures {
  const oracle = oracleOf([{ key: `D ${currency}`, amount, day: '2026-03-10' }]);
  const payable = payableOf(oracle, currency);
  return { payable, earned: [payable], status: 'payable', lines: { released: payable }, ...more };
}

const ofGuarantee = (released: number, draw: Partial<OracleDraw>): string => {
  const terms = {
    id: 'd',
    recoverable: true,
    amount: 0n,
    from: '2026-03-01',
    to: '2026-03-31',
    start: 'after_end' as const,
  };
  const full = {
    ...terms,
    kind: 'guarantee' as const,
    day: null,
    maxPercent: 100n,
    forgiveOn: null,
    forgiven: [],
    ...draw,
  };
  const draws = new OracleDraws(
    months.map(({ first, lastDay }) => ({ first, last: lastDay })),
    [full],
    100n,
  );
  for (const month of [0, 1, 2]) draws.close(month, month === shown ? BigInt(released) * 100n : 0n, 0n);
  const cents = draws.paid[shown] as bigint;
  return `USD ${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
};

const asPaid: OraclePayout = { schedule: [{ on: 'paid', percent: 100 }] };

/** The features of the money model; each person of the world has the feature that they are named after. */
export const features: Readonly<Record<string, Feature>> = {
  split: {
    enter: async (world, person) => {
      await world.deal(person, 100_000, { ownerId: 'other', name: 'Titan Shipbuilding' });
      await world.credits(person, [
        { repId: world.id(person), percent: 60 },
        { repId: world.id('other'), percent: 40 },
      ]);
    },
    // 10 % of 100,000, of which the share is 60 %.
    figures: () =>
      atOnce('6000', {
        words: [/Share of the deal: 60%/],
        steps: [/Share of the deal: 60%/],
        deal: 'Titan Shipbuilding',
      }),
  },
  overlay: {
    enter: async (world, person) => {
      await world.deal(person, 20_000, { ownerId: 'other', name: 'Harbour Media' });
      await world.credits(person, [
        { repId: world.id('other'), percent: 100 },
        { repId: world.id(person), percent: 50, kind: 'overlay' },
      ]);
    },
    figures: () =>
      atOnce('1000', { words: [/Share of the deal: 50%/], steps: [/Share of the deal: 50%/], deal: 'Harbour Media' }),
  },
  formula: {
    enter: (world, person) => world.deal(person, 20_000, { fields: { discount: 0.25 } }),
    figures: () => atOnce('1500', { words: [/amount after discount/], steps: [/amount after discount/] }),
  },
  secondCurrency: {
    enter: (world, person) => world.deal(person, 20_000, { currency: 'EUR' }),
    figures: () => atOnce('2000', {}, 'EUR'),
  },
  payCurrency: {
    enter: async (world, person) => {
      await world.payIn(person, 'GBP');
      await world.deal(person, 12_345);
    },
    figures: () => {
      const oracle = oracleOf([{ amount: '1234.5', day: '2026-03-10' }]);
      oracle.payCurrency = 'GBP';
      oracle.rates = [...worldRates];
      const pay = oracle.pay(shown, ['USD']);
      return {
        payable: `GBP ${pay === null ? '' : money(pay)}`,
        earned: [inUsd('1234.50')],
        status: 'payable',
        lines: { released: inUsd('1234.50') },
        words: [/0\.8 on (2026-03-01|1 Mar 2026)/],
      };
    },
  },
  // Half of the target: the deal that reaches 50,000 pays 20 %, and so does the next one.
  ramp: {
    enter: async (world, person) => {
      await world.ramp(person, 50);
      await world.quota(person, 100_000);
      await world.deal(person, 50_000, { dealId: 'first' });
      await world.deal(person, 10_000, { day: '2026-03-20' });
    },
    figures: () => {
      const oracle = oracleOf([
        { key: 'A USD', amount: '10000', day: '2026-03-10' },
        { key: 'B USD', amount: '2000', day: '2026-03-20' },
      ]);
      const payable = payableOf(oracle);
      return { payable, earned: [payable], status: 'payable', lines: { released: payable } };
    },
  },
  absence: {
    enter: async (world, person) => {
      // 31 days less 16: 15 of 31 of 62,000 are 30,000.
      await world.absence(person, '2026-03-01', '2026-03-16');
      await world.quota(person, 62_000);
      await world.deal(person, 30_000, { dealId: 'first', day: '2026-03-18' });
      await world.deal(person, 10_000, { day: '2026-03-20' });
    },
    figures: () => {
      const oracle = oracleOf([
        { key: 'A USD', amount: '6000', day: '2026-03-18' },
        { key: 'B USD', amount: '2000', day: '2026-03-20' },
      ]);
      const payable = payableOf(oracle);
      return { payable, earned: [payable], status: 'payable', lines: { released: payable } };
    },
  },
  // The quota of the fiscal quarter from February to April is met in February.
  fiscalYear: {
    enter: async (world, person) => {
      await world.quota(person, 10_000, 'FY2026-Q1');
      await world.deal(person, 10_000, { dealId: 'first', day: '2026-02-10' });
      await world.deal(person, 10_000);
    },
    complete: (world, person) => world.approve(person, '2026-01', '2026-02'),
    figures: () => {
      const oracle = oracleOf(
        [
          { key: 'A USD', amount: '2000', day: '2026-02-10' },
          { key: 'B USD', amount: '2000', day: '2026-03-10' },
        ],
        [0, 1],
      );
      const payable = payableOf(oracle);
      return { payable, earned: [payable], status: 'payable', lines: { released: payable } };
    },
  },
  schedule: {
    enter: async (world, person) => {
      await world.deal(person, 60_000, { day: '2026-02-10', dealId: 'earlier' });
      await world.deal(person, 60_000);
      await world.invoice(person, 60_000, [['2026-03-15', 20_000]]);
      await world.invoice(person, 60_000, [['2026-03-20', 30_000]], 'earlier');
    },
    complete: (world, person) => world.approve(person, '2026-01', '2026-02'),
    figures: () => {
      const terms = { payout: asPaid, dealAmount: '60000' };
      const oracle = oracleOf(
        [
          { ...terms, key: 'A USD', amount: '6000', day: '2026-02-10', paid: [{ day: '2026-03-20', amount: '30000' }] },
          { ...terms, key: 'B USD', amount: '6000', day: '2026-03-10', paid: [{ day: '2026-03-15', amount: '20000' }] },
        ],
        [0, 1],
      );
      const lines = oracle.lines(shown);
      const line = (key: string) => inUsd(money(lines.get(key) ?? { n: 0n, d: 1n }));
      return {
        payable: payableOf(oracle),
        earned: [inUsd('6000.00')],
        status: 'payable',
        lines: { released: line('B USD'), released_earlier: line('A USD') },
        waiting: inUsd('4000.00'),
        steps: [/released 2,000\.00, waiting 4,000\.00: waits for the customer's payment/],
      };
    },
  },
  hold: {
    enter: async (world, person) => {
      await world.deal(person, 10_000);
      await world.hold(person);
    },
    figures: () => {
      const holds = [{ from: '2026-03-11', to: null }];
      const oracle = oracleOf([{ amount: '1000', day: '2026-03-10', holds }]);
      const payable = payableOf(oracle);
      return {
        payable,
        earned: [inUsd('1000.00')],
        status: 'payable',
        lines: {},
        held: inUsd('1000.00'),
        steps: [/On hold/],
      };
    },
  },
  refund: {
    enter: async (world, person) => {
      await world.deal(person, 10_000, { dealId: 'refunded', day: '2026-02-10' });
      await world.deal(person, 20_000);
    },
    complete: async (world, person) => {
      await world.approve(person, '2026-01', '2026-02');
      await world.refund(person, 'refunded', 5000, '2026-03-12');
    },
    figures: () => {
      const oracle = oracleOf(
        [
          { key: 'A USD', amount: '1000', day: '2026-02-10' },
          { key: 'B USD', amount: '2000', day: '2026-03-10' },
        ],
        [0, 1],
      );
      const [kept = toEvent({ amount: '0', day: '' }), ...others] = oracle.events;
      oracle.events = [{ ...kept, rows: [...kept.rows, { amount: '-500', day: '2026-03-12' }] }, ...others];
      return {
        payable: payableOf(oracle),
        earned: [inUsd('1500.00')],
        status: 'payable',
        lines: { released: inUsd('2000.00'), taken_back: inUsd('-500.00') },
        words: [/Refund \S+ of (2026-03-12|12 Mar 2026).*50%/s],
        steps: [
          /Refund RF-1 of 2026-03-12: 5,000 of 10,000 given back, 50%; day 30: 100% is taken back; 50% of 1,000\.00/,
        ],
      };
    },
  },
  // More is taken back than the statement releases.
  owed: {
    enter: (world, person) => world.deal(person, 10_000, { dealId: 'refunded', day: '2026-02-10' }),
    complete: async (world, person) => {
      await world.approve(person, '2026-01', '2026-02');
      await world.refund(person, 'refunded', 10_000, '2026-03-12');
    },
    figures: () => {
      const oracle = oracleOf([{ amount: '1000', day: '2026-02-10' }], [0, 1]);
      oracle.events = oracle.events.map((event) => ({
        ...event,
        rows: [...event.rows, { amount: '-1000', day: '2026-03-12' }],
      }));
      const { added, recovered } = oracle.totals(shown, 'USD');
      const owed = add(added, { n: -recovered.n, d: recovered.d });
      return {
        payable: payableOf(oracle),
        earned: [inUsd('-1000.00')],
        status: 'payable',
        lines: { taken_back: inUsd('-1000.00'), balance: inUsd(money(owed)) },
        owed: inUsd(money(owed)),
      };
    },
  },
  guarantee: {
    enter: async (world, person) => {
      await world.draw(person, 'guarantee', 2000);
      await world.deal(person, 5000);
    },
    figures: () => ({
      payable: ofGuarantee(500, { amount: 200_000n }),
      earned: [inUsd('500.00')],
      status: 'payable',
      lines: { released: inUsd('500.00'), draw: inUsd('1500.00') },
      words: [/guaranteed 2,000\.00 \(31 of 31 days of 2,000\.00\), released 500\.00, topped up 1,500\.00/],
    }),
  },
  advance: {
    enter: async (world, person) => {
      await world.draw(person, 'advance', 1000);
      await world.deal(person, 5000);
    },
    figures: () => ({
      payable: ofGuarantee(500, { amount: 100_000n, kind: 'advance' }),
      earned: [inUsd('500.00')],
      status: 'payable',
      lines: { released: inUsd('500.00'), draw: inUsd('1000.00') },
      words: [/advance 1,000\.00/],
    }),
  },
  carryForward: {
    enter: async (world, person) => {
      await world.deal(person, 10_000, { dealId: 'earlier', day: '2026-02-10' });
      await world.deal(person, 10_000);
    },
    complete: async (world, person) => {
      await world.approve(person, '2026-01', '2026-02');
      await world.deal(person, 15_000, { dealId: 'earlier', day: '2026-02-10' });
      await world.carryForward(person, '2026-02');
    },
    figures: () => {
      const events = (amount: string): Earned[] => [
        { key: 'A USD', amount, day: '2026-02-10' },
        { key: 'B USD', amount: '1000', day: '2026-03-10' },
      ];
      const oracle = oracleOf(events('1000'), [0, 1]);
      oracle.correct(1, events('1500').map(toEvent), shown, ['USD', 'EUR']);
      const payable = payableOf(oracle);
      return {
        payable,
        earned: [payable],
        status: 'payable',
        lines: { released: inUsd('1000.00'), correction: inUsd('500.00') },
      };
    },
  },
  creditNote: {
    enter: async (world, person) => {
      await world.deal(person, 20_000, { dealId: 'sale' });
      await world.deal(person, -5000, { day: '2026-03-12' });
    },
    figures: () => {
      const oracle = oracleOf([
        { key: 'A USD', amount: '2000', day: '2026-03-10' },
        { key: 'B USD', amount: '-500', day: '2026-03-12', dealAmount: '-5000' },
      ]);
      return {
        payable: payableOf(oracle),
        earned: [inUsd('1500.00')],
        status: 'payable',
        lines: { released: inUsd('2000.00'), taken_back: inUsd('-500.00') },
      };
    },
  },
  batchPaid: {
    enter: (world, person) => world.deal(person, 10_000),
    complete: async (world, person) => {
      await world.approve(person, '2026-01', '2026-02', '2026-03');
      await world.batch();
    },
    figures: () => atOnce('1000', { status: 'paid', paid: inUsd('1000.00') }),
  },
  batchCorrected: {
    enter: (world, person) => world.deal(person, 10_000),
    complete: async (world, person) => {
      await world.approve(person, '2026-01', '2026-02', '2026-03');
      await world.batch();
      await world.deal(person, 12_000);
      await world.trueUp(person);
    },
    figures: () => corrected({ status: 'partly_paid', paid: inUsd('1000.00') }),
  },
  // After the batches, which would contain what is approved.
  correction: {
    enter: (world, person) => world.deal(person, 10_000),
    complete: async (world, person) => {
      await world.approve(person, '2026-01', '2026-02', '2026-03');
      await world.deal(person, 12_000);
      await world.trueUp(person);
    },
    figures: () => corrected({ status: 'approved' }),
  },
  firstMonth: {
    enter: (world, person) => world.deal(person, 10_000),
    figures: () => atOnce('1000'),
  },
  // Pairs: a share of a deal that is held, a clawback of a person who is paid in another currency, a guarantee for what
  // waits for the customer, and an overlay on a deal in another currency.
  splitHeld: {
    enter: async (world, person) => {
      await world.deal(person, 10_000, { ownerId: 'other', name: 'Vega' });
      await world.credits(person, [
        { repId: world.id(person), percent: 60 },
        { repId: world.id('other'), percent: 40 },
      ]);
      await world.hold(person);
    },
    figures: () => {
      const holds = [{ from: '2026-03-11', to: null }];
      const oracle = oracleOf([{ amount: '600', day: '2026-03-10', holds }]);
      return {
        payable: payableOf(oracle),
        earned: [inUsd('600.00')],
        status: 'payable',
        lines: {},
        held: inUsd('600.00'),
        words: [/Share of the deal: 60%/],
        steps: [/Share of the deal: 60%.*On hold/s],
        deal: 'Vega',
      };
    },
  },
  refundInPounds: {
    enter: async (world, person) => {
      await world.payIn(person, 'GBP');
      await world.deal(person, 10_000, { dealId: 'refunded', day: '2026-03-05' });
      await world.deal(person, 20_000);
      await world.refund(person, 'refunded', 5000, '2026-03-12');
    },
    figures: () => {
      const oracle = oracleOf([
        { key: 'A USD', amount: '1000', day: '2026-03-05', takenBack: { day: '2026-03-12', amount: '-500' } },
        { key: 'B USD', amount: '2000', day: '2026-03-10' },
      ]);
      oracle.payCurrency = 'GBP';
      oracle.rates = [...worldRates];
      const pay = oracle.pay(shown, ['USD']);
      return {
        payable: `GBP ${pay === null ? '' : money(pay)}`,
        earned: [inUsd('2500.00')],
        status: 'payable',
        // A refund in the period of its deal leaves less to release.
        lines: { released: inUsd('2500.00') },
        words: [/Refund \S+ of (2026-03-12|12 Mar 2026).*50%/s],
        steps: [/Refund RF-1 of 2026-03-12: 5,000 of 10,000 given back, 50%/],
      };
    },
  },
  guaranteeWaiting: {
    enter: async (world, person) => {
      await world.draw(person, 'guarantee', 2000);
      await world.deal(person, 60_000);
      await world.invoice(person, 60_000, [['2026-03-15', 5000]]);
    },
    figures: () => ({
      payable: ofGuarantee(500, { amount: 200_000n }),
      earned: [inUsd('6000.00')],
      status: 'payable',
      lines: { released: inUsd('500.00'), draw: inUsd('1500.00') },
      waiting: inUsd('5500.00'),
      words: [/released 500\.00, topped up 1,500\.00/],
      steps: [/released 500\.00, waiting 5,500\.00/],
    }),
  },
  overlayInEuros: {
    enter: async (world, person) => {
      await world.deal(person, 20_000, { ownerId: 'other', name: 'Delta Freight', currency: 'EUR' });
      await world.credits(person, [
        { repId: world.id('other'), percent: 100 },
        { repId: world.id(person), percent: 50, kind: 'overlay' },
      ]);
    },
    figures: () =>
      atOnce(
        '1000',
        { words: [/Share of the deal: 50%/], steps: [/Share of the deal: 50%/], deal: 'Delta Freight' },
        'EUR',
      ),
  },
  // And three: a share of a deal that is paid in parts, to a person who is paid in another currency.
  splitScheduleInPounds: {
    enter: async (world, person) => {
      await world.payIn(person, 'GBP');
      await world.deal(person, 60_000, { ownerId: 'other', name: 'Brasserie' });
      await world.credits(person, [
        { repId: world.id(person), percent: 60 },
        { repId: world.id('other'), percent: 40 },
      ]);
      await world.invoice(person, 60_000, [['2026-03-15', 20_000]]);
    },
    figures: () => {
      const oracle = oracleOf([
        {
          amount: '3600',
          day: '2026-03-10',
          payout: asPaid,
          dealAmount: '60000',
          paid: [{ day: '2026-03-15', amount: '20000' }],
        },
      ]);
      oracle.payCurrency = 'GBP';
      oracle.rates = [...worldRates];
      const pay = oracle.pay(shown, ['USD']);
      return {
        payable: `GBP ${pay === null ? '' : money(pay)}`,
        earned: [inUsd('3600.00')],
        status: 'payable',
        lines: { released: payableOf(oracle) },
        waiting: inUsd('2400.00'),
        words: [/Share of the deal: 60%/],
        steps: [/Share of the deal: 60%.*waiting 2,400\.00/s],
        deal: 'Brasserie',
      };
    },
  },
};

/** An approved amount of 1,000 that a correction of the same period makes 1,200. */
function corrected(more: Pick<Figures, 'status' | 'paid'>): Figures {
  const oracle = oracleOf([{ amount: '1000', day: '2026-03-10' }], [0, 1, 2]);
  oracle.correct(shown, [toEvent({ amount: '1200', day: '2026-03-10' })], null, ['USD', 'EUR']);
  const payable = payableOf(oracle);
  const lines = { released: inUsd('1000.00'), correction: inUsd('200.00') };
  return { payable, earned: [payable], lines, ...more };
}

export const worldRates: readonly OracleRate[] = [{ from: 'USD', to: 'GBP', day: '2026-03-01', rate: '0.8' }];
