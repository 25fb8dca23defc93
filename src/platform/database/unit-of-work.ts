import { type Kysely, sql, type Transaction } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { isTransient } from './database-errors.js';
import { type Database } from './pool.js';
import { type Tables } from './tables.js';

export type Work = Transaction<Tables>;

/**
 * What a transaction does to its workspace.
 * `reads` takes no lock. `deals` is for writers of deals: many at once, but none while the configuration changes.
 * `configuration` is for plans, assignments, quotas, people and mappings: one at a time and no deals meanwhile, so
 * that every rep touched by a change is found. `import` keeps other imports and configuration out, but not deals.
 */
export type WorkspaceLock = 'reads' | 'deals' | 'import' | 'configuration';

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

  /** Like {@link run} without a second try, for work whose input cannot be read twice. */
  async once<T>(caller: TenantCaller, lock: WorkspaceLock, work: (trx: Work) => Promise<T>): Promise<T> {
    return this.database.transaction().execute(async (trx) => {
      await sql`select set_config('app.workspace_id', ${caller.workspaceId}, true),
        set_config('lock_timeout', ${lockTimeout[lock]}, true)`.execute(trx);
      await takeWorkspaceLock(trx, caller.workspaceId, lock);
      return work(trx);
    });
  }
}

const maxRetries = 3;

const lockTimeout: Readonly<Record<WorkspaceLock, string>> = {
  reads: '5s',
  deals: '10s',
  import: '60s',
  configuration: '10s',
};

async function takeWorkspaceLock(trx: Kysely<Tables>, workspaceId: string, lock: WorkspaceLock): Promise<void> {
  if (lock === 'reads') return;
  const row = trx.selectFrom('workspaces').select('workspace_id').where('workspace_id', '=', workspaceId);
  if (lock === 'deals') await row.forKeyShare().execute();
  else if (lock === 'import') await row.forNoKeyUpdate().execute();
  else await row.forUpdate().execute();
}
