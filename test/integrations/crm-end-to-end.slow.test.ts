import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, payEveryone, randomDeal, untilInboxEmpty } from '#test/support/crm-worlds.js';
import { ledgerRows } from '#test/support/ledger-checks.js';
import { Random } from '#test/support/random.js';
import { Service } from '#test/support/service.js';

const seed = Number(process.env['CRM_SEED'] ?? randomInt(2 ** 31));
const dealsAtFirst = 2000;
const changes = 1000;
const sentAtOnce = 8;
const maxWaitSeconds = 60;

for (const { provider, start } of crmWorlds) {
  describe(`${provider} from the connection to the commission`, () => {
    const random = new Random(seed);
    let world: CrmWorld;
    let service: Service;
    let api: ApiClient;
    let workspaceId: string;
    let people: string[];

    before(async () => {
      world = await start();
      people = ['Ada', 'Ben', 'Cy', 'Di', 'Ed'].map((name) => world.addPerson(name));
      for (let count = 0; count < dealsAtFirst; count += 1) world.addDeal(randomDeal(random, people));
      service = await Service.start({ crms: [world] });
      ({ api, workspaceId } = await service.workspace({ currency: world.currency }));
    });

    after(async () => {
      await service.stop();
      await world.stop();
    });

    const dealsOf = (workspace: string) =>
      service
        .sql<{ deal: string }>(
          `select concat_ws('|', deal_id, r.email, trim_scale(amount), stage, close_date, d.currency) as deal
        from deals d left join reps r on r.workspace_id = d.workspace_id and r.rep_id = d.rep_id
        where d.workspace_id = $1 and d.deleted_at is null order by 1`,
          workspace,
        )
        .then((rows) => rows.map((row) => row.deal));

    it('connects, and a sync imports reps first and then all deals', async () => {
      // The first poll would import all deals directly after the connection.
      if (provider === 'crmc') await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
      await world.connect(api, service.url);
      const integrations = (await api.expect(200, 'GET', '/auth/workspace/integrations')).integrations;
      expect(integrations.find((one: { provider: string }) => one.provider === provider)).to.include({
        connected: true,
        broken: false,
      });
      const answer = await api.expect(200, 'POST', '/v1/commissions/sync', {});
      expect(answer, JSON.stringify(answer)).to.include({ synced: true, totalDeals: dealsAtFirst, provider });
      expect(answer.counts).to.include({ reps: 5, newReps: 5, created: dealsAtFirst });
      const { count, deals } = await api.expect(200, 'GET', '/v1/deals?limit=1');
      expect(count).to.equal(dealsAtFirst);
      expect(deals[0]).to.include({ provider });
      expect(deals[0].repId).to.be.a('string');
      await payEveryone(api);
      await service.waitForCalculations(workspaceId);
      expect(await ledgerRows(service.database.ownerUrl, workspaceId)).not.to.have.length(0);
    });

    it('has the ledger of a clean calculation after shuffled and duplicated deliveries', async () => {
      world.takeDeliveries();
      const waiting: Delivery[] = [];
      const underWay = new Set<Promise<void>>();
      const statuses: number[] = [];
      const sendOne = async () => {
        const [delivery] = waiting.splice(random.below(waiting.length), 1) as [Delivery];
        if (random.below(5) === 0) waiting.push(delivery);
        const sending = deliver(delivery).then((status) => {
          statuses.push(status);
          underWay.delete(sending);
        });
        underWay.add(sending);
        if (underWay.size >= sentAtOnce) await Promise.race(underWay);
      };
      for (let count = 0; count < changes; count += 1) {
        changeSomething();
        waiting.push(...world.takeDeliveries());
        if (waiting.length > maxWaitSeconds) await sendOne();
      }
      while (waiting.length > 0) await sendOne();
      await Promise.all(underWay);
      expect(
        statuses.filter((status) => status < 200 || status > 299),
        `seed ${seed}`,
      ).to.deep.equal([]);
      await untilInboxEmpty(service.database.ownerUrl);
      await service.waitForCalculations(workspaceId);
      await service.expectSoundLedger(workspaceId);
      await expectClean();
    });

    function changeSomething(): void {
      const live = world.liveDealIds();
      const dealId = random.of(live);
      const next = randomDeal(random, people);
      const what = random.below(20);
      if (what === 0) world.addDeal(next);
      else if (what === 1) world.delete(dealId);
      else if (what < 6) world.change(dealId, { won: next.won });
      else if (what < 10) world.change(dealId, { owner: next.owner });
      else if (what < 14) world.change(dealId, { closeDate: next.closeDate });
      else world.change(dealId, { amount: next.amount });
    }

    /** Another workspace that imports only the current state of the CRM. */
    async function expectClean(): Promise<void> {
      const other = await service.workspace({ currency: world.currency });
      await world.connect(other.api, service.url);
      await other.api.expect(200, 'POST', '/v1/commissions/sync', {});
      await payEveryone(other.api);
      await service.waitForCalculations(other.workspaceId);
      expect(await dealsOf(workspaceId), `seed ${seed}`).to.deep.equal(await dealsOf(other.workspaceId));
      const rows = await ledgerRows(service.database.ownerUrl, workspaceId);
      expect(rows, `seed ${seed}`).to.deep.equal(await ledgerRows(service.database.ownerUrl, other.workspaceId));
      expect(rows).not.to.have.length(0);
      const again = await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect(again).to.include({ eventsWritten: 0, eventsReversed: 0 });
    }
  });
}
