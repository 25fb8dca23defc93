import { createHash, createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { WebhookLimits } from '#src/crm/deliveries/webhook-limits.js';
import { routeEncryptionContext } from '#src/platform/inbox/inbox.js';
import { InboxRunner } from '#src/platform/inbox/inbox-runner.js';
import { metrics } from '#src/platform/metrics.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, type PlainDeal, payEveryone, untilInboxEmpty } from '#test/support/crm-worlds.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const won: Omit<PlainDeal, 'owner'> = { amount: 1000, won: true, closeDate: '2026-02-10' };

for (const { provider, start } of crmWorlds) {
  describe(`webhook deliveries of ${provider}`, () => {
    let world: CrmWorld;
    let service: Service;
    let api: ApiClient;
    let workspaceId: string;
    let ada: string;
    let ben: string;
    let dealId: string;
    const path = `/webhooks/${provider}`;

    before(async () => {
      world = await start();
      ada = world.addPerson('Ada');
      ben = world.addPerson('Ben');
      dealId = world.addDeal({ ...won, owner: ada });
      service = await Service.start({ crms: [world] });
      ({ api, workspaceId } = await service.workspace({ currency: world.currency }));
      await world.connect(api, service.url);
      // No poll of the CRM runs in between, so deliveries are the only source of changes.
      await rows("update crm_connections set poll_due_at = 'infinity'");
      await api.expect(200, 'POST', '/v1/commissions/sync', {});
      await payEveryone(api);
      await waitForCalculations();
    });

    after(async () => {
      await service.stop();
      await world.stop();
    });

    const rows = (text: string, values: unknown[] = []) => service.sql<Record<string, unknown>>(text, ...values);
    const inboxSize = () => rows('select count(*)::int as n from inbox').then(([row]) => row?.['n'] as number);
    const waitForCalculations = async () => {
      await untilInboxEmpty(service.database.ownerUrl);
      await service.waitForCalculations(workspaceId);
    };
    const stored = (id = dealId) =>
      rows('select * from deals where workspace_id = $1 and deal_id = $2', [workspaceId, id]).then(([row]) => row);
    const earned = (id = dealId) =>
      rows(
        `select trim_scale(amount)::text as amount, status from commission_events where workspace_id = $1 and deal_key = $2`,
        [workspaceId, id],
      );

    /** A delivery of one change as the CRM sends it. */
    function oneDelivery(change: () => void): Delivery {
      world.takeDeliveries();
      change();
      const [delivery] = world.takeDeliveries();
      return delivery ?? expect.fail('nothing was delivered');
    }

    /** The number of calculations of a rep in this process. */
    const calculations = async () => {
      const { values } = await metrics.engineRuns.get();
      return values.reduce((sum, { metricName, value }) => sum + (metricName?.endsWith('_count') ? value : 0), 0);
    };

    let cents = 0;
    const change = () => {
      cents += 1;
      world.change(dealId, { amount: 1000 + cents / 100 });
    };

    const post = (body: string, headers: Readonly<Record<string, string>>, query = ''): Promise<ApiResponse> =>
      service.client(null).send('POST', `${path}${query}`, body, { 'Content-Type': 'application/json', ...headers });

    /** Delivers the change and waits for what the engine does. */
    async function deliverAndWait({ body, headers }: Delivery) {
      const proof = provider === 'crmb' ? await signed(body, '?wait=15') : headers;
      return (await post(body, proof, '?wait=15')).body;
    }

    /** Delivers what the CRM sends and waits until it is calculated. */
    async function deliverAll(deliveries = world.takeDeliveries()): Promise<void> {
      for (const delivery of deliveries) await deliver(delivery);
      await waitForCalculations();
    }

    /** The signature headers of a body as the sender computes them. */
    async function signed(body: string, query = ''): Promise<Record<string, string>> {
      if (provider === 'crmc') return { ...oneDelivery(change).headers };
      if (provider === 'crmb') {
        const { clientSecret } = world.oauth.options;
        const at = String(Date.now());
        const mac = createHmac('sha256', clientSecret).update(`POST${service.url}${path}${query}${body}${at}`);
        return { 'X-HubSpot-Request-Timestamp': at, 'X-HubSpot-Signature-v3': mac.digest('base64') };
      }
      const [row] = await rows(`select route, secret from inbound_routes where workspace_id = $1`, [workspaceId]);
      const secret = service.running.service.parts
        .resolve(Secrets)
        .open(routeEncryptionContext('crma', row?.['route'] as string), row?.['secret'] as Buffer);
      return { 'Attio-Signature': createHmac('sha256', secret).update(body).digest('hex') };
    }

    /** A delivery as the CRM sends it, without the id of its deal. */
    async function namelessDelivery(): Promise<string> {
      const body = JSON.parse(oneDelivery(change).body);
      if (provider === 'crma') delete body.events[0].id.record_id;
      if (provider === 'crmb') delete body[0].objectId;
      return provider === 'crmc' ? '{"opportunityId": null}' : JSON.stringify(body);
    }

    const proofs = ['attio-signature', 'x-attio-signature', 'x-hubspot-signature-v3', 'authorization'];
    const withProof = (headers: Readonly<Record<string, string>>, alter: (proof: string) => string) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          proofs.includes(name.toLowerCase()) ? alter(value) : value,
        ]),
      );

    describe('with an invalid signature', () => {
      const rejected: [string, (delivery: Delivery) => Delivery][] = [
        ['no signature', (one) => ({ ...one, headers: {} })],
        [
          'a wrong signature',
          (one) => ({ ...one, headers: withProof(one.headers, (proof) => proof.replace(/.{4}$/, 'AAA=')) }),
        ],
        [
          'a signature of 4 KB',
          (one) => ({ ...one, headers: withProof(one.headers, (proof) => proof.repeat(64).slice(0, 4096)) }),
        ],
      ];
      if (provider !== 'crmc')
        rejected.push([
          'a signature of the same JSON in other bytes',
          (one) => ({ ...one, body: JSON.stringify(JSON.parse(one.body), null, 1) }),
        ]);
      for (const [name, forge] of rejected) {
        it(`returns 401 for ${name} and stores nothing`, async () => {
          const delivery = forge(oneDelivery(change));
          const before = await inboxSize();
          await expectError('401 bad_signature', post(delivery.body, delivery.headers));
          expect(await inboxSize()).to.equal(before);
        });
      }

      if (provider === 'crmb') {
        it('returns 401 for a signature of version 1', async () => {
          const { body } = oneDelivery(change);
          const old = createHash('sha256')
            .update(world.oauth.options.clientSecret + body)
            .digest('hex');
          expect(
            (await post(body, { 'X-HubSpot-Signature': old, 'X-HubSpot-Signature-Version': 'v1' })).status,
          ).to.equal(401);
        });
      }
    });

    describe('with a valid signature', () => {
      it('store one message for a hundred concurrent copies of a delivery', async () => {
        const delivery = oneDelivery(change);
        const before = await inboxSize();
        const statuses = await Promise.all(Array.from({ length: 100 }, () => deliver(delivery)));
        expect(statuses.filter((status) => status < 200 || status > 299)).to.deep.equal([]);
        // A Flow of crm-c has no message ids, so each of its calls is a new message.
        expect((await inboxSize()) - before).to.equal(provider === 'crmc' ? 100 : 1);
        await waitForCalculations();
        expect((await stored())?.['amount']).to.equal(String(1000 + cents / 100));
        const [history] = await rows(
          'select count(*)::int as n, count(distinct content) as different from (select fields::text as content from deal_versions where workspace_id = $1 and deal_id = $2) s',
          [workspaceId, dealId],
        );
        expect(history?.['n']).to.equal(Number(history?.['different']));
      });

      it('that wait together are read from the CRM in one request and calculated once for each rep', async () => {
        world.takeDeliveries();
        for (let position = 0; position < 80; position += 1) {
          const id = world.addDeal({ ...won, owner: position % 2 === 0 ? ada : ben });
          world.change(id, { amount: 500 + position });
        }
        // Another worker seems to hold the inbox, until all deliveries have arrived.
        await rows(
          `insert into work_leases (workspace_id, work, lease_id, leased_until)
           values ($1, $2, gen_random_uuid(), now() + interval '1 minute')
           on conflict (workspace_id, work) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until`,
          [workspaceId, `inbox ${provider}`],
        );
        const deliveries = world.takeDeliveries();
        await Promise.all(deliveries.map((delivery) => deliver(delivery)));
        // Crm-c reads the currency of the account in another query, and deals of many ids in a composite request.
        const reading = provider === 'crmc' ? /\/composite / : world.reading;
        const [readsBefore, runsBefore] = [world.server.countRequests(reading), await calculations()];
        await rows('delete from work_leases where workspace_id = $1', [workspaceId]);
        await service.running.service.parts.resolve(InboxRunner).run(workspaceId, provider);
        await waitForCalculations();
        expect(world.server.countRequests(reading) - readsBefore).to.equal(1);
        // A calculation is counted after its commit.
        await until(async () => (await calculations()) >= runsBefore + 2, { what: 'the count of the calculations' });
        expect((await calculations()) - runsBefore).to.equal(2);
        const [paid] = await rows(
          `select count(distinct e.deal_key)::int as deals from commission_events e
           join deals d on d.workspace_id = e.workspace_id and d.deal_id = e.deal_key and d.amount between 500 and 579
           where e.workspace_id = $1 and e.status = 'earned'`,
          [workspaceId],
        );
        expect(paid?.['deals']).to.equal(80);
      });

      it('return 400 invalid_json for a body that is not JSON', async () => {
        await expectError('400 invalid_json', post('{"events": [', await signed('{"events": [')));
      });

      it('never return 500 for JSON of an unexpected shape', async () => {
        for (const body of ['null', '5', '"x"', '{}', '{"a":1}', '[[[]]]'])
          expect((await post(body, await signed(body))).status, body).to.be.oneOf([200, 202, 400, 401]);
      });

      it('return 400 for a change without a deal id and store nothing', async () => {
        const nameless = await namelessDelivery();
        const before = await inboxSize();
        await expectError('400 VALIDATION_FAILED', post(nameless, await signed(nameless)), nameless);
        expect(await inboxSize()).to.equal(before);
      });

      if (provider !== 'crmc')
        it('ignore an event type without a subscription and return 200', async () => {
          const body = (await namelessDelivery()).replace(/record\.updated|deal\.\w+/, 'note.created');
          const answer = await post(body, await signed(body));
          expect([answer.status, answer.body.accepted], body).to.deep.equal([200, 0]);
        });

      it('return 413 for a body above 1 MiB', async () => {
        const body = ' '.repeat(1025 * 1024);
        await expectError('413 payload_too_large', post(body, await signed(body)));
      });

      if (provider === 'crmb')
        it('store a batch of a hundred events with long values, which exceeds half a MiB', async () => {
          const [event] = JSON.parse(oneDelivery(change).body);
          const events = Array.from({ length: 100 }, (_, index) => ({
            ...event,
            occurredAt: event.occurredAt + index,
            propertyName: 'description',
            propertyValue: 'x'.repeat(8000),
          }));
          const body = JSON.stringify(events);
          const answer = await post(body, await signed(body));
          expect([answer.status, answer.body.accepted]).to.deep.equal([200, 100]);
        });

      it('return the result of the calculation to a caller that waits', async () => {
        const answer = await deliverAndWait(oneDelivery(change));
        expect(answer, JSON.stringify(answer)).to.include({ accepted: 1, ignored: 0 });
        expect(answer.run).to.deep.include({ outcome: 'written', statementLocked: false });
        expect(answer.run.eventsWritten).to.be.greaterThan(0);
      });

      it('store the snapshot of a deal in an approved period, leave its commission unchanged, and report that', async () => {
        await waitForCalculations();
        const { reps } = await api.expect(200, 'GET', '/v1/reps?email=ada@x.io');
        await api.generate(reps[0].id, '2026-02');
        await api.approve(reps[0].id, '2026-02');
        const before = await earned();
        const answer = await deliverAndWait(oneDelivery(change));
        expect(answer.run, JSON.stringify(answer)).to.deep.include({
          outcome: 'statement_locked',
          statementLocked: true,
          blocked: { statementLocked: true, periods: ['2026-02'], count: 1 },
        });
        expect((await stored())?.['amount']).to.equal(String(1000 + cents / 100));
        expect(await earned()).to.deep.equal(before);
        const { runs } = await api.expect(200, 'GET', `/v1/workspaces/audit-logs?actor=orchestrator&dealId=${dealId}`);
        expect(runs[0]).to.deep.include({ outcome: 'statement_locked' });
        expect(runs[0].blocked.statementLocked).to.equal(true);
        await api.unlock(reps[0].id, '2026-02');
        await waitForCalculations();
      });

      it('reverse the commission of a deleted deal, and an older change does not restore the deal', async () => {
        const id = world.addDeal({ ...won, owner: ada });
        await deliverAll();
        expect(await earned(id)).to.deep.include({ amount: '80', status: 'earned' });
        world.change(id, { amount: 2000 });
        const late = world.takeDeliveries();
        world.delete(id);
        await deliverAll([...world.takeDeliveries(), ...late]);
        expect((await stored(id))?.['deleted_at']).to.be.an.instanceof(Date);
        expect((await earned(id)).map((event) => event['status'])).to.deep.equal(['reversed']);
      });

      it('store a deal with an unknown owner, pay no commission, and record the reason in the audit log', async () => {
        const id = world.addDeal({ ...won, owner: world.addPerson('Stranger') });
        await deliverAll();
        expect(await stored(id)).to.include({ rep_id: null, amount: '1000' });
        expect(await earned(id)).to.deep.equal([]);
        const { runs } = await api.expect(200, 'GET', `/v1/workspaces/audit-logs?dealId=${id}`);
        const skippedRuns = runs.filter((run: { outcome: string }) => run.outcome === 'skipped');
        expect(skippedRuns).to.have.length(1);
        expect(skippedRuns[0].details).to.deep.equal({
          provider,
          reasons: ['the owner is not a rep of this workspace'],
        });
      });

      it('store a deal without an amount and pay nothing', async () => {
        const id = world.addDeal({ ...won, amount: null, owner: ada });
        await deliverAll();
        expect(await stored(id)).to.include({ amount: null });
        expect((await earned(id)).filter((event) => event['amount'] !== '0')).to.deep.equal([]);
      });

      it('do not restore a permanently deleted deal until it changes', async () => {
        const id = world.addDeal({ ...won, owner: ada });
        const deliveries = world.takeDeliveries();
        await deliverAll(deliveries);
        await api.expect(200, 'DELETE', `/v1/deals/${id}?hard=true`);
        await waitForCalculations();
        const { body, headers } = deliveries[0] as Delivery;
        // A much later retry of the CRM: the same change with another message id.
        const again = provider === 'crma' ? { ...headers, 'Idempotency-Key': randomUUID() } : headers;
        await rows('delete from inbox where workspace_id = $1', [workspaceId]);
        expect((await post(body, again)).status).to.be.oneOf([200, 202]);
        await waitForCalculations();
        expect(await stored(id)).to.equal(undefined);
        await api.expect(200, 'POST', '/v1/commissions/sync', {});
        expect(await stored(id)).to.equal(undefined);
        await api.expect(201, 'PUT', `/v1/deals/${id}`, { amount: 5 });
        expect(await stored(id)).to.include({ amount: '5' });
      });
    });

    describe('to several workspaces', () => {
      it('store a copy per workspace that connected the account, and stop only for the workspace that disconnects', async () => {
        const other = await service.workspace({ currency: world.currency });
        await world.connect(other.api, service.url);
        const id = world.addDeal({ ...won, owner: ada });
        await deliverAll();
        const owners = await rows('select workspace_id from deals where deal_id = $1', [id]);
        const expected = provider === 'crmc' ? [other.workspaceId] : [workspaceId, other.workspaceId];
        expect(owners.map((row) => row['workspace_id'])).to.have.members(expected);
        await other.api.expect(200, 'POST', `/auth/workspace/disconnect-${provider}`);
        world.change(id, { amount: 3000 });
        const statuses: number[] = [];
        for (const delivery of world.takeDeliveries()) statuses.push(await deliver(delivery));
        await waitForCalculations();
        const left = await rows(
          'select workspace_id, trim_scale(amount)::text as amount from deals where deal_id = $1',
          [id],
        );
        expect(left).to.deep.include({ workspace_id: other.workspaceId, amount: '1000' });
        if (provider === 'crmc') expect(statuses).to.deep.equal([401]);
        else expect(left).to.deep.include({ workspace_id: workspaceId, amount: '3000' });
      });
    });
  });
}

describe('deliveries without a valid signature', () => {
  it('return 429 for the address after ten times the limit of failed sign-ins', async () => {
    const service = await Service.start({ settings: { FAILED_SIGN_INS_PER_MINUTE: '2' }, worker: false });
    try {
      for (const provider of ['crma', 'crmb', 'crmc', 'billing']) {
        const send = () => service.client(null).post(`/webhooks/${provider}`, { webhook_id: 'unknown', events: [] });
        const statuses = (await Promise.all(Array.from({ length: 25 }, send))).map(({ status }) => status);
        expect(statuses, provider).to.include(429);
        await expectError('429 rate_limited', send(), provider);
      }
      expect((await service.client('ws_wrong').get('/v1/plans')).status).to.equal(401);
    } finally {
      await service.stop();
    }
  });
});

describe('the rate limit of deliveries', () => {
  it('allows a burst of four seconds per account, then the rate per second', () => {
    let now = 0;
    const limits = new WebhookLimits(50, () => now);
    const accepted = (routes: string[], times: number) =>
      Array.from({ length: times }).filter(() => {
        try {
          limits.admit('crma', routes);
          return true;
        } catch {
          return false;
        }
      }).length;
    expect(accepted(['a'], 300)).to.equal(200);
    expect(accepted(['b'], 1)).to.equal(1);
    expect(accepted(['a', 'b'], 1)).to.equal(1);
    now += 1000;
    expect(accepted(['a'], 300)).to.equal(50);
  });
});
