import { type Readable } from 'node:stream';
import { type WorkspaceRow } from '../../access/workspaces/workspace-views.js';
import { describeSteps } from '../../commissions/step-words.js';
import { paidLinesOf } from '../../earnings/paid-lines.js';
import { decodeProration } from '../../engine/trace.js';
import { type DayRange } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { disarmFormula } from '../../kernel/spreadsheet-formulas.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { explainProration } from '../../plans/quotas/proration.js';
import {
  type Sheet,
  type WorkbookCell,
  type WorkbookColumn,
  WorkbookWriter,
} from '../../platform/documents/workbook.js';
import { statusText } from '../../statements/payslip-words.js';
import { type LoadedPayslip } from '../../statements/read-payslip.js';
import { listSummaries, noAmounts, type StatementLine, type Summary } from '../../statements/snapshot.js';
import { type StatementContent, type StatementHead } from '../../statements/statement.js';
import { hasAmount } from '../../statements/team-statements.js';
import { lineConversions } from '../line-conversions.js';
import { lineType } from '../payroll-csv.js';
import { choosePaper } from './page-style.js';
import { payableColumns, writePayable } from './payable-sheet.js';
import { decodeLineTrace } from './rule-explanations.js';

/** The data of one rep's statement that a workbook contains. */
export interface WorkbookStatement {
  readonly name: string;
  readonly email: string;
  readonly payrollId: string | null;
  readonly head: StatementHead | null;
  readonly content: StatementContent;
  /** What it pays; null in workspaces without payouts. */
  readonly pay: LoadedPayslip | null;
  /** Names of the authors of lines, by actor. */
  readonly people: ReadonlyMap<string, string>;
}

interface WorkbookTerms {
  readonly workspace: WorkspaceRow;
  readonly period: Period;
  readonly days: DayRange;
  readonly now: Date;
  /** Whether the period is a pay period, so that statements say what they pay. */
  readonly isPaid: boolean;
  /** The instant whose state the workbook shows; null for the present state. */
  readonly asOf: Date | null;
}

const summaryColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 28 },
  { title: 'Email', width: 32 },
  { title: 'Payroll ID', width: 14 },
  { title: 'Currency', width: 10 },
  { title: 'Commissions', width: 16, align: 'right' },
  { title: 'Bonuses', width: 16, align: 'right' },
  { title: 'Adjustments', width: 16, align: 'right' },
  { title: 'Net Payout', width: 16, align: 'right' },
  { title: 'Statement Status', width: 17 },
];
const firstAmount = 5;

/** What is paid comes first, what is earned second, and then the sums of which it consists. */
const paidSummaryColumns: readonly WorkbookColumn[] = [
  ...summaryColumns.slice(0, firstAmount - 1),
  { title: 'Payable', width: 16, align: 'right' },
  { title: 'Earned', width: 16, align: 'right' },
  ...summaryColumns.slice(firstAmount - 1, firstAmount + 2),
  { title: 'Paid', width: 16, align: 'right' },
  { title: 'Paid Currency', width: 14 },
  { title: 'Statement Status', width: 17 },
  { title: 'Payment', width: 30 },
];

const lineColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 24 },
  { title: 'Deal ID', width: 18 },
  { title: 'Deal', width: 30 },
  { title: 'Close Date', width: 12 },
  { title: 'Plan', width: 18 },
  { title: 'Plan Version', width: 12, align: 'right' },
  { title: 'Rule', width: 22 },
  { title: 'Tier', width: 16 },
  { title: 'Attainment', width: 12, align: 'right' },
  { title: 'Base', width: 16, align: 'right' },
  { title: 'Rate', width: 10, align: 'right' },
  { title: 'Commission', width: 16, align: 'right' },
  { title: 'Currency', width: 10 },
  { title: 'Type', width: 12 },
  { title: 'Status', width: 10 },
];

const adjustmentColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 24 },
  { title: 'Day', width: 12 },
  { title: 'Kind', width: 14 },
  { title: 'Reason', width: 50 },
  { title: 'Deal ID', width: 18 },
  { title: 'Deal', width: 30 },
  { title: 'By', width: 24 },
  { title: 'Amount', width: 16, align: 'right' },
  { title: 'Currency', width: 10 },
  { title: 'Rule', width: 22 },
  { title: 'Approved', width: 16, align: 'right' },
  { title: 'Now', width: 16, align: 'right' },
  { title: 'Difference', width: 16, align: 'right' },
];

const aboutColumns: readonly WorkbookColumn[] = [
  { title: 'What', width: 30 },
  { title: 'Value', width: 60 },
  { title: 'Version', width: 10, align: 'right' },
  { title: 'Generated', width: 18 },
  { title: 'Approved', width: 18 },
  { title: 'Approved By', width: 24 },
];

const quotaColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 28 },
  { title: 'Rule', width: 22 },
  { title: 'Period', width: 12 },
  { title: 'Quota', width: 16, align: 'right' },
  { title: 'Target', width: 16, align: 'right' },
  { title: 'How the target was computed', width: 60 },
];

const conversionColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 24 },
  { title: 'Deal ID', width: 18 },
  { title: 'Deal', width: 30 },
  { title: 'Rule', width: 22 },
  { title: 'Field', width: 16 },
  { title: 'Original Currency', width: 16 },
  { title: 'Original Amount', width: 16, align: 'right' },
  { title: 'Exchange Rate', width: 16, align: 'right' },
  { title: 'Rate Day', width: 12 },
  { title: 'Currency', width: 10 },
  { title: 'Converted Amount', width: 16, align: 'right' },
  { title: 'State of the Rate', width: 16 },
];

const howToRead = [
  'Summary: one row per rep and currency, followed by totals by currency as values. A workbook with one currency also has SUM formulas.',
  'Line items: earnings on deals and periods. Adjustments: adjustments, clawbacks and true-ups; the deals of a true-up follow its row.',
  'Amounts are gross and rounded once per line to the decimals of their currency. Amounts in different currencies are never added.',
  'Text that a spreadsheet would run as a formula begins with an apostrophe.',
];

/**
 * Writes the statements to a workbook of four sheets, and others for lines of deals, payouts and prorated quotas, one
 * statement at a time. Lines are written immediately; the other sheets need only the head, the totals and the adjustments
 * of each statement.
 */
export function statementWorkbook(terms: WorkbookTerms, statements: AsyncIterable<WorkbookStatement>): Readable {
  const { workspace, now } = terms;
  return WorkbookWriter.stream(
    { escapeFormula: disarmFormula, paper: choosePaper(workspace), createdAt: now },
    async (workbook) => {
      const summary = workbook.sheet('Summary', columnsOfSummary(terms));
      const lines = workbook.sheet('Line items', lineColumns);
      const adjustments = workbook.sheet('Adjustments', adjustmentColumns);
      const about = workbook.sheet('About', aboutColumns);
      const heads: WorkbookStatement[] = [];
      const plans = new Map<string, PlanLines>();
      const quotas = new Map<string, ProratedLine>();
      const dealLines = new OptionalSheet(workbook, 'Lines', dealLineColumns);
      const conversions = new OptionalSheet(workbook, 'Exchange rates', conversionColumns);
      const steps = new OptionalSheet(workbook, 'Steps', stepColumns);
      for await (const statement of statements) {
        await writeLines({ lines, dealLines, conversions, steps }, statement, () => workbook.drained());
        for (const plan of listPlans(statement)) plans.set(JSON.stringify(plan), plan);
        for (const quota of listProratedQuotas(statement)) quotas.set(JSON.stringify(quota), quota);
        heads.push(withoutLines(statement));
      }
      lines.close();
      dealLines.close();
      conversions.close();
      steps.close();
      writeTotals(
        summary,
        heads.flatMap((statement) => writeSummary(summary, statement, terms)),
      );
      for (const statement of heads) writeAdjustments(adjustments, statement);
      writeAbout(about, terms, heads, [...plans.values()]);
      for (const sheet of [summary, adjustments, about]) sheet.close();
      writePayables(workbook, heads);
      if (quotas.size > 0) writeQuotas(workbook.sheet('Prorated quotas', quotaColumns), [...quotas.values()]);
    },
  );
}

function columnsOfSummary({ isPaid }: WorkbookTerms): readonly WorkbookColumn[] {
  return isPaid ? paidSummaryColumns : summaryColumns;
}

/** A sheet of what the statements pay, in workspaces with payouts. */
function writePayables(workbook: WorkbookWriter, statements: readonly WorkbookStatement[]): void {
  const paid = statements.flatMap(({ name, pay }) => (pay === null ? [] : [{ name, pay }]));
  if (paid.length === 0) return;
  const sheet = workbook.sheet('Payable', payableColumns);
  for (const { name, pay } of paid) writePayable(sheet, name, pay);
  sheet.close();
}

function listPlans({ content }: WorkbookStatement): PlanLines[] {
  return content.lines.flatMap(({ planName, planVersion }) => (planName === null ? [] : [{ planName, planVersion }]));
}

/** A prorated quota that decided lines of a statement. */
interface ProratedLine extends NonNullable<ReturnType<typeof decodeProration>> {
  readonly name: string;
  readonly ruleName: string | null;
  readonly period: string;
}

function listProratedQuotas({ name, content }: WorkbookStatement): ProratedLine[] {
  return content.lines.flatMap(({ ruleName, period, trace }) => {
    const quota = typeof trace === 'string' ? decodeProration(trace) : null;
    return quota === null || !isProrated(quota) ? [] : [{ name, ruleName, period, ...quota }];
  });
}

/** Whether the days of the period changed the target. */
function isProrated({
  proration: { weight, size, because },
}: NonNullable<ReturnType<typeof decodeProration>>): boolean {
  return weight !== size || because !== undefined;
}

function writeQuotas(sheet: Sheet, quotas: readonly ProratedLine[]): void {
  for (const { name, ruleName, period, target, proration } of quotas)
    sheet.row([
      { text: name },
      { text: ruleName },
      { text: period },
      { count: proration.target },
      { count: target },
      { text: explainProration(proration) },
    ]);
  sheet.close();
}

interface PlanLines {
  readonly planName: string;
  readonly planVersion: number | null;
}

/** Removes commission events, so that only the adjustments stay in memory. */
function withoutLines(statement: WorkbookStatement): WorkbookStatement {
  const lines = statement.content.lines.filter((line) => line.kind !== 'commission_earned');
  return { ...statement, content: { ...statement.content, lines } };
}

interface SummaryRow {
  readonly currency: string;
  readonly amounts: readonly string[];
  /** What is paid in the currency of the person. Absent without payouts. */
  readonly paid?: { readonly currency: string; readonly amount: string };
}

function writeSummary(sheet: Sheet, statement: WorkbookStatement, { isPaid }: WorkbookTerms): SummaryRow[] {
  const { name, email, payrollId, head, content, pay } = statement;
  if (pay !== null) return writePaidSummary(sheet, statement, pay);
  if (isPaid) return writeUnpaidSummary(sheet, statement);
  return listSummaries(content).map(({ currency, summary }) => {
    const amounts = toAmounts(summary);
    sheet.row([
      { text: name },
      { text: email },
      { text: payrollId },
      { text: currency },
      ...amounts.map((money): WorkbookCell => ({ money, currency })),
      { text: head?.status ?? 'none' },
    ]);
    return { currency, amounts };
  });
}

/** A draft from before payouts were turned on, in a workbook with what is paid. */
function writeUnpaidSummary(sheet: Sheet, { name, email, payrollId, head, content }: WorkbookStatement): SummaryRow[] {
  const blank: WorkbookCell = { text: null };
  return listSummaries(content).map(({ currency, summary }) => {
    const [commission, bonus, adjustments, earned] = toAmounts(summary) as [string, string, string, string];
    const amounts = [earned, commission, bonus, adjustments];
    sheet.row([
      { text: name },
      { text: email },
      { text: payrollId },
      { text: currency },
      blank,
      ...amounts.map((money): WorkbookCell => ({ money, currency })),
      blank,
      blank,
      { text: head?.status ?? 'none' },
      blank,
    ]);
    return { currency, amounts: ['0', ...amounts] };
  });
}

/** One row for each currency with an amount, with what is paid for it in the currency of the person. */
function writePaidSummary(
  sheet: Sheet,
  { name, email, payrollId, head, content }: WorkbookStatement,
  { headline, parts }: LoadedPayslip,
): SummaryRow[] {
  const summaries = listSummaries(content);
  const none = [{ currency: headline.currency, conversion: null }];
  return (parts.length === 0 ? none : parts).map(({ currency, conversion }) => {
    const summary = summaries.find((each) => each.currency === currency)?.summary ?? noAmounts;
    const [commission, bonus, adjustments, earned] = toAmounts(summary) as [string, string, string, string];
    const payable = summary.payable ?? '0';
    const amounts = [payable, earned, commission, bonus, adjustments];
    const paid = conversion === null ? { currency, amount: payable } : { ...headline, amount: conversion.amount };
    sheet.row([
      { text: name },
      { text: email },
      { text: payrollId },
      { text: currency },
      ...amounts.map((money): WorkbookCell => ({ money, currency })),
      paid.amount === null ? { text: null } : { money: paid.amount, currency: paid.currency },
      { text: paid.currency },
      { text: head?.status ?? 'none' },
      { text: statusText(headline) },
    ]);
    return { currency, amounts, paid: { currency: paid.currency, amount: paid.amount ?? '0' } };
  });
}

function toAmounts({ totalCommission, totalBonuses, totalAdjustments, netPayout }: Summary): readonly string[] {
  return [totalCommission, totalBonuses, totalAdjustments, netPayout];
}

/**
 * Totals by currency as values. SUM formulas are added only if all rows have one currency, because SUM ignores
 * currencies.
 */
function writeTotals(sheet: Sheet, rows: readonly SummaryRow[]): void {
  const toRow = sheet.nextRow - 1;
  const currencies = [...new Set(rows.map((row) => row.currency))].sort();
  const blank: WorkbookCell = { text: null };
  sheet.row([blank]);
  const totals = currencies.map((currency) => ({
    currency,
    amounts: (rows[0]?.amounts ?? []).map((_, index) =>
      sum(
        rows.filter((row) => row.currency === currency).map((row) => Decimal.of(row.amounts[index] ?? '0')),
      ).toString(),
    ),
  }));
  for (const { currency, amounts } of totals)
    sheet.row(
      [{ text: 'Total' }, blank, blank, { text: currency }, ...amounts.map((money) => ({ money, currency })), blank],
      'bold',
    );
  const paid = rows.flatMap((row) => row.paid ?? []);
  for (const [currency, amount] of [...sumsByCurrency(paid)].sort())
    sheet.row(
      [
        { text: 'Total paid' },
        ...Array.from({ length: 8 }, () => blank),
        { money: String(amount), currency },
        { text: currency },
      ],
      'bold',
    );
  const [only, another] = totals;
  if (only === undefined || another !== undefined) return;
  const sums = only.amounts.map((money, index) => ({
    sumOf: { column: firstAmount + index, fromRow: 2, toRow },
    money,
    currency: only.currency,
  }));
  sheet.row([{ text: 'Sum of the rows above' }, blank, blank, { text: only.currency }, ...sums, blank]);
}

/** A sheet that exists once it has a row. */
class OptionalSheet {
  private sheet: Sheet | null = null;

  constructor(
    private readonly workbook: WorkbookWriter,
    private readonly name: string,
    private readonly columns: readonly WorkbookColumn[],
  ) {}

  write(rows: Iterable<readonly WorkbookCell[]>): void {
    for (const row of rows) {
      this.sheet ??= this.workbook.sheet(this.name, this.columns);
      this.sheet.row(row);
    }
  }

  close(): void {
    this.sheet?.close();
  }
}

/** The rate of each amount of the line that was converted. */
function conversionRows(name: string, line: StatementLine): WorkbookCell[][] {
  return lineConversions(line).map(({ field, from, to, original, converted, rate, day, isProvisional }) => [
    { text: name },
    { text: line.dealId },
    { text: line.dealName },
    { text: line.ruleName },
    { text: field ?? 'team' },
    { text: from },
    { money: original, currency: from },
    { count: rate },
    { day },
    { text: to },
    { money: converted, currency: to },
    { text: isProvisional ? 'provisional' : 'final' },
  ]);
}

const stepColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 24 },
  { title: 'Deal ID', width: 18 },
  { title: 'Deal', width: 30 },
  { title: 'Rule', width: 22 },
  { title: 'Step', width: 18 },
  { title: 'What moved the amount', width: 90 },
  { title: 'Amount', width: 16, align: 'right' },
  { title: 'Currency', width: 10 },
];

const stepTitles = {
  formula: 'Formula',
  share: 'Share of the deal',
  credit_note: 'Credit note',
  refund: 'Refund',
} as const;

/** The share, the refund and the formulas of the line. */
function stepRows(name: string, line: StatementLine): WorkbookCell[][] {
  return describeSteps(line, decodeLineTrace(line)).map(({ step, words }) => [
    { text: name },
    { text: line.dealId },
    { text: line.dealName },
    { text: line.ruleName },
    { text: stepTitles[step] },
    { text: words },
    { money: line.amount, currency: line.currency },
    { text: line.currency },
  ]);
}

const dealLineColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 24 },
  { title: 'Deal ID', width: 18 },
  { title: 'Deal', width: 30 },
  { title: 'Rule', width: 22 },
  { title: 'Line ID', width: 18 },
  { title: 'Line', width: 30 },
  { title: 'Base', width: 16, align: 'right' },
  { title: 'Rate', width: 10, align: 'right' },
  { title: 'Commission', width: 16, align: 'right' },
  { title: 'Currency', width: 10 },
];

/** What each line of the deal paid, if the rule pays lines. */
function dealLineRows(
  name: string,
  { trace = null, dealId, dealName, ruleName, currency }: StatementLine,
): WorkbookCell[][] {
  return (paidLinesOf(trace).dealLines ?? []).map((line) => [
    { text: name },
    { text: dealId },
    { text: dealName },
    { text: ruleName },
    { text: line.lineId },
    { text: line.name },
    { money: String(line.base), currency },
    { ratio: line.rate === null ? null : String(line.rate) },
    { money: String(line.amount), currency },
    { text: currency },
  ]);
}

interface LineSheets {
  readonly lines: Sheet;
  readonly dealLines: OptionalSheet;
  readonly conversions: OptionalSheet;
  readonly steps: OptionalSheet;
}

/** Rows that are written before the event loop runs other work, about 20 milliseconds. */
const rowsPerSlice = 200;

async function writeLines(
  { lines: sheet, dealLines, conversions, steps }: LineSheets,
  { name, content }: WorkbookStatement,
  yieldToEventLoop: () => Promise<void>,
): Promise<void> {
  for (const [index, line] of content.lines.entries()) {
    if (index % rowsPerSlice === 0) await yieldToEventLoop();
    if (line.kind !== 'commission_earned') continue;
    const { currency } = line;
    dealLines.write(dealLineRows(name, line));
    conversions.write(conversionRows(name, line));
    steps.write(stepRows(name, line));
    sheet.row([
      { text: name },
      { text: line.dealId },
      { text: line.dealName },
      { day: line.closeDate },
      { text: line.planName },
      { count: line.planVersion },
      { text: line.ruleName },
      { text: line.tierName },
      { ratio: line.attainment },
      line.base === null ? { text: null } : { money: line.base, currency },
      { ratio: line.rate },
      { money: line.amount, currency },
      { text: currency },
      { text: lineType(line) },
      { text: line.status },
    ]);
  }
}

function writeAdjustments(sheet: Sheet, { name, content, people }: WorkbookStatement): void {
  for (const line of content.lines) {
    if (line.kind === 'commission_earned') continue;
    sheet.row([
      { text: name },
      { day: line.earnedOn },
      { text: lineType(line) },
      { text: line.reason },
      { text: line.dealId },
      { text: line.dealName },
      { text: people.get(line.actor ?? '') ?? null },
      { money: line.amount, currency: line.currency },
      { text: line.currency },
    ]);
    writeTrueUpLines(sheet, name, line);
  }
}

/** The lines of a true-up, below its row. Their amounts have separate columns, so that the column Amount adds up. */
function writeTrueUpLines(sheet: Sheet, name: string, { earnedOn, currency, lines = [] }: StatementLine): void {
  const blank: WorkbookCell = { text: null };
  for (const { dealId, dealName, ruleName, approved, live, delta } of lines)
    sheet.row([
      { text: name },
      { day: earnedOn },
      { text: 'true_up line' },
      blank,
      { text: dealId },
      { text: dealName },
      blank,
      blank,
      { text: currency },
      { text: ruleName },
      { money: approved, currency },
      { money: live, currency },
      { money: delta, currency },
    ]);
}

/** Whether the rep has an amount and no payroll id. */
function lacksPayrollId({ payrollId, content }: WorkbookStatement): boolean {
  const main = { currency: content.currency, summary: content.summary };
  return payrollId === null && hasAmount({ main, others: content.otherCurrencies });
}

function writeAbout(
  sheet: Sheet,
  { workspace, period, days: { from, to }, now, asOf }: WorkbookTerms,
  heads: readonly WorkbookStatement[],
  plans: readonly PlanLines[],
): void {
  const facts: readonly (readonly [string, WorkbookCell])[] = [
    ['Workspace', { text: workspace.name }],
    ['Period', { text: period }],
    ['First day', { day: from }],
    ['Last day', { day: to }],
    ['Time zone', { text: workspace.timezone }],
    ['Written at (UTC)', { instant: now }],
    ...(asOf === null ? [] : [['As of (UTC)', { instant: asOf }] as const]),
    ['Statements', { count: heads.length }],
    ...howToRead.map((note): readonly [string, WorkbookCell] => ['How to read', { text: note }]),
  ];
  for (const [what, value] of facts) sheet.row([{ text: what }, value]);
  for (const { name, email } of heads.filter(lacksPayrollId))
    sheet.row([{ text: 'Without a payroll id' }, { text: `${name} (${email})` }]);
  for (const { planName, planVersion } of plans)
    sheet.row([{ text: 'Plan' }, { text: planName }, { count: planVersion }]);
  for (const { name, head, content } of heads)
    sheet.row([
      { text: `Statement of ${name}` },
      { text: content.statementId ?? 'not generated: earnings so far' },
      { count: content.version === 0 ? null : content.version },
      { instant: content.generatedAt },
      { instant: head?.approvedAt ?? null },
      { text: head?.status === 'approved' ? (head.approvedBy?.name ?? null) : null },
    ]);
}
