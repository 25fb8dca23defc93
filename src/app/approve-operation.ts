import { type z } from 'zod';
import { type Caller } from '../kernel/caller.js';
import { type Period } from '../kernel/period.js';
import { type OperationDispatcher } from '../platform/operations/operation-dispatcher.js';
import { type ConfirmedStatement, type RejectedStatement } from '../statements/approval-jobs/approval-job.js';
import { approveStatements } from '../statements/commands/approve-statements.js';

interface Approval {
  readonly period: Period;
  readonly force: boolean;
  readonly statements: readonly ConfirmedStatement[];
}

/** Approves the statements as the caller. Returns those that were not approved. */
export type ApproveStatements = (approval: Approval, caller: Caller) => Promise<readonly RejectedStatement[]>;

type Answer = Pick<z.output<typeof approveStatements.response>, 'refused'>;

/** Calls the operation, with the checks and the audit log of every call. */
export function approveThrough(dispatcher: OperationDispatcher): ApproveStatements {
  return async (body, caller) => {
    const { body: answer } = await dispatcher.run(approveStatements, { params: {}, query: {}, body }, caller);
    return (answer as Answer).refused;
  };
}
