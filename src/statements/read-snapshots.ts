import { loadDealsOnStatements } from '../deals/deal-names.js';
import { groupBy } from '../kernel/group-by.js';
import { inParallel, mapInSlices } from '../kernel/waiting.js';
import { loadPayables, type PayableInputs } from '../pay/payables/build-payables.js';
import { type StoredPayable, type StoredPayLine } from '../pay/payables/stored-payable.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { readLedgerLines, toLine, type UnnamedLine } from './ledger-lines.js';
import { createSnapshot, type Snapshot } from './snapshot.js';
import { type StatementKey } from './statement.js';

/**
 * The current content of a statement: the ledger, and in a pay period what is payable. A caller that has already read the
 * inputs of the payables passes them.
 */
export async function readSnapshot(
  tx: Transaction,
  { repId, period }: StatementKey,
  currency: string,
  inputs?: PayableInputs | null,
): Promise<Snapshot> {
  return (await readSnapshots(tx, period, [repId], currency, inputs)).get(repId) as Snapshot;
}

/** {@link readSnapshot} for many reps, by rep. */
export async function readSnapshots(
  tx: Transaction,
  period: string,
  repIds: readonly string[],
  currency: string,
  inputs?: PayableInputs | null,
): Promise<ReadonlyMap<string, Snapshot>> {
  if (repIds.length === 0) return new Map();
  const [lines, payables] = await inParallel(
    () => readLedgerLines(tx, period, repIds),
    () => loadPayables(tx, period, repIds, inputs),
  );
  return nameSnapshots(tx, repIds, currency, lines, payables);
}

/** Sums the lines of each rep into a snapshot, once the deals have names that the rep may see. */
export async function nameSnapshots(
  tx: Transaction,
  repIds: readonly string[],
  currency: string,
  unnamed: readonly UnnamedLine[],
  payables: ReadonlyMap<string, StoredPayable> | null,
): Promise<ReadonlyMap<string, Snapshot>> {
  const paid = [...(payables ?? [])].flatMap(([repId, { lines }]) =>
    lines.filter(isUnnamed).map(({ dealId }) => ({ repId, dealId })),
  );
  const findDeal = await loadDealsOnStatements(tx, [...unnamed, ...paid]);
  const lines = await mapInSlices(unnamed, (line) => ({ repId: line.repId, line: toLine(line, findDeal(line)) }));
  const byRep = groupBy(lines, ({ repId }) => repId);
  return new Map(
    repIds.map((repId) => {
      const ofRep = (byRep.get(repId) ?? []).map(({ line }) => line);
      const payable = payables?.get(repId);
      return [repId, createSnapshot(ofRep, currency, payable && withNames(repId, payable, findDeal))];
    }),
  );
}

function isUnnamed({ dealId, dealName }: StoredPayLine): boolean {
  return dealId !== null && dealName === undefined;
}

function withNames(
  repId: string,
  payable: StoredPayable,
  findDeal: Awaited<ReturnType<typeof loadDealsOnStatements>>,
): StoredPayable {
  const lines = payable.lines.map((line) =>
    isUnnamed(line) ? { ...line, dealName: findDeal({ repId, dealId: line.dealId }).dealName } : line,
  );
  return { ...payable, lines };
}
