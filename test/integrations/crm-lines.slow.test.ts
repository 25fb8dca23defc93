import { expect } from 'chai';
import { expectSoundLedger, query } from '#test/support/ledger-checks.js';
import { type CrmWithLines, startCrma, startCrmb, startCrmc } from '#test/support/selling-crms.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { flatTier } from '#test/support/terms.js';
import { until } from '#test/support/until.js';

/** The larger number of deals, each with three lines. */
const many = Number(process.env['LINE_DEALS'] ?? 2000);
const few = many / 4;
/** Four times the deals may take this many times the requests, since a kill repeats pages; quadratic work takes 16 times. */
const maxGrowth = 7;

const items = [600, 300, 100];
const rate = 0.1;

interface Synced {
  /** Number of requests of the first sync. */
  readonly requests: number;
}

/**
 * Syncs the deals, then again after the third line of every tenth deal was removed. `isKilled`: the worker is killed
 * during the first sync, which its successor continues.
 */
async function sync(start: () => Promise<CrmWithLines>, deals: number, isKilled: boolean): Promise<Synced> {
  const crm = await start();
  const settings = { ...crm.environment, CRM_POLL_SECONDS: '86400', LOG_LEVEL: 'error' };
  const service = await ServiceProcesses.start({ settings, processes: ['api'] });
  try {
    const worker = await service.startProcess('worker');
    const { api, workspaceId } = await service.workspace({ currency: 'USD' });
    const { ownerUrl } = service.database;
    const read = async (text: string): Promise<number> => {
      const [row] = await query<{ value: number }>(ownerUrl, `select ${text} as value`, [workspaceId]);
      return row?.value ?? 0;
    };
    const ids = Array.from({ length: deals }, () => {
      const dealId = crm.addDeal('ada');
      return items.map((amount) => crm.addItem(dealId, { name: 'Suite', amount }));
    });
    await api.expect(200, 'POST', `/auth/workspace/connect-${crm.provider}`, crm.token());
    await api.expect(200, 'PATCH', `/v1/integrations/${crm.provider}`, { syncEnabled: false });
    await api.expect(200, 'PUT', `/v1/integrations/${crm.provider}/settings`, { lines: crm.lines });
    await api.expect(200, 'POST', '/v1/reps/sync', {});
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const { id: ada } = reps.find(({ email }: { email: string }) => email === 'ada@lines.io');
    const rule = { name: 'Products', measure: 'line.amount', lines: {}, tiers: flatTier(rate) };
    await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ada]);
    const syncAll = async (meanwhile?: () => Promise<void>) => {
      const { jobId } = await api.expect(200, 'POST', '/v1/commissions/sync', { async: true });
      await meanwhile?.();
      await until(async () => (await api.job(jobId)).status !== 'running', { what: 'the sync', withinMs: 600_000 });
      expect(await api.job(jobId)).to.include({ status: 'completed' });
      await service.waitForCalculations(workspaceId);
    };
    const expectPaid = async (lines: number, amount: number) => {
      expect(await read('(select count(*)::int from deal_lines where workspace_id = $1)')).to.equal(lines);
      const earned = `(select coalesce(sum(amount), 0)::float8 from commission_events
        where workspace_id = $1 and status = 'earned')`;
      expect(await read(earned)).to.equal(amount);
      await expectSoundLedger(ownerUrl, workspaceId);
    };
    const before = crm.server.countRequests(/./);
    await syncAll(async () => {
      if (!isKilled) return;
      await until(async () => (await read('(select count(*)::int from deals where workspace_id = $1)')) > 0);
      await worker.end('SIGKILL');
      await worker.start();
    });
    const requests = crm.server.countRequests(/./) - before;
    await expectPaid(3 * deals, deals * 1000 * rate);
    const removed = ids.filter((_, index) => index % 10 === 0).flatMap(([, , third]) => third ?? []);
    for (const id of removed) crm.removeItem(id);
    await syncAll();
    await expectPaid(3 * deals - removed.length, (deals * 1000 - removed.length * 100) * rate);
    return { requests };
  } finally {
    await service.stop();
    await crm.stop();
  }
}

describe('a sync of deals with lines', function () {
  this.timeout(900_000);

  for (const [name, start] of [
    ['crm-a', startCrma],
    ['crm-b', startCrmb],
    ['crm-c', startCrmc],
  ] as const) {
    let undisturbed: Synced;

    it(`of ${name} pays each line, and takes back those that are removed: ${few} deals`, async () => {
      undisturbed = await sync(start, few, false);
    });

    it(`of ${name} continues after kill -9, with requests in proportion to the deals: ${many} deals`, async () => {
      const { requests } = await sync(start, many, true);
      expect(requests, `${undisturbed.requests} for a quarter`).to.be.at.most(maxGrowth * undisturbed.requests);
    });
  }
});
