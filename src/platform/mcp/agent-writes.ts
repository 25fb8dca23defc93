import { type Caller } from '../../kernel/caller.js';
import { type RawInput } from '../operations/operation-dispatcher.js';

/** What happens with a tool that changes something: it runs, a person decides first, or it is rejected. */
export type WriteMode = 'allow' | 'confirm' | 'deny';

export interface RequestedApproval {
  readonly changeRequestId: string;
  /** Where a person decides about it; a path where the address of the service is not configured. */
  readonly approveUrl: string;
}

/** Decides about changes by agents. */
export interface AgentWrites {
  modeFor(caller: Caller): Promise<WriteMode>;
  /** Stores the change, with its preview, for a decision by a person. */
  request(
    caller: Caller,
    change: { readonly tool: string; readonly title: string; readonly input: RawInput },
  ): Promise<RequestedApproval>;
}
