import { z } from 'zod';
import { operators } from '../engine/condition.js';
import { type Trace } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { type Phase } from '../platform/database/tables.js';

const condition = z.object({
  field: z.string(),
  operator: z.enum(operators),
  value: z.unknown().optional(),
  seen: z.unknown(),
  passed: z.boolean(),
});

export const conditionTraces = z.array(condition);

/** How the amount of an event was computed; see Trace in engine/trace.ts. */
export const trace = z.object({
  conditions: conditionTraces,
  measure: z.number(),
  credit: z.number(),
  before: z.number(),
  after: z.number(),
  target: z.number().nullable(),
  attainmentBefore: z.number(),
  attainmentAfter: z.number(),
  tier: z.object({ tierIndex: z.int(), name: z.string().nullable() }).nullable(),
  tierValue: z.number().optional(),
  rank: z.number().optional(),
  periodCredit: z
    .number()
    .optional()
    .describe('Credit of the whole period, which decides the tier of a retroactive rule'),
  periodAttainment: z.number().optional().describe('periodCredit over the target, to 6 decimals'),
  belowZero: z
    .literal(true)
    .optional()
    .describe('Attainment went below 0, where the tier that attainment 0 reaches applies'),
  base: z.number(),
  parts: z.array(z.object({ tierIndex: z.int(), rate: z.number().nullable(), part: z.number() })),
  limits: z.array(z.object({ kind: z.string(), bound: z.number().nullable(), before: z.number(), after: z.number() })),
  upstream: z.array(z.object({ repId: z.string(), ruleName: z.string(), amount: z.number() })).optional(),
  raw: z.number(),
  amount: z.number(),
  reason: z.string().optional(),
});

export const commissionEvent = z.object({
  eventId: z.string(),
  repId: z.string(),
  repName: z.string(),
  dealId: z.string().nullable(),
  dealName: z.string().nullable(),
  planId: z.string().nullable(),
  planName: z.string().nullable(),
  ruleId: z.string().nullable(),
  ruleName: z.string().nullable(),
  kind: z.enum(['commission_earned', 'true_up', 'adjustment', 'clawback']),
  category: z.enum(['commission', 'bonus', 'adjustment']),
  status: z.enum(['earned', 'reversed']),
  amount: z.number(),
  base: z.number().nullable(),
  tierName: z.string().nullable(),
  credit: z.number(),
  currency: z.string(),
  period: z.string(),
  earnedOn: z.string(),
  reason: z.string().optional(),
  trace: trace.optional(),
  updatedAt: z.string(),
});
export type CommissionEvent = z.input<typeof commissionEvent>;

/** A stored event with the names of its rep, deal, plan and rule. */
export interface EventRow {
  readonly eventId: string;
  readonly repId: string;
  readonly repName: string;
  readonly dealKey: string | null;
  readonly dealName: string | null;
  readonly planId: string | null;
  readonly planName: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly phase: Phase | null;
  readonly kind: CommissionEvent['kind'];
  readonly category: CommissionEvent['category'];
  readonly status: CommissionEvent['status'];
  readonly amount: string;
  readonly base: string | null;
  readonly tierName: string | null;
  readonly credit: string;
  readonly currency: string;
  readonly period: string;
  readonly earnedOn: Day;
  readonly reason: string | null;
  readonly updatedAt: Date;
}

export function eventAnswer(row: EventRow, explained: Trace | null): CommissionEvent {
  // A periodic event has its period in place of a deal.
  const ofDeal = row.phase !== 'periodic';
  return {
    eventId: row.eventId,
    repId: row.repId,
    repName: row.repName,
    dealId: ofDeal ? row.dealKey : null,
    dealName: ofDeal ? row.dealName : null,
    planId: row.planId,
    planName: row.planName,
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    kind: row.kind,
    category: row.category,
    status: row.status,
    amount: Number(row.amount),
    base: row.base === null ? null : Number(row.base),
    tierName: row.tierName,
    credit: Number(row.credit),
    currency: row.currency,
    period: row.period,
    earnedOn: row.earnedOn,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(explained === null ? {} : { trace: explained as z.input<typeof trace> }),
    updatedAt: row.updatedAt.toISOString(),
  };
}
