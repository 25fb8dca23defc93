import { Decimal } from '../../../kernel/decimal.js';
import { Failure } from '../../../kernel/failure.js';
import { isUuid } from '../../../kernel/ids.js';
import { readValue } from '../../../kernel/invalid-values.js';
import { isFiscalPeriod, kindOfPeriod, type PeriodCalendar, periodExamples } from '../../../kernel/period-calendar.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { loadRepsOfRows } from '../../../people/reps/reps-of-rows.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { type Amount, assertCurrency, type CellReader, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  type ImportResults,
  importQuery,
  type RowOutcome,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { operation } from '../../../platform/operations/operation.js';
import { findPlanIdsByName, loadPlanCurrencies } from '../../plan-views.js';
import { applyQuotas, compareQuotas, repeatedSettings } from '../apply-quotas.js';
import { targetAmount } from '../quota.js';
import {
  assertPeriodOf,
  assignedPlanIdsByRep,
  findOnlyRule,
  findRuleById,
  findRuleByMeasure,
  type QuotaRule,
  withoutContradiction,
} from '../quota-rule.js';
import { type QuotaSetting } from '../quota-store.js';

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

async function readRows(
  tx: Transaction,
  rows: readonly Row[],
  reader: CellReader,
): Promise<(QuotaSetting | Failure)[]> {
  const reps = await loadRepsOfRows(tx, rows);
  const plans = await findPlanIdsByName(tx);
  const assigned = await assignedPlanIdsByRep(tx, reps.repIds);
  const calendar = await loadCalendar(tx);
  const currencies = await loadPlanCurrencies(tx);
  const rules = new Map<string, Promise<QuotaRule>>();
  const findRule = async (row: Row, repId: string): Promise<QuotaRule> => {
    const { planRuleId, plan, measure } = row.cells;
    if (planRuleId !== undefined) {
      if (!isUuid(planRuleId)) throw rejectedRow('planRuleId: must be the id of a rule (UUID)');
      const known = rules.get(planRuleId) ?? findRuleById(tx, planRuleId, undefined);
      rules.set(planRuleId, known);
      return withoutContradiction(await known, measure);
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
  return readRowsInSlices(rows, (row) => readSetting(row, reps.find(row), { findRule, reader, calendar, currencies }));
}

/** What the rows of a file are read with. */
interface FileContext {
  readonly findRule: (row: Row, repId: string) => Promise<QuotaRule>;
  readonly reader: CellReader;
  readonly calendar: PeriodCalendar;
  /** The currencies of each plan. */
  readonly currencies: ReadonlyMap<string, readonly string[]>;
}

async function readSetting(
  row: Row,
  repId: string,
  { findRule, reader, calendar, currencies }: FileContext,
): Promise<QuotaSetting> {
  const { period } = row.cells;
  if (period === undefined || kindOfPeriod(period) === null)
    throw rejectedRow(`period: must be a period: ${periodExamples}`);
  const target = filled('target', reader.amount('target', row.cells.target));
  const variableTarget = reader.amount('variableTarget', row.cells.variableTarget);
  const prorate = reader.flag('prorate', row.cells.prorate);
  const rule = await findRule(row, repId);
  assertPeriodOf(rule, period, calendar);
  const ofPlan = currencies.get(rule.planId) ?? [];
  return {
    repId,
    rule,
    period,
    target: readTarget('target', target, ofPlan) as Decimal,
    variableTarget: readTarget('variableTarget', variableTarget, ofPlan),
    prorate,
  };
}

/** An empty cell keeps the stored value. */
function readTarget(name: string, amount: Amount | undefined, currencies: readonly string[]): Decimal | undefined {
  if (amount === undefined) return undefined;
  assertCurrency(name, amount, ...currencies);
  const read = readValue(targetAmount, amount.value);
  if ('issues' in read) throw rejectedRow(`${name}: ${read.issues[0].message}`);
  return Decimal.of(read.value);
}

/** Two rows for one quota contradict each other, so the later one is rejected. */
function withoutRepeated(rows: readonly Row[], read: readonly (QuotaSetting | Failure)[]): (QuotaSetting | Failure)[] {
  const good = [...read.keys()].filter((index) => !(read[index] instanceof Failure));
  const repeated = new Map(
    repeatedSettings(good.map((index) => read[index] as QuotaSetting)).map(({ at, first }) => [
      good[at],
      rows[good[first] as number]?.row,
    ]),
  );
  return read.map((setting, index) =>
    repeated.has(index) ? rejectedRow(`sets the same quota as row ${repeated.get(index)}`) : setting,
  );
}

export const importQuotas = operation({
  id: 'importQuotas',
  summary: 'Set quotas from a CSV file: one target for each rep, by e-mail address, and period',
  ...csvImport,
  path: '/v1/quotas/import',
  query: importQuery,
  failures: { no_known_columns: 400 },
  example: csvImportExample('email,plan,period,target\nben@acme.test,AE,2026-Q1,100000\n'),
  uses: { changes: CommissionChanges },
  /** One target for each row; invalid rows are reported, valid rows are written. */
  async execute({ query: given, body }, caller, { changes }) {
    const { dryRun } = given;
    const { rows, reader } = await readImport(body, given, columns, ['target', 'variableTarget']);
    return changes.run(caller, 'exclusive', async (tx, recalculate): Promise<ImportResults> => {
      const read = withoutRepeated(rows, await readRows(tx, rows, reader));
      const settings = read.flatMap((setting) => (setting instanceof Failure ? [] : setting));
      const applied = dryRun ? null : await applyQuotas(tx, recalculate, settings);
      const compared = applied?.compared ?? (await compareQuotas(tx, settings));
      const outcomes = new Map(compared.map(({ setting, outcome }) => [setting, outcome]));
      const toOutcome = (setting: QuotaSetting | Failure): RowOutcome =>
        setting instanceof Failure
          ? setting
          : { outcome: outcomes.get(setting) as (typeof compared)[number]['outcome'], repId: setting.repId };
      return describeImport(tx, rows, read.map(toOutcome), dryRun);
    });
  },
});
