import { sql } from 'kysely';
import { type Database } from '../database/pool.js';
import { type Counted, type RateCounter } from './rate-limit.js';

interface Row {
  readonly accepted: boolean;
  readonly remaining: number;
  readonly reset_second: string;
  readonly now_second: number;
}

/** Counts in an unlogged table: one statement, which waits for no disk. A crash of the server forgets the counts. */
export class PostgresRateCounter implements RateCounter {
  constructor(private readonly database: Database) {}

  async count(workspaceId: string, tokenId: string, most: number, at?: Date): Promise<Counted> {
    const { rows } = await sql<Row>`
      select * from count_request(${workspaceId}, ${tokenId}, ${most}, ${at ?? null})`.execute(this.database);
    const { accepted, remaining, reset_second, now_second } = rows[0] as Row;
    return { accepted, remaining, resetSecond: Number(reset_second), nowSecond: now_second };
  }

  async close(): Promise<void> {}
}
