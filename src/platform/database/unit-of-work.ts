import { type RawBuilder, sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { bumpCacheVersions } from './cache-versions.js';
import { isTransient, isUnavailable } from './database-errors.js';
import { type Database } from './pool.js';
import { type ReadReplica } from './read-replica.js';
import { runTransaction } from './run-transaction.js';
import { TenantLimiter } from './tenant-limiter.js';
import {
  type ChangedJob,
  createTransactionCache,
  type OnRecorded,
  type OnTermsChanged,
  Transaction,
  type TransactionWithoutWorkspace,
} from './transaction.js';
import { type VersionedCache } from './versioned-cache.js';

export type { Transaction, TransactionWithoutWorkspace } from './transaction.js';

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
  /** Reads of commission and statements return the state at this instant. Needs `read`. */
  readonly asOf?: Date | undefined;
}

/**
 * What the write transactions of a call do besides its own work, so that all of it is stored or nothing. Hooks of outer
 * calls run first.
 */
export interface TransactionHooks {
  /** Runs first, under the locks of the transaction. */
  readonly afterBegin?: (tx: Transaction) => Promise<unknown>;
  /** `result` is what the work of the transaction returned. */
  readonly beforeCommit?: (tx: Transaction, result: unknown) => Promise<unknown>;
}

declare module '../../kernel/caller.js' {
  interface Caller {
    /** What each write transaction of this caller also does; absent where a call adds nothing. */
    readonly transactionHooks?: readonly TransactionHooks[];
  }
}

/** Whose workspace a transaction reads and writes. `{ workspaceId }` runs no hooks of the call. */
export type TenantCaller = Pick<Caller, 'workspaceId' | 'transactionHooks'>;

/** The caller whose write transactions also run the hooks. */
export function withTransactionHooks(caller: Caller, hooks: TransactionHooks): Caller {
  return { ...caller, transactionHooks: [...(caller.transactionHooks ?? []), hooks] };
}

interface UnitOfWorkOptions {
  /** Concurrent transactions of one workspace, with the workspace lock and without it each. */
  readonly concurrency?: number;
  /** Serves transactions with `replica`. While it is not usable, the primary serves them. */
  readonly replica?: ReadReplica | undefined;
  /** Called with the names that a transaction held, after its commit or rollback. Must not reject. */
  readonly onReleased?: (workspaceId: string, held: readonly string[]) => Promise<void>;
  /** Called after the commit of a transaction that stores deliveries of outgoing events. */
  readonly onEvents?: (workspaceId: string) => void;
  /** Called after the commit of a transaction that changes the state of jobs. */
  readonly onJobs?: (workspaceId: string, jobs: readonly ChangedJob[]) => void;
  readonly onRecorded?: OnRecorded;
  readonly onTermsChanged?: OnTermsChanged;
  /** Holds data that transactions read together with its revision. */
  readonly cache?: VersionedCache<object>;
}

/** The only access to the tables: one transaction of one workspace, retried after serialization failures. */
export class UnitOfWork {
  private readonly unlocked: TenantLimiter;
  private readonly locked: TenantLimiter;
  /** Imports of a workspace run one at a time anyway; waiting here, they hold no connection. */
  private readonly imports = new TenantLimiter(1);
  private readonly replica: ReadReplica | undefined;
  private readonly onReleased: UnitOfWorkOptions['onReleased'];
  private readonly onEvents: UnitOfWorkOptions['onEvents'];
  private readonly onJobs: UnitOfWorkOptions['onJobs'];
  private readonly onRecorded: OnRecorded | undefined;
  private readonly onTermsChanged: OnTermsChanged | undefined;
  private readonly cache: VersionedCache<object>;

  constructor(
    private readonly database: Database,
    {
      concurrency = 4,
      replica,
      onReleased,
      onEvents,
      onJobs,
      onRecorded,
      onTermsChanged,
      cache = createTransactionCache(),
    }: UnitOfWorkOptions = {},
  ) {
    this.onReleased = onReleased;
    this.onEvents = onEvents;
    this.onJobs = onJobs;
    this.onRecorded = onRecorded;
    this.onTermsChanged = onTermsChanged;
    this.unlocked = new TenantLimiter(concurrency);
    this.locked = new TenantLimiter(concurrency);
    this.replica = replica;
    this.cache = cache;
  }

  async run<T>(caller: TenantCaller, options: TransactionOptions, work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(caller, options, work);
      } catch (error) {
        if (attempt > maxRetries || !isTransient(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * (20 + Math.random() * 60)));
      }
    }
  }

  /** Runs a transaction that only reads, without the workspace lock. */
  read<T>(caller: TenantCaller, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(caller, { lock: 'none', access: 'read' }, work);
  }

  /** Runs a transaction that may write, without the workspace lock. */
  write<T>(caller: TenantCaller, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(caller, { lock: 'none', access: 'write' }, work);
  }

  /** Whether another workspace has begun a transaction in the last second, or has one now. */
  hasOthers({ workspaceId }: TenantCaller): boolean {
    return [this.unlocked, this.locked].some((limiter) => limiter.hasOthers(workspaceId));
  }

  /** Runs one attempt, then starts what waits for its commit or its end. */
  private async attempt<T>(
    caller: TenantCaller,
    options: TransactionOptions,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { workspaceId } = caller;
    let begun: Transaction | null = null;
    const outcome = () => (begun as Transaction | null)?.outcome;
    try {
      const result = await this.limiter(options).run(workspaceId, () =>
        this.runOnce(caller, options, (tx) => {
          begun = tx;
          return work(tx);
        }),
      );
      if (outcome()?.storesEvents === true) this.onEvents?.(workspaceId);
      const jobs = outcome()?.changedJobs ?? [];
      if (jobs.length > 0) this.onJobs?.(workspaceId, jobs);
      return result;
    } finally {
      const held = [...(outcome()?.held ?? [])];
      if (held.length > 0) await this.onReleased?.(workspaceId, held);
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
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const replica = options.replica === undefined ? null : (this.replica?.usable() ?? null);
    if (replica === null) return this.transact(this.database, caller, options, work);
    try {
      return await this.transact(replica, caller, options, work);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.replica?.failed(error);
      return this.transact(this.database, caller, options, work);
    }
  }

  private async transact<T>(
    database: Database,
    caller: TenantCaller,
    options: TransactionOptions,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { lock, access, asOf } = options;
    const hooks = access === 'write' ? (caller.transactionHooks ?? []) : [];
    const begin = beginIn(caller.workspaceId, options, hooks.length > 0);
    const run = (onResult?: (result: T) => void) =>
      runTransaction(database, begin, async (db, begun) => {
        const { cache, onRecorded, onTermsChanged } = this;
        const revision = statesAffected(lock) ? begun.then(({ rows }) => (rows[0] as Begun).revision) : undefined;
        // Nothing may read it.
        revision?.catch(() => undefined);
        const tx = new Transaction(db, caller.workspaceId, { asOf, cache, onRecorded, onTermsChanged, revision });
        for (const { afterBegin } of hooks) await afterBegin?.(tx);
        const result = await work(tx);
        for (const { beforeCommit } of hooks) await beforeCommit?.(tx, result);
        if (statesAffected(lock)) bumpCacheVersions(tx, tx.outcome.affected);
        await begun;
        onResult?.(result);
        return { result, last: tx.listQueriesOfCommit() };
      });
    if (options.replica === undefined) return run();
    // A read has nothing to commit, so its result is returned before the end of the transaction.
    return new Promise((resolve, reject) => {
      run(resolve).catch(reject);
    });
  }

  async withoutWorkspace<T>(work: (tx: TransactionWithoutWorkspace) => Promise<T>): Promise<T> {
    return runTransaction(this.database, sql`begin`, async (db) => ({ result: await work({ db, workspaceId: null }) }));
  }
}

const maxRetries = 3;

/** What the begin of a transaction returns: the revision of the configuration, if it takes a lock under which that stays. */
interface Begun {
  readonly revision: string;
}

/**
 * Begins a transaction, sets its workspace and takes its locks, in one message. The server executes statements in order, so
 * none runs outside the workspace or before the lock, and all of them fail if this one does. A message of several
 * statements has no parameters.
 */
function beginIn(
  workspaceId: string,
  { lock, access, isolation }: TransactionOptions,
  recordsChanges: boolean,
): RawBuilder<Begun> {
  const level = isolation === undefined ? sql`` : sql.raw(` isolation level ${isolation}`);
  const set = (name: string, value: string) => sql`set_config(${sql.lit(name)}, ${sql.lit(value)}, true)`;
  return sql`
    begin${level}${access === 'read' ? sql` read only` : sql``};
    select ${set('app.workspace_id', workspaceId)}, ${set('lock_timeout', lockTimeout[lock])},
      ${set('idle_in_transaction_session_timeout', idleTimeout[lock])},
      ${set('app.declares_affected', statesAffected(lock) ? 'on' : 'off')}
      ${recordsChanges ? sql`, ${set('app.records_changes', 'on')}` : sql``}
      ${workspaceLocks(workspaceId, lock)}`;
}

/** Values are in milliseconds, as the other limits of PostgreSQL. */
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
  const name = (kind: string) => sql`hashtextextended(${sql.lit(`${kind}:${workspaceId}`)}, 0)`;
  if (lock === 'exclusive') return sql`, pg_advisory_xact_lock(${name('workspace')})`;
  const alone = lock === 'import' ? sql`, pg_advisory_xact_lock(${name('import')})` : sql``;
  // The function reads what is committed when the lock is taken.
  return sql`${alone}, pg_advisory_xact_lock_shared(${name('workspace')}),
    configuration_revision_of(${sql.lit(workspaceId)}) as revision`;
}

/** Whether the transaction states which reps it affects. A change of the configuration affects everyone. */
function statesAffected(lock: WorkspaceLock): boolean {
  return lock === 'shared' || lock === 'import';
}
