import { expect } from 'chai';
import { deliver } from '#fakes/deliveries.js';
import { respondWith } from '#fakes/fake-server.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmbWorld } from '#test/support/crm-worlds.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

describe('the history of syncs', () => {
  let smtp: FakeSmtp;
  let world: CrmWorld;
  let service: Service;
  let api: ApiClient;
  let ada: string;

  before(async () => {
    smtp = await FakeSmtp.start();
    world = await crmbWorld();
    ada = world.addPerson('Ada');
    world.addDeal({ owner: ada, amount: 1000, won: true, closeDate: '2026-02-10' });
    service = await Service.start({
      crms: [world],
      settings: {
        CRM_POLL_SECONDS: '86400',
        CRM_RETRY_MS: '5',
        SMTP_URL: smtp.url,
        MAIL_FROM: 'pay@example.com',
      },
    });
  });

  after(async () => {
    await service?.stop();
    await world?.stop();
    await smtp?.stop();
  });

  beforeEach(async () => {
    ({ api } = await service.workspace({ currency: world.currency }));
    await world.connect(api, service.url);
  });

  const history = (query = '') => api.expect(200, 'GET', `/v1/integrations/crmb/syncs${query}`);
  const sync = () => api.expect(200, 'POST', '/v1/commissions/sync', {});
  const syncs = async () => (await history()).syncs.filter((one: { kind: string }) => one.kind === 'sync');

  it('lists a sync with its counts, its duration, and the skipped deals with the reason', async () => {
    const orphan = world.addDeal({ owner: '999', amount: 5, won: true, closeDate: '2026-02-10' });
    const { jobId } = await sync();
    world.delete(orphan);
    const [record] = await syncs();
    expect(record).to.deep.include({
      id: jobId,
      kind: 'sync',
      status: 'completed',
      seen: 2,
      created: 2,
      changed: 0,
      unchanged: 0,
      skipped: 1,
      skippedDeals: [{ dealId: orphan, reason: 'the owner is not a rep of this workspace' }],
      failure: null,
      error: null,
    });
    expect(Date.parse(record.endedAt) - Date.parse(record.startedAt)).to.equal(record.durationMs);
    expect(record.durationMs).to.be.greaterThan(0);
  });

  it('lists the newest first, page by page', async () => {
    const jobIds: string[] = [];
    for (let count = 0; count < 3; count += 1) jobIds.unshift((await sync()).jobId);
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { syncs: { id: string; kind: string }[]; nextCursor: string | null } = await history(
        cursor === '' ? '?limit=1' : `?limit=1&cursor=${cursor}`,
      );
      found.push(...page.syncs.filter(({ kind }) => kind === 'sync').map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).to.deep.equal(jobIds);
  });

  it('lists a failed sync with its cause', async () => {
    const end = world.server.fault({ on: world.listing, answer: respondWith(403, { message: 'no' }) });
    await api.send('POST', '/v1/commissions/sync', {});
    end();
    const [record] = await syncs();
    expect(record).to.include({ status: 'failed', failure: 'crm_refused' });
    expect(record.error).to.be.a('string').and.not.equal('');
  });

  it('rejects an unknown CRM and an invalid cursor', async () => {
    await api.expect(400, 'GET', '/v1/integrations/crmd/syncs');
    await api.expect(400, 'GET', '/v1/integrations/crmb/syncs?cursor=x');
  });

  it('shows when webhooks arrived, and how many had no valid signature', async () => {
    expect((await history()).health).to.deep.include({ lastWebhookAt: null, lastVerifiedAt: null, rejected: 0 });
    world.takeDeliveries();
    const deal = world.addDeal({ owner: ada, amount: 1, won: false, closeDate: '2026-02-10' });
    const [delivery] = world.takeDeliveries();
    if (delivery === undefined) throw new Error('the CRM sent nothing');
    const forged = { ...delivery, headers: { ...delivery.headers, 'X-HubSpot-Signature-v3': 'forged' } };
    expect(await deliver(forged)).to.equal(401);
    const healthWith = (isSeen: (health: Record<string, unknown>) => boolean) =>
      until(async () => {
        const { health } = await history();
        return isSeen(health) && health;
      });
    const rejected = await healthWith((health) => health['rejected'] === 1);
    expect(rejected).to.include({ lastVerifiedAt: null });
    expect(rejected.lastRejectedAt).to.equal(rejected.lastWebhookAt);
    expect(await deliver(delivery)).to.equal(200);
    const verified = await healthWith((health) => health['lastVerifiedAt'] !== null);
    expect(verified).to.include({ rejected: 1, lastRejectedAt: rejected.lastRejectedAt });
    world.delete(deal);
  });

  it('sends the admins a mail when the connection breaks and when it works again', async () => {
    await api.saveReps({ name: 'Root', role: 'admin' });
    const mails = (text: string) =>
      until(() => {
        const found = smtp.mails.filter(({ to, data }) => to.includes('root@x.io') && data.includes(text));
        return found.length > 0 && found;
      });
    world.oauth.revokeAll();
    await api.send('POST', '/v1/commissions/sync', {});
    expect(await mails('crmb does not work')).to.have.length(1);
    await world.connect(api, service.url);
    expect(await mails('crmb works again')).to.have.length(1);
  });
});
