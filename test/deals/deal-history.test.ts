import { expect } from 'chai';
import { recordReportedDeals } from '#src/deals/record-reported-deals.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

interface Entry {
  readonly kind: string;
  readonly by: string | null;
  readonly byName: string | null;
  readonly provider: string | null;
  readonly changes: readonly { readonly name: string; readonly before: unknown; readonly after: unknown }[];
}

describe('the history of a deal', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ada: string;

  before(async () => {
    ({ api, workspaceId } = await service.workspace());
    const people = [
      { email: 'ada@acme.test', name: 'Ada', role: 'admin' },
      { email: 'rick@acme.test', name: 'Rick', crmMemberId: 'rick' },
      { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' },
    ];
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', { reps: people });
    ada = reps[0].id;
  });

  const history = async (dealId: string, query = ''): Promise<Entry[]> =>
    (await api.expect(200, 'GET', `/v1/deals/${dealId}/history${query}`)).history;
  const words = ({ kind, byName, provider, changes }: Entry) =>
    `${kind} by ${byName ?? provider}: ${changes.map(({ name, before, after }) => `${name} ${before} > ${after}`).join(', ')}`;

  async function report(amount: number, second: number) {
    await service.running.service.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
      recordReportedDeals(tx, {
        provider: 'crmc',
        deals: [{ id: 'R', fields: { amount }, modifiedAt: new Date(1_780_000_000_000), deleted: false }],
        fetchedAt: new Date(1_780_000_000_000 + second * 1000),
        keepStale: true,
      }),
    );
  }

  it('says who changed which values, from what to what, for calls, files and deletions', async () => {
    const admin = await service.as(workspaceId, ada);
    await admin.expect(201, 'PUT', '/v1/deals/A', {
      amount: 24_000,
      stage: 'Won',
      ownerId: 'rick',
      fields: { region: 'North' },
    });
    await admin.expect(200, 'PUT', '/v1/deals/A', {
      amount: '24000.00',
      stage: 'Won',
      ownerId: 'rick',
      fields: { region: 'North' },
    });
    await api.expect(200, 'POST', '/v1/deals/import?mode=merge', {
      deals: [{ dealId: 'A', amount: 27_500, ownerId: 'ben' }],
    });
    await admin.expect(200, 'DELETE', '/v1/deals/A');
    await admin.expect(200, 'PUT', '/v1/deals/A', { amount: 27_500, ownerId: 'ben', fields: { region: 'South' } });
    expect((await history('A')).map(words)).to.deep.equal([
      'restored by Ada: stage Won > null, fields.region North > South',
      'deleted by Ada: ',
      'changed by API key: amount 24000 > 27500, owner rick > ben',
      'created by Ada: amount null > 24000, stage null > Won, owner null > rick, fields.region null > North',
    ]);
    const [second] = await history('A', '?limit=1&offset=1');
    expect(second?.kind).to.equal('deleted');
  });

  it('has reports of a CRM by their source, without those that were older than the deal', async () => {
    await report(100, 1);
    await report(300, 3);
    await report(200, 2);
    await report(400, 4);
    expect((await history('R')).map(words)).to.deep.equal([
      'changed by crmc: amount 300 > 400',
      'changed by crmc: amount 100 > 300',
      'created by crmc: amount null > 100',
    ]);
  });

  it('is that of an own deal for a rep, and of no other one', async () => {
    await api.expect(201, 'PUT', '/v1/deals/OWN', { amount: 1, ownerId: 'rick' });
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const repId = (email: string) => reps.find((rep: { email: string }) => rep.email === email).id;
    const rick = await service.as(workspaceId, repId('rick@acme.test'));
    const ben = await service.as(workspaceId, repId('ben@acme.test'));
    expect((await rick.expect(200, 'GET', '/v1/deals/OWN/history')).count).to.equal(1);
    expect((await ben.expect(404, 'GET', '/v1/deals/OWN/history')).code).to.equal('deal_not_found');
  });
});
