import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { ImportPace } from '#src/deals/import/import-pace.js';

describe('the pace of an import', () => {
  const compute = (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };

  it('has a pause as long as the work before it while other workspaces are active, at most 100 ms', async () => {
    const pauses: number[] = [];
    const pace = new ImportPace(
      () => true,
      async (ms) => pauses.push(ms),
    );
    for (const ms of [20, 30, 150]) {
      compute(ms);
      await pace.pause();
    }
    expect(pauses[0]).to.be.within(20, 100);
    expect(pauses[1]).to.be.within(30, 100);
    expect(pauses[2]).to.equal(100);
  });

  it('has no pauses without other workspaces, and lets requests run', async () => {
    const pace = new ImportPace(
      () => false,
      async () => expect.fail('waited'),
    );
    let hasRun = false;
    void nextTurn().then(() => {
      hasRun = true;
    });
    await pace.pause();
    await nextTurn();
    expect(hasRun).to.equal(true);
  });
});
