import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, payEveryone } from '#test/support/crm-worlds.js';
import { expectSoundLedger, query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';

/** More deals than two pages contain. */
const sizes = { crma: 1100, crmb: 250, crmc: 4100 } as const;
/** The request that reads deals which the listing did not contain, and how many requests like it come before. */
const byId = {
  crma: { on: /POST .*records\/query/, after: 2 },
  crmb: { on: /GET .*\/deals\/\d+/, after: 0 },
  crmc: { on: /\/sobjects\/Opportunity\/deleted/, after: 0 },
} as const;
/** Tests one CRM by default, and all of them with CRM_CRASH=all. */
const crashed = process.env['CRM_CRASH'] === 'all' ? crmWorlds : crmWorlds.slice(0, 1);

/** A request to the CRM during which the worker is killed, or a failpoint that kills it. */
type Step = { readonly on: RegExp; readonly after: number } | { readonly failpoint: string };

for (const { provider, start } of crashed)
  describe(`a sync of ${provider} whose worker is killed with -9 at every step`, () => {
    const deals = sizes[provider];
    let world: CrmWorld;
    let service: Service;
    let api: ApiClient;
    let workspaceId: string;

    before(async () => {
      world = await start();
      const environment = { ...world.environment, CRM_POLL_SECONDS: '86400' };
      service = await Service.start({ settings: environment, worker: false });
      ({ api, workspaceId } = await service.workspace({ currency: world.currency }));
    });

    after(async () => {
      await service.stop();
      await world.stop();
    });

    const rows = (text: string) => query<{ n: number }>(service.database.ownerUrl, text, [workspaceId]);
    const count = async (table: string, where = 'true') =>
      (await rows(`select count(*)::int as n from ${table} where workspace_id = $1 and ${where}`))[0]?.n;
    const syncStarted = async (options: object): Promise<string> =>
      (await api.expect(200, 'POST', '/v1/commissions/sync', { ...options, async: true })).jobId;

    async function runToEnd(jobId: string) {
      const last = await service.startProcess('worker');
      try {
        for (;;) {
          const job = await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
          if (job.status !== 'running') return job;
          await sleep(50);
        }
      } finally {
        await last.end();
      }
    }

    /** Resolves when a worker has been killed at the step. */
    async function killAt(step: Step): Promise<void> {
      const failpoints = 'failpoint' in step ? { FAILPOINTS: `${step.failpoint}@1=kill` } : {};
      const killed = service.process('worker', { NODE_ENV: 'test', ...failpoints });
      const endFault =
        'failpoint' in step
          ? () => undefined
          : world.server.fault({ ...step, times: 1, answer: () => killed.signal('SIGKILL') });
      // The step may come before the worker reports that it is ready.
      await killed.start().catch(() => undefined);
      expect(await killed.ended(), `the worker ended at ${JSON.stringify(step)}`).to.equal(null);
      endFault();
      await rows(`update work_leases set leased_until = now() - interval '1 second' where workspace_id = $1
        returning 1 as n`);
    }

    it('loses no deal and stores and pays none twice', async () => {
      const owner = world.addPerson('Ada');
      const dealAt = (position: number) => ({ owner, amount: 1000 + position, won: true, closeDate: '2026-02-10' });
      const gone = world.addDeal(dealAt(0));
      await world.connect(api, service.url);
      await api.expect(200, 'PATCH', `/v1/integrations/${provider}`, { syncEnabled: false });
      await runToEnd(await syncStarted({}));
      await payEveryone(api);
      world.delete(gone);
      world.generateDeals(deals, dealAt);
      const runs = () => count('audit_runs', "trigger = 'sync'");
      const runsBefore = (await runs()) ?? 0;
      const jobId = await syncStarted({ reconcile: true });
      await rows('update crm_connections set reconcile_rejected_at = now() where workspace_id = $1 returning 1 as n');
      await killAt({ on: /workspace_members|owners|FROM User/, after: 0 });
      await killAt({ on: /attributes\?|properties\/|describe/, after: 0 });
      await killAt({ failpoint: 'sync.afterFetch' });
      expect(await count('deals')).to.equal(1);
      for (const failpoint of ['sync.afterRecord', 'sync.afterStep']) await killAt({ failpoint });
      expect(await count('deals')).to.equal(1);
      await killAt({ on: world.listing, after: 1 });
      expect(await count('deals'))
        .to.be.above(1)
        .and.below(deals);
      if (provider !== 'crmc') await killAt(byId[provider]);
      await killAt({ failpoint: 'sync.beforeFinish' });
      const job = await runToEnd(jobId);
      expect(job).to.include({ status: 'completed' });
      const listed = provider === 'crmc' ? deals + 1 : deals;
      expect(job.result).to.include({ totalDeals: listed, created: deals, deleted: 1 });
      expect(await count('deals', 'deleted_at is null')).to.equal(deals);
      expect(await count('deal_versions', `deal_id <> '${gone}'`)).to.equal(deals);
      expect(await count('commission_events', "status = 'earned'")).to.equal(deals);
      expect(await runs(), 'runs of the engine').to.equal(runsBefore + 1);
      await expectSoundLedger(service.database.ownerUrl, workspaceId);
    });
  });
