import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { sql } from 'kysely';
import { createDatabase } from '#src/platform/database/pool.js';
import { type Transaction, UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { Service } from '#test/support/service.js';

const workspaceId = '00000000-0000-4000-8000-000000000001';

/** A proxy in front of PostgreSQL that counts how often the client has sent something after a response. */
class CountingProxy {
  turns = 0;
  private hasResponse = true;

  private constructor(
    private readonly server: net.Server,
    readonly url: string,
  ) {}

  static async open(serverUrl: string): Promise<CountingProxy> {
    const target = new URL(serverUrl);
    const server = net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(serverUrl);
    url.port = String((server.address() as net.AddressInfo).port);
    const proxy = new CountingProxy(server, url.href);
    server.on('connection', (client) => proxy.connect(client, Number(target.port)));
    return proxy;
  }

  private connect(client: net.Socket, port: number): void {
    const upstream = net.connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('data', () => {
      if (this.hasResponse) this.turns += 1;
      this.hasResponse = false;
    });
    upstream.on('data', () => {
      this.hasResponse = true;
    });
    client.pipe(upstream).pipe(client);
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('a transaction', () => {
  const service = Service.duringSuite({ worker: false });

  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    service.running.service.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, work);

  describe('pipelined statements', () => {
    const later = async (query: Promise<unknown>) => {
      for (let turn = 0; turn < 20; turn += 1) await null;
      return query;
    };

    it('fail with the error of the first statement, in whatever order they are awaited', async () => {
      const failed = await inTransaction((tx) =>
        Promise.all([later(sql`select 1 / 0`.execute(tx.db)), sql`select 1`.execute(tx.db)]),
      ).catch((error: unknown) => error);
      expect(failed).to.have.property('message', 'division by zero');
    });

    it('are retried when the first exceeded the lock timeout', async () => {
      let tries = 0;
      const result = await inTransaction(async (tx) => {
        tries += 1;
        const first = sql`do ${sql.lit(tries === 1 ? "begin raise exception 'as it should' using errcode = '55P03'; end" : 'begin end')}`;
        const [, { rows }] = await Promise.all([
          later(first.execute(tx.db)),
          sql<{ one: number }>`select 1 as one`.execute(tx.db),
        ]);
        return rows;
      });
      expect(result).to.deep.equal([{ one: 1 }]);
      expect(tries).to.equal(2);
    });

    it('fail with their own errors after a rollback to a savepoint', async () => {
      const failed = await inTransaction(async (tx) => {
        await sql`savepoint here`.execute(tx.db);
        await sql`select 1 / 0`.execute(tx.db).catch(() => undefined);
        await sql`rollback to savepoint here`.execute(tx.db);
        await sql`select 1`.execute(tx.db);
        await sql`select sqrt(-1)`.execute(tx.db);
      }).catch((error: unknown) => error);
      expect(failed).to.have.property('message', 'cannot take square root of a negative number');
    });
  });

  describe('statements that are sent with the commit', () => {
    const holdLock = (seconds: number) => sql`
    insert into rate_windows (workspace_id, token_id, second, counts)
    values (${workspaceId}, gen_random_uuid(), ${seconds}, array_fill(0, array[61]))`;
    const heldLocks = () =>
      inTransaction(async (tx) => {
        const { rows } = await sql<{ second: string }>`select second from rate_windows order by second`.execute(tx.db);
        return rows.map((row) => Number(row.second));
      });

    it('are committed with the transaction, after its other statements', async () => {
      await inTransaction(async (tx) => {
        tx.beforeCommit(sql`update rate_windows set second = second + 10`);
        await holdLock(1).execute(tx.db);
      });
      expect(await heldLocks()).to.deep.equal([11]);
    });

    it('roll back the whole transaction with their own error', async () => {
      const before = await heldLocks();
      const failed = await inTransaction(async (tx) => {
        await holdLock(2).execute(tx.db);
        for (const query of [holdLock(3), sql`select 1 / 0`, holdLock(4)]) tx.beforeCommit(query);
        return 'done';
      }).catch((error: unknown) => error);
      expect(failed).to.have.property('message', 'division by zero');
      expect(await heldLocks()).to.deep.equal(before);
    });

    it('retry the transaction once for a retryable error', async () => {
      const before = await heldLocks();
      let tries = 0;
      await inTransaction(async (tx) => {
        tries += 1;
        await holdLock(20 + tries).execute(tx.db);
        if (tries === 1) tx.beforeCommit(sql`do $$ begin raise exception using errcode = '40P01'; end $$`);
      });
      expect(tries).to.equal(2);
      expect(await heldLocks()).to.deep.equal([...before, 22]);
    });

    it('are discarded with a failed transaction, and not sent with the next on its connection', async () => {
      const before = await heldLocks();
      for (let time = 0; time < 15; time += 1) {
        await inTransaction(async (tx) => {
          tx.beforeCommit(holdLock(30));
          throw new Error('as it should');
        }).catch(() => undefined);
        await inTransaction((tx) => sql`select 1`.execute(tx.db));
      }
      expect(await heldLocks()).to.deep.equal(before);
    });

    it('share the round trip of the commit', async () => {
      const proxy = await CountingProxy.open(service.database.appUrl);
      const database = createDatabase({ url: proxy.url, size: 1, onError: () => {} });
      const unitOfWork = new UnitOfWork(database);
      const roundTrips = async (work: (tx: Transaction) => Promise<unknown>) => {
        const before = proxy.turns;
        await unitOfWork.write({ workspaceId }, work);
        return proxy.turns - before;
      };
      await roundTrips(async () => {});
      const statements = [41, 42, 43].map(holdLock);
      expect([
        await roundTrips(async () => {}),
        await roundTrips(async (tx) => {
          for (const statement of statements) tx.beforeCommit(statement);
        }),
        await roundTrips((tx) => sql`select 1`.execute(tx.db)),
      ]).to.deep.equal([2, 2, 2]);
      await database.destroy();
      await proxy.close();
      expect(await heldLocks()).to.include.members([41, 42, 43]);
    });
  });
});
