import { expect } from 'chai';
import { creditNoteExamples } from '#test/support/credit-notes.js';
import type { LedgerRow, World, WorldCredit, WorldDeal, WorldPlanVersion } from '#test/support/oracle/world.js';
import {
  amounts,
  amountsOf,
  CORRECTED,
  deal,
  EXAMPLE,
  ledgerOf,
  quota,
  rule,
  TIERS,
  version,
  world,
} from './small-world.js';

describe('the calculation rules, by the engine and by the oracle', () => {
  describe('worked examples (section 13)', () => {
    it('full_rate', () => {
      const rows = ledgerOf(world([rule()], { deals: EXAMPLE }));
      expect(rows.map((row) => [row.dealId, row.amount, row.base, row.credit, row.tierName])).to.deep.equal([
        ['D1', '4800', '60000', '60000', 'Base'],
        ['D2', '7200', '60000', '60000', 'Over'],
        ['D3', '4500', '30000', '30000', 'Top'],
      ]);
      expect(rows[1]).to.deep.include({
        category: 'commission',
        attainmentKey: 'New',
        currency: 'USD',
        period: '2026-Q1',
        earnedOn: '2026-02-10',
        planVersionId: 'p-v1',
      });
    });

    it('marginal', () => {
      const marginal = world([rule({ tierMode: 'marginal' })], { deals: EXAMPLE });
      expect(amounts(marginal)).to.deep.equal({ D1: '4800', D2: '5600', D3: '4350' });
      expect(ledgerOf(marginal).map((row) => row.tierName)).to.deep.equal(['Base', 'Over', 'Top']);
    });

    it('cap 14,000', () => {
      expect(amounts(world([rule({ cap: 14000 })], { deals: EXAMPLE }))).to.deep.equal({
        D1: '4800',
        D2: '7200',
        D3: '2000',
      });
      expect(amounts(world([rule({ cap: 14000, tierMode: 'marginal' })], { deals: EXAMPLE }))).to.deep.equal({
        D1: '4800',
        D2: '5600',
        D3: '3600',
      });
    });

    it('no quota, or target 0: three events, amount 0, no tier, full credit', () => {
      for (const quotas of [[], [quota({ target: 0 })], [quota({ period: '2026' })]]) {
        for (const tierMode of ['full_rate', 'marginal', 'retroactive']) {
          const rows = ledgerOf(world([rule({ tierMode })], { deals: EXAMPLE, quotas }));
          expect(rows.map((row) => row.amount)).to.deep.equal(['0', '0', '0']);
          expect(rows.map((row) => row.tierName)).to.deep.equal([null, null, null]);
          expect(rows.map((row) => row.credit)).to.deep.equal(['60000', '60000', '30000']);
        }
      }
    });

    it('D1 corrected to 20,000', () => {
      expect(amounts(world([rule()], { deals: CORRECTED }))).to.deep.equal({ D1: '1600', D2: '4800', D3: '3600' });
    });
  });

  describe('credit notes (section 8a)', () => {
    for (const { name, rule: terms, quota: targets, percent, amounts: ofDeals, pays } of creditNoteExamples)
      it(name, () => {
        const quotas = targets === undefined ? [] : [quota({ variableTarget: null, ...targets })];
        const deals = ofDeals.map((amount, index) => ({
          ...deal(`D${index}`, `2026-01-1${index}`, amount),
          ...(percent === undefined ? {} : { credits: sharedWithHouse(percent) }),
        }));
        const paid = ledgerOf(world([rule(terms)], { quotas, deals })).map(({ amount }) => amount);
        expect(paid).to.deep.equal(pays);
      });

    function sharedWithHouse(percent: number): WorldCredit[] {
      return [
        { source: 'api', repId: 'r', kind: 'split', percent },
        { source: 'api', repId: null, kind: 'split', percent: 100 - percent },
      ];
    }

    const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
    const paidBy = (terms: object, deals: WorldDeal[], values: Partial<World> = {}) =>
      ledgerOf(world([rule(terms)], { quotas: [], deals, ...values })).map(({ amount }) => amount);

    it('count -1, and a deal with amount 0 or without an amount 1', () => {
      const deals = [-10_000, 0].map((amount, index) => deal(`D${index}`, '2026-01-10', amount));
      const counted = ledgerOf(
        world([rule({ measure: '_deals' })], { deals: [...deals, deal('D2', '2026-01-10', {})] }),
      );
      expect(counted.map(({ credit }) => credit)).to.deep.equal(['-1', '1', '1']);
    });

    it('take back the bases that have no sign', () => {
      const deals = [deal('D1', '2026-01-10', 100), deal('D2', '2026-01-11', -100)];
      const quotas = [quota({ variableTarget: 1000 })];
      for (const payoutBase of ['1', 'variable_target'])
        expect(paidBy({ payoutBase, tiers: flat }, deals, { quotas })).to.deep.equal(
          payoutBase === '1' ? ['0.1', '-0.1'] : ['100', '-100'],
        );
    });

    it('are not sales with a negative margin, whatever the mapping calls the amount', () => {
      const terms = {
        measure: 'margin',
        payoutMode: 'flat_per_event',
        tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }],
      };
      const margins = [
        { amount: 100, margin: -20 },
        { amount: -100, margin: -20 },
        { amount: -100, margin: 0 },
        { amount: -100, margin: 20 },
        { margin: -20 },
      ].map((fields, index) => deal(`D${index}`, '2026-01-10', fields));
      expect(paidBy(terms, margins)).to.deep.equal(['5', '-5', '-5', '5', '-5']);
      const mapped = version({ rules: [rule(terms)] }, { fieldMapping: { amount: 'acv' } });
      const plans = [{ planId: 'p', status: 'active' as const, versions: [mapped] }];
      const net = [deal('D1', '2026-01-10', { amount: -100, acv: 100, margin: -20 })];
      expect(ledgerOf(world([], { plans, deals: net })).map(({ amount }) => amount)).to.deep.equal(['5']);
    });

    it('take back the amount of the tier before them, and at its rate where only the tier after them is fixed', () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 0, flatAmount: 50 },
        { tierIndex: 1, minThreshold: 1, rate: 0.1 },
      ];
      const deals = [100_000, -50_000, -20_000, -40_000].map((amount, index) =>
        deal(`D${index}`, '2026-01-10', amount),
      );
      expect(paidBy({ tiers }, deals, { quotas: [quota()] })).to.deep.equal(['10000', '-5000', '-50', '-50']);
      expect(paidBy({ tiers, tierMode: 'retroactive' }, deals, { quotas: [quota()] })).to.deep.equal([
        '0',
        '0',
        '0',
        '0',
      ]);
    });

    it('stand for whole sales, and a refund of a deal of amount 0 is that of the whole deal', () => {
      const tiers = [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }];
      const refunds = [{ refundId: 'R', day: '2026-01-12', cause: 'refund' as const }];
      const free = { ...deal('D1', '2026-01-10', {}), given: { dealAmount: 0 }, refunds };
      expect(paidBy({ measure: '_deals', tiers, clawback: {} }, [free])).to.deep.equal(['5', '-5']);
    });

    it('have no floor, and pay nothing below the minimum attainment', () => {
      const deals = [deal('D1', '2026-01-10', { amount: -100, margin: 0 }), deal('D2', '2026-01-11', -100)];
      expect(paidBy({ measure: 'margin', floor: 10, tiers: flat }, deals)).to.deep.equal(['0']);
      expect(paidBy({ floorAttainment: 0.5, tiers: flat }, deals, { quotas: [quota()] })).to.deep.equal(['0', '0']);
    });

    it('use what refunds of the period leave above the cap, and nothing of bonuses of the period', () => {
      const sale = {
        ...deal('D1', '2026-01-10', 10_000),
        refunds: [{ refundId: 'R', day: '2026-01-12', cause: 'refund' as const }],
      };
      const deals = [sale, deal('D2', '2026-01-15', -4000)];
      expect(paidBy({ tiers: flat, cap: 500, clawback: {} }, deals)).to.deep.equal(['500', '-400', '-500']);
      const tiers = [{ tierIndex: 0, minThreshold: 0, flatAmount: 800 }];
      expect(
        paidBy({ tiers, cap: 500, payoutMode: 'flat_per_tier' }, [
          deal('D1', '2026-01-10', 1),
          deal('D2', '2026-01-11', -1),
        ]),
      ).to.deep.equal(['500', '0']);
    });
  });

  describe('periods and versions (sections 2 and 3)', () => {
    it('uses the version in force on the day and continues attainment by rule name', () => {
      const one = { rules: [rule()] };
      const two = { rules: [rule({ tiers: [{ tierIndex: 0, minThreshold: 1, rate: 0.2, name: 'New tier' }] })] };
      const plans = [
        {
          planId: 'p',
          status: 'active' as const,
          versions: [
            version(one),
            version(two, { planVersionId: 'p-v2', version: 2, effectiveStart: '2026-02-10' }),
            version(one, { planVersionId: 'p-v3', version: 3, status: 'draft' as const }),
          ],
        },
      ];
      const rows = ledgerOf(world([], { plans, deals: EXAMPLE }));
      expect(rows.map((row) => [row.planVersionId, row.amount])).to.deep.equal([
        ['p-v1', '4800'],
        ['p-v2', '12000'],
        ['p-v2', '6000'],
      ]);
    });

    it('includes both ends of an assignment and starts each month of a monthly rule at 0', () => {
      const assignments = [{ repId: 'r', planId: 'p', effectiveStart: '2026-01-15', effectiveEnd: '2026-02-10' }];
      const quotas = [quota({ period: '2026-01' }), quota({ period: '2026-02', target: 50000 })];
      const monthly = world([rule({ attainmentPeriod: 'monthly' })], { assignments, quotas, deals: EXAMPLE });
      expect(amounts(monthly)).to.deep.equal({ D1: '4800', D2: '7200' });
      expect(ledgerOf(monthly).map((row) => row.period)).to.deep.equal(['2026-01', '2026-02']);
    });

    it('reads the second config shape, with half-years', () => {
      const config = {
        quotaPeriod: 'semi_annual',
        rules: [
          {
            baseField: 'value',
            tiers: [
              { min: 0, rate: 0.1, name: 'Low' },
              { min: 1, amount: 500, name: 'High' },
            ],
          },
        ],
      };
      const rows = ledgerOf(
        world([], {
          plans: [{ planId: 'p', status: 'active', versions: [version(config)] }],
          quotas: [quota({ key: 'Rule 1', period: '2026-H1', target: 1000 })],
          deals: [deal('a', '2026-01-05', 600), deal('b', '2026-06-30', 400), deal('c', '2026-07-01', 400)],
        }),
      );
      expect(rows.map((row) => [row.ruleName, row.dealId, row.period, row.amount, row.category])).to.deep.equal([
        ['Rule 1', 'a', '2026-H1', '60', 'commission'],
        ['Rule 1', 'b', '2026-H1', '500', 'bonus'],
        ['Rule 1', 'c', '2026-H2', '0', 'commission'],
      ]);
    });
  });

  describe('fields and conditions (sections 4 and 5)', () => {
    const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];

    it('resolves mapping, measures, own field, alias and standard value in that order', () => {
      const fields = { mapped: 1, measured: 2, value: 4, x_amt: 5 };
      const of = (measure: string, values: WorldDeal['fields'], fieldMapping: Record<string, string> | null = null) =>
        ledgerOf(
          world([], {
            workspace: {
              currency: 'USD',
              timeZone: 'UTC',
              standard: { dealAmount: 'x_amt' },
              measures: { mrr: 'measured' },
            },
            plans: [
              {
                planId: 'p',
                status: 'active',
                versions: [version({ rules: [rule({ measure, tiers: flat })] }, { fieldMapping })],
              },
            ],
            deals: [deal('a', '2026-01-05', values)],
          }),
        )[0]?.base;
      expect(of('amount', { ...fields, amount: 3 }, { amount: 'mapped' })).to.equal('1');
      expect(of('mrr', { ...fields, mrr: 9 })).to.equal('2');
      expect(of('amount', { ...fields, amount: 3 })).to.equal('3');
      expect(of('amount', fields)).to.equal('4');
      expect(of('amount', { x_amt: '5.50' })).to.equal('5.5');
      expect(of('amount', { ...fields, amount: 'abc' })).to.equal(undefined);
    });

    it('does not read values beyond the bound as numbers, and searches no further slug', () => {
      const baseOf = (fields: WorldDeal['fields']) =>
        ledgerOf(world([rule({ tiers: flat })], { deals: [deal('a', '2026-01-05', fields)] }))[0]?.base;
      expect(baseOf({ amount: 1e15 })).to.equal('1000000000000000');
      expect(baseOf({ amount: -1e15 })).to.equal('-1000000000000000');
      for (const amount of [1e18, -1e18, '1e400', '1000000000000000.01', '999999999999999999'])
        expect(baseOf({ amount, value: 5 }), String(amount)).to.equal(undefined);
      expect(baseOf({ amount: '.5' })).to.equal('0.5');
      expect(baseOf({ amount: ' -.5e1 ' })).to.equal('-5');
    });

    it('does not fire on a deal of another currency, and rounds to the currency: JPY 0, BHD 3 digits', () => {
      const one = (currency: string, amount: number, given?: string) =>
        ledgerOf(
          world([], {
            plans: [
              { planId: 'p', status: 'active', versions: [version({ rules: [rule({ tiers: flat })] }, { currency })] },
            ],
            deals: [
              { ...deal('a', '2026-01-05', amount), ...(given === undefined ? {} : { given: { currency: given } }) },
            ],
          }),
        )[0]?.amount;
      expect(one('EUR', 100, 'USD')).to.equal(undefined);
      expect(one('EUR', 100, 'EUR')).to.equal('10');
      expect(one('JPY', 1005)).to.equal('101');
      expect(one('JPY', -1005)).to.equal('-101');
      expect(one('BHD', 0.005)).to.equal('0.001');
      expect(one('USD', 1.25)).to.equal('0.13');
      expect(one('USD', 0.01)).to.equal('0');
    });

    it('evaluates conditions as of the close date', () => {
      const passes = (condition: object, fields: WorldDeal['fields']): boolean =>
        ledgerOf(
          world([rule({ tiers: flat, conditions: [condition] })], {
            workspace: { currency: 'USD', timeZone: 'America/New_York', standard: {}, measures: {} },
            deals: [deal('a', '2026-03-10', { amount: 100, ...fields })],
          }),
        ).length === 1;
      const status = { field: 'dealstage', fieldType: 'status' };
      expect(passes({ ...status, operator: 'equals', value: 'WON ' }, { stage: ' won' })).to.equal(true);
      expect(passes({ ...status, operator: 'equals', value: 'b' }, { stage: ['A', 'B'] })).to.equal(true);
      expect(passes({ ...status, operator: 'not_in', value: ['b'] }, { stage: ['A', 'B'] })).to.equal(false);
      expect(passes({ ...status, operator: 'not_contains', value: 'x' }, {})).to.equal(true);
      expect(passes({ ...status, operator: 'contains', value: 'x' }, {})).to.equal(false);
      const seats = { field: 'seats', fieldType: 'number' };
      expect(passes({ ...seats, operator: 'between', value: [1, 3] }, { seats: '3.0' })).to.equal(true);
      expect(passes({ ...seats, operator: 'gt', value: 1 }, { seats: 'many' })).to.equal(false);
      expect(passes({ ...seats, operator: 'not_equals', value: 1 }, { seats: 'many' })).to.equal(true);
      const starts = { field: 'starts', fieldType: 'timestamp' };
      expect(
        passes({ ...starts, operator: 'in_period', value: 'last_month' }, { starts: '2026-03-01T03:00:00Z' }),
      ).to.equal(true);
      expect(passes({ ...starts, operator: 'in_period', value: 'this_quarter' }, { starts: '2026-04-01' })).to.equal(
        false,
      );
      expect(passes({ ...starts, operator: 'in_last_n_days', value: 10 }, { starts: '2026-02-28' })).to.equal(false);
      expect(passes({ ...starts, operator: 'in_last_n_days', value: 10 }, { starts: '2026-03-01' })).to.equal(true);
      expect(passes({ ...starts, operator: 'before', value: '2026-03-10' }, { starts: '2026-03-10' })).to.equal(false);
      const vip = { field: 'vip', fieldType: 'checkbox', operator: 'is_false' };
      expect(passes(vip, {})).to.equal(true);
      expect(passes({ operator: 'or', rules: [vip, { ...seats, operator: 'is_set' }] }, { vip: true })).to.equal(false);
    });
  });

  describe('attainment and tiers (sections 6 and 7)', () => {
    it('a flat-rate rule pays without a quota, below zero too, but not below its floorAttainment', () => {
      const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1, name: 'Flat' }];
      const deals = [deal('a', '2026-01-05', -100), deal('b', '2026-01-06', 300)];
      for (const tierMode of ['full_rate', 'marginal', 'retroactive']) {
        for (const quotas of [[], [quota()]]) {
          expect(amounts(world([rule({ tiers, tierMode })], { deals, quotas }))).to.deep.equal({ a: '-10', b: '30' });
        }
      }
      expect(amounts(world([rule({ tiers, floorAttainment: 0.002 })], { deals }))).to.deep.equal({ a: '0', b: '30' });
    });

    it('a group shares its cumulative credit: full_rate uses the total after the deal, marginal takes slices in rule order', () => {
      const quotas = [quota({ key: 'g', target: 100 })];
      const tiers = [
        { tierIndex: 0, minThreshold: 0, rate: 0.1, name: 'Low' },
        { tierIndex: 1, minThreshold: 1, rate: 0.2, name: 'High' },
      ];
      const deals = [deal('a', '2026-01-05', { amount: 80, margin: 60 })];
      const group = (values: object) =>
        world(
          [
            rule({ name: 'X', quotaGroup: 'g', tiers, ...values }),
            rule({ name: 'Y', measure: 'margin', quotaGroup: 'g', tiers, ...values }),
          ],
          {
            quotas,
            deals,
          },
        );
      expect(ledgerOf(group({})).map((row) => [row.ruleName, row.amount])).to.deep.equal([
        ['X', '16'],
        ['Y', '12'],
      ]);
      // X takes 0..80, Y takes 80..140: 20 at 10 % and 40 at 20 %.
      const marginal = ledgerOf(group({ tierMode: 'marginal' }));
      expect(marginal.map((row) => [row.ruleName, row.amount, row.tierName])).to.deep.equal([
        ['X', '8', 'High'],
        ['Y', '10', 'High'],
      ]);
    });

    it('a negative credit subtracts from the bands in reverse, and credit 0 is paid at the tier before', () => {
      const quotas = [quota({ target: 100 })];
      const tiers = [
        { tierIndex: 0, minThreshold: 0.5, rate: 0.1 },
        { tierIndex: 1, minThreshold: 1, rate: 0.2 },
      ];
      const marginal = rule({ tierMode: 'marginal', tiers, payoutBase: 'margin' });
      const deals = [
        deal('a', '2026-01-05', { amount: 150, margin: 300 }),
        deal('b', '2026-01-06', { amount: -120, margin: -120 }),
        deal('c', '2026-01-07', { amount: 50, margin: 50 }),
        deal('d', '2026-01-08', { amount: 0, margin: 40 }),
      ];
      // a: 300 × (50 × 0.1 + 50 × 0.2) / 150. b: 150 → 30, 50 at 20 % and 50 at 10 %. c: 30 → 80, 30 at 10 %.
      expect(amounts(world([marginal], { quotas, deals }))).to.deep.equal({ a: '30', b: '-15', c: '3', d: '4' });
    });

    it('below zero, the tier at attainment 0 applies if it pays by a rate', () => {
      const first = [deal('a', '2026-01-05', -45000), deal('b', '2026-01-06', 60000)];
      const turned = [deal('a', '2026-01-06', -45000), deal('b', '2026-01-05', 60000)];
      for (const tierMode of ['full_rate', 'marginal']) {
        for (const deals of [first, turned])
          expect(amounts(world([rule({ tierMode })], { deals }))).to.deep.equal({ a: '-3600', b: '4800' });
      }
      expect(amounts(world([rule({ tierMode: 'retroactive' })], { deals: first.slice(0, 1) }))).to.deep.equal({
        a: '-3600',
      });
      const retroactive = [deal('a', '2026-01-05', 20000), deal('b', '2026-02-01', -50000)];
      expect(amounts(world([rule({ tierMode: 'retroactive' })], { deals: retroactive }))).to.deep.equal({
        a: '1600',
        b: '-4000',
      });
      expect(amounts(world([rule()], { deals: first, quotas: [] }))).to.deep.equal({ a: '0', b: '0' });
      const named = ledgerOf(world([rule()], { deals: first }));
      expect(named.map((row) => row.tierName)).to.deep.equal(['Base', 'Base']);
    });

    it('below zero, both orders across the bands give the same sum with a first threshold of 0', () => {
      const marginal = (deals: WorldDeal[]) => amounts(world([rule({ tierMode: 'marginal' })], { deals }));
      const down = [deal('a', '2026-01-05', -45000), deal('b', '2026-01-06', 180000)];
      const up = [deal('a', '2026-01-06', -45000), deal('b', '2026-01-05', 180000)];
      // b: 145,000 at 8 %, 25,000 at 12 %, 10,000 at 15 %; in the other order 100,000, 25,000 and 55,000.
      expect(marginal(down)).to.deep.equal({ a: '-3600', b: '16100' });
      expect(marginal(up)).to.deep.equal({ a: '-6750', b: '19250' });
      expect(16100 - 3600).to.equal(19250 - 6750);
      const below = [deal('a', '2026-01-05', 120000), deal('b', '2026-02-01', -150000)];
      expect(marginal(below)).to.deep.equal({ a: '10400', b: '-12800' });
    });

    it('below zero, a step, a threshold above 0 and a rank pay nothing, and a fixed amount is that of before', () => {
      const deals = [deal('a', '2026-01-05', -100)];
      const flats = [
        { tierIndex: 0, minThreshold: 0, flatAmount: 100, name: 'F0' },
        { tierIndex: 1, minThreshold: 1, rate: 0.3, name: 'R1' },
      ];
      for (const values of [
        { tiers: flats, tierMode: 'retroactive' },
        { tiers: TIERS.slice(1) },
        { tiers: TIERS.slice(1), tierMode: 'marginal' },
      ]) {
        const [row] = ledgerOf(world([rule(values)], { deals }));
        expect([row?.amount, row?.tierName]).to.deep.equal(['0', null]);
      }
      for (const tierMode of ['full_rate', 'marginal'])
        expect(amounts(world([rule({ tiers: flats, tierMode })], { deals }))).to.deep.equal({ a: '-100' });
      const modes = [flats[0], { tierIndex: 1, minThreshold: 1, flatAmount: 500 }];
      for (const [payoutMode, paid] of [
        ['flat_per_event', '-100'],
        ['flat_per_tier', '0'],
        ['stepped_bonus', '0'],
      ])
        expect(amounts(world([rule({ tiers: modes, payoutMode })], { deals }))).to.deep.equal({ a: paid });
    });

    it('a refund below zero uses up no band of flat_per_tier and no step of stepped_bonus', () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 0, flatAmount: 500, name: 'Base' },
        { tierIndex: 1, minThreshold: 1, flatAmount: 2000, name: 'Over' },
      ];
      const deals = [-45000, 50000, 100000, -90000].map((amount, at) => deal(`D${at}`, `2026-01-1${at}`, amount));
      const paid = (payoutMode: string) =>
        ledgerOf(world([rule({ tiers, payoutMode })], { deals })).map((row) => [row.amount, row.tierName]);
      expect(paid('flat_per_tier')).to.deep.equal([
        ['0', null],
        ['500', 'Base'],
        ['2000', 'Over'],
        ['0', 'Base'],
      ]);
      expect(paid('stepped_bonus')).to.deep.equal([
        ['0', null],
        ['500', 'Base'],
        ['1500', 'Over'],
        ['0', 'Over'],
      ]);
    });

    it('a credit of 0 below zero is paid at the tier that attainment 0 reaches', () => {
      const deals = [
        deal('a', '2026-01-05', { amount: -100, margin: 1 }),
        deal('b', '2026-01-06', { amount: 0, margin: 50 }),
      ];
      const marginal = rule({ tierMode: 'marginal', payoutBase: 'margin' });
      expect(amounts(world([marginal], { deals }))).to.deep.equal({ a: '0.08', b: '4' });
    });

    it('quotaCredit weighs fields, counts absent fields as 0, and does not change the payout', () => {
      const quotaCredit = [{ field: 'amount', weight: 0.5 }, { field: 'seats' }];
      const deals = [deal('a', '2026-01-05', { amount: 100, seats: 50 }), deal('b', '2026-01-06', 100)];
      const rows = ledgerOf(world([rule({ quotaCredit })], { deals, quotas: [quota({ target: 150 })] }));
      expect(rows.map((row) => [row.credit, row.base, row.amount])).to.deep.equal([
        ['100', '100', '8'],
        ['50', '100', '12'],
      ]);
    });

    it('retroactive recalculates the whole period, and floorAttainment uses its total', () => {
      expect(
        amounts(world([rule({ tierMode: 'retroactive', floorAttainment: 1.2 })], { deals: EXAMPLE })),
      ).to.deep.equal({
        D1: '9000',
        D2: '9000',
        D3: '4500',
      });
      const never = rule({ tierMode: 'retroactive', floorAttainment: 1.6 });
      expect(amounts(world([never], { deals: EXAMPLE }))).to.deep.equal({ D1: '0', D2: '0', D3: '0' });
    });

    it('tierBy value requires no quota, and an absent value reaches no tier', () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 3, rate: 0.1, name: 'Small' },
        { tierIndex: 1, minThreshold: 10, flatAmount: 7, name: 'Large' },
      ];
      const deals = [
        deal('a', '2026-01-05', { amount: 100, seats: 3 }),
        deal('b', '2026-01-05', { amount: 100, seats: 2 }),
        deal('c', '2026-01-05', 100),
        deal('d', '2026-01-05', { amount: 100, seats: '10' }),
      ];
      const rows = ledgerOf(world([rule({ tierBy: 'value', tierValueField: 'seats', tiers })], { quotas: [], deals }));
      expect(rows.map((row) => [row.amount, row.tierName, row.category])).to.deep.equal([
        ['10', 'Small', 'commission'],
        ['0', null, 'commission'],
        ['0', null, 'commission'],
        ['7', 'Large', 'bonus'],
      ]);
    });

    it('rank: equal credit shares the better position, and an override applies to its rep', () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 1, rate: 0.3, name: 'First' },
        { tierIndex: 1, minThreshold: 2, rate: 0.1, name: 'Others' },
      ];
      const config = { rules: [rule({ tierBy: 'rank', tiers })] };
      const overrides = [{ repId: 'c', ruleName: 'New', tiers: [{ tierIndex: 1, rate: 0.2 }] }];
      const reps = ['a', 'b', 'c'];
      const rows = ledgerOf(
        world([], {
          reps: reps.map((repId) => ({ repId, lines: [] })),
          plans: [{ planId: 'p', status: 'active', versions: [version(config, { overrides })] }],
          assignments: reps.map((repId) => ({ repId, planId: 'p', effectiveStart: null, effectiveEnd: null })),
          deals: [
            deal('1', '2026-01-05', 60, 'a'),
            deal('2', '2026-03-05', 40, 'a'),
            deal('3', '2026-01-05', 100, 'b'),
            deal('4', '2026-01-05', 50, 'c'),
          ],
        }),
      );
      expect(rows.map((row) => [row.dealId, row.amount, row.tierName])).to.deep.equal([
        ['1', '18', 'First'],
        ['2', '12', 'First'],
        ['3', '30', 'First'],
        ['4', '10', 'Others'],
      ]);
    });

    it('an override with days holds from its first to its last day, also where a later version begins within them', () => {
      const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
      const config = { rules: [rule({ tiers })] };
      const own = (days: object) => [{ repId: 'r', ruleName: 'New', tiers: [{ tierIndex: 0, rate: 0.2, ...days }] }];
      const paid = (...versions: WorldPlanVersion[]) =>
        amounts(
          world([], {
            plans: [{ planId: 'p', status: 'active', versions }],
            deals: ['2026-02-09', '2026-02-10', '2026-03-15', '2026-03-16', '2026-05-01'].map((day) =>
              deal(day, day, 100),
            ),
          }),
        );
      const days = { from: '2026-02-10', to: '2026-03-15' };
      expect(paid(version(config, { overrides: own(days) }))).to.deep.equal({
        '2026-02-09': '10',
        '2026-02-10': '20',
        '2026-03-15': '20',
        '2026-03-16': '10',
        '2026-05-01': '10',
      });
      const later = version(
        { rules: [rule({ tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.3 }] })] },
        { planVersionId: 'v2', version: 2, effectiveStart: '2026-03-01' },
      );
      expect(paid(version(config, { overrides: own(days) }), later)).to.deep.equal({
        '2026-02-09': '10',
        '2026-02-10': '20',
        '2026-03-15': '30',
        '2026-03-16': '30',
        '2026-05-01': '30',
      });
    });

    it('a tier with repId replaces the tier of its index, including the threshold', () => {
      const repId = '5f0c1d1e-0000-4000-8000-000000000001';
      const tiers = [...TIERS, { tierIndex: 1, minThreshold: 0.5, rate: 0.1, name: 'Mine', repId }];
      const own = world([rule({ tiers })], {
        reps: [{ repId, lines: [] }],
        assignments: [{ repId, planId: 'p', effectiveStart: null, effectiveEnd: null }],
        quotas: [quota({ repId })],
        deals: EXAMPLE.map((each) => ({ ...each, repId })),
      });
      expect(amounts(own)).to.deep.equal({
        D1: '6000',
        D2: '6000',
        D3: '4500',
      });
    });
  });

  describe('payout (section 8)', () => {
    const flats = [
      { tierIndex: 0, minThreshold: 0, flatAmount: 100, name: 'F0' },
      { tierIndex: 1, minThreshold: 1, flatAmount: 300, name: 'F1' },
      { tierIndex: 2, minThreshold: 1.25, flatAmount: 700, name: 'F2' },
    ];

    it('bonuses of the period mean the same with marginal', () => {
      for (const payoutMode of ['flat_per_tier', 'stepped_bonus']) {
        const of = (tierMode: string) =>
          amounts(world([rule({ tiers: flats, payoutMode, tierMode })], { deals: EXAMPLE }));
        expect(of('marginal')).to.deep.equal(of('full_rate'));
      }
    });

    it('payout modes of fixed amounts', () => {
      const of = (payoutMode: string) => amounts(world([rule({ tiers: flats, payoutMode })], { deals: EXAMPLE }));
      expect(of('flat_per_event')).to.deep.equal({ D1: '100', D2: '300', D3: '700' });
      expect(of('flat_per_tier')).to.deep.equal({ D1: '100', D2: '300', D3: '700' });
      expect(of('stepped_bonus')).to.deep.equal({ D1: '100', D2: '200', D3: '400' });
      const one = [deal('a', '2026-01-05', 130000), deal('b', '2026-01-06', -100000), deal('c', '2026-01-07', 100000)];
      const again = (payoutMode: string) => amounts(world([rule({ tiers: flats, payoutMode })], { deals: one }));
      expect(again('flat_per_tier')).to.deep.equal({ a: '1100', b: '0', c: '0' });
      expect(again('stepped_bonus')).to.deep.equal({ a: '700', b: '0', c: '0' });
      expect(again('flat_per_event')).to.deep.equal({ a: '700', b: '-700', c: '700' });
    });

    it('stepped_bonus: a tier with a rate, kept from an earlier version, has a bonus of 0', () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 0, flatAmount: 100 },
        { tierIndex: 1, minThreshold: 1, flatAmount: 300 },
      ];
      const overrides = [{ repId: 'r', ruleName: 'New', tiers: [{ tierIndex: 1, rate: 0.1 }] }];
      const config = { rules: [rule({ tiers, payoutMode: 'stepped_bonus', floor: 10 })] };
      const plans = [{ planId: 'p', status: 'active' as const, versions: [version(config, { overrides })] }];
      const deals = [deal('a', '2026-01-05', 60000), deal('b', '2026-01-06', 60000)];
      expect(amounts(world([], { plans, deals }))).to.deep.equal({ a: '100', b: '-100' });
    });

    it('floor, capMultiplier and cap in this order, then rounding', () => {
      const quotas = [quota({ target: 100, variableTarget: 50 })];
      const deals = [deal('a', '2026-01-05', 10), deal('b', '2026-01-06', 1000), deal('c', '2026-01-07', 1000)];
      const values = { floor: 5, capMultiplier: 0.5, cap: 45 };
      expect(amounts(world([rule(values)], { quotas, deals }))).to.deep.equal({ a: '5', b: '25', c: '15' });
      expect(amounts(world([rule({ ...values, floorAttainment: 0.2 })], { quotas, deals }))).to.deep.equal({
        a: '0',
        b: '25',
        c: '20',
      });
    });

    it('floorAttainment: a refund takes back the commission above it, and attainment below it pays 0', () => {
      const deals = [
        deal('a', '2026-01-05', 40000),
        deal('b', '2026-01-06', 40000),
        deal('c', '2026-01-07', -50000),
        deal('d', '2026-01-08', -10000),
      ];
      const values = { floorAttainment: 0.5, floor: 10 };
      expect(amounts(world([rule(values)], { deals }))).to.deep.equal({ a: '0', b: '3200', c: '-4000', d: '0' });
    });

    it('floor raises only amounts that are not negative', () => {
      const deals = [deal('a', '2026-01-05', 100), deal('b', '2026-01-06', -100), deal('c', '2026-01-07', 0)];
      expect(amounts(world([rule({ floor: 50 })], { deals }))).to.deep.equal({ a: '50', b: '-8', c: '50' });
    });

    it('a raw amount beyond the bound pays 0 and counts its credit', () => {
      const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 2, name: 'Double' }];
      const deals = [deal('a', '2026-01-05', 1e15), deal('b', '2026-01-06', 5e14), deal('c', '2026-01-07', -1e15)];
      const rows = ledgerOf(world([rule({ tiers, cap: 7, floor: 3 })], { deals }));
      expect(rows.map((row) => [row.amount, row.credit])).to.deep.equal([
        ['0', '1000000000000000'],
        ['7', '500000000000000'],
        ['0', '-1000000000000000'],
      ]);
    });

    it("variable_target pays a share of the quota's variable target and does not fire without a quota", () => {
      const payoutBase = 'variable_target';
      const deals = [deal('a', '2026-01-05', 100000)];
      expect(
        amounts(world([rule({ payoutBase })], { deals, quotas: [quota({ variableTarget: '2000.5' })] })),
      ).to.deep.equal({
        a: '240.06',
      });
      expect(amounts(world([rule({ payoutBase })], { deals }))).to.deep.equal({});
    });

    it('periodic: one event per ended period, with the sum of the deals that pass', () => {
      const periodic = rule({
        name: 'MBO',
        executionPhase: 'periodic',
        attainmentPeriod: 'monthly',
        tiers: [{ tierIndex: 0, minThreshold: 1, rate: 0.5, name: 'Met' }],
        payoutBase: 'variable_target',
        conditions: [{ field: 'amount', fieldType: 'number', operator: 'gt', value: 10 }],
      });
      const monthly = ['2026-01', '2026-02', '2026-03'].map((period) =>
        quota({ key: 'MBO', period, target: 100, variableTarget: 1000 }),
      );
      const rows = ledgerOf(
        world([periodic], {
          assignments: [{ repId: 'r', planId: 'p', effectiveStart: '2026-01-31', effectiveEnd: null }],
          quotas: monthly,
          deals: [deal('a', '2026-01-05', 60), deal('b', '2026-01-31', 40), deal('c', '2026-02-03', 10)],
        }),
      );
      expect(rows.map((row) => [row.dealId, row.earnedOn, row.credit, row.base, row.amount])).to.deep.equal([
        ['2026-01', '2026-01-31', '100', '1000', '500'],
        ['2026-02', '2026-02-28', '0', '1000', '0'],
      ]);
    });
  });

  describe('approved periods (section 9)', () => {
    it('a deal that moves out of a frozen period keeps its row there, and a new deal there earns nothing', () => {
      const storedRows = ledgerOf(world([rule()], { deals: EXAMPLE }));
      const frozen = [{ repId: 'r', period: '2026-01', truedUp: null }];
      const deals = [deal('D1', '2026-03-20', 60000), ...EXAMPLE.slice(1), deal('D4', '2026-01-02', 50000)];
      const rows = ledgerOf(world([rule()], { deals, frozen, storedRows }));
      expect(rows).to.deep.equal(storedRows);
    });

    it('a frozen amount counts in the cap', () => {
      const storedRows = ledgerOf(world([rule({ cap: 5000 })], { deals: EXAMPLE }));
      const frozen = [{ repId: 'r', period: '2026-01', truedUp: null }];
      expect(amounts(world([rule({ cap: 5000 })], { deals: CORRECTED, frozen, storedRows }))).to.deep.equal({
        D1: '4800',
        D2: '200',
        D3: '0',
      });
    });
  });

  describe('cascade (section 10)', () => {
    const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
    const own = rule({ name: 'Own', tiers: flat });
    const direct = rule({ name: 'Direct', tiers: flat, executionPhase: 'cascade', dependsOn: 'Own' });
    const second = rule({ name: 'Second', tiers: flat, executionPhase: 'cascade', dependsOn: 'Direct' });
    const total = rule({ name: 'Total', tiers: flat, executionPhase: 'cascade' });
    const team = (values: Partial<World> = {}) =>
      world([own, direct, second, total], {
        reps: [
          { repId: 'vp', lines: [] },
          { repId: 'm', lines: [{ managerId: 'vp', from: null, to: null }] },
          {
            repId: 'r',
            lines: [
              { managerId: 'm', from: null, to: '2026-01-31' },
              { managerId: 'vp', from: '2026-02-01', to: null },
            ],
          },
        ],
        assignments: ['vp', 'm', 'r'].map((repId) => ({
          repId,
          planId: 'p',
          effectiveStart: null,
          effectiveEnd: null,
        })),
        deals: [
          deal('jan', '2026-01-31', 10000),
          deal('feb', '2026-02-01', 10000),
          deal('mine', '2026-01-10', 5000, 'm'),
        ],
        ...values,
      });

    it('goes up level by level along the reporting lines of the close date', () => {
      expect(amountsOf(team(), 'Own')).to.deep.equal({ jan: '1000', feb: '1000' });
      expect(amountsOf(team(), 'Direct', 'm')).to.deep.equal({ jan: '100' });
      expect(amountsOf(team(), 'Direct', 'vp')).to.deep.equal({ jan: '100', feb: '100', mine: '50' });
      expect(amountsOf(team(), 'Second', 'vp')).to.deep.equal({ jan: '10' });
      expect(amountsOf(team(), 'Second', 'm')).to.deep.equal({});
      expect(amountsOf(team(), 'Total', 'vp')).to.deep.equal({ jan: '100', feb: '100', mine: '50' });
    });

    it('pays on frozen rows below', () => {
      const storedRows = ledgerOf(team());
      const deals = [deal('jan', '2026-01-31', 20000)];
      const frozen = [{ repId: 'r', period: '2026-01', truedUp: null }];
      const rows = ledgerOf(team({ deals, storedRows, frozen }));
      const of = (repId: string, ruleName: string): LedgerRow | undefined =>
        rows.find((row) => row.repId === repId && row.ruleName === ruleName);
      expect(of('r', 'Own')?.amount).to.equal('1000');
      expect(of('m', 'Direct')).to.deep.include({ amount: '100', base: '1000', credit: '20000' });
    });
  });
});
