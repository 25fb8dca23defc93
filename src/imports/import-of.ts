import { type Readable } from 'node:stream';
import { type z } from 'zod';
import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { filterInSlices, mapInSlices } from '../kernel/waiting.js';
import { type Trigger } from '../ledger/requests/calculation-requests.js';
import { CommissionChanges } from '../ledger/requests/commission-changes.js';
import { type Recalculate } from '../ledger/requests/recalculate.js';
import { requestAsJob } from '../ledger/requests/request-as-job.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type CellReader } from '../platform/files/cells.js';
import { type TableColumns, type TableRow } from '../platform/files/csv-table.js';
import {
  type ChangeOfRow,
  daysByRep,
  type Facts,
  type FactWriter,
  factOf,
  isSameFact,
  keyOfFact,
  loadFacts,
  recordStored,
} from '../platform/files/facts.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  type importQuery,
  type RowOutcome,
  readImport,
  rejectedRow,
} from '../platform/files/import-results.js';
import { CLOCK } from '../platform/injection-tokens.js';
import { operation, type StreamedBody } from '../platform/operations/operation.js';
import { computeMovement, loadAffectedWithin, type Movement } from '../simulation/write-effect.js';
import { type StoredFacts, storeFacts } from './store-facts.js';

/** What a row says, and about whom. Null: the row says nothing about the workspace. */
export type ReadRow<Fact> = RowWithFact<Fact> | Failure | null;

interface RowWithFact<Fact> {
  readonly fact: Fact;
  readonly repId?: string | null;
  /** An earlier row says the same. */
  readonly repeats?: true;
}

type Query = z.output<typeof importQuery> & { readonly effect?: boolean };

interface FileContext<Q> {
  readonly reader: CellReader;
  readonly caller: Caller;
  readonly query: Q;
}

/** What storing would do, for a dry run with `effect`. `write` is rolled back. */
type ComputeEffect<Effect> = <Fact extends object>(
  tx: Transaction,
  today: Day,
  write: () => Promise<StoredFacts<Fact>>,
  repIds: readonly string[],
) => Promise<{ readonly stored: StoredFacts<Fact>; readonly effect: Effect }>;

/** How the rows of a file become facts. */
interface FileOfFacts<Name extends string, Fact extends object, Q extends Query> {
  readonly facts: Facts<Fact>;
  readonly columns: TableColumns<Name> | ((query: Q) => TableColumns<Name>);
  /** Makes a CSV file of a file in another format that the import reads too. */
  readonly toCsv?: (file: Readable, delimiter: string) => Promise<Readable>;
  /** The columns that prove how the file writes numbers. */
  readonly numbers?: readonly NoInfer<Name>[];
  /** The column that names the person of a row; `email` by default. */
  readonly person?: NoInfer<Name>;
  /**
   * What each row says. A field that is undefined keeps its stored value. Rows may be about one fact together: then they
   * have the same object.
   */
  readonly read: (
    tx: Transaction,
    rows: readonly TableRow<Name>[],
    context: FileContext<Q>,
  ) => Promise<readonly ReadRow<Fact>[]>;
  readonly lock?: 'import';
  readonly trigger: Trigger;
  /** Set where the calculations are one job, whose id the response has. */
  readonly asJob?: true;
  readonly effect?: ComputeEffect<unknown>;
}

/** Declares the import of a file of facts. */
export function importOf<
  const Id extends string,
  const Q extends z.ZodType<Query>,
  Read extends Query,
  const Answer extends z.ZodType,
  Name extends string,
  Fact extends object,
>(
  declared: {
    readonly id: Id;
    readonly summary: string;
    readonly path: string;
    readonly query: Q & z.ZodType<Read>;
    readonly response: Answer;
    readonly failures?: Readonly<Record<string, number>>;
    readonly upload?: typeof csvImport.upload;
    /** A file that works in the sample workspace, or one of each media type. */
    readonly example: string | Readonly<Record<string, string>>;
  },
  file: FileOfFacts<Name, Fact, Read>,
) {
  return operation({
    ...csvImport,
    ...declared,
    query: declared.query as Q,
    failures: { no_known_columns: 400, ...declared.failures },
    example: csvImportExample(declared.example),
    uses: { changes: CommissionChanges, clock: CLOCK },
    execute: async ({ query, body }, caller, uses) =>
      (await importFile(uses, caller, { query: query as never, body }, file)) as never,
  });
}

interface Uses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

/** Everything is written, and rolled back for a dry run. */
async function importFile<Name extends string, Fact extends object, Q extends Query>(
  { changes: uses, clock }: Uses,
  caller: Caller,
  { query, body }: { readonly query: Q; readonly body: StreamedBody },
  file: FileOfFacts<Name, Fact, Q>,
): Promise<object> {
  const { dryRun } = query;
  const columns = typeof file.columns === 'function' ? file.columns(query) : file.columns;
  const stream = file.toCsv === undefined ? body.stream : await file.toCsv(body.stream, query.delimiter);
  const { rows, reader } = await readImport({ ...body, stream }, query, columns, file.numbers);
  return withDryRun<object>(dryRun, (end) =>
    uses.run(caller, file.lock ?? 'exclusive', async (tx, recalculate) => {
      const read = await withoutRepeated(file.facts, rows, await file.read(tx, rows, { reader, caller, query }));
      const planned = await planChanges(tx, file.facts, rows, read);
      const { stored, effect } = await storeOrPreview(tx, { caller, clock, recalculate }, query, file, planned);
      const outcomes = await mapInSlices(read, (row) => toOutcome(file.facts, row, planned, stored));
      const named = rows.map((row) => withEmail(row, file.person ?? 'email'));
      const results = { ...(await describeImport(tx, named, outcomes, dryRun)), ...effect };
      if (dryRun) return end(results);
      await recordStored(tx, file.facts, stored.stored);
      return { ...results, ...(await requestCalculations(tx, recalculate, caller, file, stored)) };
    }),
  );
}

function withEmail<Name extends string>({ cells, ...row }: TableRow<Name>, name: string): TableRow<string> {
  const email = cells[name as Name];
  return { ...row, cells: email === undefined ? {} : { email } };
}

/** Two rows about one fact contradict each other, so the later one is rejected. */
async function withoutRepeated<Fact extends object>(
  facts: Facts<Fact>,
  rows: readonly { readonly row: number }[],
  read: readonly ReadRow<Fact>[],
): Promise<ReadRow<Fact>[]> {
  const first = new Map<string, { readonly fact: Fact; readonly row: number | undefined }>();
  return mapInSlices(read, (row, index): ReadRow<Fact> => {
    if (row === null || row instanceof Failure) return row;
    const { fact } = row;
    const earlier = first.get(keyOfFact(facts, fact));
    if (earlier === undefined) first.set(keyOfFact(facts, fact), { fact, row: rows[index]?.row });
    if (earlier === undefined || earlier.fact === fact) return row;
    if (isSameFact(facts, earlier.fact, fact)) return { ...row, fact: earlier.fact, repeats: true };
    return rejectedRow(`is about the same as row ${earlier.row}`);
  });
}

/** The change of each fact of the file, by key; its `before` is what is stored. */
async function planChanges<Fact extends object>(
  tx: Transaction,
  facts: Facts<Fact>,
  rows: readonly { readonly row: number }[],
  read: readonly ReadRow<Fact>[],
): Promise<ReadonlyMap<string, ChangeOfRow<Fact>>> {
  const factsOfRows = read.flatMap((each, index) =>
    each === null || each instanceof Failure ? [] : [{ fact: each.fact, row: rows[index]?.row ?? 0 }],
  );
  const present = await loadFacts(
    tx,
    facts,
    factsOfRows.map(({ fact }) => fact),
  );
  const planned = new Map<string, ChangeOfRow<Fact>>();
  await mapInSlices(factsOfRows, ({ fact, row }) => {
    const key = keyOfFact(facts, fact);
    const before = present.get(key) ?? null;
    if (!planned.has(key)) planned.set(key, { row, before, after: before === null ? fact : merged(before, fact) });
  });
  return planned;
}

function merged<Fact extends object>(before: Fact, fact: Fact): Fact {
  return { ...before, ...Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== undefined)) };
}

async function storeOrPreview<Name extends string, Fact extends object, Q extends Query>(
  tx: Transaction,
  by: FactWriter,
  { dryRun, effect = false }: Query,
  { facts, effect: compute }: FileOfFacts<Name, Fact, Q>,
  planned: ReadonlyMap<string, ChangeOfRow<Fact>>,
): Promise<{ readonly stored: StoredFacts<Fact>; readonly effect?: { readonly effect: unknown } }> {
  const all = [...planned.values()];
  const changes = await filterInSlices(all, ({ before, after }) => !isSameFact(facts, before, after));
  const write = () => storeFacts(tx, facts, changes, by);
  if (!dryRun || !effect || compute === undefined) return { stored: await write() };
  const repIds = new Set(changes.flatMap(({ after }) => (after as { readonly repId?: string } | null)?.repId ?? []));
  const { stored, ...computed } = await compute(tx, await workspaceToday(tx, by.clock), write, [...repIds]);
  return { stored, effect: computed };
}

function toOutcome<Fact extends object>(
  facts: Facts<Fact>,
  read: ReadRow<Fact>,
  planned: ReadonlyMap<string, ChangeOfRow<Fact>>,
  { failures }: StoredFacts<Fact>,
): RowOutcome {
  if (read === null) return { outcome: 'unchanged' };
  if (read instanceof Failure) return read;
  const change = planned.get(keyOfFact(facts, read.fact)) as ChangeOfRow<Fact>;
  const failure = failures.get(change);
  if (failure !== undefined) return failure;
  const { repId = (read.fact as { readonly repId?: string }).repId } = read;
  const of = repId === undefined ? {} : { repId };
  if (read.repeats || isSameFact(facts, change.before, change.after)) return { outcome: 'unchanged', ...of };
  return { outcome: change.before === null ? 'created' : 'changed', ...of };
}

async function requestCalculations<Name extends string, Fact extends object, Q extends Query>(
  tx: Transaction,
  recalculate: Recalculate,
  caller: Caller,
  { trigger, asJob }: FileOfFacts<Name, Fact, Q>,
  { stored, affected }: StoredFacts<Fact>,
): Promise<{ readonly jobId?: string }> {
  if (asJob === undefined) {
    await recalculate([...daysByRep(affected)].map(([repId, days]) => ({ repId, days, trigger })));
    return {};
  }
  const deals = new Set(stored.map((change) => (factOf(change) as { readonly dealId?: string }).dealId));
  const [dealId] = deals.size === 1 ? deals : [];
  const work = { trigger, requests: affected, deals: deals.size, dealId };
  return { jobId: await requestAsJob(tx, recalculate, caller, work) };
}

/** The effect on commission, in the form of the response. Null: the people have more deals than can be calculated at once. */
export function effectOnCommission<Effect>(toEffect: (movement: Movement) => Effect): ComputeEffect<Effect | null> {
  return async (tx, today, write) => {
    const { result: stored, movement } = await computeMovement(tx, today, async () => {
      const result = await write();
      return { result, affected: await loadAffectedWithin(tx, daysByRep(result.affected)) };
    });
    return { stored, effect: movement === null ? null : toEffect(movement) };
  };
}
