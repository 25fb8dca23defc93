import { sql } from 'kysely';
import { type Caller, personBehind } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '../platform/database/unit-of-work.js';
import { type Log } from '../platform/log.js';
import { type AnyOperation, type Input, isPublic } from '../platform/operations/operation.js';
import { type CallRecorder } from '../platform/operations/operation-dispatcher.js';
import { findScope } from '../platform/operations/operation-scope.js';
import { recordOwnChanges } from './own-changes.js';

declare module '../kernel/caller.js' {
  interface Caller {
    /** The id that the entry of the call in the audit log gets, for a caller who has to know it before the commit. */
    readonly callId?: string;
  }
}

/**
 * Whether the calls of the operation are recorded: changes, and files, because they leave the service. A public
 * operation has no person or key yet; its sign-ins and deliveries have their own entries.
 */
function isRecorded(operation: AnyOperation): boolean {
  if (isPublic(operation)) return false;
  if (operation.files !== undefined) return true;
  return operation.method !== 'get' && findScope(operation) !== 'read';
}

/** Whether the call asks only what it would change. */
function isDryRun({ query, body }: Input): boolean {
  return [query, body].some((part) => (part as { dryRun?: unknown } | null | undefined)?.dryRun === true);
}

/**
 * Records each call of a person or key that changes something, in the transactions that change it, with the rows
 * before and after, and what it changes of the own pay of the people behind it. A call without a write transaction is recorded when it has succeeded.
 */
export class CallLog implements CallRecorder {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  async record<T>(
    operation: AnyOperation,
    input: Input,
    caller: Caller,
    work: (caller: Caller) => Promise<T>,
  ): Promise<T> {
    if (!isRecorded(operation) || isDryRun(input)) return work(caller);
    const { workspaceId } = caller;
    let recorded = false;
    const write = async (tx: Transaction) => {
      recorded = true;
      await recordOwnChanges(tx, caller, operation);
      const { params, query } = input;
      insertEntry(tx, newEntry(caller, { operation: operation.id, outcome: 'done', params, query }));
    };
    const result = await work(withTransactionHooks(caller, { beforeCommit: write }));
    if (!recorded) await this.unitOfWork.write({ workspaceId }, write);
    return result;
  }

  /**
   * Repetitions within a minute are counted for one entry, so that a caller cannot fill the log. The caller gets the rejection also when it
   * cannot be recorded.
   */
  async recordRejection(operation: AnyOperation, caller: Caller, code: string): Promise<void> {
    if (caller.accessLevel === 'public') return;
    try {
      await this.unitOfWork.write({ workspaceId: caller.workspaceId }, async (tx) => {
        const entry = newEntry(caller, { operation: operation.id, outcome: 'rejected', code });
        if (await isFirstOfMinute(tx, entry)) insertEntry(tx, entry);
      });
    } catch (error) {
      this.log.warn({ err: error, requestId: caller.requestId }, 'recording a rejected call failed');
    }
  }
}

interface Call {
  readonly operation: string;
  readonly outcome: 'done' | 'rejected';
  /** Error code of a rejected call. */
  readonly code?: string;
  readonly params?: unknown;
  readonly query?: unknown;
}

interface Entry extends Call {
  readonly entryId: string;
  readonly at: string;
  readonly actor: string;
  readonly personId: string | null;
  readonly keyId: string | null;
  readonly requestId: string;
}

/** Ids only: the body of the request, which may contain names, is left out. */
function newEntry(caller: Caller, call: Call): Entry {
  return {
    entryId: caller.callId ?? newId(),
    at: new Date().toISOString(),
    actor: caller.actor,
    personId: personBehind(caller),
    keyId: caller.tokenKind === 'sess' ? null : (caller.agent?.connectionId ?? caller.tokenId ?? null),
    requestId: caller.requestId,
    ...call,
  };
}

/** Counts a rejected call of the caller. False if the same call was rejected in the same minute. */
async function isFirstOfMinute(tx: Transaction, entry: Entry): Promise<boolean> {
  const { entryId, actor, keyId, operation, code } = entry;
  const { rows } = await sql<{ repeats: number }>`
    insert into rejected_calls as r (workspace_id, caller, operation, code, minute, entry_id, head)
    values (${tx.workspaceId}, ${`${actor} ${keyId ?? ''}`}, ${operation}, ${code}, date_trunc('minute', now()),
      ${entryId}, ${JSON.stringify(entry)})
    on conflict (workspace_id, caller, operation, code, minute) do update
      set repeats = r.repeats + 1, entry_id = excluded.entry_id, head = excluded.head
    returning repeats`.execute(tx.db);
  return rows[0]?.repeats === 0;
}

/** Inserts the entry together with the commit. */
function insertEntry(tx: Transaction, entry: Entry): void {
  tx.callWithCommit(sql`insert_audit_entry(${tx.workspaceId}::uuid, ${entry.entryId}::uuid, ${JSON.stringify(entry)})`);
}
