import { addDays, type Day } from '#src/kernel/day.js';
import { type Period, periodRange, periodsTouching, toPeriod } from '#src/kernel/period.js';
import { accountManagers, developers, managers, sellers } from './people.js';

interface DemoPlan {
  readonly name: string;
  readonly config: unknown;
  readonly people: readonly string[];
  readonly quotas: readonly {
    readonly measure: string;
    readonly people: readonly string[];
    readonly period: Period;
    readonly target: number;
    readonly variableTarget?: number;
  }[];
  readonly overrides: readonly {
    readonly rule: string;
    readonly person: string;
    readonly tiers: readonly { readonly tierIndex: number; readonly rate: number }[];
  }[];
}

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Closed Won' };
const ofType = (value: string) => ({ field: 'deal_type', fieldType: 'select', operator: 'equals', value });
const rates = (...tiers: readonly (readonly [number, number, string])[]) =>
  tiers.map(([minThreshold, rate, name], tierIndex) => ({ tierIndex, minThreshold, rate, name }));

const accountManagerPlan = 'Account Manager';

function accountManagerTerms(baseRate: number) {
  return {
    dealConditions: [won, ofType('Renewal')],
    rules: [
      {
        name: 'Renewals',
        measure: 'amount',
        tierMode: 'retroactive',
        cap: 9_000,
        tiers: rates([0, baseRate, 'Base'], [1, 0.035, 'Quota']),
      },
      {
        name: 'Quarter bonus',
        measure: 'amount',
        executionPhase: 'periodic',
        payoutBase: 'variable_target',
        floorAttainment: 0.6,
        tiers: rates([0, 0.5, 'Half'], [0.9, 1, 'Full'], [1.2, 1.5, 'Over']),
      },
    ],
  };
}

/** A higher base rate for account managers from the current quarter on: the second version of their plan. */
export function demoPlanChange(today: Day) {
  const { from } = periodRange(toPeriod(today, 'quarterly'));
  return { plan: accountManagerPlan, effectiveStart: from, config: accountManagerTerms(0.025) };
}

/**
 * Plans that together show every kind of rule: marginal, by value, by rank, retroactive, periodic, bonuses, cascade.
 */
export function demoPlans(today: Day): DemoPlan[] {
  const quarters = periodsTouching({ from: addDays(today, -365), to: today }, 'quarterly');
  return [executives(quarters), accountManagement(quarters), salesDevelopment(quarters), teamLeads];
}

const executiveRules = [
  {
    name: 'New business',
    measure: 'amount',
    tierMode: 'marginal',
    tiers: rates([0, 0.06, 'Base'], [0.8, 0.08, 'Stretch'], [1, 0.1, 'Quota'], [1.25, 0.13, 'Club']),
  },
  {
    name: 'Multi-year kicker',
    measure: 'amount',
    payoutBase: '1',
    conditions: [{ field: 'contract_years', fieldType: 'number', operator: 'gte', value: 2 }],
    tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 300, name: 'Multi-year' }],
  },
  {
    name: 'Large deal',
    measure: 'amount',
    tierBy: 'value',
    tierValueField: 'amount',
    tiers: rates([50_000, 0.01, 'Large'], [75_000, 0.015, 'Very large']),
  },
  {
    name: 'Leaderboard',
    measure: 'amount',
    tierBy: 'rank',
    tiers: rates([1, 0.01, 'First'], [2, 0.005, 'Second'], [3, 0, 'Others']),
  },
];

function executives(quarters: readonly Period[]): DemoPlan {
  const [, second = ''] = sellers;
  const withQuota = sellers.slice(0, -1);
  return {
    name: 'Account Executive',
    config: {
      dealConditions: [won, ofType('New')],
      rules: executiveRules,
    },
    people: sellers,
    // The last rep has no quota; the dashboard and the trace say so.
    quotas: quarters.map((period) => ({ measure: 'New business', people: withQuota, period, target: 250_000 })),
    overrides: [
      {
        rule: 'New business',
        person: second,
        tiers: [
          { tierIndex: 0, rate: 0.07 },
          { tierIndex: 2, rate: 0.11 },
        ],
      },
    ],
  };
}

function accountManagement(quarters: readonly Period[]): DemoPlan {
  return {
    name: accountManagerPlan,
    config: accountManagerTerms(0.02),
    people: accountManagers,
    quotas: quarters.flatMap((period) => [
      { measure: 'Renewals', people: accountManagers, period, target: 150_000 },
      { measure: 'Quarter bonus', people: accountManagers, period, target: 150_000, variableTarget: 2_500 },
    ]),
    overrides: [],
  };
}

function salesDevelopment(quarters: readonly Period[]): DemoPlan {
  return {
    name: 'Sales Development',
    config: {
      quotaPeriod: 'quarterly',
      dealConditions: [won, ofType('Meeting')],
      rules: [
        {
          name: 'Meetings',
          baseField: 'meetings',
          payoutMode: 'flat_per_event',
          tiers: [{ name: 'Meeting', min: 0, amount: 75 }],
        },
        {
          name: 'Milestones',
          baseField: 'meetings',
          payoutMode: 'stepped_bonus',
          tiers: [
            { name: 'Half way', min: 0.5, amount: 400 },
            { name: 'There', min: 1, amount: 1_200 },
          ],
        },
      ],
    },
    people: developers,
    quotas: quarters.map((period) => ({ measure: 'Milestones', people: developers, period, target: 20 })),
    overrides: [],
  };
}

const teamLeads: DemoPlan = {
  name: 'Team Lead',
  config: {
    rules: [
      {
        name: 'Team override',
        measure: 'amount',
        executionPhase: 'cascade',
        dependsOn: '_total',
        tiers: rates([0, 0.08, 'Override']),
      },
    ],
  },
  people: managers,
  quotas: [],
  overrides: [],
};
