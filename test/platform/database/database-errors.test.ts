import { expect } from 'chai';
import { isUnavailable, sqlStateOf } from '#src/platform/database/database-errors.js';

const withCode = (code: string) => Object.assign(new Error('it failed'), { code });

describe('errors of the database', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT'])
    it(`${code}: the server is away, and that is no SQLSTATE`, () => {
      expect(isUnavailable(withCode(code))).to.equal(true);
      expect(sqlStateOf(withCode(code))).to.equal(null);
    });

  for (const message of [
    'Connection terminated unexpectedly',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
    'timeout exceeded when trying to connect',
  ])
    it(`${message}: the server is away`, () => {
      expect(isUnavailable(new Error(message))).to.equal(true);
    });

  it('a server that stops says so; one that refuses a value is there', () => {
    expect(isUnavailable(withCode('57P01'))).to.equal(true);
    expect(isUnavailable(withCode('22P02'))).to.equal(false);
    expect(sqlStateOf(withCode('22P02'))).to.equal('22P02');
  });
});
