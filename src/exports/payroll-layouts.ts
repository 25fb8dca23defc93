import { type PayrollTerms } from '../access/workspaces/workspace-tables.js';
import { Decimal, maximum, minimum } from '../kernel/decimal.js';
import { invalid, rejectAny } from '../kernel/failure.js';
import { plainAmount } from '../kernel/money-text.js';
import { unreachable } from '../kernel/unreachable.js';
import { filterInSlices, mapInSlices } from '../kernel/waiting.js';
import { totalsInSlices } from '../statements/snapshot.js';
import { hasAmount } from '../statements/team-statements.js';
import { type Cell, text, trusted } from './payroll-csv.js';
import { controlTotals, hasPayable, type TeamExport, type TeamRow, teamCells } from './team-export.js';

export const layouts = ['generic', 'gusto', 'adp', 'rippling', 'workday', 'long'] as const;
export type Layout = (typeof layouts)[number];

export const scopes = ['full', 'new'] as const;
export type Scope = (typeof scopes)[number];

/** A payroll file with its control totals. */
export interface PayrollFile {
  readonly filename: string;
  readonly columns: readonly string[];
  readonly lines: readonly (readonly Cell[])[];
  readonly totals: Record<string, string>;
}

/**
 * The team's amounts in the layout of a payroll system. Layouts for payroll systems leave out people without an
 * amount.
 */
export function payrollFile(
  layout: Layout,
  team: TeamExport,
  terms: PayrollTerms,
  extended: boolean,
): Promise<PayrollFile> {
  switch (layout) {
    case 'generic':
      return genericFile(team, extended);
    case 'gusto':
      return gustoFile(team);
    case 'adp':
      return adpFile(team, terms);
    case 'rippling':
      return ripplingFile(team);
    case 'workday':
      return workdayFile(team, terms);
    case 'long':
      return longFile(team, terms);
    default:
      return unreachable(layout);
  }
}

export async function toPayrollFile(
  filename: string,
  columns: readonly string[],
  lines: PayrollFile['lines'],
  paid: readonly TeamRow[],
): Promise<PayrollFile> {
  const totals = controlTotals(lines.length, await totalsInSlices(paid.map(({ amounts }) => amounts)), [
    ...new Set(paid.map(({ member }) => member)),
  ]);
  return { filename, columns, lines, totals };
}

/** Files of several layouts or parts, and with drafts or without, have different names, so that none replaces another. */
export function buildFilename({ period, members, part }: TeamExport, layout: Layout | 'lines'): string {
  const hasDrafts = members.some((member) => member.status !== 'approved' && hasAmount(member));
  return `statements-${period}-${layout}${part === 1 ? '' : `-part-${part}`}${hasDrafts ? '-with-drafts' : ''}.csv`;
}

const extendedColumns = [
  'Employee ID',
  'Currency',
  'Period',
  'Period Start',
  'Period End',
  'Statement ID',
  'Version',
  'Approved At',
  'Approved By',
];

async function genericFile(team: TeamExport, extended: boolean): Promise<PayrollFile> {
  const { from, to } = team.days;
  const plain = team.columns.filter((column) => !extended || column !== 'Currency');
  const paidColumns = hasPayable(team) && team.members.some(({ pay }) => pay !== null) ? ['Paid', 'Paid Currency'] : [];
  const lines = await mapInSlices(team.rows, (row) => {
    const cells = teamCells(row, team)
      .slice(0, plain.length)
      .map((cell) => ('text' in cell ? text(cell.text) : trusted(cell.amount)));
    const paid = paidColumns.length === 0 ? [] : paidCells(row);
    if (!extended) return [...cells, ...paid];
    const { member, amounts } = row;
    const approved = member.status === 'approved';
    return [
      ...cells,
      text(member.payrollId),
      text(amounts.currency),
      trusted(team.period),
      trusted(from),
      trusted(to),
      trusted(member.statementId),
      trusted(member.version === 0 ? null : member.version),
      trusted(approved ? (member.approvedAt?.toISOString() ?? null) : null),
      text(approved ? (member.approvedBy?.name ?? null) : null),
      ...paid,
    ];
  });
  return toPayrollFile(
    buildFilename(team, 'generic'),
    [...plain, ...(extended ? extendedColumns : []), ...paidColumns],
    lines,
    team.rows,
  );
}

/** What is paid for the row, in the currency of the person. */
function paidCells({ member: { pay }, amounts: { currency, summary } }: TeamRow): Cell[] {
  const part = pay?.parts.find((each) => each.currency === currency);
  const paid =
    pay === null
      ? { currency, amount: summary.payable ?? null }
      : { currency: pay.currency, amount: part?.amount ?? null };
  return [trusted(paid.amount === null ? null : plainAmount(paid.amount, paid.currency)), text(paid.currency)];
}

const gustoColumns = [
  'last_name',
  'first_name',
  'gusto_employee_id',
  'commission',
  'bonus',
  'correction_payment',
  'personal_note',
];

/** Zeros are left blank, because Gusto would overwrite existing amounts with them. */
async function gustoFile(team: TeamExport): Promise<PayrollFile> {
  const paid = await filterInSlices(team.rows, isPaid);
  assertOneCurrency(paid, 'gusto');
  const lines = await mapInSlices(paid, (row) => {
    const { member } = row;
    const name = member.name.trim().split(/\s+/);
    const last = name.length > 1 ? name.pop() : '';
    return [
      text(last ?? ''),
      text(name.join(' ')),
      text(member.payrollId),
      ...listEarnings(row).map(({ amount }) =>
        trusted(amount.isZero() ? null : plainAmount(String(amount), row.amounts.currency)),
      ),
      text(member.status === 'approved' ? null : 'DRAFT, not for payroll'),
    ];
  });
  return toPayrollFile(buildFilename(team, 'gusto'), gustoColumns, lines, paid);
}

const adpColumns = [
  'Co Code',
  'Batch ID',
  'File #',
  'Earnings 3 Code',
  'Earnings 3 Amount',
  'Earnings 4 Code',
  'Earnings 4 Amount',
  'Earnings 5 Code',
  'Earnings 5 Amount',
];
const adpCodes = { commission: 'C', bonus: 'B', adjustment: 'A' } as const;
/** The range of one amount in an ADP file. */
const adpMax = Decimal.of('99999.99');
const adpMin = Decimal.of('-40500');

/** Amounts beyond the range of one cell continue in further rows of the same person. */
async function adpFile(team: TeamExport, { companyCode, batchId, earningCodes }: PayrollTerms): Promise<PayrollFile> {
  const paid = await filterInSlices(team.rows, isPaid);
  assertOneCurrency(paid, 'adp');
  if (companyCode === undefined)
    throw invalid({ path: 'layout', message: 'adp needs payroll.companyCode; set it with PATCH /v1/workspaces' });
  assertPayrollIds(paid);
  const lines = await mapInSlices(paid, (row) => {
    const { currency } = row.amounts;
    const batch = row.member.status === 'approved' ? (batchId ?? team.period) : 'DRAFT';
    const earnings = listEarnings(row).map(({ type, amount }) => ({
      code: earningCodes?.[type] ?? adpCodes[type],
      pieces: splitAmount(amount),
    }));
    const rows = Math.max(...earnings.map(({ pieces }) => pieces.length));
    return Array.from({ length: rows }, (_, index) => [
      text(companyCode),
      text(batch),
      text(row.member.payrollId),
      ...earnings.flatMap(({ code, pieces }) => {
        const piece = pieces[index];
        return piece === undefined
          ? [trusted(null), trusted(null)]
          : [text(code), trusted(plainAmount(String(piece), currency))];
      }),
    ]);
  });
  return toPayrollFile(`PR${companyCode}EPI.csv`, adpColumns, lines.flat(), paid);
}

function splitAmount(amount: Decimal): Decimal[] {
  const pieces: Decimal[] = [];
  for (let left = amount; !left.isZero(); ) {
    const piece = maximum(minimum(left, adpMax), adpMin);
    pieces.push(piece);
    left = left.minus(piece);
  }
  return pieces;
}

const ripplingColumns = [
  'Employee ID',
  'Work email',
  'Employee name',
  'Commission',
  'Bonus',
  'Adjustment',
  'Start date',
  'End date',
  'Note',
];

/** One row per person. Rippling maps each column to an earning; cells without an amount stay blank. */
async function ripplingFile(team: TeamExport): Promise<PayrollFile> {
  const { from, to } = team.days;
  const paid = await filterInSlices(team.rows, isPaid);
  assertOneCurrency(paid, 'rippling');
  const lines = await mapInSlices(paid, (row) => [
    text(row.member.payrollId),
    text(row.member.email),
    text(row.member.name),
    ...listEarnings(row).map(({ amount }) =>
      trusted(amount.isZero() ? null : plainAmount(String(amount), row.amounts.currency)),
    ),
    trusted(from),
    trusted(to),
    text(row.member.status === 'approved' ? null : 'DRAFT, not for payroll'),
  ]);
  return toPayrollFile(buildFilename(team, 'rippling'), ripplingColumns, lines, paid);
}

const workdayColumns = [
  'Spreadsheet Key',
  'Row ID',
  'Batch ID',
  'Start Date',
  'End Date',
  'Worker',
  'Earning',
  'Amount',
  'Currency',
];

/** The columns of Workday's payroll input: the rows of a worker share a key, and are numbered. */
async function workdayFile(team: TeamExport, { batchId, earningCodes }: PayrollTerms): Promise<PayrollFile> {
  const { from, to } = team.days;
  const paid = await filterInSlices(team.rows, isPaid);
  assertPayrollIds(paid);
  const keys = new Map([...new Set(paid.map(({ member }) => member))].map((member, index) => [member, index + 1]));
  const counted = new Map<number, number>();
  const lines = await mapInSlices(paid, (row) => {
    const key = keys.get(row.member) as number;
    const batch = row.member.status === 'approved' ? (batchId ?? team.period) : 'DRAFT';
    return listEarnings(row)
      .filter(({ amount }) => !amount.isZero())
      .map(({ type, amount }) => {
        const number = (counted.get(key) ?? 0) + 1;
        counted.set(key, number);
        return [
          trusted(key),
          trusted(number),
          text(batch),
          trusted(from),
          trusted(to),
          text(row.member.payrollId),
          text(earningCodes?.[type] ?? longTypes[type]),
          trusted(plainAmount(String(amount), row.amounts.currency)),
          text(row.amounts.currency),
        ];
      });
  });
  return toPayrollFile(buildFilename(team, 'workday'), workdayColumns, lines.flat(), paid);
}

export const longColumns = ['Employee ID', 'Work Email', 'Earning Type', 'Amount', 'Currency', 'Effective Date'];
export const longTypes = { commission: 'Commission', bonus: 'Bonus', adjustment: 'Adjustment' } as const;

/**
 * One row per kind of earning, for systems that map the kinds themselves. If the file contains drafts, a column
 * holds the status.
 */
async function longFile(team: TeamExport, { earningCodes }: PayrollTerms): Promise<PayrollFile> {
  const { to } = team.days;
  const hasDrafts = team.members.some(({ status }) => status !== 'approved');
  const lines = await mapInSlices(team.rows, (row) =>
    listEarnings(row)
      .filter(({ amount }) => !amount.isZero())
      .map(({ type, amount }) => [
        text(row.member.payrollId),
        text(row.member.email),
        text(earningCodes?.[type] ?? longTypes[type]),
        trusted(plainAmount(String(amount), row.amounts.currency)),
        text(row.amounts.currency),
        trusted(to),
        ...(hasDrafts ? [text(row.member.status)] : []),
      ]),
  );
  return toPayrollFile(
    buildFilename(team, 'long'),
    hasDrafts ? [...longColumns, 'Statement Status'] : longColumns,
    lines.flat(),
    await filterInSlices(team.rows, isPaid),
  );
}

function listEarnings({ amounts: { summary } }: TeamRow) {
  return [
    { type: 'commission', amount: Decimal.of(summary.totalCommission) },
    { type: 'bonus', amount: Decimal.of(summary.totalBonuses) },
    { type: 'adjustment', amount: Decimal.of(summary.totalAdjustments) },
  ] as const;
}

function isPaid(row: TeamRow): boolean {
  return listEarnings(row).some(({ amount }) => !amount.isZero());
}

/** These layouts have no currency column, so amounts in different currencies would be mixed. */
function assertOneCurrency(rows: readonly TeamRow[], layout: Layout): void {
  const paid = [...new Set(rows.map(({ amounts }) => amounts.currency))];
  if (paid.length > 1)
    throw invalid({
      path: 'layout',
      message: `${layout} supports one currency, but there are amounts in ${paid.join(', ')}; use layout=long`,
    });
}

/** The payroll system cannot assign a row without an id. */
function assertPayrollIds(paid: readonly TeamRow[]): void {
  const unnamed = paid.filter(({ member }) => member.payrollId === null);
  rejectAny(
    unnamed.map(({ member }) => ({
      path: `reps.${member.repId}.payrollId`,
      message: `${member.email} has no payrollId; set it with PATCH /v1/reps/${member.repId}`,
    })),
  );
}
