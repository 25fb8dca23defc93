import { expect } from 'chai';
import { sql } from 'kysely';
import { type Work } from '#src/platform/database/unit-of-work.js';
import { startTestService, type TestService } from '../../support/test-service.js';

const workspaceId = '00000000-0000-4000-8000-000000000001';

describe('statements that are asked together', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({}, { api: true, worker: false });
  });
  after(() => service.stop());

  const inTransaction = <T>(work: (trx: Work) => Promise<T>) =>
    service.running.service.unitOfWork.run({ workspaceId }, 'reads', work);

  const later = async (asked: Promise<unknown>) => {
    for (let turn = 0; turn < 20; turn += 1) await null;
    return asked;
  };

  it('fail with what was wrong with the first, whoever of them is heard first', async () => {
    const failed = await inTransaction((trx) =>
      Promise.all([later(sql`select 1 / 0`.execute(trx)), sql`select 1`.execute(trx)]),
    ).catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'division by zero');
  });

  it('are tried again when the first had to wait for too long', async () => {
    let tries = 0;
    const result = await inTransaction(async (trx) => {
      tries += 1;
      const first = sql`do ${sql.lit(tries === 1 ? "begin raise exception 'as it should' using errcode = '55P03'; end" : 'begin end')}`;
      const [, { rows }] = await Promise.all([
        later(first.execute(trx)),
        sql<{ one: number }>`select 1 as one`.execute(trx),
      ]);
      return rows;
    });
    expect(result).to.deep.equal([{ one: 1 }]);
    expect(tries).to.equal(2);
  });

  it('fail with their own mistakes again once a savepoint has taken the first one back', async () => {
    const failed = await inTransaction(async (trx) => {
      await sql`savepoint here`.execute(trx);
      await sql`select 1 / 0`.execute(trx).catch(() => undefined);
      await sql`rollback to savepoint here`.execute(trx);
      await sql`select 1`.execute(trx);
      await sql`select sqrt(-1)`.execute(trx);
    }).catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'cannot take square root of a negative number');
  });
});
