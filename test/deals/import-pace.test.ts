import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { ImportPace } from '#src/deals/import/import-pace.js';

describe('the pace of an import', () => {
  let clock: SinonFakeTimers;

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => clock.restore());

  it('has a pause as long as the work before it while other workspaces are active, at most 100 ms', async () => {
    const pauses: number[] = [];
    const pace = new ImportPace(
      () => true,
      async (ms) => pauses.push(ms),
    );
    for (const ms of [20, 30, 150]) {
      clock.tick(ms);
      await pace.pause();
    }
    expect(pauses).to.deep.equal([20, 30, 100]);
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
