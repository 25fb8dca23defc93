import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { sumEarnings } from '../earnings/commission-views.js';
import { hasStatedAmounts, listTeamPage } from '../earnings/team-page.js';
import { chunk } from '../kernel/chunk.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { EventLoopSlice, mapInSlices } from '../kernel/waiting.js';
import { loadRange } from '../ledger/input/calendar.js';
import { loadPayables } from '../pay/payables/build-payables.js';
import { hasOpenPay } from '../pay/payables/open-pay.js';
import { payTotals, statementPay, toPayResponse, toTotalsResponse } from '../pay/payables/statement-payable.js';
import {
  type loadStatementPayouts,
  type StatementPayouts,
  statementPayouts,
} from '../pay/payables/statement-payouts.js';
import { type StoredPayable, type StoredTotals } from '../pay/payables/stored-payable.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type ApprovalHolds, approvalHolds, toHoldsResponse } from './approval-holds.js';
import { type Approval, approval } from './approvals/approval.js';
import { type HandedAmounts, handedTotals } from './handed-amounts.js';
import { describePay } from './payslip.js';
import { payHeadline, toHeadlineResponse } from './payslip-response.js';
import {
  type CurrencySummary,
  noAmounts,
  type Summary,
  summaryFrom,
  totalsByCurrency,
  totalsInSlices,
  withPayable,
} from './snapshot.js';
import { staleDrafts } from './staleness.js';
import {
  type Check,
  checks,
  otherCurrencies,
  type StatementState,
  statement,
  statementStatuses,
  summary,
  toSummaryResponse,
} from './statement.js';
import { listTeamStatements, type TeamStatementRow } from './statement-views.js';

export const peopleWithoutPayrollId = z.array(
  z
    .object({ repId: fields.repId, name: z.string().describe('Name of the rep'), email: fields.email })
    .describe('A rep without a payrollId'),
);

/** People whose payroll id is not the one that was approved or last handed over. */
export const changedPayrollIds = z.array(
  z
    .object({
      repId: fields.repId,
      changedAt: z.string().describe('When the payrollId was last set or changed, instant in ISO 8601'),
    })
    .describe('A rep whose payrollId was set or changed'),
);

export const teamStatements = z
  .object({
    period: fields.period,
    currency: fields.currency,
    totals: summary,
    otherCurrencies,
    statements: z
      .array(
        z
          .object({
            repId: fields.repId,
            name: z.string().describe('Name of the rep'),
            email: fields.email,
            status: z
              .enum(statementStatuses)
              .describe('none if no version was generated; the amounts are then the earnings so far'),
            version: z.int().describe('Version number; 0 if no statement was generated'),
            statementId: fields.statementId.nullable(),
            currency: fields.currency,
            summary,
            otherCurrencies,
            ...statement.pick({ stale: true, liveNetPayout: true, livePayable: true, pending: true }).shape,
            deviations: z
              .number()
              .optional()
              .describe(
                'With deviations=true, for months: standard deviations between the net payout and the mean of the last 12 months. Absent with fewer than 6 months with amounts, or if all are equal',
              ),
            payTotals: z
              .array(payTotals)
              .optional()
              .describe('What the statement pays, by currency; absent in workspaces without payouts'),
            pay: statementPay.optional(),
            payslip: payHeadline.optional(),
            payouts: statementPayouts.optional(),
            approval: approval.optional(),
            checks,
            ...approvalHolds,
          })
          .describe('The statement of one rep'),
      )
      .describe('The statements, by name of the rep'),
    missingPayrollIds: peopleWithoutPayrollId.describe(
      'People with an amount in the period and without a payrollId, which payroll files need',
    ),
    changedPayrollIds: changedPayrollIds.describe(
      'People with an amount in the period whose payrollId was set or changed after their statement was approved, or since the last hand-over of any period',
    ),
    handedOver: z
      .array(
        z
          .object({ currency: fields.currency, netPayout: z.number().describe('Sum in this currency') })
          .describe('Sum of one currency'),
      )
      .describe('Net payouts that recorded payroll files of the period contain for people whose statement is approved'),
    sharedPayrollIds: z
      .array(z.string())
      .describe(
        'Ids of people (UUID) with an amount in the period who share a payrollId, since before ids were unique',
      ),
    count: z.int().optional().describe('Number of reps on all pages; with limit or status only'),
    statuses: z
      .object({
        none: z.int().describe('People without a version'),
        draft: z.int().describe('Drafts'),
        approved: z.int().describe('Approved statements'),
      })
      .optional()
      .describe('Number of people by the status of their statement, on all pages and of every status'),
    sums: z
      .array(
        z
          .object({
            status: z.enum(statementStatuses).describe('Status of the statements'),
            currency: fields.currency,
            summary,
          })
          .describe('Sum of one currency and status'),
      )
      .optional()
      .describe('Sums of everyone by the status of the statement and by currency; with limit or status only'),
    toApprove: z
      .int()
      .optional()
      .describe(
        'Number of drafts of others that the caller can approve or sign now: their days are paid by no other approved statement, and the next step waits for the caller where statements are signed in steps; with limit or status only',
      ),
  })
  .describe(
    'The statements of all reps in a period. With limit or status, those of one page: the totals are those of everyone, the payroll ids and handedOver those of the page',
  );

/**
 * One rep's entry in the team's statements. `main` is in the workspace's currency, or in the statement's currency if
 * one was generated.
 */
export interface TeamMemberStatement
  extends Pick<
    TeamStatementRow,
    | 'repId'
    | 'name'
    | 'email'
    | 'payrollId'
    | 'payrollIdChangedAt'
    | 'sharesPayrollId'
    | 'status'
    | 'statementId'
    | 'approvedAt'
    | 'approvedBy'
    | 'payTotals'
    | 'pay'
  > {
  readonly version: number;
  readonly main: CurrencySummary;
  readonly others: readonly CurrencySummary[];
  readonly state: StatementState;
}

/** The reps that a team view includes. */
export interface TeamSelection {
  /** The reps that the caller may see; null for all. */
  readonly repIds: readonly string[] | null;
  /** Includes active people without a plan, a quota or an amount in the period. */
  readonly everyone: boolean;
}

/**
 * Active people with a plan or a quota in the period, and everyone who has an amount, a statement with amounts or open pay
 * in it, active or not. Each has the latest version, or the earnings so far if none was generated.
 */
export async function readTeamStatements(
  tx: Transaction,
  period: Period,
  currency: string,
  { repIds, everyone }: TeamSelection,
): Promise<TeamMemberStatement[]> {
  const team = await listTeamStatements(tx, period, repIds);
  const slice = new EventLoopSlice();
  const earned = groupBy(await sumEarnings(tx, await loadRange(tx, period), repIds), (row) => row.repId);
  const toLive = ([repId, rows]: [string, Parameters<typeof liveSummary>[0][]]) =>
    [repId, rows.map(liveSummary)] as const;
  const live = new Map(await mapInSlices([...earned], toLive, slice));
  const stale = await staleDrafts(tx, { period, currency }, team, (repId) =>
    splitByCurrency(live.get(repId) ?? [], currency),
  );
  const isListed = (rep: TeamStatementRow) =>
    earned.has(rep.repId) || statesAmounts(rep) || rep.hasOpenPay || (rep.active && (everyone || rep.hasTerms));
  const toListed = (rep: TeamStatementRow): TeamMemberStatement[] => {
    if (!isListed(rep)) return [];
    const state = { ...stale.get(rep.repId), ...(rep.pending ? { pending: true as const } : {}) };
    return [{ ...toMember(rep, live.get(rep.repId) ?? [], currency), state }];
  };
  return withLivePayables(tx, period, (await mapInSlices(team, toListed, slice)).flat());
}

/**
 * Whether statements of the period list the row of `reps r` also without a plan, a quota or an amount in it: its draft has
 * amounts, or it has open pay.
 */
export async function othersOnStatements(tx: Transaction, period: Period): Promise<RawBuilder<boolean>> {
  return sql`(${hasStatedAmounts} or ${await hasOpenPay(tx, await loadRange(tx, period))})`;
}

/** Those of the people without a version, whose amounts are calculated. */
export async function readUnstated(
  tx: Transaction,
  period: Period,
  currency: string,
  selection: TeamSelection,
): Promise<TeamMemberStatement[]> {
  const everyone = { limit: 1_000_000_000, offset: 0, status: 'none' } as const;
  const others = await othersOnStatements(tx, period);
  const { repIds } = await listTeamPage(tx, period, { ...selection, others }, everyone);
  return repIds.length === 0 ? [] : readTeamStatements(tx, period, currency, { ...selection, repIds });
}

/** Their lines are in memory together. */
const loadedReps = 200;

/** Adds what is payable so far to those without a generated version. */
async function withLivePayables(
  tx: Transaction,
  period: Period,
  members: readonly TeamMemberStatement[],
): Promise<TeamMemberStatement[]> {
  const live = new Map<string, StoredPayable>();
  const without = members.filter(({ status }) => status === 'none').map(({ repId }) => repId);
  for (const repIds of chunk(without, loadedReps))
    for (const [repId, payable] of (await loadPayables(tx, period, repIds)) ?? []) live.set(repId, payable);
  return members.map((member) => {
    const payable = live.get(member.repId);
    if (payable === undefined) return member;
    const { main, others } = member;
    const summaries = new Map([main, ...others].map(({ currency, summary: texts }) => [currency, texts]));
    const paid = payable.totals.map(({ currency }) => currency).filter((currency) => currency !== main.currency);
    const currencies = [...new Set([...others.map(({ currency }) => currency), ...paid])].sort();
    const toPaid = (currency: string) => ({
      currency,
      summary: withPayable(summaries.get(currency) ?? noAmounts, currency, payable),
    });
    return {
      ...member,
      main: toPaid(main.currency),
      others: currencies.map(toPaid),
      payTotals: payable.totals,
      pay: payable.pay ?? null,
    };
  });
}

/** Whether the statement is approved or has amounts. A draft without any says nothing about a person without a plan. */
function statesAmounts({ status, summary: main, otherCurrencies: others }: TeamStatementRow): boolean {
  if (status === 'approved') return true;
  return [...(main === null ? [] : [main]), ...(others ?? []).map((currencySummary) => currencySummary.summary)].some(
    isPaid,
  );
}

function isPaid(texts: Summary): boolean {
  return Object.values(texts).some((amount) => !Decimal.of(amount).isZero());
}

function toMember(
  row: TeamStatementRow,
  live: readonly CurrencySummary[],
  currency: string,
): Omit<TeamMemberStatement, 'state'> {
  const { repId, name, email, payrollId, status, statementId, approvedAt, approvedBy, payTotals, pay } = row;
  const { payrollIdChangedAt, sharesPayrollId } = row;
  const person = {
    repId,
    name,
    email,
    payrollId,
    payrollIdChangedAt,
    sharesPayrollId,
    status,
    statementId,
    approvedAt,
    approvedBy,
    payTotals,
    pay,
    version: row.version ?? 0,
  };
  if (row.currency === null || row.summary === null) return { ...person, ...splitByCurrency(live, currency) };
  return { ...person, main: { currency: row.currency, summary: row.summary }, others: row.otherCurrencies ?? [] };
}

export function liveSummary(row: {
  currency: string;
  commission: string;
  bonus: string;
  adjustments: string;
}): CurrencySummary {
  const summary = summaryFrom(Decimal.of(row.commission), Decimal.of(row.bonus), Decimal.of(row.adjustments));
  return { currency: row.currency, summary };
}

/** Sums by currency, with the given currency apart. Amounts in different currencies are never added. */
export function splitByCurrency(
  summaries: readonly CurrencySummary[],
  currency: string,
): { readonly main: CurrencySummary; readonly others: CurrencySummary[] } {
  const totals = totalsByCurrency(summaries);
  return {
    main: totals.find((total) => total.currency === currency) ?? { currency, summary: noAmounts },
    others: totals.filter((total) => total.currency !== currency).sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}

export async function toTeamResponse(
  period: Period,
  currency: string,
  members: readonly TeamMemberStatement[],
  notes: {
    readonly checks: ReadonlyMap<string, readonly Check[]>;
    readonly approvals: ReadonlyMap<string, Approval>;
    /** Keyed by rep; reps without a deviation are absent. */
    readonly deviations: ReadonlyMap<string, number>;
    readonly holds: (repId: string) => ApprovalHolds;
    readonly handed: HandedAmounts;
    readonly payouts: Awaited<ReturnType<typeof loadStatementPayouts>>;
    /** The currency of each rep who earns in only one, and about whom the statement says nothing. */
    readonly currencies: ReadonlyMap<string, string>;
  },
): Promise<z.input<typeof teamStatements>> {
  const totals = splitByCurrency(
    await totalsInSlices(members.flatMap(({ main, others }) => [main, ...others])),
    currency,
  );
  return {
    period,
    currency,
    totals: toSummaryResponse(totals.main.summary),
    otherCurrencies: totals.others.map(summaryEntry),
    statements: await mapInSlices(
      members,
      ({ repId, name, email, status, version, statementId, main, others, state, payTotals, pay }) => {
        const deviations = notes.deviations.get(repId);
        const chain = notes.approvals.get(repId);
        const toPaid = (totals: readonly StoredTotals[], payouts: StatementPayouts) => ({
          payTotals: totals.map(toTotalsResponse),
          payouts,
          payslip: toHeadlineResponse(
            describePay({
              ...{ totals, pay, payouts, summaries: [main, ...others], isApproved: status === 'approved' },
              otherwise: notes.currencies.get(repId) ?? currency,
            }),
          ),
        });
        return {
          ...{ repId, name, email, status, version, statementId },
          ...state,
          ...summaryEntry(main),
          otherCurrencies: others.map(summaryEntry),
          ...(deviations === undefined ? {} : { deviations }),
          ...(pay === null ? {} : { pay: toPayResponse(pay) }),
          ...(payTotals === null ? {} : toPaid(payTotals, notes.payouts.get(repId) ?? [])),
          ...(chain === undefined ? {} : { approval: chain }),
          checks: [...(notes.checks.get(repId) ?? [])],
          ...toHoldsResponse(notes.holds(repId)),
        };
      },
    ),
    missingPayrollIds: missingPayrollIds(members),
    changedPayrollIds: listChangedPayrollIds(members),
    handedOver: handedTotals(
      notes.handed,
      members.filter(({ status }) => status === 'approved').map(({ repId }) => repId),
    ),
    sharedPayrollIds: listSharedPayrollIds(members),
  };
}

type Payee = Pick<TeamMemberStatement, 'repId' | 'payrollIdChangedAt' | 'sharesPayrollId' | 'main' | 'others'>;

export function listChangedPayrollIds(members: readonly Payee[]): z.input<typeof changedPayrollIds> {
  return members.flatMap((member) => {
    const { repId, payrollIdChangedAt: at } = member;
    return at === null || !hasAmount(member) ? [] : [{ repId, changedAt: at.toISOString() }];
  });
}

export function listSharedPayrollIds(members: readonly Payee[]): string[] {
  return members.filter((member) => member.sharesPayrollId && hasAmount(member)).map(({ repId }) => repId);
}

/** People with an amount in the period and without a payroll id. */
export function missingPayrollIds(
  members: readonly Pick<TeamMemberStatement, 'repId' | 'name' | 'email' | 'payrollId' | 'main' | 'others'>[],
): z.input<typeof peopleWithoutPayrollId> {
  return members
    .filter((member) => member.payrollId === null && hasAmount(member))
    .map(({ repId, name, email }) => ({ repId, name, email }));
}

export function hasAmount({ main, others }: Pick<TeamMemberStatement, 'main' | 'others'>): boolean {
  return [main, ...others].some(({ summary: texts }) => isPaid(texts));
}

export function summaryEntry({ currency, summary: texts }: CurrencySummary) {
  return { currency, summary: toSummaryResponse(texts) };
}
