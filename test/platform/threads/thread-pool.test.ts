import { expect } from 'chai';
import { ThreadLimitExceeded, ThreadPool } from '#src/platform/threads/thread-pool.js';

const script = new URL('./sample-thread.js', import.meta.url);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Longer than any task takes that ends by itself. */
const generousMs = 200_000;

describe('the thread pool', () => {
  let pool: ThreadPool;
  let limits: { threads: number; heapMb: number; deadlineMs: number };

  beforeEach(() => {
    limits = { threads: 2, heapMb: 64, deadlineMs: generousMs };
    pool = new ThreadPool(script, limits);
  });
  afterEach(() => pool.close());

  const outcomeOf = async (key: string, ...parts: unknown[]) =>
    pool.run(key, parts).then(text, (error: unknown) => error as Error);

  it('runs tasks of several parts, one after another in the same thread', async () => {
    expect(await outcomeOf('a', 'echo', 1, 2)).to.equal('[1,2]');
    expect(await outcomeOf('a', 'echo', 3)).to.equal('[3]');
  });

  it('terminates a task at its deadline and runs the next one', async () => {
    limits.deadlineMs = 100;
    const outcome = await outcomeOf('a', 'loop');
    limits.deadlineMs = generousMs;
    expect(outcome).to.be.instanceOf(ThreadLimitExceeded).with.property('limit', 'time');
    expect(await outcomeOf('a', 'echo', 1)).to.equal('[1]');
  });

  it('ends a task that fills its heap, and not the process', async () => {
    await pool.close();
    pool = new ThreadPool(script, { threads: 1, heapMb: 32, deadlineMs: generousMs });
    const outcome = await outcomeOf('a', 'fill');
    expect(outcome).to.be.instanceOf(ThreadLimitExceeded).with.property('limit', 'memory');
    expect(await outcomeOf('a', 'echo', 1)).to.equal('[1]');
  });

  it('rejects with the failure or the error of the task', async () => {
    expect(await outcomeOf('a', 'fail')).to.include({ code: 'rep_not_found', message: 'no' });
    expect(String(await outcomeOf('a', 'throw'))).to.contain('a worker thread failed: Error: oops');
  });

  it('runs one task of a key at a time, so that others are served', async () => {
    const isReleased = new Int32Array(new SharedArrayBuffer(4));
    const first = outcomeOf('a', 'wait', isReleased);
    const second = outcomeOf('a', 'echo', 2);
    // The second task would wait behind the first one if it had taken the other thread.
    expect(await outcomeOf('b', 'echo', 1)).to.equal('[1]');
    Atomics.store(isReleased, 0, 1);
    Atomics.notify(isReleased, 0);
    await first;
    expect(await second).to.equal('[2]');
  });

  it('has a free thread until as many keys run as it has threads, so that work which holds one may await another', async () => {
    const nested = await pool.hold('a', async (run) => {
      expect(pool.hasFreeThread).to.equal(true);
      const second = pool.hold('a second', (runSecond) => runSecond(['echo', 2]));
      expect(pool.hasFreeThread).to.equal(false);
      return [await run(['echo', 1]), await second].map(text);
    });
    expect(nested).to.deep.equal(['[1]', '[2]']);
  });

  it('fails with a part that cannot be sent, or a thread that ends while parts are sent, and runs the next task', async () => {
    expect(await outcomeOf('a', 'echo', () => 1)).to.include({ name: 'DataCloneError' });
    const ending = new AbortController();
    const parts = Array.from({ length: 1000 }, (_, part) => part);
    const aborted = pool.hold('a', (run) => run(['echo', ...parts], { signal: ending.signal }));
    setImmediate(() => ending.abort(new Error('no longer needed')));
    expect(String(await aborted.catch((error: unknown) => error))).to.equal('Error: no longer needed');
    expect(await outcomeOf('a', 'echo', 1)).to.equal('[1]');
  });

  it('replies to the requests of a task', async () => {
    const reply = async (request: unknown) => Number(request) * 2;
    const result = await pool.hold('a', (run) => run(['request', 1, 2], { reply }));
    expect(text(result)).to.equal('[2,4]');
  });

  it('rejects with the error of a reply, and runs the next task in another thread', async () => {
    const error = new Error('no connection');
    const reply = () => Promise.reject(error);
    const outcomes = await pool.hold('a', async (run) => {
      const failed = await run(['request', 1], { reply }).catch((thrown: unknown) => thrown);
      return [failed, text(await run(['echo', 1]))];
    });
    expect(outcomes).to.deep.equal([error, '[1]']);
    expect(String(await outcomeOf('a', 'request', 1))).to.contain('must not send');
  });

  it('holds a thread for work, and begins other work of the key after it', async () => {
    const events: string[] = [];
    const first = pool.hold('a', async (run) => {
      events.push('first begins');
      await run(['echo', 1]);
      events.push('first ends');
    });
    await Promise.all([first, pool.hold('a', async () => events.push('second'))]);
    expect(events).to.deep.equal(['first begins', 'first ends', 'second']);
    const failed = pool.hold('a', () => Promise.reject(new Error('rolled back')));
    expect(String(await failed.catch((error: unknown) => error))).to.equal('Error: rolled back');
  });

  it('rejects more than five waiting tasks of a requester, and more than a hundred of a key', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = pool.hold('a', () => released);
    const hold = (requester: number) => pool.hold('a', async () => requester, String(requester));
    const rejected = (work: Promise<unknown>) => work.catch(({ code }) => code);
    const waiting = [0, 0, 0, 0, 0, ...Array.from({ length: 95 }, (_, index) => index + 1)].map(hold);
    expect(await Promise.all([rejected(hold(0)), rejected(hold(200))])).to.deep.equal(['rate_limited', 'rate_limited']);
    release();
    await running;
    expect(await Promise.all(waiting)).to.have.lengthOf(100);
  });

  it('rejects more than five waiting tasks of a key without requesters', async () => {
    const all = Array.from({ length: 7 }, () => outcomeOf('a', 'echo', 1));
    const outcomes = await Promise.all(all);
    expect(outcomes.filter((one) => one === '[1]')).to.have.lengthOf(6);
    expect(outcomes.at(-1)).to.include({ code: 'rate_limited' });
  });
});
