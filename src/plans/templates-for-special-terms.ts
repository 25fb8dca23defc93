import { fixed, pays, rates, supportedDeal, type WrittenTemplate, won, wonDeal } from './templates.js';

export const mboBonus: WrittenTemplate = {
  templateId: 'mbo-bonus',
  name: 'MBO bonus',
  description:
    "A quarterly bonus of 50 %, 80 % or 100 % of the rep's variable target when 50 %, 80 % or 100 % of the objectives are met, paid once the quarter has ended. Record each objective that is met as a deal of the rep with its weight in the field mbo_points, or enter the points of the quarter as a score. The target of the quota of the rule MBO bonus is the number of points to reach, and its variable target is the full bonus.",
  config: {
    rules: [
      {
        name: 'MBO bonus',
        measure: 'mbo_points',
        executionPhase: 'periodic',
        attainmentPeriod: 'quarterly',
        payoutBase: 'variable_target',
        conditions: [{ field: 'mbo_points', fieldType: 'number', operator: 'is_set' }],
        tiers: rates([0, 0, 'Not reached'], [0.5, 0.5, 'Half'], [0.8, 0.8, 'Most'], [1, 1, 'Full']),
      },
    ],
  },
  workedExample: {
    assignment: { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' },
    quotas: [{ measure: 'MBO bonus', period: '2026-Q1', target: 100, variableTarget: 5_000 }],
    deals: [
      { dealId: 'mbo-1', closeDate: '2026-02-20', fields: { mbo_points: 40 } },
      { dealId: 'mbo-2', closeDate: '2026-03-27', fields: { mbo_points: 45 } },
    ],
    expected: [pays('2026-Q1', 'MBO bonus', 'Most', 4_000)],
    note: '85 of 100 points reach the tier at 80 %. It pays 80 % of 5,000 in one event on the last day of the quarter.',
  },
};

export const sdrMeetingBonus: WrittenTemplate = {
  templateId: 'sdr-meeting-bonus',
  name: 'SDR meeting bonus',
  description:
    '75 for every meeting held, and a monthly bonus of 300 when the number of meetings reaches the monthly goal and 500 when it reaches 150 % of it. Record each meeting as a deal that closes on the day of the meeting, with its status in the field meeting_status. Set a monthly quota for the rule Monthly milestone.',
  config: {
    dealConditions: [{ field: 'meeting_status', fieldType: 'status', operator: 'equals', value: 'Held' }],
    rules: [
      {
        name: 'Meeting',
        measure: '_deals',
        attainmentPeriod: 'monthly',
        payoutMode: 'flat_per_event',
        tiers: fixed([0, 75, 'Meeting']),
      },
      {
        name: 'Monthly milestone',
        measure: '_deals',
        attainmentPeriod: 'monthly',
        payoutMode: 'stepped_bonus',
        tiers: fixed([1, 300, 'Goal'], [1.5, 500, 'Beyond']),
      },
    ],
  },
  workedExample: {
    quotas: [{ measure: 'Monthly milestone', period: '2026-03', target: 2 }],
    deals: [
      { dealId: 'meeting-1', closeDate: '2026-03-03', fields: { meeting_status: 'Held' } },
      { dealId: 'meeting-2', closeDate: '2026-03-09', fields: { meeting_status: 'No show' } },
      { dealId: 'meeting-3', closeDate: '2026-03-12', fields: { meeting_status: 'Held' } },
      { dealId: 'meeting-4', closeDate: '2026-03-20', fields: { meeting_status: 'Held' } },
    ],
    expected: [
      pays('meeting-1', 'Meeting', 'Meeting', 75),
      pays('meeting-1', 'Monthly milestone', null, 0),
      pays('meeting-3', 'Meeting', 'Meeting', 75),
      pays('meeting-3', 'Monthly milestone', 'Goal', 300),
      pays('meeting-4', 'Meeting', 'Meeting', 75),
      pays('meeting-4', 'Monthly milestone', 'Beyond', 200),
    ],
    note: 'Each of the three meetings held pays 75. The second reaches the goal of two and pays 300. The third reaches 150 %: the bonus is now 500, of which 300 are already paid, so it pays 200. The no-show does not count.',
  },
};

export const newHireRamp: WrittenTemplate = {
  templateId: 'new-hire-ramp',
  name: 'New-hire ramp',
  description:
    '8 % of each deal, or 12 % from the monthly quota on. The quota of a new hire grows step by step: it counts by days, so that a ramp of the assignment, absences and a start within a month lower it. Create the ramp once, and name it in the assignment of each new hire; everyone else is on the same plan without it.',
  config: {
    dealConditions: [won],
    rules: [
      {
        name: 'New business',
        measure: 'amount',
        attainmentPeriod: 'monthly',
        quotaProration: 'calendar_days',
        tiers: rates([0, 0.08, 'Base'], [1, 0.12, 'Goal']),
      },
    ],
  },
  workedExample: {
    assignment: {
      effectiveStart: '2026-01-01',
      effectiveEnd: '2026-12-31',
      ramp: {
        steps: [
          { months: 1, quotaPercent: 50, variablePercent: 100, ratePercent: 100 },
          { months: 1, quotaPercent: 75, variablePercent: 100, ratePercent: 100 },
        ],
      },
    },
    quotas: ['2026-01', '2026-02', '2026-03'].map((period) => ({ measure: 'New business', period, target: 40_000 })),
    deals: [
      wonDeal('ramp-1', '2026-01-20', 20_000),
      wonDeal('ramp-2', '2026-02-18', 24_000),
      wonDeal('ramp-3', '2026-03-25', 40_000),
    ],
    expected: [
      pays('ramp-1', 'New business', 'Goal', 2_400),
      pays('ramp-2', 'New business', 'Base', 1_920),
      pays('ramp-3', 'New business', 'Goal', 4_800),
    ],
    note: 'The quota of 40,000 counts as 20,000 in January, 30,000 in February and in full from March on: 12 % of 20,000, 8 % of 24,000, which is 80 % of 30,000, and 12 % of 40,000.',
  },
};

export const seOverlay: WrittenTemplate = {
  templateId: 'se-overlay',
  name: 'SE overlay',
  description:
    'Sales engineers earn 1.5 % of the deals that they support, or 2 % from their quarterly quota on, while the sellers keep theirs. Credit them with overlays of the role SE: on the page of a deal, by a credit rule that reads a field such as sales_engineer, or from the splits of the CRM. A credit of 50 % counts half of the deal.',
  config: {
    dealConditions: [won],
    rules: [
      {
        name: 'SE overlay',
        measure: 'amount',
        creditKinds: ['overlay'],
        creditRoles: ['SE'],
        tiers: rates([0, 0.015, 'Base'], [1, 0.02, 'Goal']),
      },
    ],
  },
  workedExample: {
    quotas: [{ measure: 'SE overlay', period: '2026-Q1', target: 100_000 }],
    deals: [
      supportedDeal(wonDeal('overlay-1', '2026-01-20', 80_000), 'SE', 100),
      supportedDeal(wonDeal('overlay-2', '2026-02-18', 60_000), 'SE', 50),
    ],
    expected: [pays('overlay-1', 'SE overlay', 'Base', 1_200), pays('overlay-2', 'SE overlay', 'Goal', 600)],
    note: 'The first deal counts in full: 1.5 % of 80,000. Half of the second counts, 30,000, which reaches 110 % of the quota: 2 % of 30,000.',
  },
};
