import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const config = {
  dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
  rules: [{ name: 'Commission', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }],
};

describe('the filters of GET /v1/deals', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ben: string;
  let mia: string;

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
    [mia, ben] = await api.saveReps(
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'ben@acme.test', name: 'Ben', managerEmail: 'mia@acme.test' },
    );
    await api.createPlan({ name: 'AE', config, effectiveStart: '2026-02-01' }, [ben]);
    // A fixed amount for every deal on which a rep below has an event, also one with amount 0.
    const tiers = [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }];
    const override = {
      rules: [{ name: 'Override', measure: 'amount', executionPhase: 'cascade', payoutBase: '1', tiers }],
    };
    await api.createPlan({ name: 'Manager', config: override }, [mia]);
    const deals: Record<string, object> = {
      'OPP-1': { name: 'Alder 100%_a', amount: 1000, stage: 'Won', closeDate: '2026-01-15', repId: ben },
      'OPP-2': {
        name: 'Birch',
        amount: 2000,
        stage: 'Won',
        closeDate: '2026-02-15',
        repId: ben,
        fields: { region: 'EMEA', margin: 12 },
      },
      'OPP-3': { name: 'Cedar', amount: 3000, stage: 'Open', closeDate: '2026-03-31', repId: ben },
      'OPP-4': { name: 'alderwood', amount: 4000, stage: 'Won', closeDate: '2026-04-01' },
      'OPP-5': { amount: 0, stage: 'Won', closeDate: '2026-02-20', repId: ben },
      'OPP-6': { name: 'Elm', amount: 6000, stage: 'Won', closeDate: '2026-02-10', repId: ben },
      'OPP-7': { name: 'Fir', amount: 7000, stage: 'Closed Lost', closeDate: '2026-02-01', repId: ben },
    };
    for (const [id, deal] of Object.entries(deals)) await api.expect(201, 'PUT', `/v1/deals/${id}`, deal);
    await service.waitForCalculations(workspaceId);
    await api.expect(200, 'DELETE', '/v1/deals/OPP-6');
    await service.waitForCalculations(workspaceId);
  });

  const idsOf = async (query: string, client = api): Promise<string[]> => {
    const { deals, count } = await client.expect(200, 'GET', `/v1/deals?${query}`);
    expect(count).to.equal(deals.length);
    return deals.map((deal: { deal_id: string }) => deal.deal_id).sort();
  };

  it('pages by id neither skip nor repeat a deal that changes between them', async () => {
    const { api: own } = await service.workspace();
    for (const id of ['1', '2', '3', '4', '5']) await own.putDeal(id, { amount: 10 });
    const page = async (after: string): Promise<string[]> => {
      const { deals } = await own.expect(200, 'GET', `/v1/deals?limit=2&after=${after}`);
      return deals.map((deal: { deal_id: string }) => deal.deal_id);
    };
    expect(await page('')).to.deep.equal(['1', '2']);
    for (const id of ['4', '1']) await own.putDeal(id, { amount: 20 });
    expect(await page('2')).to.deep.equal(['3', '4']);
    expect(await page('4')).to.deep.equal(['5']);
    expect(await page('5')).to.deep.equal([]);
  });

  for (const [query, expected] of [
    ['stage=%25', []],
    ['query=alder', ['OPP-1', 'OPP-4']],
    ['query=opp-2', ['OPP-2']],
    ['query=100%25_A', ['OPP-1']],
    ['query=%25', ['OPP-1']],
    ['query=emea', ['OPP-2']],
    ['query=region', []],
    ['field=region&value=emea', ['OPP-2']],
    ['field=margin&value=12', ['OPP-2']],
    ['field=region&value=EM', []],
    ['closedFrom=2026-02-15&closedTo=2026-03-31', ['OPP-2', 'OPP-3', 'OPP-5']],
    ['closedFrom=2026-04-01', ['OPP-4']],
    ['closedTo=2026-01-15', ['OPP-1']],
    ['isWon=true', ['OPP-1', 'OPP-2', 'OPP-4', 'OPP-5']],
    ['isWon=false', ['OPP-3', 'OPP-7']],
    ['isClosed=true', ['OPP-1', 'OPP-2', 'OPP-4', 'OPP-5', 'OPP-7']],
    ['isClosed=false', ['OPP-3']],
    ['isClosed=true&isWon=false', ['OPP-7']],
    ['unowned=true', ['OPP-4']],
    ['unowned=false', ['OPP-1', 'OPP-2', 'OPP-3', 'OPP-5', 'OPP-7']],
    ['paid=true', ['OPP-2', 'OPP-5']],
    ['paid=false', ['OPP-1', 'OPP-3', 'OPP-4', 'OPP-7']],
    ['paid=false&isWon=true&closedFrom=2026-01-01&closedTo=2026-03-31', ['OPP-1']],
    ['deleted=true', ['OPP-6']],
    ['deleted=true&paid=true', []],
    ['deleted=false&query=elm', []],
  ] as const)
    it(`${query} → ${expected.join(', ') || 'none'}`, async () => {
      expect(await idsOf(query)).to.deep.equal(expected);
    });

  it('returns only the fields of the CRM that are named, and all without names', async () => {
    const fieldsOf = async (query: string) =>
      Object.keys((await api.expect(200, 'GET', `/v1/deals?query=birch${query}`)).deals[0].fields).sort();
    const all = await fieldsOf('');
    expect(all).to.include.members(['margin', 'region']);
    expect(await fieldsOf('&fields=unknown,%20region')).to.deep.equal(['region']);
    expect(await fieldsOf('&fields=unknown')).to.deep.equal([]);
  });

  it('lists a deleted deal with the time of its deletion', async () => {
    const { deals } = await api.expect(200, 'GET', '/v1/deals?deleted=true');
    expect(deals[0].deleted_at).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('counts for a rep in paid only what the rep earned, not what the manager earned', async () => {
    const rep = await service.as(workspaceId, ben);
    expect(await idsOf('paid=true', rep)).to.deep.equal(['OPP-2']);
    expect(await idsOf('paid=false', rep)).to.deep.equal(['OPP-1', 'OPP-3', 'OPP-5', 'OPP-7']);
  });

  it('rejects a filter with an invalid value and names the filter', async () => {
    for (const [query, path] of [
      ['isWon=yes', 'isWon'],
      ['isClosed=1', 'isClosed'],
      ['unowned=1', 'unowned'],
      ['deleted=TRUE', 'deleted'],
      ['paid=', 'paid'],
      ['closedFrom=2026-02-30', 'closedFrom'],
      ['closedTo=today', 'closedTo'],
      ['closedFrom=2026-03-01&closedTo=2026-02-01', 'closedTo'],
      ['query=', 'query'],
      ['query=%00', 'query'],
      ['field=region', 'value'],
      ['value=EMEA', 'field'],
    ] as const) {
      const { code, details } = await api.expect(400, 'GET', `/v1/deals?${query}`);
      expect(code).to.equal('VALIDATION_FAILED');
      expect(details.issues[0].path, query).to.equal(path);
    }
  });
});
