import { z } from 'zod';
import { type Refund } from '../../engine/clawback.js';
import { type Deal } from '../../engine/slug.js';
import { type Decimal } from '../../kernel/decimal.js';
import { type Issue, rejectAny } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { dealId } from '../deal.js';
import { amountProblem, keptPercent, refundedLines, refundId, refundTerms, toLineFacts } from './refund.js';

const madeUpRefund = z.strictObject({
  dealId: dealId.describe('Id of the deal'),
  refundId: refundId
    .default('refund')
    .describe('Id of the refund, without a colon; several refunds of a deal need different ids'),
  day: refundTerms.shape.day,
  cause: refundTerms.shape.cause.default('refund'),
  amount: refundTerms.shape.amount,
  lines: refundedLines.optional(),
});

/** Refunds of a simulation or a test, whose waivers name people in their way. */
export function madeUpRefunds<Person extends z.ZodRawShape>(person: Person) {
  const waiver = z
    .strictObject({
      ...person,
      percent: keptPercent.describe('What they keep of what would be taken back, in percent'),
    })
    .describe('What a person keeps');
  const withWaivers = madeUpRefund.extend({
    waivers: z.array(waiver).max(100).default([]).describe('What people keep of what would be taken back'),
  });
  return z
    .array(withWaivers.describe('A made-up refund'))
    .max(500)
    .superRefine((refunds, context) => {
      const keys = refunds.map((refund) => `${refund.refundId}:${refund.dealId}`);
      keys.forEach((key, index) => {
        if (keys.indexOf(key) !== index)
          context.addIssue({
            code: 'custom',
            path: [index, 'refundId'],
            message: 'is the id of an earlier refund too',
          });
      });
    });
}

/** A refund of a request, with its waivers as the engine reads them. */
interface MadeUpRefund extends Omit<z.output<typeof madeUpRefund>, 'waivers'> {
  readonly waivers: Refund['waivers'];
}

/** Made-up refunds by the id of their deal. */
export type RefundsByDeal = ReadonlyMap<string, readonly Refund[]>;

/** The refunds as the engine reads them, each of a deal in the given list and at most the whole of it. */
export function toRefundsByDeal(
  refunds: readonly MadeUpRefund[],
  dealAmounts: ReadonlyMap<string, Decimal | null>,
  path: string,
): RefundsByDeal {
  rejectAny(refunds.flatMap((refund, index) => findIssue(refund, dealAmounts, `${path}.${index}`) ?? []));
  const byDeal = groupBy(refunds, (refund) => refund.dealId);
  return new Map([...byDeal].map(([id, ofDeal]) => [id, ofDeal.map(toFact)]));
}

function findIssue(
  { dealId: id, amount, lines }: MadeUpRefund,
  dealAmounts: ReadonlyMap<string, Decimal | null>,
  path: string,
): Issue | null {
  const ofDeal = dealAmounts.get(id);
  if (ofDeal === undefined) return { path: `${path}.dealId`, message: `there is no deal ${id}` };
  if (lines !== undefined && amount !== null)
    return { path: `${path}.amount`, message: 'cannot be combined with lines' };
  const message = amountProblem(ofDeal, amount);
  return message === null ? null : { path: `${path}.amount`, message };
}

function toFact({ dealId: _, amount, lines, ...refund }: MadeUpRefund): Refund {
  return {
    ...refund,
    amount: amount === null ? null : String(amount),
    ...(lines === undefined ? {} : { lines: toLineFacts(lines) }),
  };
}

/** The deal with its made-up refunds; one with the id of a stored refund takes its place. */
export function withRefunds(deal: Deal, refunds: RefundsByDeal): Deal {
  const madeUp = refunds.get(deal.dealId);
  if (madeUp === undefined) return deal;
  const ids = new Set(madeUp.map(({ refundId: id }) => id));
  return { ...deal, refunds: [...(deal.refunds ?? []).filter(({ refundId: id }) => !ids.has(id)), ...madeUp] };
}
