import { sampleIds } from '../kernel/sample-ids.js';

/** The plan of the examples: 8 % up to the quota and 12 % above it. */
const dealConditionsExample = [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }];

const ruleExample = {
  name: 'New business',
  measure: 'amount',
  attainmentPeriod: 'quarterly',
  tierMode: 'marginal',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 1, rate: 0.12 },
  ],
};

const planTestsExample = [
  {
    name: 'Half of the quota',
    deals: [{ dealId: 'half', closeDate: '2026-02-10', amount: 1000, stage: 'Won' }],
    quotas: [{ measure: 'New business', period: '2026-Q1', target: 2000 }],
    expected: [{ ruleName: 'New business', dealId: 'half', amount: 80 }],
    total: 80,
  },
];

export const planConfigExample = { dealConditions: dealConditionsExample, rules: [ruleExample] };

const stretchExample = { planVersionId: sampleIds.planVersionId, version: 1, from: '2026-01-01', to: null };

export const endedStretchExample = { ...stretchExample, version: 2, to: '2026-12-31' };

export const planExample = {
  planId: sampleIds.planId,
  planVersionId: sampleIds.planVersionId,
  id: sampleIds.planVersionId,
  version: 1,
  name: 'AE',
  planStatus: 'active',
  status: 'active',
  versionStatus: 'active',
  timeline: [stretchExample],
  inForce: stretchExample,
  effectiveStart: '2026-01-01',
  effectiveEnd: null,
  currency: null,
  fieldMapping: null,
  config: planConfigExample,
  dealConditions: dealConditionsExample,
  rules: [{ id: sampleIds.ruleId, ...ruleExample }],
  tests: planTestsExample,
  assignedReps: [{ repId: sampleIds.repId, name: 'Ben' }],
  createdAt: '2026-01-02T09:00:00.000Z',
};

export const unassignedExample = {
  code: 'unassigned',
  path: '',
  message: 'No rep is assigned to the plan on the days that it covers, so it pays no commission. Assign reps to it.',
};

export const repOverridesExample = {
  planVersionId: sampleIds.planVersionId,
  repId: sampleIds.repId,
  repName: 'Ben',
  rules: [
    { ruleId: sampleIds.ruleId, ruleName: 'New business', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] },
  ],
};

export const planTemplateExample = {
  templateId: 'flat-commission',
  name: 'Flat commission',
  description: 'One rate on every won deal',
  planConfig: { config: planConfigExample, tests: planTestsExample },
  workedExample: {
    quotas: [],
    deals: [{ dealId: sampleIds.dealId, closeDate: '2026-02-10', amount: 1000 }],
    expected: [{ earnedBy: 'rep', dealId: sampleIds.dealId, ruleName: 'New business', tierName: null, amount: 80 }],
    note: '8 % of 1,000',
  },
};
