import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { Failure } from '#src/kernel/failure.js';
import { LargeBodies } from '#src/platform/http/large-bodies.js';

const large = 64 * 1024;

/** Occupies the process, as parsing does. */
function occupy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('the turns of large bodies', () => {
  it('come one after the other, with a pause of at least twenty times what the checks took', async () => {
    const bodies = new LargeBodies();
    const first = await bodies.turn('a', large);
    let hasSecond = false;
    const second = bodies.turn('a', large).then((turn) => {
      hasSecond = true;
      return turn;
    });
    first.spend(() => occupy(6));
    await setImmediate();
    expect(hasSecond).to.equal(false);
    first.spendLast(() => occupy(6));
    first.end();
    const endedAt = performance.now();
    (await second).end();
    // Timers may be early by a millisecond.
    expect(performance.now() - endedAt).to.be.greaterThan(239);
  });

  it('pause for two seconds per MiB where checks are fast', async () => {
    const bodies = new LargeBodies();
    (await bodies.turn('a', large)).end();
    const endedAt = performance.now();
    await bodies.turn('a', large);
    expect(performance.now() - endedAt).to.be.within(124, 1000);
  });

  it('end when a check fails', async () => {
    const bodies = new LargeBodies();
    const first = await bodies.turn('a', large);
    expect(() =>
      first.spendLast(() => {
        throw new Failure('invalid_json', 'no');
      }),
    ).to.throw('no');
    await bodies.turn('a', large);
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
