import { fixed, type PlanTemplate, pays, rates, won, wonDeal } from './templates.js';

export const mboBonus: PlanTemplate = {
  templateId: 'mbo-bonus',
  name: 'MBO bonus',
  description:
    "A quarterly bonus for objectives, a share of the rep's variable target, paid once the quarter has ended. Each objective that is met is recorded as a deal of the rep with its weight in the field mbo_points; the quota of the rule MBO bonus is the points to reach, its variableTarget the full bonus.",
  planConfig: {
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
  },
  workedExample: {
    assignment: { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' },
    quotas: [{ measure: 'MBO bonus', period: '2026-Q1', target: 100, variableTarget: 5_000 }],
    deals: [
      { dealId: 'mbo-1', closeDate: '2026-02-20', fields: { mbo_points: 40 } },
      { dealId: 'mbo-2', closeDate: '2026-03-27', fields: { mbo_points: 45 } },
    ],
    expected: [pays('2026-Q1', 'MBO bonus', 'Most', 4_000)],
    note: '85 of 100 points reach the tier from 80 % on: 80 % of 5,000, in one event on the last day of the quarter.',
  },
};

export const sdrMeetingBonus: PlanTemplate = {
  templateId: 'sdr-meeting-bonus',
  name: 'SDR meeting bonus',
  description:
    'A fixed amount for every meeting held, and a monthly bonus that steps up with their number. Each meeting is a deal closed on its day, with 1 in the field meetings and its status in meeting_status. Set a monthly quota for the rule Monthly milestone.',
  planConfig: {
    config: {
      dealConditions: [{ field: 'meeting_status', fieldType: 'status', operator: 'equals', value: 'Held' }],
      rules: [
        {
          name: 'Meeting',
          measure: 'meetings',
          attainmentPeriod: 'monthly',
          payoutMode: 'flat_per_event',
          tiers: fixed([0, 75, 'Meeting']),
        },
        {
          name: 'Monthly milestone',
          measure: 'meetings',
          attainmentPeriod: 'monthly',
          payoutMode: 'stepped_bonus',
          tiers: fixed([1, 300, 'Goal'], [1.5, 500, 'Beyond']),
        },
      ],
    },
  },
  workedExample: {
    quotas: [{ measure: 'Monthly milestone', period: '2026-03', target: 2 }],
    deals: [
      { dealId: 'meeting-1', closeDate: '2026-03-03', fields: { meetings: 1, meeting_status: 'Held' } },
      { dealId: 'meeting-2', closeDate: '2026-03-09', fields: { meetings: 1, meeting_status: 'No show' } },
      { dealId: 'meeting-3', closeDate: '2026-03-12', fields: { meetings: 1, meeting_status: 'Held' } },
      { dealId: 'meeting-4', closeDate: '2026-03-20', fields: { meetings: 1, meeting_status: 'Held' } },
    ],
    expected: [
      pays('meeting-1', 'Meeting', 'Meeting', 75),
      pays('meeting-1', 'Monthly milestone', null, 0),
      pays('meeting-3', 'Meeting', 'Meeting', 75),
      pays('meeting-3', 'Monthly milestone', 'Goal', 300),
      pays('meeting-4', 'Meeting', 'Meeting', 75),
      pays('meeting-4', 'Monthly milestone', 'Beyond', 200),
    ],
    note: '75 for each of three meetings held. The second of them reaches the goal of two: 300. The third reaches 150 %: the bonus is now 500, of which 300 are paid. The no-show does not count.',
  },
};

export const newHireRamp: PlanTemplate = {
  templateId: 'new-hire-ramp',
  name: 'New-hire ramp',
  description:
    'Lower thresholds for the first months: accelerators from 50 % and 75 % of the full monthly quota. Effective dates end the ramp: assign each new hire to this plan with an effectiveEnd, and to the full plan from the next day on. Or keep one plan: PATCH it with the full config and its effectiveStart, which makes a new version from that day.',
  planConfig: {
    config: {
      dealConditions: [won],
      rules: [
        {
          name: 'New business',
          measure: 'amount',
          attainmentPeriod: 'monthly',
          tiers: rates([0, 0.08, 'Ramp base'], [0.5, 0.1, 'Ramp half'], [0.75, 0.12, 'Ramp goal']),
        },
      ],
    },
  },
  workedExample: {
    assignment: { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' },
    quotas: ['2026-01', '2026-02', '2026-03'].map((period) => ({ measure: 'New business', period, target: 40_000 })),
    deals: [
      wonDeal('ramp-1', '2026-01-20', 10_000),
      wonDeal('ramp-2', '2026-02-18', 24_000),
      wonDeal('ramp-3', '2026-03-25', 32_000),
      wonDeal('ramp-4', '2026-04-10', 40_000),
    ],
    expected: [
      pays('ramp-1', 'New business', 'Ramp base', 800),
      pays('ramp-2', 'New business', 'Ramp half', 2_400),
      pays('ramp-3', 'New business', 'Ramp goal', 3_840),
    ],
    note: '25 %, 60 % and 80 % of the quotas of the months: 8 % of 10,000, 10 % of 24,000, 12 % of 32,000. In April the ramp is over, and the full plan pays.',
  },
};
