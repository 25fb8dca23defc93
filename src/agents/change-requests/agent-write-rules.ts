import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type AgentWrites, type RequestedApproval, type WriteMode } from '../../platform/mcp/agent-writes.js';
import { type ToolRunner } from '../../platform/mcp/tool-runner.js';
import { commonFailures } from '../../platform/operations/operation.js';
import { readBasis } from './basis.js';
import { assertFewPending, insertChangeRequest } from './change-request-store.js';
import { findAgentWrites } from './change-request-views.js';
import { findUnknownId } from './find-unknown-id.js';
import { notPreviewed, previewChange } from './preview-change.js';

/** Decides with the setting of the workspace whether an agent may change something at once. */
export class AgentWriteRules implements AgentWrites {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runner: ToolRunner,
    private readonly clock: Clock,
    private readonly publicUrl: string | undefined,
  ) {}

  /** By default, agents that people connected need a confirmation, and keys need none. */
  async modeFor(caller: Caller): Promise<WriteMode> {
    const set = await this.unitOfWork.read(caller, (tx) => findAgentWrites(tx));
    return set ?? (caller.agent === undefined ? 'allow' : 'confirm');
  }

  async request(caller: Caller, change: Parameters<AgentWrites['request']>[1]): Promise<RequestedApproval> {
    const { unitOfWork, runner, clock } = this;
    // Read before the preview is calculated: what changes meanwhile outdates it.
    const { basis } = await unitOfWork.read(caller, async (tx) => {
      await assertFewPending(tx, caller);
      await runner.assertPossible(tx, change.tool, change.input, findUnknownId);
      return readBasis(tx, runner, change);
    });
    const previewed = await previewChange({ unitOfWork, runner, clock }, caller, change).catch(withoutPreview);
    const changeRequestId = await unitOfWork.write(caller, (tx) =>
      insertChangeRequest(tx, caller, { ...change, ...previewed, basis: { ...basis, isForPerson: false } }),
    );
    return { changeRequestId, approveUrl: `${this.publicUrl ?? ''}/agent-changes#${changeRequestId}` };
  }
}

/** Other previews are still calculated, or the service failed: the change itself may be possible. */
function withoutPreview(error: unknown) {
  const isLater =
    error instanceof Failure && (error.code === 'rate_limited' || (commonFailures[error.code] ?? 0) >= 500);
  if (isLater) return notPreviewed;
  throw error;
}
