import { loadDealsOnStatements } from '../deals/deal-names.js';
import { inParallel } from '../kernel/waiting.js';
import { loadPayables, type PayableInputs } from '../pay/payables/build-payables.js';
import { type StoredPayable, type StoredPayLine } from '../pay/payables/stored-payable.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { readTeamLedgerLines } from './ledger-lines.js';
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
    () => readTeamLedgerLines(tx, period, repIds),
    () => readNamedPayables(tx, period, repIds, inputs),
  );
  return new Map(
    repIds.map((repId) => [repId, createSnapshot(lines.get(repId) ?? [], currency, payables?.get(repId))]),
  );
}

/** What the statements pay, with the names of deals that each rep may see. Null if the period is no pay period. */
async function readNamedPayables(
  tx: Transaction,
  period: string,
  repIds: readonly string[],
  inputs: PayableInputs | null | undefined,
): Promise<ReadonlyMap<string, StoredPayable> | null> {
  const payables = await loadPayables(tx, period, repIds, inputs);
  return payables === null ? null : nameDeals(tx, payables);
}

/** Adds the names of deals to lines that have none. */
export async function nameDeals(
  tx: Transaction,
  payables: ReadonlyMap<string, StoredPayable>,
): Promise<ReadonlyMap<string, StoredPayable>> {
  const isUnnamed = ({ dealId, dealName }: StoredPayLine) => dealId !== null && dealName === undefined;
  const listed = [...payables].flatMap(([repId, { lines }]) =>
    lines.filter(isUnnamed).map(({ dealId }) => ({ repId, dealId })),
  );
  const findDeal = await loadDealsOnStatements(tx, listed);
  const withNames = (repId: string, { lines, ...payable }: StoredPayable): StoredPayable => ({
    ...payable,
    lines: lines.map((line) =>
      isUnnamed(line) ? { ...line, dealName: findDeal({ repId, dealId: line.dealId }).dealName } : line,
    ),
  });
  return new Map([...payables].map(([repId, payable]) => [repId, withNames(repId, payable)]));
}
