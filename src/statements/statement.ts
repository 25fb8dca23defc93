import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { commissionEvent } from '../earnings/commission-event.js';
import { paidLines, paidLinesOf } from '../earnings/paid-lines.js';
import { decodeProration, decodeSeveralRates } from '../engine/trace.js';
import { type Caller, seesTeam } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Period } from '../kernel/period.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { mapInSlices } from '../kernel/waiting.js';
import { statementPayable, toPayableResponse } from '../pay/payables/statement-payable.js';
import { statementPayouts } from '../pay/payables/statement-payouts.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { author } from '../people/reps/author.js';
import { proration } from '../plans/quotas/proration.js';
import { adjustmentExample } from './adjustment.js';
import { approvalHolds } from './approval-holds.js';
import { approval } from './approvals/approval.js';
import { owed } from './discrepancies/discrepancy.js';
import { payslip } from './payslip-response.js';
import { proposal } from './proposals/proposal.js';
import { type CurrencySummary, type StatementLine, type Summary } from './snapshot.js';
import { toTrueUpLineResponse, trueUpLine } from './true-up-line.js';

export const statementStatuses = ['none', 'draft', 'approved'] as const;

export const summary = z
  .object({
    totalCommission: z.number().describe('Amounts that rules paid for deals'),
    totalBonuses: z.number().describe('Amounts of bonus rules'),
    totalAdjustments: z.number().describe('Adjustments, clawbacks and true-ups'),
    netPayout: z.number().describe('Sum of all amounts'),
    payable: z
      .number()
      .optional()
      .describe('What the statement pays of what is earned; absent in workspaces without payouts'),
  })
  .describe('Sums of the statement, in its currency');

export const otherCurrencies = z
  .array(z.object({ currency: fields.currency, summary }).describe('Sums in one currency'))
  .describe("Sums in other currencies; they are never added to those of the workspace's currency");

/** An event at the time of generation, with the values that payroll needs to verify it. */
export const lineItem = z
  .object({
    ...commissionEvent.omit({ trace: true }).shape,
    closeDate: fields.closeDate.nullable(),
    planVersion: z
      .int()
      .nullable()
      .describe('Version number of the plan that paid; null for amounts that a person entered'),
    rate: z.number().nullable().describe('Share of the base: 0.08 is 8 %; null for a fixed amount or several rates'),
    rates: z
      .array(z.number().describe('Share of a part of the base: 0.08 is 8 %'))
      .optional()
      .describe('The rates if several were paid, from the lowest tier on'),
    attainment: z.number().nullable().describe('Attainment including the deal: 1 is 100 %; null without a quota'),
    target: z.number().optional().describe('Target that counts; only of a prorated quota'),
    proration: proration.optional(),
    sourcePeriod: z
      .string()
      .optional()
      .describe('The approved period whose difference was carried forward into this one'),
    lines: z.array(trueUpLine).optional().describe('The lines of a true-up, largest first'),
    dealLines: paidLines,
  })
  .describe('A commission event on a statement');

export const approvedBy = z
  .object({
    repId: z.string().optional().describe('Id of the rep (UUID); set if a person approved'),
    name: z.string().describe('Name of the person or the API key at the time of approval'),
    keyId: z.string().optional().describe('Id of the API key; set if an API key approved'),
  })
  .describe('Who approved the statement. Absent if the caller is a rep');
export type Approver = z.input<typeof approvedBy>;

export const checks = z
  .array(
    z
      .object({
        version: z.int().describe('The version that was checked'),
        by: author.describe('Who checked the version'),
        note: z.string().nullable().describe('Free text; null for none'),
        at: z.string().describe('When the version was checked, instant in ISO 8601'),
      })
      .describe('A check'),
  )
  .describe('Checks of the statement, the latest version first');
export type Check = z.input<typeof checks>[number];

export const statement = z
  .object({
    statementId: fields.statementId.nullable(),
    version: fields.version.describe('Version number, from 1; 0 if no version was generated'),
    period: fields.period,
    repId: fields.repId,
    repName: fields.repName,
    status: z
      .enum(statementStatuses)
      .describe('none if no version was generated; draft; or approved, which freezes the period'),
    currency: fields.currency,
    summary,
    otherCurrencies,
    dealCount: z.int().describe('Number of deals on the statement'),
    lineItems: z.array(lineItem).describe('The events of the period'),
    payable: statementPayable.optional(),
    payslip: payslip.optional(),
    payouts: statementPayouts.optional(),
    generatedAt: fields.generatedAt.nullable(),
    approvedAt: z
      .string()
      .optional()
      .describe('When the statement was approved, instant in ISO 8601; absent for a draft'),
    approvedBy: approvedBy.optional(),
    approval: approval.optional(),
    proposedAdjustments: z
      .array(proposal)
      .optional()
      .describe('Adjustments that wait for the approval of another person and do not count yet; absent without any'),
    owed: owed.optional(),
    coveredBy: approvalHolds.coveredBy.optional(),
    openDisputes: approvalHolds.openDisputes.optional(),
    ownChanges: approvalHolds.ownChanges.optional(),
    stale: z.literal(true).optional().describe('The ledger has changed since this draft was generated'),
    liveNetPayout: z
      .number()
      .optional()
      .describe('The net payout of the current ledger. Present if the draft is stale'),
    livePayable: z
      .number()
      .optional()
      .describe('What the statement would pay now. Present if the draft is stale, in workspaces with payouts'),
    pending: z
      .literal(true)
      .optional()
      .describe('A calculation of the rep is outstanding or failed. The statement cannot be approved'),
  })
  .describe("A rep's events of a period");
export type StatementResponse = z.input<typeof statement>;

/** The rep and the period of a statement. */
export interface StatementKey {
  readonly repId: string;
  readonly period: Period;
}

/** The state of a rep's period: its latest version and its approval. */
export interface StatementHead {
  readonly period: Period;
  readonly status: 'draft' | 'approved';
  readonly version: number;
  readonly approvedAt: Date | null;
  readonly approvedBy: Approver | null;
  readonly approvedTotal: string | null;
  readonly currency: string | null;
}

/** A stored version, or the current ledger if no version was generated. The ledger has no statement id. */
export interface StatementContent {
  readonly statementId: string | null;
  readonly version: number;
  readonly currency: string;
  readonly summary: Summary;
  readonly otherCurrencies: readonly CurrencySummary[];
  readonly dealCount: number;
  readonly lines: readonly StatementLine[];
  /** What it pays; absent in workspaces without payouts. */
  readonly payable?: StoredPayable;
  readonly generatedAt: Date | null;
  /** Set for stored versions. Equal for equal content. */
  readonly contentHash?: string;
}

export async function toStatementResponse(
  key: StatementKey,
  repName: string,
  head: StatementHead | null,
  content: StatementContent,
  caller: Caller,
  state: StatementState = {},
): Promise<StatementResponse> {
  return {
    statementId: content.statementId,
    version: content.version,
    period: key.period,
    repId: key.repId,
    repName,
    status: head?.status ?? 'none',
    currency: content.currency,
    summary: toSummaryResponse(content.summary),
    otherCurrencies: content.otherCurrencies.map((other) => ({
      currency: other.currency,
      summary: toSummaryResponse(other.summary),
    })),
    dealCount: content.dealCount,
    lineItems: await mapInSlices(content.lines, (line) => toLineResponse(key.repId, repName, line)),
    ...(content.payable === undefined ? {} : { payable: toPayableResponse(content.payable) }),
    generatedAt: content.generatedAt?.toISOString() ?? null,
    ...toApproval(head, caller),
    ...state,
  };
}

/** How a statement compares with the current ledger, and how far it is paid. */
export type StatementState = Pick<
  StatementResponse,
  'stale' | 'liveNetPayout' | 'livePayable' | 'pending' | 'owed' | 'payslip' | 'payouts'
>;

/** The time of the approval and the approver. Reps do not see the approver, because they see no other person. */
export function toApproval(
  head: StatementHead | null,
  caller: Caller,
): Pick<StatementResponse, 'approvedAt' | 'approvedBy'> {
  if (head?.status !== 'approved' || head.approvedAt === null) return {};
  const approvedAt = head.approvedAt.toISOString();
  return { approvedAt, ...(head.approvedBy !== null && seesTeam(caller) ? { approvedBy: head.approvedBy } : {}) };
}

export function toSummaryResponse(texts: Summary): z.input<typeof summary> {
  return {
    totalCommission: Number(texts.totalCommission),
    totalBonuses: Number(texts.totalBonuses),
    totalAdjustments: Number(texts.totalAdjustments),
    netPayout: Number(texts.netPayout),
    ...(texts.payable === undefined ? {} : { payable: Number(texts.payable) }),
  };
}

function toLineResponse(repId: string, repName: string, line: StatementLine): z.input<typeof lineItem> {
  const { reason, amount, base, credit, rate, attainment, trace, actor: __, lines, ...rest } = line;
  return {
    ...rest,
    repId,
    repName,
    amount: Number(amount),
    base: toNumber(base),
    credit: Number(credit),
    rate: toNumber(rate),
    attainment: toNumber(attainment),
    ...(typeof trace === 'string' ? { ...decodeProration(trace), ...paidLinesOf(trace) } : {}),
    ...(typeof trace === 'string' && rate === null ? severalRatesOf(trace) : {}),
    ...(reason === null ? {} : { reason }),
    ...(lines === undefined ? {} : { lines: lines.map((each) => toTrueUpLineResponse(each, line.currency)) }),
  };
}

function severalRatesOf(trace: string): Pick<z.input<typeof lineItem>, 'rates'> {
  const rates = decodeSeveralRates(trace);
  return rates === null ? {} : { rates: [...rates] };
}

function toNumber(text: string | null): number | null {
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
  return new Failure('statement_not_approved', 'The statement is not approved. Generate it again to update a draft.');
}

const summaryExample = { totalCommission: 10400, totalBonuses: 0, totalAdjustments: 250, netPayout: 10650 };

export const statementExample = {
  statementId: sampleIds.statementId,
  version: 1,
  period: '2026-02',
  repId: sampleIds.repId,
  repName: 'Ben',
  status: 'draft',
  currency: 'USD',
  summary: summaryExample,
  otherCurrencies: [],
  dealCount: 1,
  lineItems: [{ ...adjustmentExample, closeDate: null, planVersion: null, rate: null, attainment: null }],
  generatedAt: '2026-03-01T08:05:00.000Z',
};
