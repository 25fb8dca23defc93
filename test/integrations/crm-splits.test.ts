import { expect } from 'chai';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const flat = {
  name: 'New business',
  measure: 'amount',
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
};
const overlay = {
  ...flat,
  name: 'SE',
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }],
  creditKinds: ['overlay'],
  creditRoles: ['SE'],
};

/** A CRM with deals that people share, in the terms of both vendors. */
interface SharingCrm {
  readonly provider: 'crmb' | 'crmc';
  readonly environment: Record<string, string>;
  /** The settings that read the splits, with overlays of sales engineers if the CRM has them. */
  readonly credits: object;
  token(): object;
  addPerson(name: string): string;
  addDeal(amount: number, ownerId: string): string;
  /** Parts in percent; `SE` is the type of overlays, which crm-b does not have. */
  split(dealId: string, parts: readonly (readonly [ownerId: string, percent: number, type?: 'SE'])[]): void;
  stop(): Promise<void>;
}

async function startCrmb(): Promise<SharingCrm> {
  const crm = await FakeCrmb.start();
  crm.callsPerTenSeconds = 1_000_000;
  return {
    provider: 'crmb',
    environment: crm.environment,
    credits: { types: {} },
    token: () => crm.oauth.issue(),
    addPerson: (name) => crm.addOwner({ firstName: name, lastName: 'Lind', email: `${name}@split.io` }),
    addDeal: (amount, ownerId) =>
      crm.addDeal({
        dealname: 'Shared',
        dealstage: 'closedwon',
        amount: String(amount),
        closedate: '2026-02-10T12:00:00.000Z',
        hubspot_owner_id: ownerId,
      }),
    split: (dealId, parts) =>
      crm.setSplits(
        dealId,
        parts
          .filter(([, , type]) => type === undefined)
          .map(([ownerId, percent]) => ({ ownerId, share: String(percent / 100) })),
      ),
    stop: () => crm.stop(),
  };
}

async function startCrmc(): Promise<SharingCrm> {
  const crm = await FakeCrmc.start({ currency: 'USD' });
  return {
    provider: 'crmc',
    environment: crm.environment,
    credits: { types: { Revenue: 'split', 'SE credit': { kind: 'overlay', role: 'SE' } } },
    token: () => ({ ...crm.oauth.issue(), instanceUrl: crm.url }),
    addPerson: (name) => crm.addUser({ Name: name, Email: `${name}@split.io` }),
    addDeal: (Amount, OwnerId) =>
      crm.addDeal({ Name: 'Shared', StageName: 'Closed Won', Amount, CloseDate: '2026-02-10', OwnerId }),
    split: (dealId, parts) =>
      crm.setSplits(
        dealId,
        parts.map(([ownerId, percent, type]) => ({
          ownerId,
          percent,
          type: type === undefined ? ('Revenue' as const) : ('SE credit' as const),
        })),
      ),
    stop: () => crm.stop(),
  };
}

for (const start of [startCrmb, startCrmc]) {
  describe(`splits of ${start === startCrmb ? 'crm-b' : 'crm-c'}`, () => {
    let crm: SharingCrm;
    let service: Service;
    let workspace: Workspace;
    let api: ApiClient;

    before(async () => {
      crm = await start();
      service = await Service.start({ settings: { ...crm.environment, CRM_POLL_SECONDS: '86400' } });
    });
    after(async () => {
      await service?.stop();
      await crm?.stop();
    });
    beforeEach(async () => {
      workspace = await service.workspace();
      ({ api } = workspace);
      await api.expect(200, 'POST', `/auth/workspace/connect-${crm.provider}`, crm.token());
    });
    afterEach(() => workspace.expectSoundLedger());

    const setCredits = (credits: object | null) =>
      api.expect(200, 'PUT', `/v1/integrations/${crm.provider}/settings`, { credits });
    const creditsOf = async (dealId: string) => {
      const { source, credits } = await api.expect(200, 'GET', `/v1/deals/${dealId}/credits`);
      const parts = credits.map(
        ({ repName, percent, role }: { repName: string | null; percent: number; role: string | null }) =>
          [repName?.split(' ')[0] ?? 'house', percent, role].filter((part) => part !== null).join(' '),
      );
      return [source, ...parts];
    };
    const sync = async () => {
      await api.expect(200, 'POST', '/v1/commissions/sync', {});
      await workspace.calculated();
    };
    /** Syncs, and puts everyone on the plan. */
    const syncWithPlan = async () => {
      await sync();
      const { reps } = await api.expect(200, 'GET', '/v1/reps');
      const sellers = reps.filter(({ email }: { email: string }) => email.endsWith('@split.io'));
      await api.createPlan(
        { name: 'AE', config: { rules: [flat, overlay] } },
        sellers.map(({ id }: { id: string }) => id),
      );
      await workspace.calculated();
    };
    const earned = async (dealId: string): Promise<string[]> => {
      const rows = await workspace.sql<{ earned: string }>(
        `select concat_ws(' ', r.name, e.rule_name, trim_scale(e.amount)) as earned from commission_events e
         join reps r using (workspace_id, rep_id)
         where e.workspace_id = $1 and e.deal_key = $2 and e.status = 'earned' and e.amount <> 0 order by 1`,
        dealId,
      );
      return rows.map((row) => row.earned.replace(' Lind', ''));
    };

    it('pay each participant, and a split that is removed reverses its rows', async () => {
      await setCredits(crm.credits);
      const [ada, bo] = [crm.addPerson('Ada'), crm.addPerson('Bo')];
      const deal = crm.addDeal(1000, ada);
      crm.split(deal, [
        [ada, 60],
        [bo, 40],
        [bo, 50, 'SE'],
      ]);
      await syncWithPlan();
      const overlays = crm.provider === 'crmc';
      expect(await creditsOf(deal)).to.deep.equal(['crm', 'Ada 60', 'Bo 40', ...(overlays ? ['Bo 50 SE'] : [])]);
      expect(await earned(deal)).to.deep.equal([
        'Ada New business 60',
        'Bo New business 40',
        ...(overlays ? ['Bo SE 5'] : []),
      ]);
      crm.split(deal, []);
      await sync();
      expect(await creditsOf(deal)).to.deep.equal(['owner', 'Ada 100']);
      expect(await earned(deal)).to.deep.equal(['Ada New business 100']);
    });

    it('yield to lines of the API, and count again when these are deleted', async () => {
      await setCredits(crm.credits);
      const [ada, bo] = [crm.addPerson('Ada'), crm.addPerson('Bo')];
      const deal = crm.addDeal(1000, ada);
      crm.split(deal, [
        [ada, 60],
        [bo, 40],
      ]);
      await syncWithPlan();
      const path = `/v1/deals/${deal}/credits`;
      await api.expect(200, 'PUT', path, { credits: [{ crmMemberId: bo, percent: 100 }] });
      await sync();
      expect(await creditsOf(deal)).to.deep.equal(['api', 'Bo 100']);
      await api.expect(200, 'DELETE', path);
      await workspace.calculated();
      expect(await earned(deal)).to.deep.equal(['Ada New business 60', 'Bo New business 40']);
    });

    it('of a member who is no rep belong to no one until an admin says who it is', async () => {
      await setCredits(crm.credits);
      const ada = crm.addPerson('Ada');
      const deal = crm.addDeal(1000, ada);
      crm.split(deal, [
        [ada, 60],
        ['0000000000000000', 40],
      ]);
      await syncWithPlan();
      expect((await creditsOf(deal)).sort()).to.deep.equal(['Ada 60', 'crm', 'house 40']);
      const { reps } = await api.expect(200, 'GET', '/v1/reps');
      const repId = reps.find(({ email }: { email: string }) => email.startsWith('ada'))?.id;
      await api.expect(200, 'PUT', '/v1/deal-owners', { matches: [{ owner: '0000000000000000', repId }] });
      await workspace.calculated();
      expect(await earned(deal)).to.deep.equal(['Ada New business 100']);
    });

    it('leave the commission of the owner and that of everyone in the CRM', async () => {
      const writeBack = { commission: 'own__c', commissionTotal: 'all__c' };
      await api.expect(200, 'PUT', `/v1/integrations/${crm.provider}/settings`, { credits: crm.credits, writeBack });
      const [ada, bo] = [crm.addPerson('Ada'), crm.addPerson('Bo')];
      const deal = crm.addDeal(1000, ada);
      crm.split(deal, [
        [ada, 60],
        [bo, 40],
      ]);
      await syncWithPlan();
      await service.waitForWriteBacks(workspace.workspaceId);
      const [row] = await workspace.sql<{ desired: object }>(
        'select desired from deal_write_backs where workspace_id = $1 and deal_id = $2',
        deal,
      );
      expect(row?.desired).to.include({ commission: '60', commissionTotal: '100' });
    });

    it('that do not total 100 % are left out, and the deal stays its owner’s', async () => {
      await setCredits(crm.credits);
      const [ada, bo] = [crm.addPerson('Ada'), crm.addPerson('Bo')];
      const deal = crm.addDeal(1000, ada);
      crm.split(deal, [
        [ada, 60],
        [bo, 30],
      ]);
      await syncWithPlan();
      expect(await creditsOf(deal)).to.deep.equal(['owner', 'Ada 100']);
      const { syncs } = await api.expect(200, 'GET', `/v1/integrations/${crm.provider}/syncs`);
      expect(syncs[0].skippedDeals).to.deep.include({
        dealId: deal,
        reason: 'the splits do not total 100 % and were left out',
      });
    });

    it('are not read without the setting, and are removed when it is switched off', async () => {
      const [ada, bo] = [crm.addPerson('Ada'), crm.addPerson('Bo')];
      const deal = crm.addDeal(1000, ada);
      crm.split(deal, [
        [ada, 60],
        [bo, 40],
      ]);
      await syncWithPlan();
      expect(await earned(deal)).to.deep.equal(['Ada New business 100']);
      await setCredits(crm.credits);
      await sync();
      expect(await earned(deal)).to.have.length(2);
      await setCredits(null);
      await sync();
      expect(await creditsOf(deal)).to.deep.equal(['owner', 'Ada 100']);
      expect(await earned(deal)).to.deep.equal(['Ada New business 100']);
    });
  });
}
