import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { expect } from 'chai';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const condition = (at: number) => ({ field: `f${at % 7}`, fieldType: 'text', operator: 'not_equals', value: `v${at}` });
const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
const rules = (count: number, conditions: unknown[]) =>
  many(count, (at) => ({ name: `R${at}`, measure: 'amount', conditions, tiers: [tier] }));
const deals = (count: number) =>
  many(count, (at) => ({ dealId: `d${at}`, amount: 100, stage: 'Won', closeDate: '2026-01-15' }));
const pairs = (count: number) => many(count, (at) => ({ operator: 'or', rules: [condition(at), condition(at + 1)] }));
/** A simulation near the limit of the cost: 50 rules of 75 conditions, and 500 deals. */
const expensive = {
  config: { rules: rules(50, [{ operator: 'or', rules: many(50, condition) }, ...many(25, condition)]) },
  period: '2026-01',
  deals: deals(500),
};

describe('limits of simulations', () => {
  const service = Service.duringSuite({ worker: false });
  let api: ApiClient;
  let repId: string;

  before(async () => {
    ({ api } = await service.workspace());
    [repId] = await api.saveReps('Ann');
  });

  /** The CPU time of this thread in milliseconds: unlike time, it does not depend on other processes of the machine. */
  const computedMs = () =>
    Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

  /** The longest computation between two turns of the event loop while the work ran. */
  async function maxBlockMs(work: () => Promise<unknown>): Promise<number> {
    let max = 0;
    let last = computedMs();
    const timer = setInterval(() => {
      const now = computedMs();
      max = Math.max(max, now - last);
      last = now;
    }, 10);
    await work();
    clearInterval(timer);
    return max;
  }

  it('returns 400 plan_too_complex with the figure and the limit before it calculates anything', async () => {
    const startedAt = performance.now();
    const config = { rules: rules(50, pairs(50)) };
    const simulated = api.post('/v1/commissions/simulate', { ...expensive, config, repId });
    const { details } = await expectError('400 plan_too_complex', simulated);
    expect(details).to.deep.equal({ cost: 50 * 101, limit: 5000 });
    expect(performance.now() - startedAt).to.be.lessThan(5_000);
  });

  it('counts the deals of a simulation', async () => {
    const config = { rules: rules(50, pairs(49)) };
    const simulated = api.post('/v1/commissions/simulate', { ...expensive, config, repId });
    const { details } = await expectError('400 plan_too_complex', simulated);
    expect(details).to.deep.equal({ cost: 501 * 50 * 99, limit: 2_000_000 });
  });

  it('runs the largest simulation in a thread, and omits what exceeds 8 MiB', async () => {
    let answer: ApiResponse | undefined;
    const blocked = await maxBlockMs(async () => {
      answer = await api.post('/v1/commissions/simulate', { ...expensive, repId });
    });
    const { status, body } = answer as ApiResponse;
    expect(status, JSON.stringify(body).slice(0, 500)).to.equal(200);
    expect(body.omitted).to.deep.equal(['reps.rules.deals', 'reps.outcomes']);
    expect(body.total).to.equal(50 * 500 * 10);
    expect(body.reps[0].rules[0]).to.include({ name: 'R0', total: 500 * 10 });
    expect(body.reps[0].outcomes).to.deep.equal([]);
    // Includes reading the response in this process. Without the thread the event loop was blocked for seconds.
    expect(blocked).to.be.lessThan(300);
  });
});
