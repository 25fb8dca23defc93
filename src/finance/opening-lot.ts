import { z } from 'zod';
import { dealId } from '../deals/deal.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { day, money, text, uuid } from '../platform/operations/schemas.js';
import { entityCode } from './entity.js';
import { conventions } from './schedule.js';
import { mainEntity } from './settings-views.js';

/** What another system has left to amortise of a cost. */
export const openingLot = z.strictObject({
  lotId: text(200).describe('Id of the lot in the other system'),
  dealId: dealId.describe('Id of the deal in the CRM, whose refunds and contract end the lot'),
  entity: entityCode,
  repId: uuid.describe('Id of the rep (UUID)'),
  cost: money.refine((value) => value > 0, 'must be more than 0').describe('Cost in the currency of the entity'),
  amortised: money.refine((value) => value >= 0, 'must be at least 0').describe('What is amortised of it'),
  amortisedTo: day.describe('Day until which it is amortised, the last one of its month, YYYY-MM-DD'),
  start: day.describe('First day of its period, YYYY-MM-DD'),
  length: z
    .union([
      z.strictObject({ months: z.int().min(1).max(600).describe('Number of months') }).describe('Months'),
      z.strictObject({ until: day.describe('Its last day, YYYY-MM-DD') }).describe('Until a day'),
    ])
    .describe('How long it is amortised'),
  convention: z
    .enum(conventions)
    .describe('full_month: the month of its first day is the first; next_month: the month after it; daily: by days'),
});
export type OpeningLot = z.output<typeof openingLot>;

export const openingLotExample = {
  lotId: 'L-1',
  dealId: sampleIds.dealId,
  entity: mainEntity,
  repId: sampleIds.repId,
  cost: 3600,
  amortised: 1200,
  amortisedTo: '2025-12-31',
  start: '2025-01-01',
  length: { months: 36 },
  convention: 'full_month',
} as const;

export function assertOpeningLot({ cost, amortised, amortisedTo, start }: OpeningLot): void {
  const problem =
    amortised > cost
      ? 'More is amortised than the cost.'
      : amortisedTo < start
        ? 'It is amortised until a day before its start.'
        : null;
  if (problem !== null) throw new Failure('invalid_terms', problem);
}
