import { type Dispute } from '../../api/queries.js';
import { readStored, writeStored } from '../../app/device-storage.js';
import { createStore } from '../../app/store.js';

/** The time of the last change of each question that the person has read, instant in ISO 8601. */
type Read = Readonly<Record<string, string>>;

/** An older answer was read on another device or is not missed. */
const maxAgeMs = 14 * 86_400_000;

const storageKey = (repId: string) => `read-answers ${repId}`;

function load(repId: string): Read {
  return (readStored(storageKey(repId)) ?? {}) as Read;
}

/** Counts what was read, so that marks and numbers follow. */
const reads = createStore(0);

/** Whether someone else answered the person's question, and the person has not opened the answer on this device. */
export function isUnread({ disputeId, repId, status, updatedAt }: Dispute, now: number = Date.now()): boolean {
  const isAnswered = status !== 'open' && status !== 'withdrawn';
  return isAnswered && now - Date.parse(updatedAt) < maxAgeMs && load(repId)[disputeId] !== updatedAt;
}

export function useUnread(disputes: readonly Dispute[]): readonly Dispute[] {
  reads.use();
  return disputes.filter((dispute) => isUnread(dispute));
}

/** Without storage, an answer stays marked. */
export function recordRead({ disputeId, repId, updatedAt }: Dispute): void {
  if (writeStored(storageKey(repId), { ...load(repId), [disputeId]: updatedAt })) reads.set(reads.get() + 1);
}
