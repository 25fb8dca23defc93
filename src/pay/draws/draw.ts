import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { currency, day, money, percentage, uuid } from '../../platform/operations/schemas.js';

/** How a recoverable draw is paid back, in requests. */
export const recoveryTerms = z
  .strictObject({
    start: z
      .enum(['next_period', 'after_end', 'day'])
      .default('next_period')
      .describe('next_period: from the next pay period on; after_end: when the draw has ended; day: from `day` on'),
    day: day.nullable().default(null).describe('Day from which a draw with start: day is recovered; null otherwise'),
    maxPercent: percentage(0, 100)
      .default(100)
      .describe('Limit of what a statement recovers, as a percentage of what it releases'),
    forgiveOn: day.nullable().default(null).describe('Day on which what is still open is forgiven; null for none'),
  })
  .describe('When and how fast a recoverable draw is paid back');

/** The terms of a new draw, in requests. */
export const drawTerms = z.strictObject({
  repId: uuid.describe('Id of the rep (UUID)'),
  kind: z
    .enum(['guarantee', 'advance'])
    .describe('guarantee: pay is topped up to the amount; advance: the amount is paid in addition'),
  recoverable: z.boolean().describe('Whether the person pays it back from later pay'),
  amount: money
    .refine((amount) => amount > 0, 'must be more than 0')
    .describe('Amount per pay period, in `currency`; prorated by days'),
  currency: currency.optional().describe('ISO 4217 code; the currency of the workspace by default'),
  from: day.describe('First day, YYYY-MM-DD'),
  to: day.nullable().default(null).describe('Last day, YYYY-MM-DD; null for none'),
  recovery: recoveryTerms.prefault({}),
});

/** The argument of tools; in words, since the schema would be three times as long. */
export const recoveryArgument = {
  description: 'How it is paid back: {start: next_period | after_end | day, day?, maxPercent, forgiveOn?}',
  schema: () => ({ type: 'object' }),
};

export const draw = z
  .object({
    drawId: z.string().describe('Id of the draw (UUID)'),
    repId: fields.repId,
    kind: z
      .enum(['guarantee', 'advance'])
      .describe('guarantee: pay is topped up to the amount; advance: the amount is paid in addition'),
    recoverable: z.boolean().describe('Whether the person pays it back from later pay'),
    amount: z.number().describe('Amount per pay period, in `currency`'),
    currency: z.string().describe('Currency of the draw, ISO 4217 code'),
    from: z.string().describe('First day, YYYY-MM-DD'),
    to: z.string().nullable().describe('Last day, YYYY-MM-DD; null for none'),
    recovery: z
      .object({
        start: z
          .enum(['next_period', 'after_end', 'day'])
          .describe('next_period: from the next pay period on; after_end: when the draw has ended; day: from `day` on'),
        day: z.string().nullable().describe('Day from which the draw is recovered, YYYY-MM-DD; null for another start'),
        maxPercent: z.number().describe('Limit of what a statement recovers, as a percentage of what it releases'),
        forgiveOn: z
          .string()
          .nullable()
          .describe('Day on which what is still open is forgiven, YYYY-MM-DD; null for none'),
      })
      .describe('When and how fast the draw is paid back'),
    forgiven: z
      .array(
        z
          .object({
            amount: z.number().describe('What was forgiven, in the currency of the draw'),
            day: z.string().describe('Day from which it counts, YYYY-MM-DD'),
            reason: z.string().describe('Why it was forgiven'),
            by: z.string().describe('Who forgave it, as the audit log names them'),
          })
          .describe('An amount that need not be paid back'),
      )
      .describe('What was forgiven by hand, oldest first'),
    createdBy: z.string().describe('Who entered the draw, as the audit log names them'),
    createdAt: fields.createdAt,
  })
  .describe('A guaranteed income or an advance of a person');
export type Draw = z.infer<typeof draw>;

export function drawNotFound(): Failure {
  return new Failure('draw_not_found', 'There is no draw with this id in this workspace.');
}

/** No person decides on what they are paid. */
export function assertNotOwnDraw(caller: Caller, repId: string): void {
  if (peopleBehind(caller).includes(repId))
    throw new Failure('forbidden', 'You cannot enter, change or forgive a draw of your own. Another admin must do it.');
}

/** Rejects days and recovery that contradict each other. */
export function assertDrawTerms({ from, to, recovery }: Pick<Draw, 'from' | 'to' | 'recovery'>): void {
  assertDayOrder(['from', from], ['to', to]);
  if ((recovery.start === 'day') !== (recovery.day !== null))
    throw invalid({ path: 'recovery.day', message: 'is required for start: day, and null for another start' });
}

export function describeDraw({ drawId, amount, currency, from, to }: Draw): string {
  return `Draw ${drawId}: ${amount} ${currency} for each pay period from ${from} to ${to ?? 'no end'}.`;
}

export const drawExample = {
  drawId: sampleIds.drawId,
  repId: sampleIds.repId,
  kind: 'guarantee',
  recoverable: true,
  amount: 2000,
  currency: 'USD',
  from: '2026-01-01',
  to: '2026-03-31',
  recovery: { start: 'after_end', day: null, maxPercent: 50, forgiveOn: null },
  forgiven: [],
  createdBy: 'api-key',
  createdAt: '2026-01-02T08:00:00.000Z',
} as const;
