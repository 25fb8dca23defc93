import { expect } from 'chai';
import { sql } from 'kysely';
import { createLog } from '#src/platform/log.js';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { until } from '#test/support/until.js';
import { type DueWork, LeasedWorker, type WorkRunner } from '#workers/leased-worker.js';

describe('a worker with slots', () => {
  /** Wakes a worker for which this work is due, in this order, and stops it after that. */
  async function runUntil(
    isEnough: () => boolean,
    runner: WorkRunner,
    slots: number,
    ids: readonly string[],
  ): Promise<void> {
    const { app } = await OfflineDatabase.emptied();
    const selectDue = () => sql<DueWork>`select 'w' as "workspaceId", id from unnest(${ids}::text[]) id`;
    const worker = new LeasedWorker(app, { name: 'work', slots, selectDue }, runner, createLog('silent'));
    worker.wake();
    await until(isEnough);
    await worker.stop();
  }

  it('does the next piece of work if another worker holds the lease of the first', async () => {
    const tried: string[] = [];
    const run = async (_workspaceId: string, id: string) => {
      tried.push(id);
      return id === 'free';
    };
    await runUntil(() => tried.length > 1, { run }, 1, ['held', 'free', 'later']);
    expect(tried.slice(0, 2)).to.deep.equal(['held', 'free']);
  });

  it('does the next piece of work if the first fails', async () => {
    const tried: string[] = [];
    const run = async (_workspaceId: string, id: string) => {
      tried.push(id);
      if (id === 'failing') throw new Error('the workspace rejects writes');
      return true;
    };
    await runUntil(() => tried.length > 1, { run }, 1, ['failing', 'free']);
    expect(tried.slice(0, 2)).to.deep.equal(['failing', 'free']);
  });

  it('does not begin more than it has slots, and waits for them when it stops', async () => {
    const [begun, ended]: [string[], string[]] = [[], []];
    const run = async (_workspaceId: string, id: string) => {
      begun.push(id);
      await new Promise(setImmediate);
      ended.push(id);
      return true;
    };
    await runUntil(() => true, { run }, 2, ['first', 'second', 'third']);
    expect(begun).to.deep.equal(['first', 'second']);
    expect(ended).to.deep.equal(begun);
  });
});
