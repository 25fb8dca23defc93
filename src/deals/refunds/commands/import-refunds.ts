import { z } from 'zod';
import { peopleBehind } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { readValue } from '../../../kernel/invalid-values.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { withDryRun } from '../../../platform/database/dry-run.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { assertCurrency, type CellReader, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  importResults,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import {
  computeMovement,
  loadAffectedWithin,
  personalEffect,
  toPersonalEffect,
} from '../../../simulation/write-effect.js';
import { loadDealCurrencies } from '../../deal-currencies.js';
import { factImportQuery } from '../../import/fact-import.js';
import { withStoredDealIds } from '../../opportunity-ids.js';
import {
  assertWithinDeal,
  changeRefunds,
  loadDealAmounts,
  puttingAll,
  requestRefundCalculation,
} from '../change-refunds.js';
import { type RefundKey, type RefundTerms, refundParams, refundTerms, type StoredRefund } from '../refund.js';
import { listRefunds } from '../refund-views.js';

const response = importResults.extend({
  jobId: z.string().optional().describe('The job that calculates everyone affected; absent for a dry run'),
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: the people have more deals than can be calculated at once'),
});
type ImportResponse = z.input<typeof response>;

const columns = {
  names: {
    dealId: ['deal', 'opportunityId'],
    refundId: ['refund', 'creditNote', 'creditNoteNumber'],
    day: ['refundDate', 'date', 'refundedOn'],
    cause: ['type'],
    amount: ['refundAmount'],
    reason: ['note'],
  },
  required: ['dealId', 'refundId', 'day'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

interface ReadRefund extends RefundKey {
  readonly terms: RefundTerms;
}

function readRow({ cells }: Row, reader: CellReader, currencies: ReadonlyMap<string, string>): ReadRefund {
  const amount = reader.amount('amount', cells.amount);
  const currency = currencies.get(cells.dealId ?? '');
  if (currency !== undefined) assertCurrency('amount', amount, currency);
  const read = readValue(refundParams.extend(refundTerms.omit({ lines: true }).shape), {
    dealId: cells.dealId,
    refundId: cells.refundId,
    day: filled('day', reader.day('day', cells.day)),
    cause: cells.cause?.toLowerCase() ?? 'refund',
    amount: amount?.value ?? null,
    reason: cells.reason ?? '',
  });
  if ('issues' in read) throw rejectedRow(read.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  const { dealId, refundId, ...terms } = read.value;
  return { dealId, refundId, terms };
}

/** The rows in their order, each with its refund or the failure that rejects it. */
async function readRows(tx: Transaction, rows: readonly Row[], reader: CellReader): Promise<(ReadRefund | Failure)[]> {
  const dealIds = rows.flatMap(({ cells }) => cells.dealId ?? []);
  const currencies = await loadDealCurrencies(tx, dealIds);
  const read = await readRowsInSlices(rows, (row) => readRow(row, reader, currencies));
  const amounts = await loadDealAmounts(tx, dealIds);
  const seen = new Set<string>();
  return read.map((row) => {
    if (row instanceof Failure) return row;
    const key = toKey(row);
    if (seen.has(key)) return rejectedRow(`refund ${row.refundId} of deal ${row.dealId} is in another row`);
    seen.add(key);
    try {
      assertWithinDeal(amounts, row, row.terms);
      return row;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  });
}

function toKey({ dealId, refundId }: RefundKey): string {
  return `${dealId}:${refundId}`;
}

function compare(present: StoredRefund | undefined, { terms }: ReadRefund): 'created' | 'changed' | 'unchanged' {
  if (present === undefined) return 'created';
  const isSame = (['day', 'cause', 'amount', 'reason'] as const).every((name) => present[name] === terms[name]);
  return isSame ? 'unchanged' : 'changed';
}

export const importRefunds = operation({
  id: 'importRefunds',
  summary: 'Store refunds of deals from a CSV file, one for each row; a row replaces the refund of its id',
  ...csvImport,
  path: '/v1/refunds/import',
  query: factImportQuery,
  response,
  failures: { no_known_columns: 400 },
  example: csvImportExample('dealId,refundId,day,cause,amount\nD-1,R-1,2026-04-20,refund,15000\n'),
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: given, body }, caller, { changes, clock }): Promise<ImportResponse> {
    const { dryRun, effect } = given;
    const { rows: sent, reader } = await readImport(body, given, columns, ['amount']);
    return withDryRun<ImportResponse>(dryRun, (end) =>
      changes.run(caller, 'import', async (tx, recalculate) => {
        const rows: readonly Row[] = await withStoredDealIds(tx, sent);
        const read = await readRows(tx, rows, reader);
        const refunds = read.flatMap((row) => (row instanceof Failure ? [] : [row]));
        const dealIds = [...new Set(refunds.map(({ dealId }) => dealId))];
        const present = new Map((await listRefunds(tx, dealIds)).map((stored) => [toKey(stored), stored]));
        const outcomes = new Map(refunds.map((row) => [row, compare(present.get(toKey(row)), row)]));
        const results = await describeImport(
          tx,
          rows,
          read.map((row) =>
            row instanceof Failure ? row : { outcome: outcomes.get(row) as ReturnType<typeof compare> },
          ),
          dryRun,
        );
        const write = puttingAll(refunds.filter((row) => outcomes.get(row) !== 'unchanged'));
        if (!dryRun) {
          const changed = await changeRefunds(tx, write, peopleBehind(caller));
          return { ...results, jobId: await requestRefundCalculation(tx, recalculate, caller, write.dealIds, changed) };
        }
        if (!effect) return end(results);
        const { movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => ({
          result: null,
          affected: await loadAffectedWithin(tx, (await changeRefunds(tx, write, peopleBehind(caller))).affected),
        }));
        return end({ ...results, effect: movement === null ? null : toPersonalEffect(movement) });
      }),
    );
  },
});
