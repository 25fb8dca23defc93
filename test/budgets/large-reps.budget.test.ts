import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { slownessOfMachine } from './machine-speed.js';
import { ServiceMonitor } from './service-monitor.js';

const dealsOfRep = 20_000;
const dealsOfFile = 5_000;
/** How much slower than idle `/livez` may respond on the machine of the budgets. */
const maxSlowerMs = 100;
/** Other processes of the machine delay a response too. */
const attempts = 3;

describe('a rep with 20,000 deals in one attainment period', () => {
  let monitor: ServiceMonitor;
  // Before the service stops.
  after(async () => {
    await monitor?.stop();
  });
  const service = Service.duringSuite({ worker: false });
  let target: ServiceProcess;
  let api: ApiClient;
  let repId: string;
  let idleMs: number;

  before(async function () {
    this.timeout(600_000);
    const { apiKey } = await service.workspace();
    target = await service.startProcess('both', { LOG_LEVEL: 'error', NO_DEMO: '1' }, { isInstalled: true });
    api = new ApiClient(target.url, apiKey);
    [repId] = (await api.saveReps('Ann')) as [string];
    const tiers = [0, 1, 1.25].map((minThreshold, tierIndex) => ({
      tierIndex,
      minThreshold,
      rate: 0.08 + tierIndex / 25,
    }));
    const config = {
      rules: [{ name: 'R', measure: 'amount', attainmentPeriod: 'annual', tierMode: 'marginal', tiers }],
    };
    await api.createPlan({ name: 'P', config }, [repId]);
    await api.setQuota([repId], 'R', '2026', 10_000_000);
    for (let first = 0; first < dealsOfRep; first += dealsOfFile) {
      const deals = Array.from({ length: dealsOfFile }, (_, at) => ({
        dealId: `D${first + at}`,
        amount: 1000 + at,
        stage: 'Won',
        closeDate: `2026-0${1 + (at % 9)}-15`,
        repId,
        fields: { region: 'EMEA', segment: 'x'.repeat(100), product: `P${at % 30}` },
      }));
      await api.expect(200, 'POST', '/v1/deals/import', { deals });
    }
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    monitor = new ServiceMonitor(target.url, target.pid);
    // The first calls start the thread and compile the code.
    for (let round = 0; round < 3; round += 1) await breakdown(round);
    idleMs = (await monitor.during(() => sleep(1_000))).slowestMs;
  });

  async function breakdown(number: number): Promise<void> {
    const { outcomes, total } = await api.expect(200, 'GET', `/v1/commissions?dealId=D${number}`);
    expect(outcomes).to.have.length(1);
    expect(total).to.be.greaterThan(0);
  }

  async function dispute(number: number): Promise<void> {
    const body = { repId, period: '2026-01', dealId: `D${number * 9}`, type: 'wrong_amount', description: 'Too low.' };
    await api.expect(201, 'POST', '/v1/disputes', body);
  }

  for (const [name, call] of Object.entries({ breakdowns: breakdown, disputes: dispute }))
    it(`leaves /livez responsive during four ${name} at a time`, async function () {
      this.timeout(attempts * 120_000);
      const exceeded: string[] = [];
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { slowestMs } = await monitor.during(async () => {
          const started = Array.from({ length: 4 }, (_, at) => call(100 + attempt * 4 + at));
          await Promise.all(started);
        });
        const limitMs = maxSlowerMs * slownessOfMachine();
        if (slowestMs - idleMs <= limitMs) return;
        exceeded.push(`${Math.round(slowestMs)} ms (idle ${Math.round(idleMs)} ms, limit ${Math.round(limitMs)} ms)`);
      }
      expect.fail(`/livez took ${exceeded.join(', then ')}`);
    });
});
