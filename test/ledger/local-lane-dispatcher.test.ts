import { expect } from 'chai';
import { LocalLaneDispatcher } from '#src/ledger/lanes/local-lane-dispatcher.js';
import { createLog } from '#src/platform/log.js';

/** Lanes whose runs start on wake-up and end on request of the test. */
class Yard {
  readonly begun: string[] = [];
  readonly queued: string[] = [];
  private readonly ends = new Map<string, (error?: Error) => void>();
  isQueueReachable = true;
  readonly lanes = new LocalLaneDispatcher(async (_, repIds) => {
    if (this.isQueueReachable) this.queued.push(...repIds);
    return this.isQueueReachable;
  }, createLog('silent'));

  readonly run = (_: string, repId: string) => {
    this.begun.push(repId);
    return new Promise<void>((resolve, reject) =>
      this.ends.set(repId, (error) => (error === undefined ? resolve() : reject(error))),
    );
  };

  async end(repId: string, error?: Error): Promise<void> {
    this.ends.get(repId)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the local lane dispatcher', () => {
  let yard: Yard;
  beforeEach(() => {
    yard = new Yard();
  });

  it('uses the queue in a process without workers', async () => {
    await yard.lanes.wake('w', ['a']);
    expect(yard.queued).to.deep.equal(['a']);
  });

  it('runs lanes locally while a slot is free, and otherwise, or for many lanes, uses the queue', async () => {
    yard.lanes.open(yard.run);
    await yard.lanes.wake('w', ['a', 'b', 'c']);
    await yard.lanes.wake('w', ['1', '2', '3', '4', '5']);
    expect([yard.begun, yard.queued]).to.deep.equal([
      ['a', 'b'],
      ['c', '1', '2', '3', '4', '5'],
    ]);
    await yard.end('a');
    await yard.lanes.wake('w', ['d']);
    expect(yard.begun).to.deep.equal(['a', 'b', 'd']);
  });

  it('runs a lane again that was woken during its run, never twice at once', async () => {
    yard.lanes.open(yard.run);
    await yard.lanes.wake('w', ['a']);
    await yard.lanes.wake('w', ['a']);
    await yard.lanes.wake('w', ['a']);
    expect(yard.begun).to.deep.equal(['a']);
    await yard.end('a');
    expect(yard.begun).to.deep.equal(['a', 'a']);
    await yard.end('a');
    expect([yard.begun, yard.queued]).to.deep.equal([['a', 'a'], []]);
  });

  it('releases the slot when a run fails', async () => {
    yard.lanes.open(yard.run);
    await yard.lanes.wake('w', ['a', 'b']);
    await yard.end('a', new Error('as it should'));
    await yard.lanes.wake('w', ['a']);
    expect(yard.begun).to.deep.equal(['a', 'b', 'a']);
  });

  it('runs what an unreachable queue rejects, in order and each lane once, as slots become free', async () => {
    yard.isQueueReachable = false;
    await yard.lanes.wake('w', ['left to the sweep']);
    yard.lanes.open(yard.run);
    await yard.lanes.wake('w', ['1', '2', '3', '4', '5']);
    await yard.lanes.wake('w', ['4']);
    expect(yard.begun).to.deep.equal(['1', '2']);
    for (const lane of ['1', '2', '3', '4', '5']) await yard.end(lane);
    expect(yard.begun).to.deep.equal(['1', '2', '3', '4', '5']);
    await yard.lanes.close();
  });

  it('finishes running lanes on close, and then uses the queue', async () => {
    yard.lanes.open(yard.run);
    await yard.lanes.wake('w', ['a']);
    let closed = false;
    const closing = yard.lanes.close().then(() => {
      closed = true;
    });
    await yard.lanes.wake('w', ['b']);
    expect([closed, yard.queued]).to.deep.equal([false, ['b']]);
    await yard.end('a');
    await closing;
  });
});
