import { recordPayrollHandover } from '../exports/commands/record-payroll-handover.js';
import { type HandoverSubject } from '../exports/handover-job.js';
import { type Caller } from '../kernel/caller.js';
import { type Period } from '../kernel/period.js';
import { type OperationDispatcher } from '../platform/operations/operation-dispatcher.js';

/** Records the hand-over as the caller. */
export type RecordHandover = (
  requested: HandoverSubject & { readonly period: Period },
  caller: Caller,
) => Promise<void>;

/** Calls the operation, with the checks and the audit log of every call. */
export function handOverThrough(dispatcher: OperationDispatcher): RecordHandover {
  return async (requested, caller) => {
    const body = { ...requested, async: false };
    await dispatcher.run(recordPayrollHandover, { params: {}, query: {}, body }, withoutSession(caller));
  };
}

/** A session has proved the identity of its person for the request; its proof may be too old when the worker continues. */
function withoutSession(caller: Caller): Caller {
  if (caller.tokenKind !== 'sess') return caller;
  const { tokenKind: _kind, tokenId: _token, ...person } = caller;
  return person;
}
