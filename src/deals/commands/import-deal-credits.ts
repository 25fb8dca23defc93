import { type z } from 'zod';
import { type CreditEffect, type CreditKind, creditEffects, creditKinds } from '../../engine/credit-lines.js';
import { maxPercents } from '../../engine/credit-rules.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CellReader, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  type RowOutcome,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../platform/files/import-results.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { changeCredits } from '../change-credits.js';
import { requestFactCalculation } from '../change-deal-facts.js';
import { assertValidLines, type EnteredLine, maxLinesOfDeal } from '../deal-credits.js';
import { DealOwners } from '../deal-owners.js';
import { factImportQuery, factImportResults, previewFacts } from '../import/fact-import.js';
import { type RowOfDeal, rejectTogether } from '../import/rows-of-deals.js';
import { withStoredDealIds } from '../opportunity-ids.js';

type ImportResponse = z.input<typeof factImportResults>;

const columns = {
  names: {
    dealId: ['deal', 'id', 'opportunityId'],
    rep: ['email', 'repEmail', 'repId', 'crmMemberId', 'person', 'owner'],
    percent: ['percentage', 'share', 'split'],
    kind: ['type'],
    role: [],
    affects: [],
  },
  required: ['dealId', 'rep', 'percent'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

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

function toOutcome({ read }: RowOfDeal<ReadLine, Row>, changed: ReadonlySet<string>): RowOutcome {
  if (read instanceof Failure) return read;
  return { outcome: changed.has(read.dealId) ? 'changed' : 'unchanged', repId: read.line.repId };
}

async function readRows(
  tx: Transaction,
  rows: readonly Row[],
  reader: CellReader,
): Promise<RowOfDeal<ReadLine, Row>[]> {
  const owners = new DealOwners(tx);
  const people = rows.flatMap(({ cells }) => cells.rep ?? []);
  await owners.preload(people.map((ownerId) => ({ projection: { givenRepId: null, ownerId, ownerEmail: null } })));
  const read = await readRowsInSlices(rows, (row) => readLine(row, owners, reader));
  return rejectTogether(
    tx,
    read.map((line, index) => ({ row: rows[index] as Row, read: line })),
    (lines) => {
      if (lines.length > maxLinesOfDeal) throw rejectedRow(`a deal has at most ${maxLinesOfDeal} lines`);
      assertValidLines(lines.map(({ line }) => line));
    },
  );
}

export const importDealCredits = operation({
  id: 'importDealCredits',
  summary: 'Say who is credited on deals from a CSV file: one row for each line; the rows of a deal replace its lines',
  ...csvImport,
  path: '/v1/deals/credits/import',
  query: factImportQuery,
  response: factImportResults,
  failures: { no_known_columns: 400 },
  example: {
    ...csvImportExample('dealId,rep,percent,kind,role\nD-1,ben@acme.test,100,split,\n'),
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  /** The rows of a deal are written together or not at all. */
  async execute({ query: given, body }, caller, { changes, clock }): Promise<ImportResponse> {
    const { dryRun, effect } = given;
    const { rows: sent, reader } = await readImport(body, given, columns, ['percent']);
    return withDryRun<ImportResponse>(dryRun, (end) =>
      changes.run(caller, 'import', async (tx, recalculate) => {
        const rows: readonly Row[] = await withStoredDealIds(tx, sent);
        const read = await readRows(tx, rows, reader);
        const lines = read.flatMap((row) => (row.read instanceof Failure ? [] : [row.read]));
        const deals = new Map(
          [...groupBy(lines, ({ dealId }) => dealId)].map(([dealId, ofDeal]) => [
            dealId,
            ofDeal.map(({ line }) => line),
          ]),
        );
        const write = () => changeCredits(tx, caller, deals);
        const describe = ({ changes: changed }: Awaited<ReturnType<typeof write>>) => {
          const dealIds = new Set(changed.map(({ dealId }) => dealId));
          const people = rows.map(({ cells, ...row }) => ({ ...row, cells: { email: cells.rep } }));
          return describeImport(
            tx,
            people,
            read.map((row) => toOutcome(row, dealIds)),
            dryRun,
          );
        };
        if (dryRun && effect) {
          const { changed, ...previewed } = await previewFacts(tx, clock, write);
          return end({ ...(await describe(changed)), ...previewed });
        }
        const changed = await write();
        const results = await describe(changed);
        if (dryRun) return end(results);
        return { ...results, jobId: await requestFactCalculation(tx, recalculate, caller, 'credits', changed) };
      }),
    );
  },
});
