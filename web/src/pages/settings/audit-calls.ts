import { type AuditEntry } from '../../api/settings-queries.js';
import { operationWords } from '../../shared/format/operations.js';

/** A call with its entries: one for each part that was stored for itself, such as each statement of an approval. */
export interface AuditCall {
  readonly callId: string;
  readonly parts: readonly [AuditEntry, ...AuditEntry[]];
}

/** The operation of the call; that of the pages that edit deals, which is an import of values, by what the person did. */
export function callWords({ operation, query }: Pick<AuditEntry, 'operation'> & { readonly query?: unknown }): string {
  const isEdit = operation === 'importDeals' && (query as { corrections?: string } | undefined)?.corrections === 'set';
  return isEdit ? 'Edit deals' : operationWords(operation);
}

/**
 * The calls, in the order of the entry of each that comes first. Entries of other calls may be between the parts of a
 * call that a job carries out.
 */
export function groupCalls(entries: readonly AuditEntry[]): AuditCall[] {
  const calls = new Map<string, [AuditEntry, ...AuditEntry[]]>();
  for (const entry of entries) {
    const parts = calls.get(callOf(entry));
    if (parts === undefined) calls.set(callOf(entry), [entry]);
    else parts.push(entry);
  }
  return [...calls.values()].map((parts) => ({ callId: parts[0].entryId, parts }));
}

/** Equal for the entries of one call. */
function callOf({ entryId, requestId, operation, outcome }: AuditEntry): string {
  return requestId === undefined ? entryId : [requestId, operation, outcome].join(' ');
}
