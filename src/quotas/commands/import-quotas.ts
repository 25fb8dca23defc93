import { z } from 'zod';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { readValue } from '../../kernel/invalid-values.js';
import { detectNumberFormat, type NumberFormat, numberFormats, readNumber } from '../../kernel/number-text.js';
import { isFiscalPeriod, kindOfPeriod, type PeriodCalendar, periodExamples } from '../../kernel/period-calendar.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { findPlanIdsByName } from '../../plans/plan-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { readCsvTable, type TableRow } from '../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  type ImportResults,
  importQuery,
  type RowResult,
  readRowsInSlices,
  rejectedRow,
  toImportResponse,
} from '../../platform/files/import-results.js';
import { operation } from '../../platform/operations/operation.js';
import { loadRepsOfRows } from '../../reps/reps-of-rows.js';
import { applyQuotas, compareQuotas, repeatedSettings } from '../apply-quotas.js';
import { targetAmount } from '../quota.js';
import {
  assertPeriodOf,
  assignedPlanIdsByRep,
  findOnlyRule,
  findRuleById,
  findRuleByMeasure,
  type QuotaRule,
} from '../quota-rule.js';
import { type QuotaSetting } from '../quota-store.js';

const query = importQuery.extend({
  numberFormat: z
    .enum(numberFormats)
    .optional()
    .describe('en for 1,234.50 and eu for 1.234,50; detected from the file when it is unambiguous'),
});

const columns = {
  names: {
    email: ['rep', 'repEmail', 'e-mail'],
    planRuleId: ['ruleId'],
    plan: ['planName'],
    measure: ['rule', 'ruleName'],
    period: [],
    target: ['quota'],
    variableTarget: ['variablePay'],
    prorate: [],
  },
  required: ['email', 'period', 'target'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

/** A row with its setting, or the failure that rejects it. */
interface ReadRow {
  readonly row: Row;
  readonly setting: QuotaSetting | null;
  readonly failure: Failure | null;
}

function toResult({ row, setting, failure }: ReadRow, outcome: RowResult['outcome'] = 'rejected'): RowResult {
  return {
    row: row.row,
    outcome,
    email: row.cells.email ?? null,
    repId: setting?.repId ?? null,
    ...(failure === null ? {} : { code: failure.code, reason: failure.message }),
  };
}

function provenFormat(rows: readonly Row[]): NumberFormat | null {
  const texts = rows.flatMap(({ cells }) => [cells.target ?? '', cells.variableTarget ?? '']);
  const [only, another] = new Set(texts.flatMap((text) => detectNumberFormat(text) ?? []));
  return only !== undefined && another === undefined ? only : null;
}

async function readRows(tx: Transaction, rows: readonly Row[], format: NumberFormat | null): Promise<ReadRow[]> {
  const reps = await loadRepsOfRows(tx, rows);
  const plans = await findPlanIdsByName(tx);
  const assigned = await assignedPlanIdsByRep(tx, reps.repIds);
  const calendar = await loadCalendar(tx);
  const rules = new Map<string, Promise<QuotaRule>>();
  const findRule = async (row: Row, repId: string): Promise<QuotaRule> => {
    const { planRuleId, plan, measure } = row.cells;
    if (planRuleId !== undefined) {
      if (!isUuid(planRuleId)) throw rejectedRow('planRuleId: must be the id of a rule (UUID)');
      const known = rules.get(planRuleId) ?? findRuleById(tx, planRuleId, undefined);
      rules.set(planRuleId, known);
      return known;
    }
    const planIds = plan === undefined ? (assigned.get(repId) ?? []) : plans.find(plan);
    const period = row.cells.period ?? '';
    const key = JSON.stringify([planIds, measure, kindOfPeriod(period), isFiscalPeriod(period)]);
    const cached = rules.get(key);
    if (cached !== undefined) return cached;
    const found = measure === undefined ? findOnlyRule(tx, planIds, period) : findRuleByMeasure(tx, measure, planIds);
    rules.set(key, found);
    return found;
  };
  const read = await readRowsInSlices(rows, (row) => readSetting(row, reps.find(row), { findRule, format, calendar }));
  return read.map((setting, index): ReadRow => {
    const row = rows[index] as Row;
    return setting instanceof Failure ? { row, setting: null, failure: setting } : { row, setting, failure: null };
  });
}

/** What the rows of a file are read with. */
interface FileContext {
  readonly findRule: (row: Row, repId: string) => Promise<QuotaRule>;
  readonly format: NumberFormat | null;
  readonly calendar: PeriodCalendar;
}

async function readSetting(
  row: Row,
  repId: string,
  { findRule, format, calendar }: FileContext,
): Promise<QuotaSetting> {
  const { period } = row.cells;
  if (period === undefined || kindOfPeriod(period) === null)
    throw rejectedRow(`period: must be a period: ${periodExamples}`);
  const target = readAmount('target', row.cells.target, format);
  if (target === undefined) throw rejectedRow('target: is empty');
  const variableTarget = readAmount('variableTarget', row.cells.variableTarget, format);
  const prorate = readProrate(row.cells.prorate);
  const rule = await findRule(row, repId);
  assertPeriodOf(rule, period, calendar);
  return { repId, rule, period, target, variableTarget, prorate };
}

/** An empty cell keeps the stored value. */
function readProrate(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  const normal = text.toLowerCase();
  if (normal !== 'true' && normal !== 'false') throw rejectedRow(`prorate: ${text} is neither true nor false`);
  return normal === 'true';
}

/** An empty cell keeps the stored value. */
function readAmount(name: string, text: string | undefined, format: NumberFormat | null): Decimal | undefined {
  if (text === undefined) return undefined;
  const read = readNumber(text, format);
  if (read === 'ambiguous')
    throw new Failure(
      'ambiguous_number',
      `${name}: ${text} can be read with a thousands separator and with a decimal separator; give numberFormat=en or eu.`,
    );
  const amount = readValue(targetAmount, Number(read ?? Number.NaN));
  if ('issues' in amount) throw rejectedRow(`${name}: ${text} is not an amount: ${amount.issues[0].message}`);
  return Decimal.of(amount.value);
}

/** Two rows for one quota contradict each other, so the later one is rejected. */
function withoutRepeated(read: readonly ReadRow[]): ReadRow[] {
  const good = read.filter(({ setting }) => setting !== null);
  const repeated = new Map(
    repeatedSettings(good.map(({ setting }) => setting as QuotaSetting)).map(({ at, first }) => [
      good[at],
      good[first]?.row.row,
    ]),
  );
  return read.map((row) =>
    repeated.has(row)
      ? { ...row, setting: null, failure: rejectedRow(`sets the same quota as row ${repeated.get(row)}`) }
      : row,
  );
}

export const importQuotas = operation({
  id: 'importQuotas',
  summary: 'Set quotas from a CSV file: one target for each rep, by e-mail address, and period',
  ...csvImport,
  path: '/v1/quotas/import',
  query,
  failures: { no_known_columns: 400 },
  example: csvImportExample('email,plan,period,target\nben@acme.test,AE,2026-Q1,100000\n'),
  uses: { changes: CommissionChanges },
  /** One target for each row; invalid rows are reported, valid rows are written. */
  async execute({ query: { dryRun, delimiter, numberFormat }, body }, caller, { changes }) {
    const rows: readonly Row[] = await readCsvTable(body.stream, delimiter, columns);
    const format = numberFormat ?? provenFormat(rows);
    return changes.run(caller, 'exclusive', async (tx, recalculate): Promise<ImportResults> => {
      const read = withoutRepeated(await readRows(tx, rows, format));
      const settings = read.flatMap(({ setting }) => setting ?? []);
      const applied = dryRun ? null : await applyQuotas(tx, recalculate, settings);
      const compared = applied?.compared ?? (await compareQuotas(tx, settings));
      const outcomes = new Map(compared.map(({ setting, outcome }) => [setting, outcome]));
      return toImportResponse(
        read.map((row) => toResult(row, row.setting === null ? undefined : outcomes.get(row.setting))),
        dryRun,
      );
    });
  },
});
