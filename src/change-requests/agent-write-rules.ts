import { type Caller } from '../kernel/caller.js';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';
import { type AgentWrites, type WriteMode } from '../platform/mcp/agent-writes.js';
import { insertChangeRequest, type NewChangeRequest } from './change-request-store.js';
import { findAgentWrites } from './change-request-views.js';

/** Decides with the setting of the workspace whether an agent may change something at once. */
export class AgentWriteRules implements AgentWrites {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** By default, agents that people connected need a confirmation, and keys need none. */
  async modeFor(caller: Caller): Promise<WriteMode> {
    const set = await this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
      findAgentWrites(trx, caller.workspaceId),
    );
    return set ?? (caller.agent === undefined ? 'allow' : 'confirm');
  }

  request(caller: Caller, change: NewChangeRequest): Promise<string> {
    return this.unitOfWork.run(caller, { lock: 'none', access: 'write' }, (trx) =>
      insertChangeRequest(trx, caller, change),
    );
  }
}
