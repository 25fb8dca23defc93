import { once } from 'node:events';
import pg from 'pg';
import { ownerSessionOptions } from '#src/platform/database/pool.js';

/** Connections of the tables' owner that access all workspaces. */
export class OwnerPool extends pg.Pool {
  private readonly open = new Set<pg.PoolClient>();

  constructor(connectionString: string) {
    super({ connectionString, max: 4, options: ownerSessionOptions });
    // Without a listener, the loss of an idle connection ends the process. A query on a lost connection fails by itself.
    this.on('error', ({ message }) => process.stderr.write(`the benchmark lost an idle connection: ${message}\n`));
    this.on('connect', (client) => this.open.add(client));
    this.on('remove', (client) => this.open.delete(client));
  }

  /**
   * Resolves when every connection is closed. `end` resolves when it has requested that, so that a server which stops
   * next ends the connections with an error.
   */
  async close(): Promise<void> {
    await this.end();
    while (this.open.size > 0) await once(this, 'remove');
  }

  /** Commits the work, or rolls it back if it fails. */
  async transaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await this.connect();
    try {
      await client.query('begin');
      await work(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}
