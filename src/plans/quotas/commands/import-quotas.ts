import { fileColumns } from '../../../api/file-columns.js';
import { importOf, type ReadRow } from '../../../imports/import-of.js';
import { isUuid } from '../../../kernel/ids.js';
import { isFiscalPeriod, kindOfPeriod, type PeriodCalendar, periodExamples } from '../../../kernel/period-calendar.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { loadRepsOfRows } from '../../../people/reps/reps-of-rows.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { type Amount, assertCurrency, type CellReader, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import {
  importQuery,
  importResults,
  readRowsInSlices,
  readTerm,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { findPlanIdsByName, loadPlanCurrencies } from '../../plan-views.js';
import { targetAmount } from '../quota.js';
import { type QuotaFact, quotaFacts } from '../quota-facts.js';
import {
  assertPeriodOf,
  assignedPlanIdsByRep,
  findOnlyRule,
  findRuleById,
  findRuleByMeasure,
  type QuotaRule,
  withoutContradiction,
} from '../quota-rule.js';

const columns = {
  names: fileColumns.quotas,
  required: ['email', 'period', 'target'],
} as const;
type Row = TableRow<keyof typeof fileColumns.quotas>;

async function readRows(tx: Transaction, rows: readonly Row[], reader: CellReader): Promise<ReadRow<QuotaFact>[]> {
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
  return readRowsInSlices(rows, (row) => readQuota(row, reps.find(row), { findRule, reader, calendar, currencies }));
}

/** What the rows of a file are read with. */
interface FileContext {
  readonly findRule: (row: Row, repId: string) => Promise<QuotaRule>;
  readonly reader: CellReader;
  readonly calendar: PeriodCalendar;
  /** The currencies of each plan. */
  readonly currencies: ReadonlyMap<string, readonly string[]>;
}

async function readQuota(
  row: Row,
  repId: string,
  { findRule, reader, calendar, currencies }: FileContext,
): Promise<ReadRow<QuotaFact>> {
  const { period } = row.cells;
  if (period === undefined || kindOfPeriod(period) === null)
    throw rejectedRow(`period: must be a period: ${periodExamples}`);
  const target = filled('target', reader.amount('target', row.cells.target));
  const variableTarget = reader.amount('variableTarget', row.cells.variableTarget);
  const prorate = reader.flag('prorate', row.cells.prorate);
  const rule = await findRule(row, repId);
  assertPeriodOf(rule, period, calendar);
  const ofPlan = currencies.get(rule.planId) ?? [];
  const fact = {
    repId,
    planId: rule.planId,
    planRuleId: rule.ruleId,
    measure: rule.attainmentKey,
    period,
    target: readTarget('target', target, ofPlan) as number,
    variableTarget: readTarget('variableTarget', variableTarget, ofPlan),
    prorate,
  };
  return { fact };
}

/** An empty cell keeps the stored value. */
function readTarget(name: string, amount: Amount | undefined, currencies: readonly string[]): number | undefined {
  if (amount === undefined) return undefined;
  assertCurrency(name, amount, ...currencies);
  return readTerm(name, targetAmount, amount.value);
}

export const importQuotas = importOf(
  {
    id: 'importQuotas',
    summary: 'Set quotas from a CSV file: one target for each rep, by e-mail address, and period',
    path: '/v1/quotas/import',
    query: importQuery,
    response: importResults,
    example: 'email,plan,period,target\nben@acme.test,AE,2026-Q1,100000\n',
  },
  {
    facts: quotaFacts,
    columns,
    numbers: ['target', 'variableTarget'],
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    trigger: 'quota_change',
  },
);
