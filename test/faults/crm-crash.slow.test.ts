import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, payEveryone, randomDeal, untilInboxEmpty } from '#test/support/crm-worlds.js';
import { freePort } from '#test/support/free-port.js';
import { expectSoundLedger, query } from '#test/support/ledger-checks.js';
import { Random } from '#test/support/random.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { until } from '#test/support/until.js';

const changes = 150;
const kills = 4;

/** Number of deals and page size per CRM. A sync fetches several pages. */
const sizes = { crma: [1700, 500], crmb: [900, 100], crmc: [4200, 2000] } as const;
/** Runs one CRM by default, and all of them with CRM_CRASH=all. */
const crashed = process.env['CRM_CRASH'] === 'all' ? crmWorlds : crmWorlds.slice(0, 1);

for (const { provider, start } of crashed) {
  describe(`deliveries and syncs of ${provider} under kill -9`, function () {
    this.timeout(300_000);
    const [deals, page] = sizes[provider];
    const random = new Random(Number(process.env['CRM_SEED'] ?? 7));
    let world: CrmWorld;
    let api: ServiceProcess;
    let worker: ServiceProcess;
    let service: ServiceProcesses;
    let client: ApiClient;
    let workspaceId: string;

    before(async () => {
      world = await start();
      const port = String(await freePort());
      const settings = { PUBLIC_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'error', ...world.environment };
      service = await ServiceProcesses.start({ settings });
      [api, worker] = await Promise.all([service.startProcess('api', { PORT: port }), service.startProcess('worker')]);
      ({ workspaceId, api: client } = await service.workspace({ currency: world.currency }));
    });

    after(async () => {
      await service?.stop();
      await world?.stop();
    });

    const count = async (text: string) => {
      const [row] = await query<{ n: number }>(service.database.ownerUrl, text, [workspaceId]);
      return row?.n ?? 0;
    };

    const untilTrue = (isSo: () => Promise<boolean>) => until(() => isSo().catch(() => false), { what: String(isSo) });

    it('resumes a sync at the stored page after its worker was killed', async () => {
      const people = ['Ada', 'Ben', 'Cy'].map((name) => world.addPerson(name));
      for (let index = 0; index < deals; index += 1) world.addDeal(randomDeal(random, people));
      // Disables polling, since the first poll would fetch all deals.
      if (provider === 'crmc')
        await client.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
      await world.connect(client, service.url);
      const { jobId } = await client.expect(200, 'POST', '/v1/commissions/sync', { async: true });
      await untilTrue(async () => (await count('select count(*)::int as n from deals where workspace_id = $1')) > 0);
      await worker.end('SIGKILL');
      const before = world.server.countRequests(world.listing);
      expect(
        await count(`select count(*)::int as n from jobs where workspace_id = $1 and status = 'running'`),
      ).to.equal(1);
      await worker.start();
      await untilTrue(async () => {
        const job = await client.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
        return job.status === 'completed';
      });
      expect(await count('select count(*)::int as n from deals where workspace_id = $1')).to.equal(deals);
      expect(await count('select count(*)::int as n from deal_versions where workspace_id = $1')).to.equal(deals);
      expect(world.server.countRequests(world.listing) - before).to.be.at.most(Math.ceil(deals / page));
      await payEveryone(client);
    });

    it('loses no accepted delivery when API and worker processes are killed at random', async () => {
      world.takeDeliveries();
      const people = ['Ada', 'Ben', 'Cy'];
      const owners = (await client.expect(200, 'GET', '/v1/reps')).reps
        .filter((rep: { name: string }) => people.some((name) => rep.name.startsWith(name)))
        .map((rep: { crmMemberId: string }) => rep.crmMemberId);
      let sending = true;
      const killing = (async () => {
        for (let done = 0; done < kills && sending; done += 1) {
          const half = random.below(2) === 0 ? api : worker;
          await sleep(200 + random.below(600));
          await half.end('SIGKILL');
          await half.start();
        }
      })();
      for (let index = 0; index < changes; index += 1) {
        const { won, amount, owner } = randomDeal(random, owners);
        const dealId = random.of(world.liveDealIds());
        if (index % 25 === 0) world.delete(dealId);
        else world.change(dealId, random.below(2) === 0 ? { won, amount } : { owner });
        // Repeats a delivery until it is accepted, as the CRM does.
        for (const delivery of world.takeDeliveries()) await untilAccepted(delivery);
        await sleep(20);
      }
      await killing;
      sending = false;
      await untilInboxEmpty(service.database.ownerUrl);
      await untilTrue(
        async () => (await count('select count(*)::int as n from calculation_requests where workspace_id = $1')) === 0,
      );
      await expectSoundLedger(service.database.ownerUrl, workspaceId);
      const { counts } = await client.expect(200, 'POST', '/v1/commissions/sync', { reconcile: true });
      expect(counts, 'every deal was stored already').to.include({ unchanged: counts.totalDeals });
      const again = await client.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect(again).to.include({ eventsWritten: 0, eventsReversed: 0 });
    });

    async function untilAccepted(delivery: Delivery): Promise<void> {
      for (;;) {
        const status = await deliver(delivery);
        if (status >= 200 && status < 300) return;
        if (status !== 0 && status < 500) throw new Error(`a delivery was rejected with status ${status}`);
        await sleep(50);
      }
    }
  });
}
