import { expect } from 'chai';
import { type PoolClient } from 'pg';
import { growth, rowsWritten } from '#bench/effects.js';
import { alternating, type Contender, measureOnce } from '#bench/measure.js';
import { OwnerPool } from '#bench/owner-pool.js';
import { createTestDatabase } from '../support/test-database.js';

type Run = () => Promise<void>;

/** The message of the failure, or null. */
async function failureOf(work: Promise<unknown>): Promise<string | null> {
  return work.then(
    () => null,
    (error: Error) => error.message,
  );
}

describe('the effects of a benchmark', () => {
  let pool: OwnerPool;
  let drop: () => Promise<void>;
  let open: PoolClient | null = null;

  before(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    pool = new OwnerPool(database.ownerUrl);
    await pool.query('create table item (tenant text, id int, value int, primary key (tenant, id))');
  });

  beforeEach(async () => {
    await pool.query('truncate item');
    await pool.query(
      "insert into item select tenant, id, 0 from unnest(array['a', 'b']) tenant, generate_series(1, 10) id",
    );
  });

  afterEach(async () => {
    await open?.query('rollback');
    open?.release();
    open = null;
  });

  after(async () => {
    await pool.close();
    await drop();
  });

  /** A contender that must write so many rows of tenant a. */
  const writing = (rows: number, run: Run): Contender => ({
    name: 'writer',
    effects: [rowsWritten(pool, 'item where tenant = $1', ['a'], rows)],
    run,
  });

  const execute = (statement: string) => async () => {
    await pool.query(statement);
  };

  const change = "update item set value = value + 1 where tenant = 'a' and id <= 3";

  it('are the inserted and the updated rows, each once', async () => {
    const run = () =>
      pool.transaction(async (client) => {
        await client.query("insert into item values ('a', 11, 0)");
        await client.query('savepoint part');
        await client.query(change);
        await client.query(change);
        await client.query('release part');
      });
    expect(await failureOf(measureOnce(writing(4, run)))).to.equal(null);
  });

  const withoutWork: Readonly<Record<string, Run>> = {
    'does nothing': async () => {},
    'is rolled back': () =>
      failureOf(
        pool.transaction(async (client) => {
          await client.query(change);
          throw new Error('rolled back');
        }),
      ).then(() => undefined),
    'only locks rows': () =>
      pool.transaction(async (client) => {
        await client.query("select from item where tenant = 'a' and id <= 3 for update");
      }),
    'finds every row as it should be': execute(`insert into item select tenant, id, value from item where id <= 3
      on conflict (tenant, id) do update set value = excluded.value where item.value <> excluded.value`),
    'writes rows of others': execute("update item set value = 1 where tenant = 'b' and id <= 3"),
    'has not committed by its end': async () => {
      open = await pool.connect();
      await open.query('begin');
      await open.query(change);
    },
  };
  for (const [title, run] of Object.entries(withoutWork))
    it(`are missing when the run ${title}`, async () => {
      const failure = await failureOf(measureOnce(writing(3, run)));
      expect(failure).to.equal('"writer" did not do its work: 0 rows of item where tenant = $1 in place of 3');
    });

  it('are missing when the run writes fewer or more rows', async () => {
    expect(await failureOf(measureOnce(writing(4, execute(change))))).to.include('3 rows of item');
    expect(await failureOf(measureOnce(writing(2, execute(change))))).to.include('3 rows of item');
  });

  it('are checked after every run', async () => {
    let runs = 0;
    const onlyOnce = writing(3, async () => {
      runs += 1;
      if (runs < 3) await pool.query(change);
    });
    expect(await failureOf(alternating([onlyOnce], 2))).to.include('0 rows of item');
    expect(runs).to.equal(3);
  });

  it('must be missing before the first run, or they would prove nothing', async () => {
    const failure = '"idle" has its effects without a run';
    const run = async () => {};
    expect(await failureOf(measureOnce({ name: 'idle', effects: [], run }))).to.equal(failure);
    const effects = [growth('requests', () => 7, 0)];
    expect(await failureOf(measureOnce({ name: 'idle', effects, run }))).to.equal(failure);
  });

  it('do not replace a figure', async () => {
    const run = async () => {
      await pool.query(change);
      return Number.NaN;
    };
    const contender = { ...writing(3, execute(change)), run };
    expect(await failureOf(measureOnce(contender))).to.equal('"writer" has the figure NaN');
  });
});

describe('the connections of a benchmark', () => {
  it('are closed when the pool is closed, so that the server can stop', async () => {
    const database = await createTestDatabase();
    const pool = new OwnerPool(database.ownerUrl);
    let closed = 0;
    pool.on('connect', (client) => {
      client.on('end', () => {
        closed += 1;
      });
    });
    await Promise.all([1, 2, 3, 4].map(() => pool.query('select pg_sleep(0.05)')));
    await pool.close();
    expect(closed).to.equal(4);
    await database.drop();
  });
});
