import { fileColumns } from '../../api/file-columns.js';
import { type CreditEffect, type CreditKind, creditEffects, creditKinds } from '../../engine/credit-lines.js';
import { maxPercents } from '../../engine/credit-rules.js';
import { effectOnCommission, importOf, type ReadRow } from '../../imports/import-of.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CellReader, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { readRowsInSlices, rejectedRow } from '../../platform/files/import-results.js';
import { toCommissionEffect } from '../../simulation/write-effect.js';
import { type CreditsFact, creditFacts } from '../credit-facts.js';
import { assertValidLines, type EnteredLine, maxLinesOfDeal } from '../deal-credits.js';
import { DealOwners } from '../deal-owners.js';
import { factImportQuery, factImportResults } from '../import/fact-import.js';
import { rejectTogether } from '../import/rows-of-deals.js';
import { withStoredDealIds } from '../opportunity-ids.js';

const columns = {
  names: fileColumns.credits,
  required: ['dealId', 'rep', 'percent'],
} as const;
type Row = TableRow<keyof typeof fileColumns.credits>;

interface ReadLine {
  readonly dealId: string;
  readonly line: EnteredLine;
}

/** In place of a person: the part that no rep earns. */
const house = 'house';

function readLine({ cells }: Row, owners: DealOwners, reader: CellReader): ReadLine {
  const { dealId, rep, percent, kind = 'split', role = null, affects = 'both' } = cells;
  if (dealId === undefined) throw rejectedRow('dealId: is empty');
  if (rep === undefined) throw rejectedRow(`rep: is empty; ${house} stands for the part that no rep earns`);
  if (!creditKinds.includes(kind as CreditKind)) throw rejectedRow(`kind: must be ${creditKinds.join(' or ')}`);
  if (!creditEffects.includes(affects as CreditEffect))
    throw rejectedRow(`affects: must be ${creditEffects.join(', ')}`);
  if (role !== null && role.length > 50) throw rejectedRow('role: is longer than 50 characters');
  const repId = rep.toLowerCase() === house ? null : findPerson(owners, rep);
  const line = { repId, role, kind: kind as CreditKind, affects: affects as CreditEffect };
  return {
    dealId,
    line: { ...line, percent: toPercent(filled('percent', reader.percent('percent', percent)), line.kind) },
  };
}

/** By member id, address or match with an owner, otherwise by id: the member ids of a CRM may be UUIDs too. */
function findPerson(owners: DealOwners, rep: string): string {
  const byOwner = owners.resolve({ givenRepId: null, ownerId: rep, ownerEmail: null });
  const repId = byOwner ?? owners.resolve({ givenRepId: rep.toLowerCase(), ownerId: null, ownerEmail: null });
  if (repId === null || repId === undefined) throw new Failure('rep_not_found', `No rep of this workspace is ${rep}.`);
  return repId;
}

function toPercent(text: string, kind: CreditKind): string {
  const percent = Decimal.of(text);
  const most = maxPercents[kind];
  const isValid = percent.sign() > 0 && !Decimal.of(most).isLessThan(percent);
  if (!isValid || !percent.rounded(6).equals(percent))
    throw rejectedRow(`percent: ${text} is not a percentage up to ${most} with at most 6 decimals`);
  return percent.toString();
}

/** The rows of a deal are written together or not at all. */
async function readRows(tx: Transaction, sent: readonly Row[], reader: CellReader): Promise<ReadRow<CreditsFact>[]> {
  const rows = await withStoredDealIds(tx, sent);
  const owners = new DealOwners(tx);
  const people = rows.flatMap(({ cells }) => cells.rep ?? []);
  await owners.preload(people.map((ownerId) => ({ projection: { givenRepId: null, ownerId, ownerEmail: null } })));
  const lines = await readRowsInSlices(rows, (row) => readLine(row, owners, reader));
  const read = await rejectTogether(
    tx,
    lines.map((line, index) => ({ row: rows[index] as Row, read: line })),
    (ofDeal) => {
      if (ofDeal.length > maxLinesOfDeal) throw rejectedRow(`a deal has at most ${maxLinesOfDeal} lines`);
      assertValidLines(ofDeal.map(({ line }) => line));
    },
  );
  const valid = read.flatMap((row) => (row.read instanceof Failure ? [] : [row.read]));
  const facts = new Map(
    [...groupBy(valid, ({ dealId }) => dealId)].map(([dealId, ofDeal]) => [
      dealId,
      { dealId, lines: ofDeal.map(({ line }) => line) },
    ]),
  );
  return read.map(({ read: each }) =>
    each instanceof Failure ? each : { fact: facts.get(each.dealId) as CreditsFact, repId: each.line.repId },
  );
}

export const importDealCredits = importOf(
  {
    id: 'importDealCredits',
    summary:
      'Say who is credited on deals from a CSV file: one row for each line; the rows of a deal replace its lines',
    path: '/v1/deals/credits/import',
    query: factImportQuery,
    response: factImportResults,
    example: 'dealId,rep,percent,kind,role\nD-1,ben@acme.test,100,split,\n',
  },
  {
    facts: creditFacts,
    columns,
    numbers: ['percent'],
    person: 'rep',
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    lock: 'import',
    trigger: 'credits',
    asJob: true,
    effect: effectOnCommission(toCommissionEffect),
  },
);
