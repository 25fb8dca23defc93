import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { TenantLimiter } from '#src/platform/database/tenant-limiter.js';

/** Work that starts when it has a slot and ends when the test releases it. */
class Bench {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();
  now = 0;
  private readonly turns = new TenantLimiter(4, () => this.now);

  async request(tenant: string, name: string, fails = false): Promise<void> {
    await this.turns.run(tenant, async () => {
      this.begun.push(name);
      await new Promise<void>((resolve) => this.ends.set(name, resolve));
      if (fails) throw new Error('as it should');
    });
  }

  hasOthers(tenant: string): boolean {
    return this.turns.hasOthers(tenant);
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('TenantLimiter', () => {
  it('gives a single tenant all slots and queues the rest of its work in order', async () => {
    const bench = new Bench();
    for (const name of ['1', '2', '3', '4', '5', '6']) void bench.request('a', name);
    expect(bench.begun).to.deep.equal(['1', '2', '3', '4']);
    await bench.end('3');
    await bench.end('1');
    expect(bench.begun).to.deep.equal(['1', '2', '3', '4', '5', '6']);
  });

  it('gives a tenant more slots when the others become inactive, although none of its own work ends', async () => {
    const clock = useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const bench = new Bench();
      for (const tenant of ['b', 'c', 'd']) void bench.request(tenant, tenant);
      void bench.request('a', '1');
      void bench.request('a', '2');
      for (const tenant of ['b', 'c', 'd']) await bench.end(tenant);
      expect(bench.begun).to.deep.equal(['b', 'c', 'd', '1']);
      bench.now += 2000;
      await clock.tickAsync(1000);
      expect(bench.begun).to.deep.equal(['b', 'c', 'd', '1', '2']);
      expect(clock.countTimers()).to.equal(0);
    } finally {
      clock.restore();
    }
  });

  it('returns whether another tenant has work, or had some in the last second', async () => {
    const bench = new Bench();
    expect(bench.hasOthers('a')).to.equal(false);
    void bench.request('a', 'a1');
    expect([bench.hasOthers('a'), bench.hasOthers('b')]).to.deep.equal([false, true]);
    void bench.request('b', 'b1');
    bench.now += 5000;
    expect(bench.hasOthers('a')).to.equal(true);
    await bench.end('b1');
    void bench.request('c', 'c1');
    await bench.end('c1');
    bench.now += 999;
    expect(bench.hasOthers('a')).to.equal(true);
    bench.now += 1;
    expect(bench.hasOthers('a')).to.equal(false);
  });

  it('starts the work of a second tenant at once and limits the first to half of the slots', async () => {
    const bench = new Bench();
    for (const name of ['1', '2', '3', '4', '5', '6']) void bench.request('a', name);
    void bench.request('b', 'b1');
    void bench.request('b', 'b2');
    void bench.request('b', 'b3');
    expect(bench.begun.slice(4)).to.deep.equal(['b1', 'b2']);
    await bench.end('1');
    await bench.end('2');
    expect(bench.begun.slice(6)).to.deep.equal([]);
    await bench.end('3');
    expect(bench.begun.slice(6)).to.deep.equal(['5']);
  });

  it('gives the slots of a tenant without work for a second to waiting work', async () => {
    const bench = new Bench();
    void bench.request('b', 'b1');
    await bench.end('b1');
    for (const name of ['1', '2', '3', '4']) void bench.request('a', name);
    expect(bench.begun).to.deep.equal(['b1', '1', '2']);
    bench.now = 1001;
    await bench.end('1');
    expect(bench.begun).to.deep.equal(['b1', '1', '2', '3', '4']);
  });

  it('gives each of many tenants one slot, and a failure releases its slot', async () => {
    const bench = new Bench();
    const failing = bench.request('t0', 'fails', true).catch((error: Error) => error.message);
    for (let tenant = 1; tenant < 10; tenant += 1) void bench.request(`t${tenant}`, `t${tenant}`);
    void bench.request('t0', 'next');
    expect(bench.begun).to.have.length(10);
    await bench.end('fails');
    expect(await failing).to.equal('as it should');
    expect(bench.begun.at(-1)).to.equal('next');
  });
});
