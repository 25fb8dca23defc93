import { expect } from 'chai';
import { runAll } from './support/after-file.js';

describe('cleanups after tests', () => {
  it('are all run when some fail, and the first error is thrown', async () => {
    const run: string[] = [];
    const cleanup = (name: string, error?: Error) => async () => {
      run.push(name);
      if (error !== undefined) throw error;
    };
    const [first, second] = [new Error('first'), new Error('second')];
    const thrown = await runAll([cleanup('a', first), cleanup('b'), cleanup('c', second), cleanup('d')]).catch(
      (error: unknown) => error,
    );
    expect(run).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(thrown).to.equal(first);
  });

  it('throw nothing when none fails', async () => {
    await runAll([async () => undefined]);
  });
});
