import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { maySee } from '../../kernel/caller.js';
import { Decimal } from '../../kernel/decimal.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { notYours, repIdQuery } from '../../people/reps/rep.js';
import { requireRepName } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { instant } from '../../platform/operations/schemas.js';
import { causeTexts } from '../cause-texts.js';
import { loadUpdates, type Updates } from '../updates/updates.js';

const query = z.strictObject({
  repId: repIdQuery.describe('The person, by id (UUID); reps may see only themselves'),
  since: instant.describe('From when on, ISO 8601; that of `PUT /v1/visit` for what is new since the last visit'),
});

/** So many amounts are listed; `count` and `totals` are of all. */
const maxListed = 100;

const response = z
  .object({
    repId: fields.repId,
    since: z.string().describe('From when on, instant in ISO 8601'),
    count: z.int().describe('Number of changed amounts, statements and payments'),
    totals: z
      .array(
        z
          .object({ currency: fields.currency, change: z.number().describe('What is earned more; negative for less') })
          .describe('The sum in one currency'),
      )
      .describe('The sums of all changed amounts by currency, without those that are zero'),
    changes: z
      .array(
        z
          .object({
            dealId: fields.dealId.nullable().describe('Id of the deal in the CRM; null for what is not of one deal'),
            dealName: fields.dealName.nullable(),
            ruleNames: z.array(z.string()).describe('Names of the rules that pay it'),
            reason: z.string().nullable().describe('Reason of an adjustment; null for what rules pay'),
            currency: fields.currency,
            before: z.number().describe('What was earned for it at `since`'),
            now: z.number().describe('What is earned for it now'),
            change: z.number().describe('The difference'),
            cause: z
              .string()
              .nullable()
              .describe('Why it was calculated last, as a code such as `deal_change`; null without a calculation'),
            causeText: z.string().nullable().describe('The cause in words; null without one'),
            changedAt: z.string().describe('When it changed last, instant in ISO 8601'),
          })
          .describe('What is earned for a deal in one currency, or without a deal'),
      )
      .describe(`Amounts that are new or have changed, the latest first, at most ${maxListed}`),
    statements: z
      .array(
        z
          .object({
            period: fields.period,
            status: z.enum(['draft', 'approved']).describe('State of the statement'),
            at: z.string().describe('When it was generated or approved last, instant in ISO 8601'),
          })
          .describe('A statement'),
      )
      .describe('Statements that were generated or approved, the latest first'),
    payments: z
      .array(
        z
          .object({
            period: fields.period,
            currency: fields.currency,
            amount: z.number().describe('What was paid'),
            paidOn: z.string().describe('Day of the payment, YYYY-MM-DD'),
          })
          .describe('What a batch paid'),
      )
      .describe('What batches of payments paid, the latest first. Empty without payouts'),
  })
  .describe('What is new for a person since an instant');
type Response = z.input<typeof response>;

export const getUpdates = operation({
  id: 'getUpdates',
  summary: 'What is new for a person since an instant: changed amounts with their cause, statements and payments',
  method: 'get',
  path: '/v1/updates',
  access: 'rep',
  query,
  response,
  failures: { rep_not_found: 404 },
  example: {
    query: { repId: sampleIds.repId, since: '2026-02-10T08:30:00.000Z' },
    response: {
      repId: sampleIds.repId,
      since: '2026-02-10T08:30:00.000Z',
      count: 1,
      totals: [{ currency: 'USD', change: 9600 }],
      changes: [
        {
          dealId: sampleIds.dealId,
          dealName: null,
          ruleNames: ['New business'],
          reason: null,
          currency: 'USD',
          before: 0,
          now: 9600,
          change: 9600,
          cause: 'deal_change',
          causeText: 'A deal changed',
          changedAt: '2026-02-11T08:30:00.000Z',
        },
      ],
      statements: [],
      payments: [],
    },
  },
  uses: { unitOfWork: UnitOfWork },
  execute({ query: { repId, since } }, caller, { unitOfWork }): Promise<Response> {
    if (!maySee(caller, repId)) throw notYours();
    return unitOfWork.read(caller, async (tx) => {
      await requireRepName(tx, repId);
      const from = new Date(since);
      return { repId, since: from.toISOString(), ...toResponse(await loadUpdates(tx, repId, from)) };
    });
  },
});

function toResponse({ changes, totals, statements, payments }: Updates): Omit<Response, 'repId' | 'since'> {
  return {
    count: changes.length + statements.length + payments.length,
    totals: [...totals]
      .filter(([, change]) => !change.isZero())
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, change]) => ({ currency, change: change.toNumber() })),
    changes: changes.slice(0, maxListed).map(({ before, now, cause, changedAt, ruleNames, ...same }) => ({
      ...same,
      ruleNames: [...ruleNames],
      before: Number(before),
      now: Number(now),
      change: Decimal.of(now).minus(Decimal.of(before)).toNumber(),
      cause,
      causeText: cause === null ? null : (causeTexts[cause as keyof typeof causeTexts] ?? null),
      changedAt: changedAt.toISOString(),
    })),
    statements: statements.map(({ at, ...statement }) => ({ ...statement, at: at.toISOString() })),
    payments: payments.map(({ amount, ...payment }) => ({ ...payment, amount: Number(amount) })),
  };
}
