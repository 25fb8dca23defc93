import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period } from '../../platform/operations/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { hasRequests, lockRep } from '../rep-lane.js';
import { type StatementKey, statement, statementExample, statementLocked, toStatementResponse } from '../statement.js';
import { generateVersion, type InsertedVersion } from '../statement-store.js';
import { findHead } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({ period: period.describe('Period of the statement') });

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

export const generateStatement = operation({
  id: 'generateStatement',
  summary: "Generate a new version of the rep's statement for the period from the current ledger",
  method: 'post',
  path: '/v1/statements/:repId/generate',
  access: 'manager',
  params,
  body,
  response: z.object({ generated: z.boolean().describe('Always true'), ...statement.shape }),
  failures: { rep_not_found: 404, statement_locked: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02' },
    response: { generated: true, ...statementExample },
  },
  uses: { unitOfWork: UnitOfWork, laneRunner: LaneRunner, clock: CLOCK },
  async execute({ params: { repId }, body: { period: requestedPeriod } }, caller, { unitOfWork, laneRunner, clock }) {
    const parts = { unitOfWork, laneRunner, clock };
    const generated = await generateForRep(parts, repId, requestedPeriod, caller, async (tx, key, repName, content) => {
      const pending = await hasRequests(tx, key);
      return toStatementResponse(key, repName, await findHead(tx, key), content, caller, pending ? { pending } : {});
    });
    if (generated === 'already_approved') throw statementLocked(requestedPeriod);
    return { generated: true, ...generated };
  },
});
