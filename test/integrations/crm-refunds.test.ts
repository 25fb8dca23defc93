import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** A CRM with a won deal of 1,000 that says when its customer cancelled, in the terms of the vendor. */
interface CancellingCrm {
  readonly provider: 'crma' | 'crmb' | 'crmc';
  readonly environment: Record<string, string>;
  /** The fields of the deal, by the slugs of the service. */
  readonly mapping: { readonly cancelledOn: string; readonly refundAmount: string };
  connect(api: ApiClient): Promise<unknown>;
  addDeal(): string;
  cancel(dealId: string, day: string | null, amount: number | null): void;
  stop(): Promise<void>;
}

async function startCrma(): Promise<CancellingCrm> {
  const crm = await FakeCrma.start();
  crm.attributes.push({ slug: 'cancelled_on', title: 'Cancelled on', type: 'date' });
  crm.attributes.push({ slug: 'refunded', title: 'Refunded', type: 'number' });
  return {
    provider: 'crma',
    environment: crm.environment,
    mapping: { cancelledOn: 'cancelled_on', refundAmount: 'refunded' },
    connect: (api) =>
      api.expect(200, 'POST', '/auth/workspace/connect-crma', { accessToken: crm.oauth.issue().accessToken }),
    addDeal: () => {
      const owner = crm.addMember({ firstName: 'Ada', lastName: 'Lind', email: 'ada@cancel.io' });
      return crm.addDeal({ name: 'Sold', stage: 'Won 🎉', value: 1000, close_date: '2026-02-10', owner });
    },
    cancel: (dealId, cancelled_on, refunded) => crm.change(dealId, { cancelled_on, refunded }),
    stop: () => crm.stop(),
  };
}

async function startCrmb(): Promise<CancellingCrm> {
  const crm = await FakeCrmb.start();
  crm.callsPerTenSeconds = 1_000_000;
  const own = { hubspotDefined: false };
  crm.properties.push({ name: 'cancelled_on', label: 'Cancelled on', type: 'date', fieldType: 'date', ...own });
  crm.properties.push({ name: 'refunded', label: 'Refunded', type: 'number', fieldType: 'number', ...own });
  return {
    provider: 'crmb',
    environment: crm.environment,
    mapping: { cancelledOn: 'cancelled_on', refundAmount: 'refunded' },
    connect: (api) => api.expect(200, 'POST', '/auth/workspace/connect-crmb', crm.oauth.issue()),
    addDeal: () =>
      crm.addDeal({
        dealname: 'Sold',
        dealstage: 'closedwon',
        amount: '1000',
        closedate: '2026-02-10T12:00:00.000Z',
        hubspot_owner_id: crm.addOwner({ firstName: 'Ada', lastName: 'Lind', email: 'ada@cancel.io' }),
      }),
    cancel: (dealId, day, amount) =>
      crm.change(dealId, { cancelled_on: day ?? '', refunded: amount === null ? '' : String(amount) }),
    stop: () => crm.stop(),
  };
}

async function startCrmc(): Promise<CancellingCrm> {
  const crm = await FakeCrmc.start({ currency: 'USD' });
  crm.addField({ name: 'Cancelled_On__c', type: 'date' });
  crm.addField({ name: 'Refunded__c', type: 'double' });
  return {
    provider: 'crmc',
    environment: crm.environment,
    mapping: { cancelledOn: 'cancelled_on', refundAmount: 'refunded' },
    connect: (api) =>
      api.expect(200, 'POST', '/auth/workspace/connect-crmc', { ...crm.oauth.issue(), instanceUrl: crm.url }),
    addDeal: () =>
      crm.addDeal({
        Name: 'Sold',
        StageName: 'Closed Won',
        Amount: 1000,
        CloseDate: '2026-02-10',
        OwnerId: crm.addUser({ Name: 'Ada', Email: 'ada@cancel.io' }),
      }),
    cancel: (dealId, Cancelled_On__c, Refunded__c) => crm.changeDeal(dealId, { Cancelled_On__c, Refunded__c }),
    stop: () => crm.stop(),
  };
}

for (const start of [startCrma, startCrmb, startCrmc])
  describe(`refunds that fields of deals state, ${start.name.slice('start'.length).toLowerCase()}`, () => {
    let crm: CancellingCrm;
    let service: Service;
    let workspace: Workspace;
    let api: ApiClient;
    let deal: string;

    before(async () => {
      crm = await start();
      service = await Service.start({ settings: { ...crm.environment, CRM_POLL_SECONDS: '86400' } });
    });
    after(async () => {
      await service?.stop();
      await crm?.stop();
    });

    const sync = async () => {
      await api.expect(200, 'POST', '/v1/commissions/sync', {});
      await workspace.calculated();
    };
    const map = async (refunds: object | undefined) => {
      const { standard, measures } = await api.expect(200, 'GET', '/v1/fields/current');
      await api.expect(201, 'POST', '/v1/fields/save', { standard, measures, refunds });
      await workspace.calculated();
    };
    /** The refunds of the deal, and what they take back. */
    async function known(): Promise<unknown[]> {
      const { refunds } = await api.expect(200, 'GET', `/v1/deals/${deal}/refunds`);
      const rows = await workspace.sql(
        `select amount::float8 as amount from commission_events
         where workspace_id = $1 and deal_key like 'refund:%' and status = 'earned' order by 1`,
      );
      return [
        ...refunds.map(({ refundId, day, cause, amount }: Record<string, unknown>) => [refundId, day, cause, amount]),
        ...rows.map(({ amount }) => amount),
      ];
    }

    it('appear, change and end with the fields, and do nothing while these are not mapped', async () => {
      workspace = await service.workspace({ currency: 'USD' });
      ({ api } = workspace);
      await crm.connect(api);
      deal = crm.addDeal();
      await sync();
      const { reps } = await api.expect(200, 'GET', '/v1/reps');
      const ada = reps.find(({ email }: { email: string }) => email === 'ada@cancel.io');
      const rules = [flatRule('New business', 0.1)];
      await api.createPlan({ name: 'AE', config: { clawback: { window: { days: 180 } }, rules } }, [ada.id]);
      await workspace.calculated();
      crm.cancel(deal, '2026-04-20', 400);
      await sync();
      expect(await known(), 'without a mapping').to.deep.equal([]);

      await map(crm.mapping);
      expect((await api.expect(200, 'GET', '/v1/fields/current')).refunds).to.deep.equal(crm.mapping);
      expect(await known(), 'stored deals').to.deep.equal([['crm', '2026-04-20', 'cancellation', 400], -40]);
      crm.cancel(deal, '2026-04-22', null);
      await sync();
      expect(await known(), 'changed').to.deep.equal([['crm', '2026-04-22', 'cancellation', null], -100]);
      await sync();
      expect(await known(), 'unchanged').to.deep.equal([['crm', '2026-04-22', 'cancellation', null], -100]);
      crm.cancel(deal, '2026-04-22', 1000.01);
      await sync();
      expect(await known(), 'more than the deal').to.deep.equal([]);
      crm.cancel(deal, '2026-04-23', 250);
      await sync();
      expect(await known()).to.deep.equal([['crm', '2026-04-23', 'cancellation', 250], -25]);
      crm.cancel(deal, null, 250);
      await sync();
      expect(await known(), 'no day').to.deep.equal([]);

      crm.cancel(deal, '2026-04-23', 250);
      await sync();
      await api.expect(200, 'PUT', `/v1/deals/${deal}/refunds/mine`, {
        day: '2026-05-01',
        cause: 'refund',
        amount: 50,
      });
      await workspace.calculated();
      await map(undefined);
      expect(await known(), 'no longer mapped').to.deep.equal([['mine', '2026-05-01', 'refund', 50], -5]);
      await workspace.expectSoundLedger();
    });

    it('need the field of the day', async () => {
      const { refundAmount } = crm.mapping;
      await expectError(
        '400 VALIDATION_FAILED',
        api.post('/v1/fields/save', { standard: {}, refunds: { refundAmount } }),
      );
    });
  });
