import { sql } from 'kysely';
import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { periodRange } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { isUnavailable } from '../../platform/database/database-errors.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { pathId, period } from '../../platform/schemas.js';
import { type StatementAnswer } from '../statement.js';
import { GenerateStatement } from './generate-statement.js';

const body = z.strictObject({
  period: period.describe('Period of the statements'),
  repIds: z
    .array(pathId)
    .min(1)
    .max(10_000)
    .optional()
    .describe('Only these reps (UUID); by default all active reps, and inactive ones with an amount in the period'),
});

const response = z.object({
  period: fields.period,
  generated: z.int().describe('Number of statements that were generated'),
  skipped: z.int().describe('Number of reps that were skipped'),
  errors: z.int().describe('Number of reps whose statement failed'),
  statements: z
    .array(
      z
        .object({
          repId: fields.repId,
          version: fields.version,
          statementId: fields.statementId,
          netPayout: z.number().describe('Net payout in the currency of the statement'),
        })
        .describe('A generated statement'),
    )
    .describe('The generated statements'),
  skippedReps: z
    .array(
      z
        .object({ repId: fields.repId, reason: z.string().describe('Why the rep was skipped, as a code') })
        .describe('A skipped rep'),
    )
    .describe('Reps without a new statement'),
  errorReps: z
    .array(
      z.object({ repId: fields.repId, error: z.string().describe('What went wrong') }).describe('A failed statement'),
    )
    .describe('Reps whose statement failed'),
});

type Outcome =
  | { readonly repId: string; readonly statement: StatementAnswer }
  | { readonly repId: string; readonly reason: string }
  | { readonly repId: string; readonly error: string };

/** Reps are independent. This limit leaves database capacity for other requests. */
const concurrency = 4;

@injectable()
export class GenerateStatements {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(GenerateStatement) private readonly single: GenerateStatement,
  ) {}

  async execute({ body: { period: of, repIds } }: Input<unknown, unknown, z.infer<typeof body>>, caller: Caller) {
    const requested =
      repIds ??
      (await this.unitOfWork.run(caller, { lock: 'none', access: 'write' }, (trx) => repsOfPeriod(trx, caller, of)));
    const reps = [...new Set(requested)];
    const outcomes: Outcome[] = new Array(reps.length);
    let next = 0;
    const work = async () => {
      for (let index = next++; index < reps.length; index = next++)
        outcomes[index] = await this.generateOne(reps[index] as string, of, caller);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return answerOf(of, outcomes);
  }

  /** A failure of one rep does not stop the others. */
  private async generateOne(repId: string, of: string, caller: Caller): Promise<Outcome> {
    try {
      const generated = await this.single.generate(repId, of, caller);
      return generated === 'already_approved' ? { repId, reason: generated } : { repId, statement: generated };
    } catch (error) {
      if (error instanceof Failure) return { repId, error: error.code };
      return { repId, error: isUnavailable(error) ? 'database_unavailable' : 'internal_error' };
    }
  }
}

/** Every active rep that the caller may see, and inactive reps with an amount in the period. */
async function repsOfPeriod(trx: Work, caller: Caller, of: string): Promise<string[]> {
  const { from, to } = periodRange(of);
  const repIds = visibleReps(caller);
  const { rows } = await sql<{ rep_id: string }>`
    select r.rep_id from reps r
    where r.workspace_id = ${caller.workspaceId} ${repIds === null ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
      and (r.active or exists (
        select from rep_months m
        where m.workspace_id = r.workspace_id and m.rep_id = r.rep_id and m.month between ${from}::date and ${to}::date
          and (m.commission <> 0 or m.bonus <> 0 or m.adjustments <> 0)))
    order by r.rep_id`.execute(trx);
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
  summary: 'Generate new versions for many reps independently. Approved statements are skipped and listed',
  method: 'post',
  path: '/v1/statements/generate',
  access: 'manager',
  body,
  response,
  failures: {},
  example: {
    body: { period: '2026-02' },
    answer: {
      period: '2026-02',
      generated: 1,
      skipped: 1,
      errors: 0,
      statements: [{ repId: sampleIds.repId, version: 1, statementId: sampleIds.statementId, netPayout: 10650 }],
      skippedReps: [{ repId: sampleIds.managerId, reason: 'statement_locked' }],
      errorReps: [],
    },
  },
  handler: GenerateStatements,
});
