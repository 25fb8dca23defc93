import { fileColumns } from '../../api/file-columns.js';
import { loadDealsOfRows } from '../../deals/deals-of-rows.js';
import { importOf, type ReadRow } from '../../imports/import-of.js';
import { loadRepsOfRows } from '../../people/reps/reps-of-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { assertCurrency, type CellReader, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { importQuery, importResults, readRowsInSlices, readTerms } from '../../platform/files/import-results.js';
import { exactAmount } from '../../platform/operations/money-digits.js';
import { assertOpeningLot, type OpeningLot, openingLot } from '../opening-lot.js';
import { openingLotFacts } from '../opening-lot-facts.js';
import { loadEntitiesOfRows, mainEntity, requireAccounting, type StoredEntity } from '../settings-views.js';

type Row = TableRow<keyof typeof fileColumns.openingLots>;

function readRow(
  { cells }: Row,
  repId: string,
  reader: CellReader,
  findEntity: (code: string) => StoredEntity,
): OpeningLot {
  const cost = filled('cost', reader.amount('cost', cells.cost));
  const amortised = reader.amount('amortised', cells.amortised);
  const end = reader.day('end', cells.end);
  const stated = readTerms(openingLot, {
    lotId: filled('lotId', cells.lotId),
    dealId: filled('dealId', cells.dealId),
    entity: cells.entity ?? mainEntity,
    repId,
    cost: cost.value,
    amortised: amortised?.value ?? 0,
    amortisedTo: filled('amortisedTo', reader.day('amortisedTo', cells.amortisedTo)),
    start: filled('start', reader.day('start', cells.start)),
    length:
      end === undefined ? { months: Number(filled('months', reader.number('months', cells.months))) } : { until: end },
    convention: cells.convention?.toLowerCase() ?? 'full_month',
  });
  assertOpeningLot(stated);
  const { currency } = findEntity(stated.entity);
  assertCurrency('cost', cost, currency);
  assertCurrency('amortised', amortised, currency);
  exactAmount(stated.cost, currency, 'cost');
  exactAmount(stated.amortised, currency, 'amortised');
  return stated;
}

async function readRows(tx: Transaction, sent: readonly Row[], reader: CellReader): Promise<ReadRow<OpeningLot>[]> {
  await requireAccounting(tx);
  const { rows, assertKnown } = await loadDealsOfRows(tx, sent);
  const reps = await loadRepsOfRows(tx, rows);
  const findEntity = await loadEntitiesOfRows(tx);
  return readRowsInSlices(rows, (row) => {
    const fact = readRow(row, reps.find(row), reader, findEntity);
    assertKnown(fact.dealId);
    return { fact };
  });
}

export const importOpeningLots = importOf(
  {
    id: 'importOpeningLots',
    summary:
      'Enter what another system has left to amortise from a CSV file, one lot for each row; a row replaces the lot of its deal and id',
    path: '/v1/accounting/lots/import',
    query: importQuery,
    response: importResults,
    failures: { accounting_off: 409 },
    example:
      'lotId,dealId,email,cost,amortised,amortisedTo,start,months\nL-1,D-1,ben@acme.test,3600,1200,2025-12-31,2025-01-01,36\n',
  },
  {
    facts: openingLotFacts,
    columns: {
      names: fileColumns.openingLots,
      required: ['lotId', 'dealId', 'email', 'cost', 'amortisedTo', 'start'],
    },
    numbers: ['cost', 'amortised', 'months'],
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    trigger: 'recalculation',
  },
);
