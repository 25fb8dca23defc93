import { chunk } from '../../kernel/chunk.js';
import { CrmFailure } from './port.js';

/** Whether the response was larger than the service reads. */
export function isOversized(error: unknown): boolean {
  return error instanceof CrmFailure && error.kind === 'oversized';
}

/** Reads the rows of the ids, in halves as long as the response to a request would be too large. */
export async function inHalvesIfOversized<T>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  try {
    return await read(ids);
  } catch (error) {
    if (!isOversized(error) || ids.length === 1) throw error;
    const rows: T[] = [];
    for (const half of chunk(ids, Math.ceil(ids.length / 2))) rows.push(...(await inHalvesIfOversized(half, read)));
    return rows;
  }
}
