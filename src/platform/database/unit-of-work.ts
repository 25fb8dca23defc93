import { AsyncLocalStorage } from 'node:async_hooks';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { isTransient, isUnavailable } from './database-errors.js';
import { type Database, letPipeline } from './pool.js';
import { raiseRevisions } from './revisions.js';
import { type Tables } from './tables.js';
import { TenantTurns } from './tenant-turns.js';

export { lastly } from './pool.js';

export type Work = Transaction<Tables>;

/**
 * What a transaction does to its workspace.
 * `reads` takes no lock; nor does `snapshot`, which sees everything as it stood at one moment. `stale reads` neither, and
 * may be answered by a replica that is seconds behind: for lists and dashboards, never where money is decided. `deals`
 * writes deals and `calculation` commission: many at once, but none while the configuration changes. `configuration`
 * changes plans, assignments, quotas, people or mappings: alone, so that every deal and every calculation is wholly before
 * it or wholly after. `import` is for one file at a time, beside the rest.
 */
export type WorkspaceLock = 'reads' | 'snapshot' | 'stale reads' | 'deals' | 'calculation' | 'import' | 'configuration';

export type TenantCaller = Pick<Caller, 'workspaceId'>;

export interface UnitOfWorkOptions {
  /** Most transactions of one workspace at a time, for reading and for writing each. */
  readonly atOnce?: number;
  /** Answers `stale reads`; while it is away the primary does. */
  readonly replica?: Database | undefined;
  /** Called with what a transaction held once it has ended, committed or not; see {@link noteHeld}. Must not reject. */
  readonly onReleased?: (workspaceId: string, held: readonly string[]) => Promise<void>;
}

const heldBy = new WeakMap<Work, Set<string>>();

/**
 * Notes that the transaction holds something that others skip while it is held, so that whoever is to look after the
 * release is called when the transaction has ended.
 */
export function noteHeld(trx: Work, name: string): void {
  const held = heldBy.get(trx);
  if (held === undefined) heldBy.set(trx, new Set([name]));
  else held.add(name);
}

/** What is noted in each transaction of the caller, so that the note and the change are kept together or not at all. */
interface Noting {
  readonly caller: TenantCaller;
  readonly note: (trx: Work) => Promise<unknown>;
}

const notings = new AsyncLocalStorage<Noting>();

/** The only way to the tables: one transaction of one workspace, retried when the server asks for it. */
export class UnitOfWork {
  private readonly reads: TenantTurns;
  private readonly writes: TenantTurns;
  /** One import waits for the other anyway; in the line it holds no connection while it does. */
  private readonly imports = new TenantTurns(1);
  private readonly replica: Database | undefined;
  private readonly onReleased: UnitOfWorkOptions['onReleased'];

  constructor(
    private readonly database: Database,
    { atOnce = 4, replica, onReleased }: UnitOfWorkOptions = {},
  ) {
    this.onReleased = onReleased;
    this.reads = new TenantTurns(atOnce);
    this.writes = new TenantTurns(atOnce);
    this.replica = replica;
  }

  async run<T>(caller: TenantCaller, lock: WorkspaceLock, work: (trx: Work) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.withRelease(caller, work, (noted) =>
          this.turns(lock).run(caller.workspaceId, () => this.where(caller, lock, noted)),
        );
      } catch (error) {
        if (attempt > maxRetries || !isTransient(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * (20 + Math.random() * 60)));
      }
    }
  }

  private async withRelease<T>(
    { workspaceId }: TenantCaller,
    work: (trx: Work) => Promise<T>,
    run: (work: (trx: Work) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    let begun: Work | null = null;
    try {
      return await run((trx) => {
        begun = trx;
        return work(trx);
      });
    } finally {
      const held = begun === null ? undefined : heldBy.get(begun);
      if (held !== undefined) await this.onReleased?.(workspaceId, [...held]);
    }
  }

  private turns(lock: WorkspaceLock): TenantTurns {
    if (lock === 'import') return this.imports;
    return takesNoLock(lock) ? this.reads : this.writes;
  }

  private async where<T>(caller: TenantCaller, lock: WorkspaceLock, work: (trx: Work) => Promise<T>): Promise<T> {
    if (lock !== 'stale reads' || this.replica === undefined) return this.once(this.database, caller, lock, work);
    try {
      return await this.once(this.replica, caller, lock, work);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.once(this.database, caller, lock, work);
    }
  }

  private async once<T>(
    database: Database,
    caller: TenantCaller,
    lock: WorkspaceLock,
    work: (trx: Work) => Promise<T>,
  ): Promise<T> {
    const transaction = database.transaction();
    const isolated = lock === 'snapshot' ? transaction.setIsolationLevel('repeatable read') : transaction;
    const whole = async (trx: Work) => {
      await letPipeline(trx);
      // Not awaited before the work: the server takes statements in order, so none is run outside of the workspace or
      // before the lock, and all of them fail when this one has.
      const opened = sql`
        select set_config('app.workspace_id', ${caller.workspaceId}, true),
          set_config('lock_timeout', ${lockTimeout[lock]}, true),
          set_config('idle_in_transaction_session_timeout', ${idleTimeout[lock]}, true),
          set_config('app.raises_revisions', ${raises(lock) ? 'on' : 'off'}, true)
          ${workspaceLocks(caller.workspaceId, lock)}`.execute(trx);
      // What it fails with is told below, instead of what it made of the statements that followed.
      opened.catch(() => undefined);
      try {
        const result = await work(trx);
        const noting = notings.getStore();
        if (noting?.caller === caller) await noting.note(trx);
        if (raises(lock)) raiseRevisions(trx, caller.workspaceId);
        return result;
      } finally {
        await opened;
      }
    };
    return lock === 'stale reads' ? beforeItsEnd(isolated, whole) : isolated.execute(whole);
  }

  /** Does the work; each of its transactions that runs for this very caller ends with the note. */
  noting<T>(caller: TenantCaller, note: Noting['note'], work: () => Promise<T>): Promise<T> {
    return notings.run({ caller, note }, work);
  }

  /** For what happens before a workspace is known: row-level security shows nothing, only the crossings answer. */
  async outside<T>(work: (trx: Work) => Promise<T>): Promise<T> {
    return this.database.transaction().execute(work);
  }
}

const maxRetries = 3;

/** What was only read is answered before the server has ended the transaction: nothing of it could be lost. */
function beforeItsEnd<T>(
  transaction: Pick<ReturnType<Database['transaction']>, 'execute'>,
  work: (trx: Work) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    transaction.execute(async (trx) => resolve(await work(trx))).catch(reject);
  });
}

const lockTimeout: Readonly<Record<WorkspaceLock, string>> = {
  reads: '5s',
  'stale reads': '5s',
  snapshot: '5s',
  deals: '10s',
  calculation: '10s',
  import: '60s',
  configuration: '15s',
};

/**
 * How long the server waits for the next statement: a machine that is lost without a word must not keep its locks.
 * Longer than the longest computation between two statements, and for a file than the reading of its next rows.
 */
const idleTimeout: Readonly<Record<WorkspaceLock, string>> = {
  reads: '10s',
  'stale reads': '10s',
  snapshot: '10s',
  deals: '10s',
  calculation: '10s',
  import: '60s',
  configuration: '10s',
};

/**
 * Advisory locks rather than a lock on the workspace's row: they queue, so that a change of configuration gets its turn
 * under an unbroken stream of calculations, which share locks on a row would let starve. Two workspaces whose names
 * hash alike wait for each other and no more. Columns of one statement are worked out in the order in which they stand.
 */
function workspaceLocks(workspaceId: string, lock: WorkspaceLock): RawBuilder<unknown> {
  if (takesNoLock(lock)) return sql``;
  const name = (kind: string) => sql`hashtextextended(${`${kind}:${workspaceId}`}, 0)`;
  const alone = lock === 'import' ? sql`, pg_advisory_xact_lock(${name('import')})` : sql``;
  const take = lock === 'configuration' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  return sql`${alone}, ${take}(${name('workspace')})`;
}

/** Whether its transactions say whom they concern. A change of the configuration, which is alone, concerns everyone. */
function raises(lock: WorkspaceLock): boolean {
  return lock === 'deals' || lock === 'calculation' || lock === 'import';
}

function takesNoLock(lock: WorkspaceLock): boolean {
  return lock === 'reads' || lock === 'snapshot' || lock === 'stale reads';
}
