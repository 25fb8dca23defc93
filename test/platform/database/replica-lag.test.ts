import { expect } from 'chai';
import { ReplicaLag } from '#src/platform/database/replica-lag.js';

describe('the lag of a replica', () => {
  it('is 0 while the replica has all that was written, however old that is', () => {
    const lag = new ReplicaLag(10);
    expect(lag.measure(0, 100n, 100n)).to.equal(0);
    expect(lag.measure(3_600_000, 100n, 100n)).to.equal(0);
    expect(lag.isWithinBound).to.equal(true);
  });

  it('is the age of the newest position that the replica has reached', () => {
    const lag = new ReplicaLag(10);
    lag.measure(0, 100n, 100n);
    expect(lag.measure(1000, 200n, 100n)).to.equal(1);
    expect(lag.measure(4000, 300n, 200n), 'it has what was written until 1 s').to.equal(3);
    expect(lag.measure(12_000, 400n, 299n)).to.equal(11);
    expect(lag.isWithinBound).to.equal(false);
    expect(lag.measure(13_000, 400n, 400n)).to.equal(0);
    expect(lag.isWithinBound).to.equal(true);
  });

  it('grows from the first measurement of a replica that was behind then', () => {
    const lag = new ReplicaLag(10);
    expect(lag.measure(5000, 200n, 100n)).to.equal(0);
    expect(lag.measure(9000, 200n, 150n)).to.equal(4);
  });

  it('stays while the primary is unavailable, and is 0 for a server that is no streaming replica', () => {
    const lag = new ReplicaLag(10);
    lag.measure(0, 100n, 100n);
    expect(lag.measure(2000, 200n, 100n)).to.equal(2);
    expect(lag.measure(9000, null, 100n)).to.equal(2);
    expect(lag.measure(9500, 300n, null)).to.equal(0);
  });
});
