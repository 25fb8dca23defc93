import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { isUnavailable } from '../../platform/database/database-errors.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { pathId, period } from '../../platform/schemas.js';
import { type StatementAnswer } from '../statement.js';
import { GenerateStatement } from './generate-statement.js';

const body = z.strictObject({ period, repIds: z.array(pathId).min(1).max(10_000).optional() });

const response = z.object({
  period: z.string(),
  generated: z.int(),
  skipped: z.int(),
  errors: z.int(),
  statements: z.array(
    z.object({ repId: z.string(), version: z.int(), statementId: z.string(), netPayout: z.number() }),
  ),
  skippedReps: z.array(z.object({ repId: z.string(), reason: z.string() })),
  errorReps: z.array(z.object({ repId: z.string(), error: z.string() })),
});

type Outcome =
  | { readonly repId: string; readonly statement: StatementAnswer }
  | { readonly repId: string; readonly reason: string }
  | { readonly repId: string; readonly error: string };

/** Reps are independent of each other; a few at a time keep the database busy without taking it over. */
const atATime = 4;

@injectable()
export class GenerateStatements {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(GenerateStatement) private readonly single: GenerateStatement,
  ) {}

  async execute({ body: { period: of, repIds } }: Input<unknown, unknown, z.infer<typeof body>>, caller: Caller) {
    const asked = repIds ?? (await this.unitOfWork.run(caller, 'reads', (trx) => activeReps(trx, caller.workspaceId)));
    const reps = [...new Set(asked)];
    const outcomes: Outcome[] = new Array(reps.length);
    let next = 0;
    const work = async () => {
      for (let index = next++; index < reps.length; index = next++)
        outcomes[index] = await this.outcomeOf(reps[index] as string, of, caller);
    };
    await Promise.all(Array.from({ length: atATime }, work));
    return answerOf(of, outcomes);
  }

  /** A rep that fails does not keep the others from their statements. */
  private async outcomeOf(repId: string, of: string, caller: Caller): Promise<Outcome> {
    try {
      const generated = await this.single.generate(repId, of, caller);
      return generated === 'already_approved' ? { repId, reason: generated } : { repId, statement: generated };
    } catch (error) {
      if (error instanceof Failure) return { repId, error: error.code };
      return { repId, error: isUnavailable(error) ? 'database_unavailable' : 'internal_error' };
    }
  }
}

async function activeReps(trx: Work, workspaceId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('reps')
    .select('rep_id')
    .where('workspace_id', '=', workspaceId)
    .where('active', '=', true)
    .orderBy('rep_id')
    .execute();
  return rows.map((row) => row.rep_id);
}

function answerOf(of: string, outcomes: readonly Outcome[]) {
  const statements = outcomes.flatMap((outcome) => ('statement' in outcome ? outcome.statement : []));
  const skippedReps = outcomes.filter((outcome) => 'reason' in outcome);
  const errorReps = outcomes.filter((outcome) => 'error' in outcome);
  return {
    period: of,
    generated: statements.length,
    skipped: skippedReps.length,
    errors: errorReps.length,
    statements: statements.map(({ repId, version, statementId, summary }) => ({
      repId,
      version,
      statementId: statementId as string,
      netPayout: summary.netPayout,
    })),
    skippedReps,
    errorReps,
  };
}

export const generateStatements = operation({
  id: 'generateStatements',
  summary: 'New versions for many reps, each on its own; approved statements are left intact and listed',
  method: 'post',
  path: '/v1/statements/generate',
  access: 'manager',
  body,
  response,
  failures: {},
  handler: GenerateStatements,
});
