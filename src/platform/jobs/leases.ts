import { sql } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { retryOnOutage } from '../database/database-errors.js';
import { type Transaction, type UnitOfWork } from '../database/unit-of-work.js';
import { failpoint } from '../failpoint.js';

const leaseMs = 15_000;
const extendEveryMs = 5_000;

/**
 * The right to do some work, held by one worker of all processes. For work that waits for other servers and
 * therefore cannot hold a database lock.
 */
export interface Lease {
  /** Throws {@link LeaseLost} if another worker holds the lease now; locks the lease until the transaction ends. */
  assertHeld(tx: Transaction): Promise<void>;
  /** Aborted with {@link LeaseLost} when an extension finds that the lease was taken over or revoked. */
  readonly lost: AbortSignal;
}

/** The holder did not extend its lease in time. Its state may be outdated, so it must not write any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class Leases {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Does the work. Returns null if another worker holds the lease, or has taken it over before the work was finished.
   * The lease of a worker that dies expires.
   */
  async hold<T>(workspaceId: string, work: string, run: (lease: Lease) => Promise<T>): Promise<T | null> {
    const leaseId = newId();
    await failpoint('lease.beforeTake');
    if (!(await this.take(workspaceId, work, leaseId))) return null;
    const ending = new AbortController();
    const extending = setInterval(() => {
      // If the extension fails, `assertHeld` fails in the next transaction of the work.
      this.extend(workspaceId, work, leaseId).then(
        (isHeld) => isHeld || ending.abort(leaseLost(work)),
        () => undefined,
      );
    }, extendEveryMs);
    try {
      await failpoint('lease.afterTake');
      return await run({ assertHeld: (tx) => assertHeld(tx, work, leaseId), lost: ending.signal });
    } catch (error) {
      if (error instanceof LeaseLost) return null;
      throw error;
    } finally {
      clearInterval(extending);
      await this.release(workspaceId, work, leaseId);
    }
  }

  private take(workspaceId: string, work: string, leaseId: string): Promise<boolean> {
    return this.unitOfWork.write({ workspaceId }, async (tx) => {
      const { rows } = await sql`
        insert into work_leases as l (workspace_id, work, lease_id, leased_until)
        values (${workspaceId}, ${work}, ${leaseId}, ${leaseEnd})
        on conflict (workspace_id, work) do update
          set lease_id = excluded.lease_id, leased_until = excluded.leased_until, generation = l.generation + 1
          where l.leased_until < now()
        returning 1`.execute(tx.db);
      return rows.length === 1;
    });
  }

  /** False if the lease belongs to another holder, or to none. */
  private extend(workspaceId: string, work: string, leaseId: string): Promise<boolean> {
    return this.unitOfWork.write({ workspaceId }, async (tx) => {
      const { rows } = await sql`
        update work_leases set leased_until = ${leaseEnd}
        where workspace_id = ${workspaceId} and work = ${work} and lease_id = ${leaseId}
        returning 1`.execute(tx.db);
      return rows.length === 1;
    });
  }

  /**
   * Keeps the row with its generation and marks it as expired. If the release fails, the next holder waits until the
   * lease expires.
   */
  private async release(workspaceId: string, work: string, leaseId: string): Promise<void> {
    const released = retryOnOutage(() =>
      this.unitOfWork.write({ workspaceId }, (tx) =>
        sql`
          update work_leases set leased_until = '-infinity'
          where workspace_id = ${workspaceId} and work = ${work} and lease_id = ${leaseId}`.execute(tx.db),
      ),
    );
    await released.catch(() => undefined);
  }
}

/** Revokes the lease: `assertHeld` of the present holder fails, and any worker can take the lease. */
export async function revokeLease(tx: Transaction, work: string): Promise<void> {
  await sql`
    update work_leases set lease_id = ${newId()}, leased_until = '-infinity'
    where workspace_id = ${tx.workspaceId} and work = ${work}`.execute(tx.db);
}

const leaseEnd = sql`now() + ${`${leaseMs} milliseconds`}::interval`;

async function assertHeld(tx: Transaction, work: string, leaseId: string): Promise<void> {
  const { rows } = await sql`
    select from work_leases
    where workspace_id = ${tx.workspaceId} and work = ${work} and lease_id = ${leaseId} for share`.execute(tx.db);
  if (rows.length === 0) throw leaseLost(work);
}

function leaseLost(work: string): LeaseLost {
  return new LeaseLost(`the lease of "${work}" was taken over by another worker`);
}
