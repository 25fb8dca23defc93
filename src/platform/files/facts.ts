import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { chunk } from '../../kernel/chunk.js';
import { type Clock } from '../../kernel/clock.js';
import { type DayRange, extendRange } from '../../kernel/day.js';
import { filterInSlices, mapInSlices } from '../../kernel/waiting.js';
import { unnestRows } from '../database/columns.js';
import { type Transaction } from '../database/unit-of-work.js';

/** A fact in place of another one. Null for none. */
export interface FactChange<Fact> {
  readonly before: Fact | null;
  readonly after: Fact | null;
}

/** A change that a file states. */
export interface ChangeOfRow<Fact> extends FactChange<Fact> {
  /** Number of the row of the file. */
  readonly row: number;
}

/** The fact that the change is about: the new one, or the one that it removes. */
export function factOf<Fact>({ before, after }: FactChange<Fact>): Fact {
  return (after ?? before) as Fact;
}

/** Whose commission a change of facts decides, on which days. */
export interface AffectedDays {
  readonly repId: string;
  readonly days: DayRange;
  /** The deal that alone is concerned. */
  readonly dealId?: string | undefined;
}

/** The days of each person. */
export function daysByRep(affected: readonly AffectedDays[]): Map<string, DayRange> {
  const byRep = new Map<string, DayRange>();
  for (const { repId, days } of affected) extendRange(byRep, repId, days);
  return byRep;
}

/** What stores facts. */
export interface FactWriter {
  readonly caller: Caller;
  readonly clock: Clock;
}

/**
 * A kind of facts that files contain: how they are read, compared and stored. What an import has stored is taken back by
 * the same functions.
 */
export interface Facts<Fact extends object = object> {
  /** The fields that identify a fact. */
  readonly key: readonly string[];
  /** The fields that are compared. */
  readonly terms: readonly string[];
  /** The stored facts, at least those with the keys of the given ones. */
  load(tx: Transaction, facts: readonly Fact[]): Promise<readonly Fact[]>;
  /** Stores the changes, whose `before` is what is stored, in their order. Fails without a trace of a part of them. */
  store(tx: Transaction, changes: readonly FactChange<Fact>[], by: FactWriter): Promise<readonly AffectedDays[]>;
}

type NameOf<Fact> = keyof Fact & string;

/** Declares a kind of facts. */
export function factsOf<Fact extends object>(
  declared: Facts<Fact> & { readonly key: readonly NameOf<Fact>[]; readonly terms: readonly NameOf<Fact>[] },
): Facts<Fact> {
  return declared;
}

/** The values of the fields; null for those that the fact does not have. */
export function pick(fact: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = { ...fact };
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

export function keyOfFact({ key }: Pick<Facts, 'key'>, fact: object): string {
  return JSON.stringify(Object.values(pick(fact, key)));
}

export function isSameFact({ key, terms }: Facts, a: object | null, b: object | null): boolean {
  if (a === null || b === null) return a === b;
  return isDeepStrictEqual(pick(a, [...key, ...terms]), pick(b, [...key, ...terms]));
}

/** The stored facts with the keys of the given ones, by key. */
export async function loadFacts<Fact extends object>(
  tx: Transaction,
  facts: Facts<Fact>,
  requested: readonly Fact[],
): Promise<ReadonlyMap<string, Fact>> {
  if (requested.length === 0) return new Map();
  return new Map(await mapInSlices(await facts.load(tx, requested), (fact) => [keyOfFact(facts, fact), fact] as const));
}

/** The stored fact with the key of the given one. */
export async function findFact<Fact extends object>(tx: Transaction, facts: Facts<Fact>, fact: Fact) {
  return (await loadFacts(tx, facts, [fact])).get(keyOfFact(facts, fact)) ?? null;
}

const rowsPerStatement = 2000;

/** Records what the import that runs has changed. */
export async function recordImported(
  tx: Transaction,
  { key, terms }: Facts,
  changes: readonly ChangeOfRow<object>[],
): Promise<void> {
  const toJson = (fact: object | null) => (fact === null ? null : JSON.stringify(pick(fact, [...key, ...terms])));
  const repIdOf = (change: ChangeOfRow<object>) => (factOf(change) as { readonly repId?: string }).repId ?? null;
  const rows = changes.map((change, position) => ({ change, position }));
  for (const part of chunk(rows, rowsPerStatement))
    await sql`
      insert into imported_facts (workspace_id, position, row, rep_id, before, after)
      select ${tx.workspaceId}::uuid, position, row, rep_id, before, after
      from ${unnestRows(part, [
        ['position', 'integer', ({ position }) => position],
        ['row', 'integer', ({ change }) => change.row],
        ['rep_id', 'uuid', ({ change }) => repIdOf(change)],
        ['before', 'jsonb', ({ change }) => toJson(change.before)],
        ['after', 'jsonb', ({ change }) => toJson(change.after)],
      ])}`.execute(tx.db);
}

/** Records the changes of an import that were stored, each with what is stored of its fact now. */
export async function recordStored<Fact extends object>(
  tx: Transaction,
  facts: Facts<Fact>,
  changes: readonly ChangeOfRow<Fact>[],
): Promise<void> {
  const now = await loadFacts(tx, facts, changes.map(factOf));
  const stored = await mapInSlices(changes, (change) => ({
    ...change,
    after: now.get(keyOfFact(facts, factOf(change))) ?? null,
  }));
  const changed = await filterInSlices(stored, ({ before, after }) => !isSameFact(facts, before, after));
  await recordImported(tx, facts, changed);
}

/** Records what the work stores of the facts that the rows of a file name. */
export async function recordingImport<Fact extends object, Result>(
  tx: Transaction,
  facts: Facts<Fact>,
  rows: readonly { readonly row: number; readonly fact: Fact }[],
  work: () => Promise<Result>,
): Promise<Result> {
  const present = await loadFacts(
    tx,
    facts,
    rows.map(({ fact }) => fact),
  );
  const result = await work();
  const changes = rows.map(({ row, fact }) => ({
    row,
    before: present.get(keyOfFact(facts, fact)) ?? null,
    after: fact,
  }));
  await recordStored(tx, facts, changes);
  return result;
}

/** What the import with the id of this entry of the audit log has changed, in the order of the file. */
export async function listImported(tx: Transaction, importId: string): Promise<ChangeOfRow<object>[]> {
  const { rows } = await sql<ChangeOfRow<object>>`
    select f.row, f.before, f.after from imported_facts f
    join audit_entries e on e.workspace_id = f.workspace_id and e.at = f.imported_at
    where e.workspace_id = ${tx.workspaceId} and e.entry_id = ${importId} order by f.position`.execute(tx.db);
  return rows;
}
