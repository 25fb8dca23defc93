import { AsyncLocalStorage } from 'node:async_hooks';
import { type RawBuilder, sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { type OutgoingEvent } from '../outbound/outgoing-event.js';
import { bumpCacheVersions } from './cache-versions.js';
import { isTransient, isUnavailable } from './database-errors.js';
import { type Database, enablePipelining, type Work } from './pool.js';
import { TenantLimiter } from './tenant-limiter.js';
import { VersionedCache } from './versioned-cache.js';

export { executeWithCommit, type Work } from './pool.js';

/**
 * The lock that a transaction takes on its workspace. `shared`: for changes of deals and commission, many at once.
 * `exclusive`: for changes of the configuration (plans, assignments, quotas, people, mappings), so that every deal and
 * every calculation is entirely before or entirely after the change. `import`: shared, and one file at a time.
 */
export type WorkspaceLock = 'none' | 'shared' | 'exclusive' | 'import';

export interface TransactionOptions {
  readonly lock: WorkspaceLock;
  /** A transaction with `read` access is read-only: the server rejects every write in it. */
  readonly access: 'read' | 'write';
  /** With `repeatable read`, every statement sees the same instant. */
  readonly isolation?: 'repeatable read';
  /**
   * Allows a read from a replica, which may lag by seconds: for lists and dashboards, never for decisions about
   * money.
   */
  readonly replica?: true;
  /** Reads of commission and statements return the state at this instant; see {@link asOfInstant}. Needs `read`. */
  readonly asOf?: Date | undefined;
}

export type TenantCaller = Pick<Caller, 'workspaceId'>;

interface UnitOfWorkOptions {
  /** Concurrent transactions of one workspace, with the workspace lock and without it each. */
  readonly concurrency?: number;
  /** Serves transactions with `replica`. While it is unreachable, the primary serves them. */
  readonly replica?: Database | undefined;
  /** Called with the names that a transaction held, after its commit or rollback; see {@link noteHeld}. Must not reject. */
  readonly onReleased?: (workspaceId: string, held: readonly string[]) => Promise<void>;
  /** Called after the commit of a transaction that stores outgoing events; see {@link noteEvents}. */
  readonly onEvents?: (workspaceId: string) => void;
  /** Called in the transaction that records outgoing events, whether or not an endpoint receives them. */
  readonly onRecorded?: RecordedHook;
  /** For data that transactions read together with its revision; see {@link cacheOf}. */
  readonly cache?: VersionedCache<object>;
}

/** In characters, somewhat less than the bytes in memory. */
const maxCachedCharacters = 32 * 1024 * 1024;

const caches = new WeakMap<Work, VersionedCache<object>>();

/** The cache of the unit of work that began the transaction. Different kinds of data have different keys. */
export function cacheOf<T extends object>(trx: Work): VersionedCache<T> {
  const cache = caches.get(trx);
  if (cache === undefined) throw new Error('only transactions of the unit of work have a cache');
  return cache as unknown as VersionedCache<T>;
}

const instants = new WeakMap<Work, Date>();

/** The instant whose state the transaction reads; null for the current state. */
export function asOfInstant(trx: Work): Date | null {
  return instants.get(trx) ?? null;
}

const heldBy = new WeakMap<Work, Set<string>>();

/**
 * Records that the transaction holds something that other workers skip while it is held. `onReleased` is called with the
 * name when the transaction has ended.
 */
export function noteHeld(trx: Work, name: string): void {
  const held = heldBy.get(trx);
  if (held === undefined) heldBy.set(trx, new Set([name]));
  else held.add(name);
}

const eventStores = new WeakSet<Work>();

/** Records that the transaction stores outgoing events: `onEvents` is called after its commit. */
export function noteEvents(trx: Work): void {
  eventStores.add(trx);
}

type RecordedHook = (trx: Work, workspaceId: string, events: readonly OutgoingEvent[]) => Promise<void>;

const recordedHooks = new WeakMap<Work, RecordedHook>();

/** Runs the hook for recorded events of the unit of work that began the transaction. */
export async function onRecorded(trx: Work, workspaceId: string, events: readonly OutgoingEvent[]): Promise<void> {
  await recordedHooks.get(trx)?.(trx, workspaceId, events);
}

/**
 * Work that each write transaction of the caller runs after it has taken its locks and before anything else, or before
 * its commit, so that both are stored or neither is.
 */
interface TransactionHook {
  readonly stage: 'begin' | 'commit';
  readonly caller: TenantCaller;
  readonly run: (trx: Work) => Promise<unknown>;
}

const transactionHooks = new AsyncLocalStorage<readonly TransactionHook[]>();

/** The only access to the tables: one transaction of one workspace, retried after serialization failures. */
export class UnitOfWork {
  private readonly unlocked: TenantLimiter;
  private readonly locked: TenantLimiter;
  /** Imports of a workspace run one at a time anyway; waiting here, they hold no connection. */
  private readonly imports = new TenantLimiter(1);
  private readonly replica: Database | undefined;
  private readonly onReleased: UnitOfWorkOptions['onReleased'];
  private readonly onEvents: UnitOfWorkOptions['onEvents'];
  private readonly onRecorded: UnitOfWorkOptions['onRecorded'];
  private readonly cache: VersionedCache<object>;

  constructor(
    private readonly database: Database,
    {
      concurrency = 4,
      replica,
      onReleased,
      onEvents,
      onRecorded: recorded,
      cache = new VersionedCache(maxCachedCharacters),
    }: UnitOfWorkOptions = {},
  ) {
    this.onReleased = onReleased;
    this.onEvents = onEvents;
    this.onRecorded = recorded;
    this.unlocked = new TenantLimiter(concurrency);
    this.locked = new TenantLimiter(concurrency);
    this.replica = replica;
    this.cache = cache;
  }

  async run<T>(caller: TenantCaller, options: TransactionOptions, work: (trx: Work) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.withRelease(caller, work, (tracked) =>
          this.limiter(options).run(caller.workspaceId, () => this.runOnce(caller, options, tracked)),
        );
      } catch (error) {
        if (attempt > maxRetries || !isTransient(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * (20 + Math.random() * 60)));
      }
    }
  }

  /** Runs a transaction that only reads, without the workspace lock. */
  read<T>(caller: TenantCaller, work: (trx: Work) => Promise<T>): Promise<T> {
    return this.run(caller, { lock: 'none', access: 'read' }, work);
  }

  /** Runs a transaction that may write, without the workspace lock. */
  write<T>(caller: TenantCaller, work: (trx: Work) => Promise<T>): Promise<T> {
    return this.run(caller, { lock: 'none', access: 'write' }, work);
  }

  /** Whether another workspace has begun a transaction in the last second, or has one now. */
  hasOthers({ workspaceId }: TenantCaller): boolean {
    return [this.unlocked, this.locked].some((limiter) => limiter.hasOthers(workspaceId));
  }

  private async withRelease<T>(
    { workspaceId }: TenantCaller,
    work: (trx: Work) => Promise<T>,
    run: (work: (trx: Work) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    let begun: Work | null = null;
    try {
      const result = await run((trx) => {
        begun = trx;
        return work(trx);
      });
      if (begun !== null && eventStores.has(begun)) this.onEvents?.(workspaceId);
      return result;
    } finally {
      const held = begun === null ? undefined : heldBy.get(begun);
      if (held !== undefined) await this.onReleased?.(workspaceId, [...held]);
    }
  }

  /** A transaction without the workspace lock does not queue behind those that wait for it: leases, reads, the inbox. */
  private limiter({ lock }: TransactionOptions): TenantLimiter {
    if (lock === 'import') return this.imports;
    return lock === 'none' ? this.unlocked : this.locked;
  }

  private async runOnce<T>(
    caller: TenantCaller,
    options: TransactionOptions,
    work: (trx: Work) => Promise<T>,
  ): Promise<T> {
    if (options.replica === undefined || this.replica === undefined)
      return this.transact(this.database, caller, options, work);
    try {
      return await this.transact(this.replica, caller, options, work);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.transact(this.database, caller, options, work);
    }
  }

  private async transact<T>(
    database: Database,
    caller: TenantCaller,
    { lock, access, isolation, replica, asOf }: TransactionOptions,
    work: (trx: Work) => Promise<T>,
  ): Promise<T> {
    const begun = access === 'read' ? database.transaction().setAccessMode('read only') : database.transaction();
    const transaction = isolation === undefined ? begun : begun.setIsolationLevel(isolation);
    const hooks =
      access === 'write' ? (transactionHooks.getStore() ?? []).filter((hook) => hook.caller === caller) : [];
    const runWork = async (trx: Work) => {
      caches.set(trx, this.cache);
      if (asOf !== undefined) instants.set(trx, asOf);
      if (this.onRecorded !== undefined) recordedHooks.set(trx, this.onRecorded);
      await enablePipelining(trx);
      // Not awaited before the work: the server executes statements in order, so none runs outside the workspace or
      // before the lock, and all of them fail if this one does.
      const opened = sql`
        select set_config('app.workspace_id', ${caller.workspaceId}, true),
          set_config('lock_timeout', ${lockTimeout[lock]}, true),
          set_config('idle_in_transaction_session_timeout', ${idleTimeout[lock]}, true),
          set_config('app.declares_affected', ${statesAffected(lock) ? 'on' : 'off'}, true)
          ${hooks.length > 0 ? sql`, set_config('app.records_changes', 'on', true)` : sql``}
          ${workspaceLocks(caller.workspaceId, lock)}`.execute(trx);
      // The error is thrown below, in place of the errors of the statements that followed it.
      opened.catch(() => undefined);
      try {
        await runHooks(hooks, 'begin', trx);
        const result = await work(trx);
        await runHooks(hooks, 'commit', trx);
        if (statesAffected(lock)) bumpCacheVersions(trx, caller.workspaceId);
        return result;
      } finally {
        await opened;
      }
    };
    return replica === undefined ? transaction.execute(runWork) : resultBeforeEnd(transaction, runWork);
  }

  /** Runs the work; each of its write transactions for this caller runs the hook before its commit, after hooks of outer calls. */
  withCommitHook<T>(caller: TenantCaller, hook: TransactionHook['run'], work: () => Promise<T>): Promise<T> {
    return withHook({ stage: 'commit', caller, run: hook }, work);
  }

  /** Runs the work; each of its write transactions for this caller first runs the hook, under the locks of the transaction. */
  withBeginHook<T>(caller: TenantCaller, hook: TransactionHook['run'], work: () => Promise<T>): Promise<T> {
    return withHook({ stage: 'begin', caller, run: hook }, work);
  }

  /**
   * For work before a workspace is known: row-level security returns no rows, and only functions of the owner return
   * data.
   */
  async withoutWorkspace<T>(work: (trx: Work) => Promise<T>): Promise<T> {
    return this.database.transaction().execute(work);
  }
}

async function runHooks(hooks: readonly TransactionHook[], stage: TransactionHook['stage'], trx: Work): Promise<void> {
  for (const hook of hooks) if (hook.stage === stage) await hook.run(trx);
}

function withHook<T>(hook: TransactionHook, work: () => Promise<T>): Promise<T> {
  return transactionHooks.run([...(transactionHooks.getStore() ?? []), hook], work);
}

const maxRetries = 3;

/** Returns the result of a read before the transaction has ended: a read has nothing to commit. */
function resultBeforeEnd<T>(
  transaction: Pick<ReturnType<Database['transaction']>, 'execute'>,
  work: (trx: Work) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    transaction.execute(async (trx) => resolve(await work(trx))).catch(reject);
  });
}

/** In milliseconds, as the other limits of PostgreSQL. */
const lockTimeout: Readonly<Record<WorkspaceLock, string>> = {
  none: `${timeLimit(5_000)}`,
  shared: `${timeLimit(10_000)}`,
  import: `${timeLimit(60_000)}`,
  exclusive: `${timeLimit(15_000)}`,
};

/**
 * How long the server waits for the next statement, so that a machine that disappears does not hold its locks.
 * Longer than any computation between two statements, and for imports longer than reading the next rows of the file.
 */
const idleTimeout: Readonly<Record<WorkspaceLock, string>> = {
  none: `${timeLimit(10_000)}`,
  shared: `${timeLimit(10_000)}`,
  import: `${timeLimit(60_000)}`,
  exclusive: `${timeLimit(10_000)}`,
};

/**
 * Advisory locks queue, so a change of the configuration is not starved by a continuous stream of calculations, as
 * it would be with shared row locks. Two workspaces with equal hashes wait for each other, which is harmless. The
 * server evaluates the columns of a statement in order.
 */
function workspaceLocks(workspaceId: string, lock: WorkspaceLock): RawBuilder<unknown> {
  if (lock === 'none') return sql``;
  const name = (kind: string) => sql`hashtextextended(${`${kind}:${workspaceId}`}, 0)`;
  const alone = lock === 'import' ? sql`, pg_advisory_xact_lock(${name('import')})` : sql``;
  const take = lock === 'exclusive' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  return sql`${alone}, ${take}(${name('workspace')})`;
}

/** Whether the transaction states which reps it affects. A change of the configuration affects everyone. */
function statesAffected(lock: WorkspaceLock): boolean {
  return lock === 'shared' || lock === 'import';
}
