import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { LaneRunner } from '../../ledger/lane-runner.js';
import { loadWorkspaceTerms } from '../../ledger/rep-terms.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { period } from '../../platform/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { hasRequests, lockRep } from '../rep-lane.js';
import { type StatementAnswer, statement, statementAnswer, statementExample, statementLocked } from '../statement.js';
import { generateVersion } from '../statement-store.js';
import { findHead } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({ period: period.describe('Period of the statement') });

/** The generated statement, or that an approved statement exists and was not changed. */
type Generated = StatementAnswer | 'already_approved';

@injectable()
export class GenerateStatement {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(LaneRunner) private readonly laneRunner: LaneRunner,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(
    { params: { repId }, body: { period: of } }: Input<{ repId: string }, unknown, z.infer<typeof body>>,
    caller: Caller,
  ) {
    const generated = await this.generate(repId, of, caller);
    if (generated === 'already_approved') throw statementLocked(of);
    return { generated: true, ...generated };
  }

  /** Generates one rep's statement in its own transaction, after running the rep's outstanding calculations. */
  async generate(repId: string, of: string, caller: Caller): Promise<Generated> {
    if (!isUuid(repId)) throw repNotFound();
    const key = { workspaceId: caller.workspaceId, repId, period: of };
    await this.laneRunner.calculateNow(caller.workspaceId, [repId]);
    return this.unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (trx): Promise<Generated> => {
      const repName = await lockRep(trx, caller.workspaceId, repId);
      const head = await findHead(trx, key);
      if (head?.status === 'approved') return 'already_approved';
      const { currency } = await loadWorkspaceTerms(trx, caller.workspaceId);
      const generation = { status: 'draft', at: this.clock.now(), actor: caller.actor } as const;
      const content = await generateVersion(trx, key, currency, generation);
      const pending = await hasRequests(trx, key);
      return statementAnswer(key, repName, await findHead(trx, key), content, caller, pending ? { pending } : {});
    });
  }
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
    answer: { generated: true, ...statementExample },
  },
  handler: GenerateStatement,
});
