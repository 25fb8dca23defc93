import { expect } from 'chai';
import { isUnavailable, readSqlState } from '#src/platform/database/database-errors.js';

const withCode = (code: string) => Object.assign(new Error('it failed'), { code });

describe('errors of the database', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT'])
    it(`treats the network error ${code} as unavailable, not as an SQLSTATE`, () => {
      expect(isUnavailable(withCode(code))).to.equal(true);
      expect(readSqlState(withCode(code))).to.equal(null);
    });

  for (const message of [
    'Connection terminated unexpectedly',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
    'timeout exceeded when trying to connect',
  ])
    it(`treats "${message}" as unavailable`, () => {
      expect(isUnavailable(new Error(message))).to.equal(true);
    });

  it('treats a stopping server as unavailable, and a rejected value not', () => {
    expect(isUnavailable(withCode('57P01'))).to.equal(true);
    expect(isUnavailable(withCode('22P02'))).to.equal(false);
    expect(readSqlState(withCode('22P02'))).to.equal('22P02');
  });
});
