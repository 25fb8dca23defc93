import 'reflect-metadata';
import { expect } from 'chai';
import { deliver } from '#fakes/deliveries.js';
import {
  type CrmWorld,
  crmWorlds,
  payEveryone,
  startServiceFor,
  untilInboxEmpty,
  type WriteFields,
} from '#test/support/crm-worlds.js';
import { query } from '#test/support/ledger-checks.js';
import { type ApiClient, type TestService } from '#test/support/test-service.js';

/** Number of deals, and of the requests that they take: crm-a has no request for several deals. */
const sizes = { crma: [12, 12], crmb: [120, 2], crmc: [30, 1] } as const;

describe('commission in the deals of the CRM', function () {
  this.timeout(120_000);

  for (const { provider, start } of crmWorlds) {
    describe(provider, () => {
      const [deals, requests] = sizes[provider];
      let world: CrmWorld;
      let service: TestService;
      let api: ApiClient;
      let workspaceId: string;
      let fields: WriteFields;

      before(async () => {
        world = await start();
        service = await startServiceFor([world], { CRM_POLL_SECONDS: '86400' });
        ({ workspaceId, api } = await service.workspace({ currency: world.currency }));
        const ada = world.addPerson('Ada');
        const deal = { owner: ada, amount: 1000, won: true, closeDate: '2026-02-10' };
        for (let index = 0; index < deals; index += 1) world.addDeal(deal);
        await world.connect(api, service.url);
        await sync();
        await payEveryone(api);
        fields = world.prepareWrites();
        world.takeDeliveries();
      });

      after(async () => {
        await service?.stop();
        await world?.stop();
      });

      const base = `/v1/integrations/${provider}`;
      const status = () => api.expect(200, 'GET', `${base}/write-back`);
      const sync = () => api.expect(200, 'POST', '/v1/commissions/sync', {});
      const writes = () => world.server.countRequests(world.writing);
      const set = async (writeBack: object | null) => {
        await api.expect(200, 'PUT', `${base}/settings`, { writeBack });
        await sync();
      };
      const count = async (text: string) => {
        const [row] = await query<{ n: number }>(service.database.ownerUrl, text, [workspaceId]);
        return row?.n ?? 0;
      };
      /** Resolves when every change is calculated and nothing is left to write. */
      async function untilWritten(): Promise<void> {
        const left = `select (select count(*) from write_back_requests where workspace_id = $1)::int
          + (select count(*) from deal_write_backs where workspace_id = $1 and due_at <= now())::int
          + (select count(*) from crm_write_backs where workspace_id = $1 and checked_at is null)::int as n`;
        await service.waitForCalculations(workspaceId);
        const deadline = Date.now() + 30_000;
        while ((await count(left)) > 0) {
          if (Date.now() > deadline)
            throw new Error(`commission is still not written: ${JSON.stringify(await status())}`);
          await service.running.service.writeBackRunner.run(workspaceId);
        }
      }
      async function deliverAll(): Promise<number> {
        const deliveries = world.takeDeliveries();
        for (const delivery of deliveries) expect(await deliver(delivery)).to.be.within(200, 299);
        await untilInboxEmpty(service.database.ownerUrl);
        return deliveries.length;
      }

      it('is not written before an admin names the fields', async () => {
        await service.waitForCalculations(workspaceId);
        expect(await status()).to.include({ enabled: false, waiting: 0, written: 0, checkedAt: null });
        expect(await count('select count(*)::int as n from write_back_requests where workspace_id = $1')).to.equal(0);
        await api.expect(409, 'POST', `${base}/write-back/check`);
        expect(writes()).to.equal(0);
      });

      it('is written in batches, once for each deal', async () => {
        await set(fields);
        await untilWritten();
        expect(await status()).to.deep.include({ enabled: true, findings: [], waiting: 0, written: deals, failed: 0 });
        expect(writes()).to.equal(requests + (provider === 'crmb' ? 1 : 0), 'requests, and one of the check');
        const events = await query<{ dealId: string; amount: string; after: string }>(
          service.database.ownerUrl,
          `select deal_key as "dealId", amount::text, split_part(trace, ',', 4) as after from commission_events
            where workspace_id = $1 and status = 'earned'`,
          [workspaceId],
        );
        expect(events.length).to.equal(deals);
        for (const { dealId, amount, after } of events)
          expect(world.written(dealId)).to.deep.equal({
            commission: Number(amount),
            state: 'Earned',
            currency: world.currency,
            attainment: Number(after) / 5000,
          });
      });

      it('leads to no calculation and no further write when the CRM reports the writes', async () => {
        const before = { writes: writes(), reads: world.server.countRequests(world.reading) };
        const runs = await count('select count(*)::int as n from audit_runs where workspace_id = $1');
        const versions = await count('select count(*)::int as n from deal_versions where workspace_id = $1');
        expect(await deliverAll(), 'the CRM reports our writes').to.be.at.least(1);
        // The events of crm-c do not say what has changed.
        if (provider !== 'crmc') expect(world.server.countRequests(world.reading)).to.equal(before.reads);
        const { counts } = await sync();
        expect(counts).to.include({ totalDeals: deals, unchanged: deals });
        await untilWritten();
        expect(writes()).to.equal(before.writes);
        expect(await count('select count(*)::int as n from deal_versions where workspace_id = $1')).to.equal(versions);
        const entries = await count('select count(*)::int as n from audit_runs where workspace_id = $1');
        expect(entries, 'only the sync has an entry: nothing was calculated').to.equal(runs + 1);
      });
    });
  }
});
