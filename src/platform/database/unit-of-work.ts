import { type Kysely, sql, type Transaction } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { isTransient } from './database-errors.js';
import { type Database } from './pool.js';
import { type Tables } from './tables.js';

export type Work = Transaction<Tables>;

/**
 * What a transaction does to its workspace.
 * `reads` takes no lock. `deals` writes deals and `calculation` commission: many at once, but none while the
 * configuration changes. `configuration` changes plans, assignments, quotas, people or mappings: alone, so that every
 * deal and every calculation is wholly before it or wholly after. `import` is for one file at a time, beside the rest.
 */
export type WorkspaceLock = 'reads' | 'deals' | 'calculation' | 'import' | 'configuration';

export type TenantCaller = Pick<Caller, 'workspaceId'>;

/** The only way to the tables: one transaction of one workspace, retried when the server asks for it. */
export class UnitOfWork {
  constructor(
    private readonly database: Database,
    private readonly random: () => number = Math.random,
  ) {}

  async run<T>(caller: TenantCaller, lock: WorkspaceLock, work: (trx: Work) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(caller, lock, work);
      } catch (error) {
        if (attempt > maxRetries || !isTransient(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * (20 + this.random() * 60)));
      }
    }
  }

  private async once<T>(caller: TenantCaller, lock: WorkspaceLock, work: (trx: Work) => Promise<T>): Promise<T> {
    return this.database.transaction().execute(async (trx) => {
      // Not awaited before the work: the server takes statements in order, so none is run outside of the workspace or
      // before the lock, and all of them fail when one of these has.
      const opened = Promise.all([
        sql`select set_config('app.workspace_id', ${caller.workspaceId}, true),
          set_config('lock_timeout', ${lockTimeout[lock]}, true)`.execute(trx),
        takeWorkspaceLock(trx, caller.workspaceId, lock),
      ]);
      // What it fails with is told below, instead of what it made of the statements that followed.
      opened.catch(() => undefined);
      try {
        return await work(trx);
      } finally {
        await opened;
      }
    });
  }

  /** For what happens before a workspace is known: row-level security shows nothing, only the crossings answer. */
  async outside<T>(work: (trx: Work) => Promise<T>): Promise<T> {
    return this.database.transaction().execute(work);
  }
}

const maxRetries = 3;

const lockTimeout: Readonly<Record<WorkspaceLock, string>> = {
  reads: '5s',
  deals: '10s',
  calculation: '10s',
  import: '60s',
  configuration: '15s',
};

/**
 * Advisory locks rather than a lock on the workspace's row: they queue, so that a change of configuration gets its turn
 * under an unbroken stream of calculations, which share locks on a row would let starve. Two workspaces whose names
 * hash alike wait for each other and no more.
 */
async function takeWorkspaceLock(trx: Kysely<Tables>, workspaceId: string, lock: WorkspaceLock): Promise<void> {
  if (lock === 'reads') return;
  const name = (kind: string) => sql`hashtextextended(${`${kind}:${workspaceId}`}, 0)`;
  if (lock === 'import') await sql`select pg_advisory_xact_lock(${name('import')})`.execute(trx);
  const take = lock === 'configuration' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${take}(${name('workspace')})`.execute(trx);
}
