import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { storedJobFields, storedJobResponse } from '../../api/stored-job.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { filteredPeopleQuery, unfilteredPeople } from '../../people/reps/filtered-people.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { flag, period, wholeNumber } from '../../platform/operations/schemas.js';
import { type Acceptances, acceptance } from '../acceptance.js';
import { ExceptionReports } from '../exception-reports.js';
import { type Exception, exceptionReasons } from '../exceptions.js';
import { reasonTexts } from '../reason-texts.js';

const query = z.strictObject({
  period: period.optional().describe('The current month by default'),
  accepted: flag
    .default(false)
    .describe('true: only what an admin accepted as expected to pay nothing; false: only the rest'),
  limit: wholeNumber(1, 100)
    .default(20)
    .describe('Max number of deals that are listed for each reason; counts include all'),
  ...filteredPeopleQuery,
  skip: wholeNumber(0, 1_000_000_000)
    .default(0)
    .describe('Number of deals of each reason to skip, the largest amount first'),
  reason: z.enum(exceptionReasons).optional().describe('Only this reason'),
});

const response = z.object({
  period: fields.period,
  currency: z.string().describe('The currency of the workspace, in which amounts without a currency are counted'),
  deals: z.int().describe('Number of distinct deals in all groups'),
  exceptions: z
    .array(
      z
        .object({
          reason: z.enum(exceptionReasons).describe('Why the deals were not paid, as a code'),
          meaning: z.string().describe('What the reason means and what to do'),
          count: z.int().describe('Number of distinct deals'),
          entries: z
            .int()
            .describe('Number of deals on all pages: a deal that did not pay two reps is listed for each of them'),
          totals: z
            .array(
              z
                .object({
                  currency: fields.currency,
                  amount: z.number().describe('Sum of the amounts of the deals in this currency'),
                })
                .describe('Sum of one currency'),
            )
            .describe('Sums of the amounts of the deals by currency, the currency of the workspace first'),
          repIds: z
            .array(z.string())
            .optional()
            .describe(
              'With ids: which of these people were not paid for this reason, on all pages. Absent for deals that no calculation reads, such as those without an owner',
            ),
          deals: z
            .array(
              z
                .object({
                  dealId: fields.dealId,
                  name: fields.dealName.nullable(),
                  stage: fields.stage.nullable(),
                  closeDate: fields.closeDate.nullable(),
                  amount: z.number().nullable().describe('Null if the deal has no amount that can be read'),
                  currency: fields.currency.nullable(),
                  repId: z
                    .string()
                    .nullable()
                    .describe('Id of the rep who was not paid (UUID); null for a deal without an owner'),
                  repName: fields.repName.nullable(),
                  rules: z
                    .array(
                      z
                        .object({
                          planId: fields.planId.nullable(),
                          planName: fields.planName.nullable(),
                          ruleId: fields.ruleId.nullable(),
                          ruleName: fields.ruleName.nullable(),
                        })
                        .describe('A rule that paid nothing'),
                    )
                    .describe('The rules that paid nothing; without a rule if no plan version applies'),
                  missing: z.array(z.string()).describe('Slugs of the fields that are missing or out of range'),
                  acceptance: acceptance.optional(),
                })
                .describe('A deal that was not paid'),
            )
            .describe('The first deals, the largest amount first'),
        })
        .describe('The deals of one reason'),
    )
    .describe('One group for each reason that occurs'),
  calculatedAt: z
    .string()
    .optional()
    .describe('When a worker began to calculate this list, instant in ISO 8601; absent if it is that of now'),
  job: z
    .object({ ...storedJobFields, kind: z.literal('exceptions').describe('Always exceptions') })
    .describe('The calculation of the list')
    .optional()
    .describe(
      'With status 202: the calculation that this list waits for. Send the request again until the status is 200',
    ),
});
type ExceptionsResponse = z.input<typeof response>;

function toDealResponse(
  exception: Exception,
  names: ReadonlyMap<string, string>,
  acceptances: Acceptances,
): ExceptionsResponse['exceptions'][number]['deals'][number] {
  const { reason: _, rules, ...deal } = exception;
  const accepted = acceptances.find(exception);
  const findName = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return {
    ...deal,
    repName: findName(deal.repId),
    rules: rules.map((rule) => ({ ...rule, planName: findName(rule.planId) })),
    missing: [...deal.missing],
    ...(accepted === undefined ? {} : { acceptance: accepted }),
  };
}

export const listCommissionExceptions = operation({
  id: 'listCommissionExceptions',
  summary: 'What did not pay in a period, grouped by reason, with counts, sums and the first deals of each reason',
  method: 'get',
  path: '/v1/commissions/exceptions',
  access: 'manager',
  query,
  response,
  otherStatus: 202,
  startsWork: true,
  failures: { plan_too_complex: 400 },
  cacheScope: () => null,
  tool: {
    name: 'list_exceptions',
    title: 'List exceptions',
    hints: effects.reads,
    description: {
      purpose: 'Deals of a period that paid nothing, by reason, each reason with what to do.',
      useWhen: 'you check a period.',
      notFor: 'one deal (get_commissions).',
      changes: 'nothing.',
    },
    arguments: {
      period: 'The current month by default',
      accepted: 'Those accepted as expected',
      reason: { always: undefined },
      ...unfilteredPeople,
      skip: { always: undefined },
    },
    listsWithin: ['exceptions'],
    summary: ({ period, deals, exceptions, job }) =>
      job === undefined
        ? `Period ${period}: ${deals} deals, ${exceptions.length} reasons.`
        : `${job.progress.done} of ${job.progress.total} people are calculated. Call again.`,
  },
  example: {
    query: { period: '2026-02', limit: '20' },
    response: {
      period: '2026-02',
      currency: 'USD',
      deals: 1,
      exceptions: [
        {
          reason: 'quota_missing',
          meaning: 'The rule needs a quota that is not set. Set the quota.',
          count: 1,
          entries: 1,
          totals: [{ currency: 'USD', amount: 120000 }],
          deals: [
            {
              dealId: sampleIds.dealId,
              name: null,
              stage: 'Won',
              closeDate: '2026-02-10',
              amount: 120000,
              currency: 'USD',
              repId: sampleIds.repId,
              repName: 'Ben',
              rules: [{ planId: sampleIds.planId, planName: 'AE', ruleId: sampleIds.ruleId, ruleName: 'New business' }],
              missing: [],
            },
          ],
        },
      ],
    },
  },
  uses: { reports: ExceptionReports },
  /** Calculates every rep whom the caller may see and who has deals or a team. Changes nothing of them. */
  async execute({ query: request }, caller, { reports }): Promise<ExceptionsResponse | Reply<ExceptionsResponse>> {
    const report = await reports.list(caller, request);
    const { period: ofPeriod, currency } = report;
    if ('job' in report) {
      const job = { ...storedJobResponse(report.job), kind: 'exceptions' } as const;
      return new Reply(202, { period: ofPeriod, currency, deals: 0, exceptions: [], job });
    }
    const { deals, calculatedAt, groups, names, acceptances } = report;
    const answer = {
      period: ofPeriod,
      currency,
      deals,
      exceptions: groups.map(({ listed, ...group }) => ({
        ...group,
        meaning: reasonTexts[group.reason].toAdmin,
        deals: listed.map((exception) => toDealResponse(exception, names, acceptances)),
      })),
    };
    return calculatedAt === null ? answer : new Reply(200, { ...answer, calculatedAt: calculatedAt.toISOString() });
  },
});
