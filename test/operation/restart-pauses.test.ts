import { expect } from 'chai';
import { RestartPauses } from '#src/app/supervisor.js';

describe('the pauses before restarts', () => {
  it('double up to half a minute, and begin again after a process has served for a minute', () => {
    const pauses = new RestartPauses();
    const crashes = Array.from({ length: 9 }, () => pauses.next(0));
    expect(crashes).to.deep.equal([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(pauses.next(59_000), 'served for less').to.equal(30_000);
    expect(pauses.next(60_000), 'served for a minute').to.equal(250);
    expect(pauses.next(0)).to.equal(500);
  });

  it('stay bounded after any number of restarts', () => {
    const pauses = new RestartPauses();
    for (let restarts = 0; restarts < 2000; restarts += 1) pauses.next(0);
    expect(pauses.next(0)).to.equal(30_000);
  });
});
