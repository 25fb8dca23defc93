import { expect } from 'chai';
import { sql } from 'kysely';
import { isUnavailable } from '#src/platform/database/database-errors.js';
import { withDatabase } from '#src/platform/database/pool.js';
import { urlPerHost } from '#src/platform/database/primary-host.js';
import { freePort } from '#test/support/free-port.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';

describe('a database URL with several hosts', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const withHosts = (...hosts: readonly string[]) =>
    database.ownerUrl.replace(new URL(database.ownerUrl).host, hosts.join(','));
  const ask = (url: string) =>
    withDatabase({ url, asOwner: true }, async (db) => (await sql`select 1 as one`.execute(db)).rows);

  it('names a URL for each host, with the login, the database and the settings of all', () => {
    const url = 'postgres://me:p%40ss@db1:5433,db2/pay?sslmode=require';
    expect(urlPerHost(url)).to.deep.equal([
      'postgres://me:p%40ss@db1:5433/pay?sslmode=require',
      'postgres://me:p%40ss@db2/pay?sslmode=require',
    ]);
    expect(urlPerHost('postgres://db/a,b')).to.deep.equal(['postgres://db/a,b']);
  });

  it('connects to the host that accepts writes', async () => {
    const closed = `127.0.0.1:${await freePort()}`;
    expect(await ask(withHosts(closed, new URL(database.ownerUrl).host))).to.deep.equal([{ one: 1 }]);
  });

  it('is unavailable while none does', async () => {
    const url = withHosts(`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`);
    const error = await ask(url).catch((failure: unknown) => failure);
    expect(isUnavailable(error)).to.equal(true);
  });
});
