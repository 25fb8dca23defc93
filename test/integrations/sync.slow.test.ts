import { expect } from 'chai';
import { hangUp, respondWith } from '#fakes/fake-server.js';
import { rejectReconcile } from '#src/crm/sync/sync-run-store.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, payEveryone } from '#test/support/crm-worlds.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const sync = ['POST', '/v1/commissions/sync'] as const;

for (const { provider, start } of crmWorlds) {
  describe(`a sync from ${provider}`, () => {
    let world: CrmWorld;
    let service: Service;
    let api: ApiClient;
    let workspaceId: string;
    let ada: string;
    /** Enough deals for several pages if the CRM's pages are small. */
    const deals = provider === 'crmb' ? 250 : provider === 'crma' ? 1100 : 2100;

    before(async () => {
      world = await start();
      ada = world.addPerson('Ada');
      for (let index = 0; index < deals; index += 1)
        world.addDeal({ owner: ada, amount: 1000 + index, won: true, closeDate: '2026-02-10' });
      service = await Service.start({ crms: [world], settings: { CRM_POLL_SECONDS: '86400', CRM_RETRY_MS: '5' } });
    });

    after(async () => {
      await service.stop();
      await world.stop();
    });

    beforeEach(async () => {
      ({ api, workspaceId } = await service.workspace({ currency: world.currency }));
      // The first poll would import all deals directly after the connection.
      if (provider === 'crmc') await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
      await world.connect(api, service.url);
    });

    const rows = (text: string, values: unknown[] = []) => service.sql<Record<string, unknown>>(text, ...values);
    const live = () =>
      rows('select count(*)::int as n from deals where workspace_id = $1 and deleted_at is null', [workspaceId]).then(
        ([row]) => row?.['n'],
      );
    const earnedOn = (dealId: string) =>
      rows('select status from commission_events where workspace_id = $1 and deal_key = $2', [
        workspaceId,
        dealId,
      ]).then((found) => found.map((row) => row['status']));

    /** Holds the request for the third page of deals; resolves when it arrives, with what answers it. */
    const holdLastPage = () =>
      new Promise<() => void>((resolve) => {
        world.server.fault({
          on: world.listing,
          after: 2,
          times: 1,
          answer: (_request, _response, next) => resolve(next),
        });
      });

    /** Resolves when an attempt of the sync has failed, with the number of deals that it has listed until then. */
    const untilRetried = () =>
      until(async () => {
        const [run] = await rows('select deals from crm_sync_runs where workspace_id = $1 and attempts > 0', [
          workspaceId,
        ]);
        return run === undefined ? null : { listed: Number(run['deals']) };
      });

    it('combines two concurrent requests into one sync that does what both request', async () => {
      const before = world.server.countRequests(world.listing);
      const [first, second] = await Promise.all([
        api.expect(200, ...sync, { async: true }),
        api.expect(200, ...sync, { async: true, recalculate: true }),
      ]);
      expect(first).to.include({ synced: false, triggered: true, async: true, status: 'running', provider });
      expect(second.jobId).to.equal(first.jobId);
      const job = await api.finishedJob(first.jobId);
      expect(job).to.include({ status: 'completed', kind: 'sync' });
      expect(job.result).to.include({ totalDeals: deals, created: deals });
      const pages = world.server.countRequests(world.listing) - before;
      const again = await api.expect(200, ...sync, {});
      expect(again.counts).to.include({ unchanged: deals });
      expect(again.jobId).not.to.equal(first.jobId);
      expect(world.server.countRequests(world.listing) - before).to.be.at.most(2 * pages + 1);
    });

    if (provider !== 'crma')
      it('renews a token that expires during the sync once', async () => {
        const before = world.server.countRequests(/POST .*token$/);
        world.server.fault({
          on: world.listing,
          after: 1,
          times: 1,
          answer: (_request, _response, next) => {
            world.oauth.expireAccessTokens();
            next();
          },
        });
        const answer = await api.expect(200, ...sync, {});
        expect(answer).to.include({ synced: true, totalDeals: deals });
        expect(world.server.countRequests(/POST .*token$/) - before).to.equal(1);
        expect((await api.expect(200, ...sync, {})).counts).to.include({ unchanged: deals });
      });

    it('completes despite 429 responses with and without Retry-After and a page that fails twice', async () => {
      world.server.fault({
        on: world.listing,
        after: 1,
        times: 1,
        answer: respondWith(429, {}, { 'Retry-After': '1' }),
      });
      world.server.fault({ on: world.listing, after: 2, times: 1, answer: respondWith(429, {}) });
      world.server.fault({ on: world.listing, after: 3, times: 2, answer: respondWith(500, {}) });
      const { jobId } = await api.expect(200, ...sync, { async: true, reconcile: true });
      expect(await api.finishedJob(jobId)).to.deep.include({ status: 'completed' });
      expect(await live()).to.equal(deals);
    });

    it('reports a CRM that is unavailable and leaves the stored deals unchanged', async () => {
      await api.expect(200, ...sync, {});
      await payEveryone(api);
      await service.waitForCalculations(workspaceId);
      const [dealId = ''] = world.liveDealIds();
      expect(await earnedOn(dealId)).to.deep.equal(['earned']);
      const end = world.server.fault({ on: /./, answer: hangUp });
      const failed = await api.expect(502, ...sync, { reconcile: true });
      end();
      expect(failed).to.include({ code: 'crm_unavailable' });
      const job = await api.finishedJob(failed.details.jobId);
      expect(job).to.include({ status: 'failed' });
      expect(job.result).to.include({ failure: 'crm_unavailable' });
      expect(job.error).to.be.a('string').and.not.equal('');
      expect(await live()).to.equal(deals);
      expect(await earnedOn(dealId)).to.deep.equal(['earned']);
      expect(await api.expect(200, 'GET', '/auth/workspace/integrations')).to.include({ [provider]: true });
    });

    it('waits for a CRM that is unavailable at the start if no request waits for the sync', async () => {
      const end = world.server.fault({ on: /./, answer: hangUp });
      const { jobId } = await api.expect(200, ...sync, { async: true });
      await untilRetried();
      expect(await api.job(jobId)).to.include({ status: 'running' });
      end();
      expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
      expect(await live()).to.equal(deals);
    });

    it('calculates each rep once, after the last page, and at once if the sync is interrupted', async () => {
      await api.expect(200, 'POST', '/v1/reps/sync');
      await payEveryone(api);
      await service.waitForCalculations(workspaceId);
      const runs = () =>
        rows("select count(*)::int as n from audit_runs where workspace_id = $1 and trigger = 'sync'", [
          workspaceId,
        ]).then(([row]) => row?.['n']);
      const due = () => rows("select 1 from due_lanes('0 seconds', 10) where workspace_id = $1", [workspaceId]);
      // The deals of crmc fill two pages only.
      const lastPage = provider === 'crmc' ? null : holdLastPage();
      const { jobId } = await api.expect(200, ...sync, { async: true });
      if (lastPage !== null) {
        const respond = await lastPage;
        const [held] = await rows('select count(*)::int as n from calculation_requests where workspace_id = $1', [
          workspaceId,
        ]);
        expect(held?.['n']).to.be.above(0);
        expect(await due()).to.deep.equal([]);
        expect(await runs()).to.equal(0);
        const failing = 'update crm_sync_runs set failing_since = $2 where workspace_id = $1';
        await rows(failing, [workspaceId, new Date()]);
        expect(await due()).to.have.length(1);
        await rows(failing, [workspaceId, null]);
        respond();
      }
      expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
      expect(await runs()).to.equal(1);
    });

    if (provider === 'crmb')
      it('calculates the deals of the pages until then before an approval', async () => {
        const { reps } = await api.expect(200, 'POST', '/v1/reps/sync');
        await payEveryone(api);
        await service.waitForCalculations(workspaceId);
        const repId = reps.find((rep: { email: string }) => rep.email === 'ada@x.io').id;
        const lastPage = holdLastPage();
        const { jobId } = await api.expect(200, ...sync, { async: true });
        const respond = await lastPage;
        await api.generate(repId, '2026-02');
        const approved = await api.approve(repId, '2026-02');
        respond();
        expect(approved.dealCount).to.equal(200);
        expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
      });

    it('resumes at the failed page when the CRM is available again', async () => {
      const before = world.server.countRequests(world.listing);
      const end = world.server.fault({ on: world.listing, after: 1, answer: hangUp });
      const { jobId } = await api.expect(200, ...sync, { async: true });
      expect((await untilRetried()).listed)
        .to.be.greaterThan(0)
        .and.lessThan(deals);
      const { progress } = await api.job(jobId);
      expect(progress.done).to.be.at.most(progress.total);
      const failed = world.server.countRequests(world.listing) - before - 1;
      end();
      expect(await api.finishedJob(jobId)).to.deep.include({ status: 'completed' });
      expect(await live()).to.equal(deals);
      const [first] = await rows('select count(*)::int as n from deal_versions where workspace_id = $1', [workspaceId]);
      expect(first?.['n']).to.equal(deals);
      // The first page is not requested again.
      const pages = Math.ceil(deals / (provider === 'crmb' ? 100 : provider === 'crma' ? 500 : 2000));
      expect(world.server.countRequests(world.listing) - before - failed).to.be.at.most(pages + 3);
    });

    for (const scope of ['snapshots', 'all'])
      it(`imports all deals when deals are cleared during the sync (${scope})`, async () => {
        const cleared = new Promise<{ snapshots: number }>((resolve, reject) => {
          world.server.fault({
            on: world.listing,
            after: 1,
            times: 1,
            answer: (_request, _response, next) => {
              const clearing = api.expect(200, 'POST', '/v1/commissions/reset', { scope });
              void clearing.then(resolve, reject).then(() => next());
            },
          });
        });
        const { jobId } = await api.expect(200, ...sync, { async: true });
        expect((await cleared).snapshots)
          .to.be.greaterThan(0)
          .and.lessThan(deals);
        expect((await api.expect(200, ...sync, { async: true })).jobId).to.equal(jobId);
        const { status, result } = await api.finishedJob(jobId);
        expect(status).to.equal('completed');
        expect(result).to.include({ totalDeals: deals, created: deals });
        expect(await live()).to.equal(deals);
      });

    it('deletes deals that the CRM no longer has with reconcile, and only deals of this CRM', async () => {
      const gone = world.addDeal({ owner: ada, amount: 500, won: true, closeDate: '2026-03-01' });
      await api.expect(200, ...sync, {});
      await payEveryone(api);
      await api.expect(201, 'PUT', '/v1/deals/by-hand', { amount: 5 });
      await service.waitForCalculations(workspaceId);
      expect(await earnedOn(gone)).to.deep.equal(['earned']);
      world.delete(gone);
      if (provider !== 'crmc') {
        await api.expect(200, ...sync, {});
        expect(await earnedOn(gone)).to.deep.equal(['earned']);
      }
      const answer = await api.expect(200, ...sync, { reconcile: true });
      expect(answer.counts).to.include({ deleted: 1 });
      await service.waitForCalculations(workspaceId);
      expect(await earnedOn(gone)).to.deep.equal(['reversed']);
      expect(await live()).to.equal(deals + 1);
    });

    if (provider === 'crma')
      it('deletes no existing deal when the listing is incomplete', async () => {
        await api.expect(200, ...sync, {});
        world.server.fault({ on: world.listing, after: 2, times: 1, answer: respondWith(200, { data: [] }) });
        const answer = await api.expect(200, ...sync, { reconcile: true });
        expect(answer.totalDeals).to.be.lessThan(deals);
        expect(await live()).to.equal(deals);
      });

    it('returns 409 reconcile_refused for a deletion of more than 30 %, unless it is forced', async () => {
      await api.expect(200, ...sync, {});
      await rows(
        `insert into deals (workspace_id, deal_id, provider, is_closed, is_won, fields, given, content_hash, snapshot_at)
        select $1, 'made-up-' || n, $2, false, false, '{}', '{}', gen_random_uuid(), now() - interval '1 minute'
        from generate_series(1, $3::int) n`,
        [workspaceId, provider, deals],
      );
      const rejected = await api.expect(409, ...sync, { reconcile: true });
      expect(rejected).to.include({ code: 'reconcile_refused' });
      expect(rejected.details).to.include({ missing: deals, live: 2 * deals });
      expect(await live()).to.equal(2 * deals);
      // A listing that takes longer than the ten minutes: what counts is when the sync began.
      const rejectedAt = (minutes: number) =>
        rows(
          `update crm_connections set reconcile_rejected_at = now() - interval '${minutes} minutes' where workspace_id = $1`,
          [workspaceId],
        );
      await rejectedAt(15);
      const startedAt = new Date(Date.now() - 6 * 60_000);
      const { unitOfWork } = service.running.service;
      expect(await unitOfWork.write({ workspaceId }, (tx) => rejectReconcile(tx, { provider, startedAt }))).to.equal(
        false,
      );
      await rejectedAt(0);
      const { counts } = await api.expect(200, ...sync, { reconcile: true });
      expect(counts).to.include({ deleted: deals });
      expect(await live()).to.equal(deals);
    });

    it('creates reps for new CRM members, deactivates reps who left the CRM, and does not exceed the seats', async () => {
      const small = await service.workspace({ currency: world.currency, tier: 'free' });
      for (let index = 0; index < 12; index += 1) world.addPerson(`Extra${index}`);
      await world.connect(small.api, service.url);
      const { synced, count, reps } = await small.api.expect(200, 'POST', '/v1/reps/sync');
      expect([synced, count]).to.deep.equal([true, reps.length]);
      expect(reps.filter((rep: { active: boolean }) => rep.active)).to.have.length(10);
      expect(reps.find((rep: { email: string }) => rep.email === 'ada@x.io')).to.include({
        crmMemberId: ada,
        role: 'rep',
      });
      const again = await small.api.expect(200, 'POST', '/v1/reps/sync');
      expect(again.reps).to.deep.equal(reps);
    });
  });
}

describe('polling crm-c', () => {
  let world: CrmWorld;
  let service: Service;

  before(async () => {
    world = await (crmWorlds[2] as (typeof crmWorlds)[number]).start();
    service = await Service.start({ crms: [world], settings: { CRM_POLL_SECONDS: '1' } });
  });

  after(async () => {
    await service.stop();
    await world.stop();
  });

  const polled = async (workspaceId: string) => {
    const [row] = await service.sql<{ through: Date | null; due: Date | null }>(
      'select polled_through as through, poll_due_at as due from crm_connections where workspace_id = $1',
      workspaceId,
    );
    return { through: row?.through?.getTime() ?? 0, due: row?.due?.getTime() ?? 0 };
  };

  it('imports changes, also those stamped before the last poll and committed after it', async () => {
    const { api, workspaceId } = await service.workspace({ currency: world.currency });
    const ada = world.addPerson('Ada');
    const seen = world.addDeal({ owner: ada, amount: 1, won: true, closeDate: '2026-02-10' });
    await world.connect(api, service.url);
    const has = async (id: string, amount: number) => {
      const { deals } = await api.expect(200, 'GET', '/v1/deals?limit=500');
      return deals.some((deal: { deal_id: string; amount: number }) => deal.deal_id === id && deal.amount === amount);
    };
    await until(() => has(seen, 1));
    const late = world.addLateDeal({ owner: ada, amount: 7, won: true, closeDate: '2026-02-10' });
    const { through } = await polled(workspaceId);
    world.change(seen, { amount: 2 });
    await until(() => has(seen, 2));
    await until(async () => (await polled(workspaceId)).through >= through);
    expect(await has(late.id, 7)).to.equal(false);
    late.commit();
    await until(() => has(late.id, 7));
    world.delete(late.id);
    await until(async () => !(await has(late.id, 7)));
  });

  it('writes an audit entry for a deal with an unknown owner', async () => {
    const { api } = await service.workspace({ currency: world.currency });
    await world.connect(api, service.url);
    const id = world.addDeal({ owner: '005RO000000strgYAA', amount: 1, won: true, closeDate: '2026-02-10' });
    const runs = async () => (await api.expect(200, 'GET', `/v1/workspaces/audit-logs?dealId=${id}`)).runs;
    await until(async () => (await runs()).length > 0);
    const [reported] = await runs();
    expect(reported).to.include({ trigger: 'crm_poll', outcome: 'skipped', scope: 'deal' });
    expect(reported.details).to.deep.equal({ provider: 'crmc', reasons: ['the owner is not a rep of this workspace'] });
  });

  it('skips a workspace whose sync switch is off', async () => {
    const { api, workspaceId } = await service.workspace({ currency: world.currency });
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    await world.connect(api, service.url);
    const other = await service.workspace({ currency: world.currency });
    await world.connect(other.api, service.url);
    await until(async () => (await polled(other.workspaceId)).through > 0);
    // CRM times are whole minutes, so a second poll is visible only in the time of the third.
    const { due } = await polled(other.workspaceId);
    await until(async () => (await polled(other.workspaceId)).due > due);
    expect((await polled(workspaceId)).through).to.equal(0);
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: true });
    await until(async () => (await polled(workspaceId)).through > 0);
  });
});
