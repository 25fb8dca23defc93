import { sql } from 'kysely';
import { type Log } from '../log.js';
import { isOutage } from './database-errors.js';
import { type UnitOfWork } from './unit-of-work.js';

interface Loop {
  readonly unitOfWork: Pick<UnitOfWork, 'withoutWorkspace'>;
  readonly log: Pick<Log, 'warn'>;
  /** What is logged about a workspace whose work failed. */
  readonly failure: string;
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Does the work of one workspace after the other until the process stops. An error is logged and the others go on, also if
 * the workspace rejects writes as unavailable while it is moved: the next run repeats what failed. Only an outage of the
 * database ends the loop. Returns whether everything was done.
 */
export async function forEachWorkspace<Due extends { readonly workspaceId: string | null }>(
  due: Iterable<Due>,
  { unitOfWork, log, failure, stopping }: Loop,
  work: (due: Due) => Promise<unknown>,
): Promise<boolean> {
  let isDone = true;
  for (const each of due) {
    if (stopping?.aborted === true) return false;
    try {
      await work(each);
    } catch (error) {
      if (isOutage(error)) await assertResponding(unitOfWork);
      log.warn({ err: error, workspaceId: each.workspaceId }, failure);
      isDone = false;
    }
  }
  return isDone;
}

async function assertResponding(unitOfWork: Loop['unitOfWork']): Promise<void> {
  await unitOfWork.withoutWorkspace((tx) => sql`select 1`.execute(tx.db));
}
