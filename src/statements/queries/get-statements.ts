import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Period } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { optionalPeriod } from '../../platform/schemas.js';
import { assertSeesRepOrTeam, repIdQuery, repNotFound } from '../../reps/rep.js';
import { findRepName } from '../../reps/rep-views.js';
import { readState } from '../staleness.js';
import { type StatementAnswer, statement, statementAnswer, statementExample } from '../statement.js';
import { listChecks, readStatement, resolvePeriod } from '../statement-views.js';
import { readTeamStatements, teamAnswer, teamStatements } from '../team-statements.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('The statement of this rep, by id (UUID); reps may see only their own'),
  period: optionalPeriod,
  include: z
    .literal('all')
    .optional()
    .describe('all: the team view also shows people without a plan, an amount or a statement in the period'),
});
type Query = z.infer<typeof query>;

@injectable()
export class GetStatements {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ query: request }: Input<unknown, Query>, caller: Caller) {
    assertSeesRepOrTeam(
      caller,
      request.repId,
      'Team statements need the role manager or admin. Set repId to your own id to get your statement.',
    );
    return this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (trx) => {
      const { period: of, currency } = await resolvePeriod(trx, caller.workspaceId, request.period, this.clock);
      if (request.repId !== undefined) return readRepStatement(trx, caller, request.repId, of, currency);
      const selection = { repIds: visibleReps(caller), everyone: request.include === 'all' };
      const members = await readTeamStatements(trx, caller.workspaceId, of, currency, selection);
      return teamAnswer(of, currency, members, await listChecks(trx, caller.workspaceId, of, selection.repIds));
    });
  }
}

async function readRepStatement(
  trx: Work,
  caller: Caller,
  repId: string,
  of: Period,
  currency: string,
): Promise<StatementAnswer> {
  const key = { workspaceId: caller.workspaceId, repId, period: of };
  const [repName, { head, content }] = await Promise.all([
    findRepName(trx, caller.workspaceId, repId),
    readStatement(trx, key, currency),
  ]);
  if (repName === null) throw repNotFound();
  return statementAnswer(key, repName, head, content, caller, await readState(trx, key, head, content, currency));
}

export const getStatements = operation({
  id: 'getStatements',
  summary:
    "List the team's statements of a period, or get one rep's statement with line items. Without a generated version, the status is none and the amounts are the earnings so far",
  method: 'get',
  path: '/v1/statements',
  access: 'rep',
  payroll: true,
  query,
  response: z.union([teamStatements, statement]),
  failures: { rep_not_found: 404 },
  cacheScope: () => null,
  example: { query: { repId: sampleIds.repId, period: '2026-02' }, answer: statementExample },
  handler: GetStatements,
});
