import { sql } from 'kysely';
import { groupBy } from '../../kernel/group-by.js';
import { Batcher } from '../batcher.js';
import { type Database } from '../database/pool.js';
import { type Counted, type CountRow, type RateCounter, toCounted } from './rate-limit.js';

interface RateRequest {
  readonly workspaceId: string;
  readonly tokenId: string;
  readonly limit: number;
  readonly at: string | null;
}

const maxBatchSize = 200;

/**
 * Counts in an unlogged table: one statement for all waiting requests, which itself does not wait for the disk. A
 * crash of the server deletes the counts.
 */
export class PostgresRateCounter implements RateCounter {
  private readonly requests = new Batcher<RateRequest, Counted>(maxBatchSize, (requests) => this.countAll(requests));

  constructor(private readonly database: Database) {}

  count(workspaceId: string, tokenId: string, limit: number, at?: Date): Promise<Counted> {
    return this.requests.add({ workspaceId, tokenId, limit, at: at?.toISOString() ?? null });
  }

  async close(): Promise<void> {}

  private async countAll(requests: readonly RateRequest[]): Promise<Counted[]> {
    // Sorted by token, so that two processes that count the same tokens do not deadlock.
    const groups = [...groupBy(requests, ({ tokenId, at }) => `${tokenId} ${at}`)].sort(([a], [b]) => (a < b ? -1 : 1));
    const column = <T>(value: (request: RateRequest, all: readonly RateRequest[]) => T) =>
      groups.map(([, all]) => value(all[0] as RateRequest, all));
    const { rows } = await sql<CountRow>`
      select * from count_requests(${column((request) => request.workspaceId)}, ${column((request) => request.tokenId)},
        ${column((_, all) => all.length)}, ${column((request) => request.limit)}, ${column((request) => request.at)})`.execute(
      this.database,
    );
    const counted = new Map<RateRequest, Counted>();
    for (const [index, [, all]] of groups.entries()) {
      for (const [position, request] of all.entries())
        counted.set(request, toCounted(position, rows[index] as CountRow));
    }
    return requests.map((request) => counted.get(request) as Counted);
  }
}
