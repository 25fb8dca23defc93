import { expect } from 'chai';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { Service } from '#test/support/service.js';

/** The numbers of deals that are compared; SPLIT_DEALS is the larger one. */
const many = Number(process.env['SPLIT_DEALS'] ?? 8000);
const few = many / 4;
/** Four times the deals may take this many times as long; work that grows with the page number takes 16 times. */
const maxGrowth = 7;

interface SharingCrm {
  readonly provider: 'crmb' | 'crmc';
  readonly environment: Record<string, string>;
  token(): object;
  stop(): Promise<void>;
}

/** A CRM with deals of which each has three splits, between its owner and two others. */
async function crmbWith(deals: number): Promise<SharingCrm> {
  const crm = await FakeCrmb.start();
  crm.callsPerTenSeconds = 1_000_000;
  const owners = ['ada', 'bo', 'cy'].map((name) =>
    crm.addOwner({ firstName: name, lastName: 'Lind', email: `${name}@split.io` }),
  );
  const [owner = ''] = owners;
  crm.generateDeals(deals, (position) => ({
    dealname: 'Shared',
    dealstage: 'closedwon',
    amount: String(position),
    closedate: '2026-02-10T12:00:00.000Z',
    hubspot_owner_id: owner,
  }));
  crm.generatedSplits = () => ['0.5', '0.3', '0.2'].map((share, index) => ({ ownerId: owners[index] ?? owner, share }));
  return {
    provider: 'crmb',
    environment: crm.environment,
    token: () => crm.oauth.issue(),
    stop: () => crm.stop(),
  };
}

async function crmcWith(deals: number): Promise<SharingCrm> {
  const crm = await FakeCrmc.start({ currency: 'USD' });
  const users = ['ada', 'bo', 'cy'].map((name) => crm.addUser({ Name: name, Email: `${name}@split.io` }));
  const [OwnerId = ''] = users;
  for (let position = 0; position < deals; position += 1) {
    const id = crm.addDeal({
      Name: 'Shared',
      StageName: 'Closed Won',
      Amount: position,
      CloseDate: '2026-02-10',
      OwnerId,
    });
    crm.setSplits(
      id,
      [50, 30, 20].map((percent, index) => ({ ownerId: users[index] ?? OwnerId, percent, type: 'Revenue' })),
    );
  }
  return {
    provider: 'crmc',
    environment: crm.environment,
    token: () => ({ ...crm.oauth.issue(), instanceUrl: crm.url }),
    stop: () => crm.stop(),
  };
}

async function syncMs(start: typeof crmbWith, deals: number): Promise<number> {
  const crm = await start(deals);
  const service = await Service.start({ settings: { ...crm.environment, CRM_POLL_SECONDS: '86400' } });
  try {
    const { api, workspaceId } = await service.workspace();
    await api.expect(200, 'POST', `/auth/workspace/connect-${crm.provider}`, crm.token());
    await api.expect(200, 'PUT', `/v1/integrations/${crm.provider}/settings`, { credits: { types: {} } });
    await api.expect(200, 'POST', '/v1/reps/sync');
    const startedAt = performance.now();
    const { jobId } = await api.expect(200, 'POST', '/v1/commissions/sync', { async: true });
    expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
    const took = performance.now() - startedAt;
    const [row] = await service.sql<{ lines: number }>(
      "select count(*)::int as lines from deal_credits where workspace_id = $1 and source = 'crm'",
      workspaceId,
    );
    expect(row?.lines).to.equal(3 * deals);
    return took;
  } finally {
    await service.stop();
    await crm.stop();
  }
}

describe('a sync of deals with splits', function () {
  this.timeout(600_000);

  for (const [name, start, factor] of [
    ['crm-b', crmbWith, 1],
    // The simulated organisation compares every row of the splits with every page of ids.
    ['crm-c', crmcWith, 0.25],
  ] as const)
    it(`of ${name} takes time in proportion to the deals`, async () => {
      const small = await syncMs(start, few * factor);
      const large = await syncMs(start, many * factor);
      expect(large, `${Math.round(small)} ms and ${Math.round(large)} ms`).to.be.below(maxGrowth * small);
    });
});
