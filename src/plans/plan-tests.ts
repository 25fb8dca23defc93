import { z } from 'zod';
import { dealBody, dealId } from '../deals/deal.js';
import { lineTerms, totalsHundred } from '../deals/deal-credits.js';
import { madeUpRefunds } from '../deals/refunds/made-up-refunds.js';
import { refundId } from '../deals/refunds/refund.js';
import { dealLineInput, findRepeatedLine, maxLines } from '../engine/deal-line-input.js';
import { rateTableInput } from '../engine/rate-table-input.js';
import { reasons } from '../engine/trace.js';
import { day, period, text } from '../platform/operations/schemas.js';
import { assumedRates } from './assumed-rates.js';
import { conditionTraces } from './condition-traces.js';
import { simulatedAbsence, simulatedRamp } from './personal-terms.js';

/** The name of the person in tests that name none. */
export const defaultPerson = 'rep';

const person = text(100).describe('Any name for a person of the test; rep by default');
const amount = z.number().min(-1e12).max(1e12);
const target = z.number().min(0).max(1e12);

const testDeal = dealBody
  .omit({ ownerId: true, ownerEmail: true, repId: true, sourceUpdatedAt: true })
  .extend({
    dealId: dealId.describe('Id of the deal within the test'),
    closeDate: day.describe('Close date, YYYY-MM-DD'),
    rep: person.optional(),
    credits: z
      .array(
        z
          .strictObject({
            rep: person.nullable().describe('Any name for a person of the test; null for the house'),
            ...lineTerms,
          })
          .describe('A credit line'),
      )
      .min(1)
      .max(20)
      .refine(totalsHundred, 'split lines must total 100')
      .optional()
      .describe('Who is credited on the deal; by default the person of the deal'),
    lines: z
      .array(dealLineInput)
      .min(1)
      .max(maxLines)
      .refine((lines) => findRepeatedLine(lines) < 0, 'must not repeat a lineId')
      .optional()
      .describe('The products of the deal'),
  })
  .describe('A made-up deal');

const testQuota = z
  .strictObject({
    measure: text(200).describe('Name of the rule, or of its quotaGroup'),
    period: period.describe('Attainment period, such as 2026-Q1'),
    target: target.describe('What counts as 100 %, in the unit of the measure'),
    variableTarget: target.optional().describe('Variable pay at 100 %, an amount of money'),
    rep: person.optional().describe('The person with this quota; everyone by default'),
  })
  .describe('A quota');

const expectedAmount = z
  .strictObject({
    ruleName: text(200).describe('Name of the rule'),
    dealId: dealId.optional().describe('Only events on this deal and on its refunds'),
    refundId: refundId.optional().describe('Only what refunds with this id take back'),
    lineId: dealLineInput.shape.lineId.optional().describe('Only the parts for this product of a deal'),
    period: period.optional().describe('Only events that are earned in this period'),
    rep: person.optional().describe('Only events of this person'),
    amount: amount.describe('Sum of the events of the rule that match; 0 if nothing is paid'),
  })
  .describe('What the plan must pay');

const datedValue = z
  .strictObject({
    from: day.optional().describe('First day of the value; from the beginning when absent'),
    value: text(500).describe('The value'),
  })
  .describe('A value of a dated field');

const planTest = z
  .strictObject({
    name: text(200).describe('Name of the test, unique in the plan'),
    deals: z.array(testDeal).max(100).describe('The deals'),
    quotas: z.array(testQuota).max(100).optional().describe('The quotas'),
    managers: z.record(text(100), text(100)).optional().describe('The manager of each person who has one'),
    assignment: z
      .strictObject({
        effectiveStart: day.nullish().describe('First day, YYYY-MM-DD; null for no earliest day'),
        effectiveEnd: day.nullish().describe('Last day, YYYY-MM-DD; null for no end'),
        ramp: simulatedRamp.optional().describe('Ramp of everyone on the plan'),
      })
      .optional()
      .describe('The days on which everyone is on the plan; all days by default'),
    absences: z
      .array(z.strictObject({ rep: person.optional(), ...simulatedAbsence }).describe('An absence'))
      .max(100)
      .optional()
      .describe('Absences of people'),
    fxRates: assumedRates.optional().describe('The exchange rates of the test; stored rates do not count'),
    tables: z
      .array(rateTableInput)
      .max(200)
      .optional()
      .describe('The rate tables of the test; stored tables do not count'),
    refunds: madeUpRefunds({
      rep: person.nullable().default(null).describe('Any name for a person of the test; null for everyone'),
    })
      .optional()
      .describe('Refunds of deals of the test'),
    people: z
      .record(
        text(100),
        z
          .record(text(200), z.union([day, z.array(datedValue)]))
          .refine(
            (person) =>
              Object.entries(person).every(([field, value]) => (field === 'hireDate') === (typeof value === 'string')),
            'must give hireDate as a day, YYYY-MM-DD, and every other field as a list of values',
          )
          .describe('A person'),
      )
      .optional()
      .describe('What keys of rate tables read of people: hireDate, and dated fields such as title'),
    asOf: day
      .optional()
      .describe('Day of the calculation, YYYY-MM-DD; by default the day after the last period of the test'),
    expected: z.array(expectedAmount).min(1).max(200).describe('What the plan must pay'),
    total: amount.optional().describe('Sum of everything that the plan pays in the test'),
  })
  .describe('Made-up deals and what the plan must pay for them');
export type PlanTest = z.output<typeof planTest>;

export const planTests = z
  .array(planTest)
  .max(20)
  .superRefine((tests, context) => {
    const names = tests.map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) !== index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is the name of an earlier test too' });
    });
  })
  .describe('Tests of the plan: a version whose tests fail cannot become active');

/** Tests in a response. Their form is that of the request, which the document describes once. */
export const storedTests = z.array(
  z.looseObject({ name: z.string().describe('Name of the test') }).describe('A test, as it was sent'),
);

export const forceTests = z
  .boolean()
  .optional()
  .describe('true: make a version active although its tests fail. The audit log says so');

const unpaidOutcome = z
  .object({
    dealKey: z.string().describe('Id of the deal; for a rule of periods the period'),
    refundId: z.string().optional().describe('The refund of the deal that took nothing back'),
    rep: z.string().optional().describe('The person, if the test names several'),
    reason: z.enum(reasons).nullable().describe('Why nothing was paid; null if the tier pays nothing'),
    conditions: conditionTraces,
    missing: z.array(z.string()).describe('Slugs of fields that the rule needs and the deal does not have'),
  })
  .describe('A deal or period on which the rule paid nothing');

/** One difference between a test and what the plan pays. */
const failedTest = z
  .object({
    name: z.string().describe('Name of the test'),
    ruleName: z.string().nullable().describe('Name of the rule; null for the total'),
    dealId: z.string().nullable().describe('Id of the deal; null if the expectation names none'),
    refundId: z.string().optional().describe('The refund of the expectation'),
    lineId: z.string().optional().describe('The product of the expectation'),
    period: z.string().optional().describe('The period of the expectation'),
    rep: z.string().optional().describe('The person of the expectation'),
    expected: z.number().describe('The expected amount'),
    actual: z.number().describe('What the plan pays'),
    trace: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('How the amount was computed; null unless exactly one event matches'),
    unpaid: z.array(unpaidOutcome).describe('Why the rule paid nothing on deals of the expectation, at most 5'),
  })
  .describe('An expectation that does not hold');
export type FailedTest = z.input<typeof failedTest>;

export const testResult = z
  .object({
    passed: z.boolean().describe('Whether every expectation of every test holds'),
    tests: z.int().describe('Number of tests'),
    failed: z.array(failedTest).describe('The expectations that do not hold'),
  })
  .describe('The result of the tests of a plan');
export type TestResult = z.input<typeof testResult>;
