import { z } from 'zod';
import { fields, pageFields } from '../../api/resource-fields.js';
import { addTo } from '../../kernel/add-to.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { type Day, latestDay } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { loadPayableRows, type PayableRow } from '../../pay/payables/payable-rows.js';
import { findRepNames } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery, offsetPage } from '../../platform/operations/schemas.js';
import { type BookMonths, loadBookMonths } from '../book-months.js';
import {
  countElapsed,
  type EstimatedMonth,
  type EstimateRow,
  estimateRow,
  estimateRowExample,
  expectedUntil,
  partUntil,
  type StoredEstimate,
  sourceOfEstimate,
  sumOfRule,
} from '../estimate.js';
import { loadEstimates } from '../estimate-views.js';
import { type JournalLine } from '../journal-line.js';
import { loadBooks } from '../load-books.js';
import { type Month, month } from '../month.js';
import { mainEntity } from '../settings-views.js';
import { readAsOf } from './get-liability.js';

const query = z.strictObject({
  month: month.optional().describe('Month of the books, YYYY-MM; the present month by default'),
  asOf: asOfQuery,
  ...offsetPage('estimates', 1000, 200),
});

const response = z.object({
  month: month.describe('The month, YYYY-MM'),
  estimates: z.array(estimateRow).describe('The estimates, by name of the rep'),
  errors: z
    .array(
      z
        .object({
          currency: fields.currency,
          meanAbsoluteError: z.number().describe('Mean of the errors of the month without their signs'),
        })
        .describe('The error in a currency'),
    )
    .describe('How far the estimates were from what was earned, of periods that have ended'),
  ...pageFields,
});

export const listEstimates = operation({
  id: 'listEstimates',
  summary: 'The estimates of a month, and how far they were from what was earned',
  method: 'get',
  path: '/v1/accounting/estimates',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query,
  response,
  failures: { accounting_off: 409, month_not_found: 404 },
  example: {
    query: { month: '2026-01' },
    response: {
      month: '2026-01',
      estimates: [estimateRowExample],
      errors: [{ currency: 'USD', meanAbsoluteError: 83.34 }],
      count: 1,
      limit: 200,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, parts): Promise<z.input<typeof response>> {
    const { asOf, limit, offset } = request;
    return readAsOf(caller, parts, asOf, async (tx, today) => {
      const months = await loadBookMonths(tx, today);
      const name = request.month ?? months.current;
      const rows = await describeEstimates(tx, name, months, today);
      return {
        month: name,
        estimates: rows.slice(offset, offset + limit),
        errors: listErrors(rows),
        count: rows.length,
        limit,
        offset,
      };
    });
  },
});

async function describeEstimates(
  tx: Transaction,
  name: Month,
  { calendar: months }: BookMonths,
  today: Day,
): Promise<EstimateRow[]> {
  const stored = await loadEstimates(tx, [name]);
  const repIds = [...new Set(stored.map(({ repId }) => repId))];
  const { lines } = await loadBooks(tx, { month: name, repIds, entity: null, today });
  const posted = groupBy(
    lines.filter((line) => line.month === name && line.kind === 'estimate' && line.account === 'accrued_estimate'),
    ({ repId, source, currency }) => `${repId}|${source}|${currency}`,
  );
  const calendar = await loadCalendar(tx);
  const rangeOf = ({ period }: StoredEstimate) => calendar.range(period);
  const firstDay = stored.reduce((first, each) => (rangeOf(each).from < first ? rangeOf(each).from : first), latestDay);
  const rows = groupBy(await loadPayableRows(tx, { repIds, firstDay }), ({ repId }) => repId);
  const names = await findRepNames(tx, repIds);
  return stored
    .map((estimate) => {
      const { repId, currency } = estimate;
      const own = posted.get(`${repId}|${sourceOfEstimate(estimate)}|${currency}`) ?? [];
      const ofRep = rows.get(repId) ?? [];
      const at = { range: rangeOf(estimate), month: name, calendar: months };
      return { ...describe(estimate, own, ofRep, at, today), repName: names.get(repId) ?? '' };
    })
    .sort((a, b) => (`${a.repName}|${a.repId}|${a.ruleName}` < `${b.repName}|${b.repId}|${b.ruleName}` ? -1 : 1));
}

function describe(
  { month: _, ...estimate }: StoredEstimate & { readonly month: Month },
  posted: readonly JournalLine[],
  rows: readonly PayableRow[],
  at: EstimatedMonth,
  today: Day,
): Omit<EstimateRow, 'repName'> {
  const { range } = at;
  const amount = sum(posted.map((line) => line.amount)).negated();
  const expected = expectedUntil(estimate, at);
  const outcome = range.to < today ? sumOfRule(estimate, rows, range) : null;
  const part = outcome === null ? null : partUntil(outcome, at);
  const error = part === null ? null : roundToCurrency(expected.minus(part), estimate.currency);
  const percent =
    error === null || part === null || part.isZero() ? null : error.times(Decimal.of(100)).dividedBy(part).rounded(1);
  return {
    ...estimate,
    entity: posted[0]?.entity ?? mainEntity,
    pay: estimate.pay === null ? null : Number(estimate.pay),
    toDate: estimate.toDate === null ? null : Number(estimate.toDate),
    ...countElapsed(at),
    inLedger: expected.minus(amount).toNumber(),
    estimate: amount.toNumber(),
    outcome: outcome?.toNumber() ?? null,
    error: error?.toNumber() ?? null,
    errorPercent: percent?.toNumber() ?? null,
  };
}

function listErrors(rows: readonly EstimateRow[]): z.input<typeof response>['errors'] {
  const sums = new Map<string, Decimal>();
  const known = rows.filter(({ error }) => error !== null);
  for (const { currency, error } of known) addTo(sums, currency, Decimal.of(error ?? 0).absolute());
  return [...sums].sort().map(([currency, total]) => {
    const count = known.filter((row) => row.currency === currency).length;
    return {
      currency,
      meanAbsoluteError: roundToCurrency(total.dividedBy(Decimal.of(count)), currency).toNumber(),
    };
  });
}
