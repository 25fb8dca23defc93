import { z } from 'zod';
import { commissionEvent } from '../commissions/commission-event.js';
import { type Caller, seesTeam } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { type Period } from '../kernel/period.js';
import { type StatementLine, type Summary } from './snapshot.js';
import { trueUpLine, trueUpLineAnswer } from './true-up-line.js';

export const statementStatuses = ['none', 'draft', 'approved'] as const;

export const summary = z.object({
  totalCommission: z.number(),
  totalBonuses: z.number(),
  totalAdjustments: z.number(),
  netPayout: z.number(),
});

export const otherCurrencies = z.array(z.object({ currency: z.string(), summary }));

/** An event as it was when the statement was generated, with what payroll needs to follow it. */
export const lineItem = z.object({
  ...commissionEvent.omit({ trace: true }).shape,
  closeDate: z.string().nullable(),
  planVersion: z.int().nullable(),
  rate: z.number().nullable(),
  attainment: z.number().nullable(),
  lines: z.array(trueUpLine).optional().describe('Of a true-up: what it consists of, largest first'),
});

export const approvedBy = z
  .object({
    repId: z.string().optional().describe('The person'),
    name: z.string().describe('Of the person or the API key, as it was at that time'),
    keyId: z.string().optional().describe('The API key'),
  })
  .describe('Who approved the statement; absent for reps');
export type Approver = z.input<typeof approvedBy>;

export const checks = z
  .array(
    z.object({
      version: z.int().describe('The version that was checked'),
      by: z.object({ repId: z.string().nullable().describe('Null for an API key'), name: z.string() }),
      note: z.string().nullable(),
      at: z.string(),
    }),
  )
  .describe('Checks of the statement, the latest version first');
export type Check = z.input<typeof checks>[number];

export const statement = z.object({
  statementId: z.string().nullable(),
  version: z.int(),
  period: z.string(),
  repId: z.string(),
  repName: z.string(),
  status: z.enum(statementStatuses),
  currency: z.string(),
  summary,
  otherCurrencies,
  dealCount: z.int(),
  lineItems: z.array(lineItem),
  generatedAt: z.string().nullable(),
  approvedAt: z.string().optional(),
  approvedBy: approvedBy.optional(),
  stale: z.literal(true).optional().describe('The ledger has changed since this draft was generated'),
  liveNetPayout: z.number().optional().describe('Of a stale draft: what the ledger comes to now'),
  pending: z
    .literal(true)
    .optional()
    .describe('Commission of the rep is not calculated yet or cannot be. The statement cannot be approved'),
});
export type StatementAnswer = z.input<typeof statement>;

/** Whose statement, and of which days. */
export interface StatementKey {
  readonly workspaceId: string;
  readonly repId: string;
  readonly period: Period;
}

/** A rep's period: what its latest version is and whether that is approved. */
export interface StatementHead {
  readonly period: Period;
  readonly fromDay: Day;
  readonly toDay: Day;
  readonly status: 'draft' | 'approved';
  readonly version: number;
  readonly approvedAt: Date | null;
  readonly approvedBy: Approver | null;
  readonly approvedTotal: string | null;
  readonly currency: string | null;
}

/** A version as it is stored, or the ledger as it stands where none has been generated: then without an id. */
export interface StatementContent {
  readonly statementId: string | null;
  readonly version: number;
  readonly currency: string;
  readonly summary: Summary;
  readonly otherCurrencies: readonly { readonly currency: string; readonly summary: Summary }[];
  readonly dealCount: number;
  readonly lines: readonly StatementLine[];
  readonly generatedAt: Date | null;
  /** Of a stored version; equal for equal content. */
  readonly contentHash?: string;
}

export function statementAnswer(
  key: StatementKey,
  repName: string,
  head: StatementHead | null,
  content: StatementContent,
  caller: Caller,
  state: StatementState = {},
): StatementAnswer {
  return {
    statementId: content.statementId,
    version: content.version,
    period: key.period,
    repId: key.repId,
    repName,
    status: head?.status ?? 'none',
    currency: content.currency,
    summary: summaryAnswer(content.summary),
    otherCurrencies: content.otherCurrencies.map((other) => ({
      currency: other.currency,
      summary: summaryAnswer(other.summary),
    })),
    dealCount: content.dealCount,
    lineItems: content.lines.map((line) => lineAnswer(key.repId, repName, line)),
    generatedAt: content.generatedAt?.toISOString() ?? null,
    ...approvalOf(head, caller),
    ...state,
  };
}

/** How a statement stands to the ledger of the moment. */
export type StatementState = Pick<StatementAnswer, 'stale' | 'liveNetPayout' | 'pending'>;

/** When and by whom it was approved. Reps are not told the id of who did it: they see nobody but themselves. */
export function approvalOf(
  head: StatementHead | null,
  caller: Caller,
): Pick<StatementAnswer, 'approvedAt' | 'approvedBy'> {
  if (head?.status !== 'approved' || head.approvedAt === null) return {};
  const approvedAt = head.approvedAt.toISOString();
  return { approvedAt, ...(head.approvedBy !== null && seesTeam(caller) ? { approvedBy: head.approvedBy } : {}) };
}

export function summaryAnswer(texts: Summary): z.input<typeof summary> {
  return {
    totalCommission: Number(texts.totalCommission),
    totalBonuses: Number(texts.totalBonuses),
    totalAdjustments: Number(texts.totalAdjustments),
    netPayout: Number(texts.netPayout),
  };
}

function lineAnswer(repId: string, repName: string, line: StatementLine): z.input<typeof lineItem> {
  const { reason, amount, base, credit, rate, attainment, trace: _, actor: __, lines, ...rest } = line;
  return {
    ...rest,
    repId,
    repName,
    amount: Number(amount),
    base: numberOf(base),
    credit: Number(credit),
    rate: numberOf(rate),
    attainment: numberOf(attainment),
    ...(reason === null ? {} : { reason }),
    ...(lines === undefined ? {} : { lines: lines.map(trueUpLineAnswer) }),
  };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

export function statementNotFound(): Failure {
  return new Failure('statement_not_found', 'No statement has been generated for this rep and period.');
}

export function statementLocked(period: Period): Failure {
  return new Failure('statement_locked', `The statement for ${period} is approved. Unlock it to change it.`, {
    period,
  });
}

export function statementNotApproved(): Failure {
  return new Failure(
    'statement_not_approved',
    'The statement is not approved: a draft is brought up to date by generating it.',
  );
}
