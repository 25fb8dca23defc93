import { expect } from 'chai';
import { sql } from 'kysely';
import { deliver } from '#fakes/deliveries.js';
import { type CrmAccount } from '#src/crm/adapters/port.js';
import { type WriteFinding, type WriteProblem } from '#src/crm/adapters/write-back.js';
import { CrmAccounts } from '#src/crm/connections/crm-accounts.js';
import { WriteBackRunner } from '#src/crm/write-back/write-back-runner.js';
import { recordRejected } from '#src/crm/write-back/write-back-store.js';
import { withDryRun } from '#src/platform/database/dry-run.js';
import { JobQueue } from '#src/platform/jobs/job-queue.js';
import { LeaseLost, Leases } from '#src/platform/jobs/leases.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, payEveryone, untilInboxEmpty, type WriteFields } from '#test/support/crm-worlds.js';
import { Service } from '#test/support/service.js';

/** Number of deals, and of the requests that they take: crm-a has no request for several deals. */
const sizes = { crma: [12, 12], crmb: [120, 2], crmc: [30, 1] } as const;

describe('commission in the deals of the CRM', () => {
  for (const { provider, start } of crmWorlds) {
    describe(provider, () => {
      const [deals, requests] = sizes[provider];
      let world: CrmWorld;
      let service: Service;
      let api: ApiClient;
      let workspaceId: string;
      let fields: WriteFields;

      before(async () => {
        world = await start();
        service = await Service.start({ crms: [world], settings: { CRM_POLL_SECONDS: '86400' } });
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
        const [row] = await service.sql<{ n: number }>(text, workspaceId);
        return row?.n ?? 0;
      };
      const untilWritten = () => service.waitForWriteBacks(workspaceId);
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
        const events = await service.sql<{ dealId: string; amount: string; after: string }>(
          `select deal_key as "dealId", amount::text, split_part(trace, ',', 4) as after from commission_events
            where workspace_id = $1 and status = 'earned'`,
          workspaceId,
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

      it('is written again only for deals whose values have changed', async () => {
        await set({ commission: fields.commission, state: fields.state });
        await untilWritten();
        await deliverAll();
        const before = writes();
        const [dealId = ''] = world.liveDealIds();
        world.change(dealId, { amount: 3000 });
        await deliverAll();
        await untilWritten();
        expect(world.written(dealId)).to.include({ commission: 240, state: 'Earned' });
        expect(writes()).to.equal(before + 1);
      });

      it('is 0 and Reversed when the deal no longer pays', async () => {
        const [, dealId = ''] = world.liveDealIds();
        world.change(dealId, { won: false });
        await deliverAll();
        await untilWritten();
        expect(world.written(dealId)).to.include({ commission: 0, state: 'Reversed' });
      });

      it('is Approved while the statement of the period is approved', async () => {
        const [dealId = ''] = world.liveDealIds();
        const { reps } = await api.expect(200, 'GET', '/v1/reps');
        const repId = reps.find(({ name }: { name: string }) => name.startsWith('Ada')).id;
        await api.generate(repId, '2026-02');
        await api.approve(repId, '2026-02');
        await untilWritten();
        expect(world.written(dealId)).to.include({ commission: 240, state: 'Approved' });
        await api.unlock(repId, '2026-02');
        await untilWritten();
        expect(world.written(dealId)).to.include({ commission: 240, state: 'Earned' });
      });

      it('of a deal that the CRM rejects is listed with the reason, does not delay others, and is written after a check', async () => {
        const [, , rejected = '', other = ''] = world.liveDealIds();
        world.reject(rejected, true);
        for (const dealId of [rejected, other]) world.change(dealId, { amount: 2000 });
        await deliverAll();
        await untilWritten();
        expect(world.written(other)).to.include({ commission: 160 });
        expect(world.written(rejected)).to.include({ commission: 80 });
        const { failed, failures, waiting } = await status();
        expect({ failed, waiting }).to.deep.equal({ failed: 1, waiting: 1 });
        expect(failures[0]).to.include({ dealId: rejected, attempts: 1 });
        expect(failures[0].reason).to.match(/rejects/);
        world.reject(rejected, false);
        await api.expect(200, 'POST', `${base}/write-back/check`);
        await untilWritten();
        expect(world.written(rejected)).to.include({ commission: 160 });
        expect(await status()).to.deep.include({ failed: 0, waiting: 0, failures: [] });
      });

      it('of a deal that the settings exclude stays listed until the CRM does not have it', async () => {
        const [, , dealId = ''] = world.liveDealIds();
        const kept = await withDryRun<number[]>(true, (end) =>
          service.running.service.unitOfWork.write({ workspaceId }, async (tx) => {
            await sql`update deals set deleted_at = now() where workspace_id = ${workspaceId} and deal_id = ${dealId}`.execute(
              tx.db,
            );
            const rowsAfter = async (problem: WriteProblem) => {
              await recordRejected(tx, [{ dealId, problem }]);
              const { rows } = await sql`
                select from deal_write_backs where workspace_id = ${workspaceId} and deal_id = ${dealId}`.execute(
                tx.db,
              );
              return rows.length;
            };
            return end([
              await rowsAfter({ kind: 'failed', reason: 'It is locked' }),
              await rowsAfter({ kind: 'gone' }),
            ]);
          }),
        );
        expect(kept).to.deep.equal([1, 0]);
      });

      it('is written again, and once more later, after a worker that stopped between writing and recording', async () => {
        const [dealId = ''] = world.liveDealIds();
        let before = 0;
        let amount = 3000;
        // The sweep may be faster than the worker that stops.
        for (let stopped = false; !stopped; ) {
          amount += 1000;
          world.change(dealId, { amount });
          await deliverAll();
          await service.waitForCalculations(workspaceId);
          before = writes();
          const runner = stoppingRunner(() => {
            stopped = true;
          });
          await runner.run(workspaceId);
          if (!stopped) await untilWritten();
        }
        expect(world.written(dealId), 'the CRM has the value').to.include({ commission: amount * 0.08 });
        await untilWritten();
        expect(writes()).to.equal(before + 2);
        const later = `select count(*)::int as n from deal_write_backs
          where workspace_id = $1 and due_at between now() + interval '1 minute' and now() + interval '2 minutes'`;
        expect(await count(later), 'a late request of the stopped worker would be corrected').to.equal(1);
        await service.sql('update deal_write_backs set due_at = now() where due_at > now()');
        await untilWritten();
        expect(writes()).to.equal(before + 3);
        expect(await status()).to.include({ waiting: 0 });
      });

      /** A runner that loses its lease after the CRM has accepted a batch. */
      function stoppingRunner(onStop: () => void): WriteBackRunner {
        const { unitOfWork, log, parts } = service.running.service;
        const queue = service.running.service.parts.resolve(JobQueue);
        const accounts = parts.resolve(CrmAccounts);
        const stopping = {
          open: async (...of: Parameters<CrmAccounts['open']>) => {
            const account = (await accounts.open(...of)) as CrmAccount;
            const writeDeals: CrmAccount['writeDeals'] = async (...batch) => {
              await account.writeDeals(...batch);
              onStop();
              throw new LeaseLost('the worker stopped');
            };
            return Object.assign(Object.create(account) as CrmAccount, { writeDeals });
          },
        };
        return new WriteBackRunner(stopping as CrmAccounts, unitOfWork, new Leases(unitOfWork), queue, 500, log);
      }

      it('is not written while the permission or a field is missing, and the check names it', async () => {
        const [dealId = ''] = world.liveDealIds();
        world.permitWrites(false);
        const before = writes();
        await set({ commission: fields.commission, state: 'no_such_field__c' });
        await untilWritten();
        const { findings, waiting } = await status();
        expect(findings.map(({ code, field }: WriteFinding) => [code, field])).to.deep.equal([
          ['permission_missing', null],
          ['field_missing', 'no_such_field__c'],
        ]);
        expect(waiting, 'all but the reversed deal').to.equal(deals - 1);
        expect(writes() - before, 'only the check of crm-b').to.equal(provider === 'crmb' ? 1 : 0);
        world.permitWrites(true);
        await set({ commission: fields.commission });
        await untilWritten();
        expect(world.written(dealId)).to.include({ state: 'Earned' });
        expect(await status()).to.deep.include({ findings: [], waiting: 0 });
      });

      it('ends when it is switched off', async () => {
        await set(null);
        const before = writes();
        const [dealId = ''] = world.liveDealIds();
        world.change(dealId, { amount: 9000 });
        await deliverAll();
        await untilWritten();
        expect(writes()).to.equal(before);
        expect(await status()).to.deep.include({ enabled: false, written: 0, waiting: 0, findings: [] });
        expect(await count('select count(*)::int as n from write_back_requests where workspace_id = $1')).to.equal(0);
      });
    });
  }
});
