import { expect } from 'chai';
import { LocalLaneDispatcher } from '#src/ledger/local-lane-dispatcher.js';
import { createLog } from '#src/platform/log.js';

/** Lanes whose runs begin when they are woken and end when they are told to. */
class Yard {
  readonly begun: string[] = [];
  readonly queued: string[] = [];
  private readonly ends = new Map<string, (error?: Error) => void>();
  readonly lanes = new LocalLaneDispatcher(async (_, repIds) => {
    this.queued.push(...repIds);
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

describe('lanes nearby', () => {
  let yard: Yard;
  beforeEach(() => {
    yard = new Yard();
  });

  it('go through the queue where nobody works lanes', async () => {
    await yard.lanes.wake('w', ['a']);
    expect(yard.queued).to.deep.equal(['a']);
  });

  it('are run here while there is a turn, and through the queue when there is none, or when they are many', async () => {
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

  it('are run again when they were woken while they ran, and never twice at once', async () => {
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

  it('give their turn back when a run fails', async () => {
    yard.lanes.open(yard.run);
    await yard.lanes.wake('w', ['a', 'b']);
    await yard.end('a', new Error('as it should'));
    await yard.lanes.wake('w', ['a']);
    expect(yard.begun).to.deep.equal(['a', 'b', 'a']);
  });

  it('are finished before the process ends, and then go through the queue', async () => {
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
