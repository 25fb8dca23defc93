import { type Transaction } from '../platform/database/unit-of-work.js';

/** An entry with its place in the hash chain of the workspace. */
export interface SealedEntry {
  readonly position: string | null;
  readonly hash: Buffer | null;
  readonly content: string;
}

/** The next sealed entries after the position, in the order of the chain. */
export function listSealedEntries(tx: Transaction, after: string, limit: number): Promise<SealedEntry[]> {
  return tx.db
    .selectFrom('audit_entries')
    .select(['position', 'hash', 'content'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** The entry is the text that the hash covers, and not parsed and written again. */
export function sealedLine({ position, hash, content }: SealedEntry): string {
  return `{"position":${position},"hash":"${hash?.toString('hex')}","entry":${content}}\n`;
}
