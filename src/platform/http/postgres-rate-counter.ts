import { sql } from 'kysely';
import { groupBy } from '../../kernel/group-by.js';
import { Batcher } from '../batcher.js';
import { type Database } from '../database/pool.js';
import { type Counted, type CountRow, countedAt, type RateCounter } from './rate-limit.js';

interface Asked {
  readonly workspaceId: string;
  readonly tokenId: string;
  readonly most: number;
  readonly at: string | null;
}

const mostAtOnce = 200;

/**
 * Counts in an unlogged table: one statement for all requests that wait for it, which itself waits for no disk. A crash
 * of the server forgets the counts.
 */
export class PostgresRateCounter implements RateCounter {
  private readonly requests = new Batcher<Asked, Counted>(mostAtOnce, (asked) => this.countAll(asked));

  constructor(private readonly database: Database) {}

  count(workspaceId: string, tokenId: string, most: number, at?: Date): Promise<Counted> {
    return this.requests.add({ workspaceId, tokenId, most, at: at?.toISOString() ?? null });
  }

  async close(): Promise<void> {}

  private async countAll(requests: readonly Asked[]): Promise<Counted[]> {
    // By token, so that two processes that count the same tokens never wait for each other.
    const groups = [...groupBy(requests, ({ tokenId, at }) => `${tokenId} ${at}`)].sort(([a], [b]) => (a < b ? -1 : 1));
    const column = <T>(value: (one: Asked, all: readonly Asked[]) => T) =>
      groups.map(([, all]) => value(all[0] as Asked, all));
    const { rows } = await sql<CountRow>`
      select * from count_requests(${column((one) => one.workspaceId)}, ${column((one) => one.tokenId)},
        ${column((_, all) => all.length)}, ${column((one) => one.most)}, ${column((one) => one.at)})`.execute(
      this.database,
    );
    const counted = new Map<Asked, Counted>();
    for (const [index, [, all]] of groups.entries()) {
      for (const [place, one] of all.entries()) counted.set(one, countedAt(place, rows[index] as CountRow));
    }
    return requests.map((one) => counted.get(one) as Counted);
  }
}
