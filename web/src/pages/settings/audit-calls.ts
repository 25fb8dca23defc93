import { type AuditEntry } from '../../api/settings-queries.js';

/** A call with its entries: one for each part that was stored for itself, such as each statement of an approval. */
export interface AuditCall {
  readonly callId: string;
  readonly parts: readonly [AuditEntry, ...AuditEntry[]];
}

/** The calls in the order of their entries. Parts of one call follow each other. */
export function groupCalls(entries: readonly AuditEntry[]): AuditCall[] {
  const calls: { callId: string; parts: [AuditEntry, ...AuditEntry[]] }[] = [];
  for (const entry of entries) {
    const last = calls.at(-1);
    if (last !== undefined && isSameCall(last.parts[0], entry)) last.parts.push(entry);
    else calls.push({ callId: entry.entryId, parts: [entry] });
  }
  return calls;
}

function isSameCall(first: AuditEntry, next: AuditEntry): boolean {
  return (
    next.requestId !== undefined &&
    next.requestId === first.requestId &&
    next.operation === first.operation &&
    next.outcome === first.outcome
  );
}
