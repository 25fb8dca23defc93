import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { EventLoopSlice, inParallel, mapInParallel, yieldToOthers } from '#src/kernel/waiting.js';

describe('long computations', () => {
  /** Yields this often, and calls `onSlice` in each slice. */
  async function compute(slices: number, onSlice: () => void): Promise<void> {
    for (let slice = 0; slice < slices; slice += 1) {
      await yieldToOthers();
      onSlice();
    }
  }

  it('run one at a time between two turns of the event loop, however many there are', async () => {
    let slices = 0;
    let turns = 0;
    let isDone = false;
    const done = Promise.all(Array.from({ length: 8 }, () => compute(5, () => (slices += 1)))).then(() => {
      isDone = true;
    });
    while (!isDone) {
      const before = slices;
      await nextTurn();
      turns += 1;
      expect(slices - before).to.be.at.most(1);
    }
    await done;
    expect(slices).to.equal(40);
    expect(turns).to.be.at.least(40);
  });

  it('take turns in the order in which they yielded', async () => {
    const order: string[] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => compute(2, () => order.push(name))));
    expect(order).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('continue without a pause until a slice of 10 ms is over', async () => {
    const clock = useFakeTimers({ toFake: ['performance'] });
    try {
      const slice = new EventLoopSlice();
      let turns = 0;
      const counting = nextTurn().then(() => {
        turns += 1;
      });
      clock.tick(9);
      await slice.pause();
      expect(turns).to.equal(0);
      clock.tick(1);
      await slice.pause();
      await counting;
      expect(slice.isOver).to.equal(false);
    } finally {
      clock.restore();
    }
  });
});

describe('steps in parallel', () => {
  const failsLater = async () => {
    await nextTurn();
    throw new Error('later');
  };
  const throwsAtOnce = (): Promise<void> => {
    throw new Error('at once');
  };

  it('start in their order and return their results in it', async () => {
    const started: string[] = [];
    const [first, second] = await inParallel(
      async () => {
        started.push('first');
        await nextTurn();
        return 1;
      },
      () => {
        started.push('second');
        return 'two';
      },
    );
    expect([first, second, started]).to.deep.equal([1, 'two', ['first', 'second']]);
    expect(await mapInParallel(new Set([1, 2]), async (item) => item * 2)).to.deep.equal([2, 4]);
  });

  for (const [name, run] of [
    ['steps', () => inParallel(failsLater, throwsAtOnce)],
    ['calls', () => mapInParallel([failsLater, throwsAtOnce], (step) => step())],
  ] as const)
    it(`leave no rejection unhandled when one of the ${name} throws`, async () => {
      const unhandled: unknown[] = [];
      const listeners = process.listeners('unhandledRejection');
      process.removeAllListeners('unhandledRejection').on('unhandledRejection', (reason) => unhandled.push(reason));
      try {
        const error = await run().catch((reason: Error) => reason);
        expect((error as Error).message).to.equal('at once');
        await nextTurn();
        await nextTurn();
        expect(unhandled).to.deep.equal([]);
      } finally {
        process.removeAllListeners('unhandledRejection');
        for (const listener of listeners) process.on('unhandledRejection', listener);
      }
    });
});
