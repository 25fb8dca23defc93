import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { isUuid } from '../kernel/ids.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type LaneRunner } from '../ledger/lanes/lane-runner.js';
import { repNotFound } from '../people/reps/rep.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import { lockRep } from './rep-lane.js';
import { type StatementKey } from './statement.js';
import { generateVersion, type InsertedVersion } from './statement-store.js';
import { findHead } from './statement-views.js';

/** The parts of the service that generate or approve a statement. */
export interface StatementParts {
  readonly unitOfWork: UnitOfWork;
  readonly laneRunner: LaneRunner;
  readonly clock: Clock;
}

/** Generates one rep's statement in its own transaction, after running the rep's outstanding calculations. */
export async function generateForRep<T>(
  { unitOfWork, laneRunner, clock }: StatementParts,
  repId: string,
  requestedPeriod: string,
  caller: Caller,
  toResult: (tx: Transaction, key: StatementKey, repName: string, content: InsertedVersion) => Promise<T>,
): Promise<T | 'already_approved'> {
  if (!isUuid(repId)) throw repNotFound();
  const key = { repId, period: requestedPeriod };
  await laneRunner.calculateNow(caller.workspaceId, [repId]);
  return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (tx) => {
    const repName = await lockRep(tx, repId);
    const head = await findHead(tx, key);
    if (head?.status === 'approved') return 'already_approved';
    const { currency } = await loadWorkspaceTerms(tx);
    const generation = { status: 'draft', at: clock.now(), actor: caller.actor } as const;
    return toResult(tx, key, repName, await generateVersion(tx, key, currency, generation));
  });
}
