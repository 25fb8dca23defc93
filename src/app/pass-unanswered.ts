import { isConsent } from '../access/workspaces/approval-steps.js';
import { serviceCaller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { findOverdue } from '../statements/approvals/overdue-steps.js';
import { approve } from '../statements/commands/approve-statement.js';
import { type StatementParts } from '../statements/generate-one.js';

/**
 * Records overdue consents as not answered, so that their chains go on without a further press. A statement that cannot be
 * approved, because its content has changed or a question is open, waits for the next day.
 */
export function passUnanswered(parts: StatementParts): (workspaceId: string) => Promise<void> {
  return async (workspaceId) => {
    const caller = serviceCaller(workspaceId, newId());
    const overdue = await parts.unitOfWork.read(caller, (tx) => findOverdue(tx, parts.clock.now()));
    for (const { period, state, next } of overdue) {
      if (!isConsent(next.step)) continue;
      const { repId, version, contentHash } = state.subject;
      const terms = { version, contentHash, force: true, asUnanswered: true } as const;
      try {
        await approve(parts, { repId, period }, terms, caller);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
  };
}
