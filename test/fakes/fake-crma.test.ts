import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';

/** The vendor publishes a description of its API and no client. The checks are those of the description. */
describe('the fake crm-a', () => {
  let crm: FakeCrma;
  let token: string;

  beforeEach(async () => {
    crm = await FakeCrma.start();
    crm.readsPerSecond = 10_000;
    token = crm.oauth.issue().accessToken;
  });

  afterEach(() => crm.stop());

  async function request(method: string, path: string, body?: unknown) {
    const response = await fetch(`${crm.server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the body is compared with literals
    return { status: response.status, body: (await response.json()) as any };
  }
  const query = (filter: unknown) => request('POST', '/v2/objects/deals/records/query', { filter });
  const idsOf = async (filter: unknown) =>
    (await query(filter)).body.data.map((record: { id: { record_id: string } }) => record.id.record_id);

  it('finds records by every documented operator', async () => {
    const small = crm.addDeal({ name: 'Acme renewal', value: 10, segment: 'SMB' });
    const large = crm.addDeal({ name: 'Globex expansion', value: 500, stage: 'Lead' });
    for (const [filter, ids] of [
      [{ name: 'Acme renewal' }, [small]],
      [{ name: { $eq: 'Acme renewal' } }, [small]],
      [{ name: { $contains: 'EXP' } }, [large]],
      [{ name: { $starts_with: 'acme' } }, [small]],
      [{ name: { $ends_with: 'sion' } }, [large]],
      [{ value: { $gt: 10 } }, [large]],
      [{ value: { $gte: 10 } }, [small, large]],
      [{ value: { $lt: 500 } }, [small]],
      [{ value: { currency_value: { $lte: 10 } } }, [small]],
      [{ segment: { $not_empty: true } }, [small]],
      [{ $not: { segment: { $not_empty: true } } }, [large]],
      [{ $and: [{ value: { $gt: 1 } }, { stage: 'Lead' }] }, [large]],
      [{ $or: [{ segment: 'SMB' }, { stage: 'Lead' }] }, [small, large]],
      [{ record_id: { $in: [large] } }, [large]],
      [{ created_at: { $gte: '2020-01-01T00:00:00.000000000Z' } }, [small, large]],
    ] as const)
      expect(await idsOf(filter), JSON.stringify(filter)).to.deep.equal(ids);
  });

  it('rejects filters that the vendor rejects', async () => {
    for (const filter of [
      { unknown: 'x' },
      { name: { $like: 'x' } },
      { record_id: { $in: ['not-a-uuid'] } },
      { record_id: { $in: 'not-a-list' } },
      { created_at: { $gte: '2020-01-01' } },
      { $and: { name: 'x' } },
    ])
      expect(await query(filter), JSON.stringify(filter)).to.deep.include({ status: 400 });
    for (const limit of [0, 501])
      expect(await request('POST', '/v2/objects/deals/records/query', { limit })).to.include({ status: 400 });
  });

  it('rejects values of another type, and unknown attributes, choices and people', () => {
    for (const values of [
      { made_up: 'x' },
      { stage: 'Made up' },
      { owner: 'unknown-user' },
      { value: '10' },
      { close_date: '31.3.2026' },
      { segment: ['SMB', 'Enterprise'] },
    ])
      expect(() => crm.addDeal(values), JSON.stringify(values)).to.throw();
  });

  it('returns attributes, choices and values in full, with UUIDs', async () => {
    const owner = crm.addMember({ firstName: 'Ada', lastName: 'L', email: 'ada@acme.test' });
    crm.addDeal({ name: 'Deal', stage: 'Lead', owner, value: 5 });
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
    const { body: attributes } = await request('GET', '/v2/objects/deals/attributes');
    const stage = attributes.data.find((one: { api_slug: string }) => one.api_slug === 'stage');
    expect(stage).to.include.keys('id', 'title', 'type', 'is_system_attribute', 'is_required', 'config', 'created_at');
    expect(stage.id.attribute_id).to.match(uuid);
    const { body: statuses } = await request('GET', '/v2/objects/deals/attributes/stage/statuses');
    const lead = statuses.data.find((one: { title: string }) => one.title === 'Lead');
    const { body } = await query({});
    const { values } = body.data[0];
    expect(values.stage[0].status.id).to.deep.equal(lead.id);
    expect(values.owner[0]).to.include({ referenced_actor_type: 'workspace-member', referenced_actor_id: owner });
    expect(values.value[0]).to.include({ currency_value: 5, currency_code: 'USD', attribute_type: 'currency' });
  });

  it('denies requests without their scope, and reports the scopes held', async () => {
    crm.oauth.scopes.delete('record_permission:read');
    expect(await query({})).to.deep.include({ status: 403 });
    expect((await request('GET', '/v2/objects/deals')).status).to.equal(200);
    expect((await request('GET', '/v2/self')).body.scope).to.not.contain('record_permission');
  });
});
