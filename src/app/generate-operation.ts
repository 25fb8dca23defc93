import { type z } from 'zod';
import { type Caller } from '../kernel/caller.js';
import { type Period } from '../kernel/period.js';
import { type OperationDispatcher } from '../platform/operations/operation-dispatcher.js';
import { generateStatements } from '../statements/commands/generate-statements.js';
import { type Outcome, type Outcomes } from '../statements/generate-many.js';

/** Generates the statements of the people as the caller. */
export type GenerateStatements = (period: Period, repIds: readonly string[], caller: Caller) => Promise<Outcomes>;

type Answer = z.output<typeof generateStatements.response>;

/** Calls the operation, with the checks and the audit log of every call. */
export function generateThrough(dispatcher: OperationDispatcher): GenerateStatements {
  return async (period, repIds, caller) => {
    const { body } = await dispatcher.run(
      generateStatements,
      { params: {}, query: {}, body: { period, repIds } },
      caller,
    );
    const { statements, skippedReps, errorReps } = body as Answer;
    return new Map<string, Outcome>([
      ...statements.map((statement) => [statement.repId, { statement }] as const),
      ...skippedReps.map(({ repId, reason }) => [repId, { reason }] as const),
      ...errorReps.map(({ repId, error }) => [repId, { error }] as const),
    ]);
  };
}
