import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { Failure } from '#src/kernel/failure.js';
import { LargeBodies } from '#src/platform/http/large-bodies.js';

const large = 64 * 1024;

describe('the turns of large bodies', () => {
  let clock: SinonFakeTimers;

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  });
  afterEach(() => clock.restore());

  it('come one after the other, with a pause of at least twenty times what the checks took', async () => {
    const bodies = new LargeBodies();
    const first = await bodies.turn('a', large);
    let hasSecond = false;
    const second = bodies.turn('a', large).then((turn) => {
      hasSecond = true;
      return turn;
    });
    first.spend(() => clock.tick(6));
    await setImmediate();
    expect(hasSecond).to.equal(false);
    first.spendLast(() => clock.tick(6));
    first.end();
    await clock.tickAsync(239);
    expect(hasSecond).to.equal(false);
    await clock.tickAsync(1);
    (await second).end();
  });

  it('pause for two seconds per MiB where checks are fast', async () => {
    const bodies = new LargeBodies();
    (await bodies.turn('a', large)).end();
    let hasSecond = false;
    const second = bodies.turn('a', large).then(() => {
      hasSecond = true;
    });
    await clock.tickAsync(124);
    expect(hasSecond).to.equal(false);
    await clock.tickAsync(1);
    await second;
  });

  it('end when a check fails', async () => {
    const bodies = new LargeBodies();
    const first = await bodies.turn('a', large);
    expect(() =>
      first.spendLast(() => {
        throw new Failure('invalid_json', 'no');
      }),
    ).to.throw('no');
    const second = bodies.turn('a', large);
    await clock.tickAsync(3000);
    await second;
  });

  it('do not delay small bodies and those of other workspaces', async () => {
    const bodies = new LargeBodies();
    await bodies.turn('a', large);
    await bodies.turn('a', large - 1);
    await bodies.turn('b', large);
  });

  it('are rejected with 429 when sixteen bodies of the workspace wait', async () => {
    const bodies = new LargeBodies();
    const turns = Array.from({ length: 17 }, () => bodies.turn('a', large));
    const error = await bodies.turn('a', large).catch((failure: unknown) => failure);
    expect(error).to.include({ code: 'rate_limited' });
    expect((error as Failure).details).to.deep.equal({ retryAfter: 3 });
    await bodies.turn('b', large);
    await turns[0];
  });
});
