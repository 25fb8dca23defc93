import { pays, rates, type WrittenTemplate, won, wonDeal } from './templates.js';

const newBusiness = { name: 'New business', measure: 'amount', attainmentPeriod: 'quarterly' };
const bookings = { attainmentPeriod: 'quarterly', quotaGroup: 'Bookings' };
const accelerators = rates([0, 0.08, 'Base'], [1, 0.12, 'Accelerator'], [1.25, 0.15, 'Club']);

export const flatCommission: WrittenTemplate = {
  templateId: 'flat-commission',
  name: 'Flat commission',
  description: '10 % of every won deal. The rule needs no quota.',
  config: {
    dealConditions: [won],
    rules: [{ name: 'Commission', measure: 'amount', tiers: rates([0, 0.1, 'Flat']) }],
  },
  workedExample: {
    quotas: [],
    deals: [
      wonDeal('flat-1', '2026-01-15', 10_000),
      wonDeal('flat-2', '2026-02-10', 24_500),
      { dealId: 'flat-3', closeDate: '2026-03-05', amount: 30_000, stage: 'Negotiation' },
    ],
    expected: [pays('flat-1', 'Commission', 'Flat', 1_000), pays('flat-2', 'Commission', 'Flat', 2_450)],
    note: '10 % of 10,000 and of 24,500. The third deal is not won and pays nothing.',
  },
};

export const marginalAe: WrittenTemplate = {
  templateId: 'marginal-ae',
  name: 'Account executive, marginal tiers',
  description:
    '8 % up to the quarterly quota, 12 % above it and 15 % above 125 % of it, where each part of a deal pays at the rate of its own band, like tax brackets. Set a quarterly quota for the rule New business.',
  config: {
    dealConditions: [won],
    rules: [{ ...newBusiness, tierMode: 'marginal', tiers: accelerators }],
  },
  workedExample: {
    quotas: [{ measure: 'New business', period: '2026-Q1', target: 100_000 }],
    deals: [
      wonDeal('marginal-1', '2026-01-15', 60_000),
      wonDeal('marginal-2', '2026-02-10', 60_000),
      wonDeal('marginal-3', '2026-03-05', 30_000),
    ],
    expected: [
      pays('marginal-1', 'New business', 'Base', 4_800),
      pays('marginal-2', 'New business', 'Accelerator', 5_600),
      pays('marginal-3', 'New business', 'Club', 4_350),
    ],
    note: '60,000 at 8 %; then 40,000 at 8 % up to the quota and 20,000 at 12 % above it; then 5,000 at 12 % up to 125 % and 25,000 at 15 %.',
  },
};

export const retroactiveAe: WrittenTemplate = {
  templateId: 'retroactive-ae',
  name: 'Account executive, retroactive tiers',
  description:
    '8 %, or 12 % for every deal of the quarter once the quarterly quota is reached, or 15 % for every deal once 125 % of it is reached. Reaching a tier recalculates the earlier deals of the quarter, except those in approved statements. Set a quarterly quota for the rule New business.',
  config: {
    dealConditions: [won],
    rules: [{ ...newBusiness, tierMode: 'retroactive', tiers: accelerators }],
  },
  workedExample: {
    quotas: [{ measure: 'New business', period: '2026-Q1', target: 100_000 }],
    deals: [
      wonDeal('retroactive-1', '2026-01-15', 60_000),
      wonDeal('retroactive-2', '2026-02-10', 60_000),
      wonDeal('retroactive-3', '2026-04-02', 10_000),
    ],
    expected: [
      pays('retroactive-1', 'New business', 'Accelerator', 7_200),
      pays('retroactive-2', 'New business', 'Accelerator', 7_200),
      pays('retroactive-3', 'New business', null, 0),
    ],
    note: 'The quarter reaches 120 % of its quota, so both deals pay 12 %. Before the second deal was won, the first paid 8 %. The third deal closes in the next quarter, for which no quota is set, and pays 0 until a quota is set.',
  },
};

export const managerCascade: WrittenTemplate = {
  templateId: 'ae-manager-cascade',
  name: 'Account executive with manager override',
  description:
    'Sellers earn 8 % of their deals, or 10 % from the deal on that reaches the quarterly quota, and their managers earn 20 % of what everyone below them earns on New business. Assign sellers and managers to the plan, and set the manager of each rep.',
  config: {
    dealConditions: [won],
    rules: [
      { ...newBusiness, tiers: rates([0, 0.08, 'Base'], [1, 0.1, 'Accelerator']) },
      {
        name: 'Manager override',
        executionPhase: 'cascade',
        dependsOn: 'New business',
        tiers: rates([0, 0.2, 'Override']),
      },
    ],
  },
  workedExample: {
    quotas: [{ measure: 'New business', period: '2026-Q1', target: 100_000 }],
    deals: [wonDeal('cascade-1', '2026-01-15', 60_000), wonDeal('cascade-2', '2026-02-10', 50_000)],
    expected: [
      pays('cascade-1', 'New business', 'Base', 4_800),
      pays('cascade-2', 'New business', 'Accelerator', 5_000),
      pays('cascade-1', 'Manager override', 'Override', 960, 'manager'),
      pays('cascade-2', 'Manager override', 'Override', 1_000, 'manager'),
    ],
    note: 'The rep earns 8 % of 60,000 and, because the second deal reaches 110 % of the quota, 10 % of 50,000. The manager earns 20 % of each of these two amounts.',
  },
};

export const multiMeasure: WrittenTemplate = {
  templateId: 'multi-measure',
  name: 'Several measures, one quota',
  description:
    'Software pays 8 % and services pay 3 %, or 12 % and 5 % from the deal on that reaches the quarterly quota that both share. Both rules are in the quota group Bookings, so set the quota once, for either rule. Map the measures software_amount and services_amount to fields of your CRM in the field mapping, or choose other measures.',
  config: {
    dealConditions: [won],
    rules: [
      {
        name: 'Software',
        measure: 'software_amount',
        ...bookings,
        tiers: rates([0, 0.08, 'Base'], [1, 0.12, 'Accelerator']),
      },
      {
        name: 'Services',
        measure: 'services_amount',
        ...bookings,
        tiers: rates([0, 0.03, 'Base'], [1, 0.05, 'Accelerator']),
      },
    ],
  },
  workedExample: {
    quotas: [{ measure: 'Software', period: '2026-Q1', target: 100_000 }],
    deals: [
      { ...wonDeal('multi-1', '2026-01-15', 60_000), fields: { software_amount: 50_000, services_amount: 10_000 } },
      { ...wonDeal('multi-2', '2026-02-10', 50_000), fields: { software_amount: 40_000, services_amount: 10_000 } },
      { ...wonDeal('multi-3', '2026-03-05', 10_000), fields: { software_amount: 10_000 } },
    ],
    expected: [
      pays('multi-1', 'Software', 'Base', 4_000),
      pays('multi-1', 'Services', 'Base', 300),
      pays('multi-2', 'Software', 'Accelerator', 4_800),
      pays('multi-2', 'Services', 'Accelerator', 500),
      pays('multi-3', 'Software', 'Accelerator', 1_200),
    ],
    note: 'Both measures together reach 60,000, 110,000 and 120,000 of 100,000: the first deal pays 8 % and 3 %, the others pay 12 % and 5 %. The third deal has no services.',
  },
};
