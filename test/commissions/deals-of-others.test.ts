import { expect } from 'chai';
import { loadStatementFacts } from '#src/exports/documents/statement-facts.js';
import { operations } from '#src/operations.js';
import { toJsonSchema } from '#src/platform/json-schema.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient } from '#test/support/api-client.js';
import { unzipped } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { finishedExport } from '../exports/finished-export.js';

const declared: readonly AnyOperation[] = operations;
const period = '2026-01';

/** Values of the deal after it has moved to another rep. */
const secrets = ['87654.21', '87,654.21', 'Globex', 'Ben', 'Negotiation', '2026-01-27', 'EUR', 'top secret'];

describe('deals of others', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  let cat: ApiClient;
  let ids: Readonly<Record<'mia' | 'cat' | 'ben', string>>;
  let eventId: string;
  let plan: { readonly planId: string; readonly planVersionId: string };
  /** An instant at which Cat owned the deals. */
  let earlier: string;

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
    const people = await api.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Cat', managerEmail: 'mia@x.io' },
      { name: 'Ben' },
    );
    ids = { mia: people[0], cat: people[1], ben: people[2] };
    const rules = [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    plan = await api.createPlan({ name: 'AE', config: { rules } }, [ids.cat, ids.ben]);
    cat = await service.as(workspaceId, ids.cat);
    const first = { name: 'Acme', amount: 1000, stage: 'Won', closeDate: '2026-01-15', repId: ids.cat };
    for (const id of ['moved', 'paid']) await api.expect(201, 'PUT', `/v1/deals/${id}`, first);
    await service.waitForCalculations(workspaceId);
    [{ eventId }] = (await cat.expect(200, 'GET', '/v1/commissions?dealId=moved')).events;
    await cat.expect(201, 'POST', '/v1/disputes', { ...dispute('moved'), type: 'wrong_amount' });
    // What Cat earned on this deal was approved before the deal moved, so it is earned and not reversed.
    await api.put('/v1/deals/moved', { ...first, closeDate: '2026-02-15' });
    await service.waitForCalculations(workspaceId);
    await api.generate(ids.cat, period);
    await api.expect(200, 'PATCH', '/v1/workspaces', { blockApprovalOnDispute: false });
    await api.approve(ids.cat, period);
    earlier = new Date().toISOString();
    const present = {
      name: 'Globex',
      amount: 87_654.21,
      currency: 'EUR',
      stage: 'Negotiation',
      fields: { notes: 'top secret' },
    };
    for (const id of ['moved', 'paid'])
      await api.expect(200, 'PUT', `/v1/deals/${id}`, { ...present, closeDate: '2026-01-27', repId: ids.ben });
    await service.waitForCalculations(workspaceId);
  });

  const dispute = (dealId: string) => ({ period, type: 'other', description: 'x', dealId });

  function expectNothingOfTheDeal(body: unknown): void {
    const text = JSON.stringify(body);
    for (const secret of secrets) expect(text, secret).not.to.contain(secret);
  }

  for (const [dealId, status] of [
    ['moved', 'reversed'],
    ['paid', 'earned'],
  ] as const)
    it(`that moved away are shown to the earlier owner as what they paid, with an event that is ${status}`, async () => {
      const breakdown = await cat.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
      expect(breakdown).to.deep.include({ deal: null, outcomes: [], currency: 'USD' });
      expect(breakdown.events).to.have.length(1);
      const [event] = breakdown.events;
      expect(event).to.include({ repId: ids.cat, status, amount: 100, dealId, dealName: null });
      expect(event.trace).to.include({ measure: 1000 });
      expectNothingOfTheDeal(breakdown);
      const explained = await cat.expect(200, 'GET', `/v1/commissions/events/${event.eventId}`);
      expect(explained).to.deep.include({ deal: null });
      expect(explained.event).to.deep.include({ eventId: event.eventId, dealName: null });
      expectNothingOfTheDeal(explained);
      const asOf = new Date().toISOString();
      expectNothingOfTheDeal(await cat.expect(200, 'GET', `/v1/commissions?dealId=${dealId}&asOf=${asOf}`));
      expectNothingOfTheDeal((await cat.mcp('tools/call', { name: 'get_commissions', arguments: { dealId } })).body);
    });

  it('that moved away are shown in disputes of the earlier owner as what they paid', async () => {
    const opened = await cat.expect(201, 'POST', '/v1/disputes', dispute('moved'));
    expect(opened).to.deep.include({ dealId: 'moved', dealName: null });
    expect(opened.evidence).to.deep.include({ deal: 'not_owned', outcomes: [] });
    expect(opened.evidence.events.map((event: { eventId: string }) => event.eventId)).to.deep.equal([eventId]);
    expectNothingOfTheDeal(opened);
    const { disputes } = await cat.expect(200, 'GET', '/v1/disputes');
    expect(disputes).to.have.length.greaterThan(1);
    expectNothingOfTheDeal(disputes);
    for (const { disputeId } of disputes)
      expectNothingOfTheDeal(await cat.expect(200, 'GET', `/v1/disputes/${disputeId}`));
    const byAdmin = await api.expect(200, 'GET', '/v1/disputes');
    expect(byAdmin.disputes.map(({ dealName }: { dealName: string | null }) => dealName)).to.include('Globex');
  });

  it('that left the team are shown to a manager of that team only in the same way', async () => {
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const mia = await service.as(workspaceId, ids.mia);
    const breakdown = await mia.expect(200, 'GET', '/v1/commissions?dealId=moved');
    expect(breakdown).to.deep.include({ deal: null, outcomes: [] });
    expectNothingOfTheDeal([breakdown, await mia.expect(200, 'GET', `/v1/commissions/events/${eventId}`)]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'workspace' });
    expect((await mia.expect(200, 'GET', '/v1/commissions?dealId=moved')).deal).to.include({ name: 'Globex' });
  });

  it('that left the team are not in the bookings of that team, and once in those of everyone', async () => {
    await api.put('/v1/deals/shared', { amount: 400, closeDate: '2026-02-15', repId: ids.cat });
    const halves = [ids.cat, ids.mia].map((repId) => ({ repId, percent: 50 }));
    await api.expect(200, 'PUT', '/v1/deals/shared/credits', { credits: halves });
    await service.waitForCalculations(workspaceId);
    const bookingsOf = async (client: ApiClient) => {
      const { bookings, reps } = await client.expect(200, 'GET', `/v1/commissions?period=2026-Q1`);
      const ofCat = reps.find(({ repId }: { repId: string }) => repId === ids.cat).bookings;
      return { bookings, ofCat };
    };
    const shared = [{ currency: 'USD', bookings: 400, credited: 200, deals: 1 }];
    expect(await bookingsOf(api)).to.deep.include({ ofCat: shared });
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const mia = await service.as(workspaceId, ids.mia);
    expect(await bookingsOf(mia)).to.deep.equal({ bookings: shared, ofCat: shared });
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'workspace' });
    await api.expect(200, 'DELETE', '/v1/deals/shared');
    await service.waitForCalculations(workspaceId);
  });

  it('are shown whole to their present owner and to admins', async () => {
    const ben = await service.as(workspaceId, ids.ben);
    for (const client of [ben, api])
      expect((await client.expect(200, 'GET', '/v1/commissions?dealId=moved')).deal).to.include({ amount: 87_654.21 });
  });

  /** By operation: calls of a rep that name a deal. */
  const calls: Readonly<Record<string, (dealId: string) => readonly [method: string, path: string, body?: object]>> = {
    getCommissions: (id) => ['GET', `/v1/commissions?dealId=${id}`],
    getCommissionsDashboard: (id) => ['GET', `/v1/commissions/dashboard?dealId=${id}`],
    listPayables: (id) => ['GET', `/v1/payables?dealId=${id}`],
    addComment: (id) => ['POST', `/v1/statements/${ids.cat}/comments`, { period, body: 'x', dealId: id }],
    openDispute: (id) => ['POST', '/v1/disputes', dispute(id)],
    simulateCommissions: (id) => [
      'POST',
      '/v1/commissions/simulate',
      { planId: '00000000-0000-4000-8000-000000000000', period, deals: [{ dealId: id, fields: {} }] },
    ],
  };

  it('and ids of no deal have the same response for a rep, in every operation that names deals', async () => {
    await api.put('/v1/deals/of-ben', { amount: 1, closeDate: '2026-01-15', repId: ids.ben });
    const naming = declared.filter(
      ({ access, query, body }) =>
        ['rep', 'connection'].includes(access) && /"dealId"/.test(schemaOf(query) + schemaOf(body)),
    );
    expect(naming.map(({ id }) => id)).to.have.members(Object.keys(calls));
    for (const [operation, call] of Object.entries(calls)) {
      const responses = await Promise.all(
        ['of-ben', 'of-nobody'].map(async (id) => {
          const { status, body } = await cat.send(...call(id));
          return [status, JSON.stringify(body).replaceAll(id, '')];
        }),
      );
      expect(responses[0], operation).to.deep.equal(responses[1]);
      expect(responses[0]?.[0], operation).to.be.within(400, 499);
    }
  });

  describe('that moved away, in reads of the earlier owner', () => {
    /** A value for each parameter and for each choice in the query of a read. */
    const params = () => ({
      ...plan,
      ...{ repId: ids.cat, eventId, disputeId, dealId: 'moved', jobId, slug: 'dealStage', templateId: 'product-rates' },
    });
    const choices = () => ({
      repId: [ids.cat],
      dealId: ['moved', 'gone'],
      period: [period, '2026-02'],
      live: ['true'],
      since: [earlier],
      asOf: [new Date().toISOString(), earlier],
      version: ['1'],
      format: ['csv', 'json', 'xlsx'],
    });
    /** Who has no part of a deal does not read it; this plan needs no acceptance, and no agent has a request. */
    const withoutAnswer = [
      ...['getDeal', 'listDealHistory', 'getPlanDocument', 'exportPlanDocument', 'getAgentRequest'],
    ];
    let disputeId: string;
    let jobId: string;
    let headers: { readonly Authorization: string };

    before(async () => {
      headers = { Authorization: `Bearer ${await service.token(workspaceId, 'sess', ids.cat)}` };
      const gone = { name: 'Acme', amount: 3000, closeDate: '2026-02-10', repId: ids.cat };
      await api.expect(201, 'PUT', '/v1/deals/gone', gone);
      await service.waitForCalculations(workspaceId);
      await api.expect(200, 'PUT', '/v1/deals/gone', { ...gone, name: 'Globex', repId: ids.ben });
      const adjustment = { amount: 5, reason: 'Contest', period: '2026-02', dealId: 'moved' };
      await api.expect(200, 'POST', `/v1/statements/${ids.cat}/adjust`, adjustment);
      await service.waitForCalculations(workspaceId);
      await api.expect(200, 'POST', `/v1/statements/${ids.cat}/true-up`, { period });
      [{ disputeId }] = (await cat.expect(200, 'GET', '/v1/disputes')).disputes;
      ({ jobId } = await cat.expect(202, 'POST', '/v1/me/export', {}));
      await finishedExport(cat, jobId);
    });

    it('the files of the statement do not contain the present name of the deal either', async () => {
      const facts = await service.running.service.unitOfWork.read({ workspaceId }, (tx) =>
        loadStatementFacts(tx, ids.cat, '2026-02'),
      );
      const reversed = facts?.reversed.map(({ dealId, dealName }) => [dealId, dealName]);
      expect(reversed).to.deep.include.members([['gone', null]]);
      expect(JSON.stringify(facts)).to.not.contain('Globex');
    });

    it('they are what they were at an instant at which the rep owned them', async () => {
      const credits = await cat.expect(200, 'GET', `/v1/deals/moved/credits?asOf=${earlier}`);
      expect(credits).to.include({ dealName: 'Acme', closeDate: '2026-02-15', ownerRepId: ids.cat });
      const { events } = await cat.expect(200, 'GET', `/v1/commissions?dealId=moved&asOf=${earlier}`);
      expect(events.map(({ dealName }: { dealName: string }) => dealName)).to.deep.equal(['Acme']);
      await expectError('404 deal_not_found', cat.get('/v1/deals/moved/credits'));
    });

    const reads = declared.filter(
      ({ method, access, path }) =>
        method === 'get' && ['rep', 'connection'].includes(access) && path.startsWith('/v1/'),
    );
    for (const read of reads) {
      const names = Object.keys((read.query && toJsonSchema(read.query, 'input', true).properties) ?? {});
      it(`${read.id} contains neither the present name, owner nor close date of the deal`, async () => {
        const statuses = new Set<number>();
        for (const path of pathsOf(read.path, names, params(), choices())) {
          const response = await fetch(`${service.url}${path}`, { headers });
          expect(response.status, path).to.be.below(500);
          statuses.add(response.status);
          const bytes = Buffer.from(await response.arrayBuffer());
          const isArchive = (path.includes('xlsx') || path.endsWith('/file')) && response.ok;
          const text = isArchive ? [...unzipped(bytes).values()].join('\n') : bytes.toString();
          expect(text, path).to.not.match(new RegExp(`Globex|top secret|2026-01-27|${ids.ben}`));
        }
        if (!withoutAnswer.includes(read.id)) expect(statuses).to.include(200);
      });
    }
  });

  it('that a rep claims have the same response, and comments on the claim', async () => {
    for (const type of ['missing_deal', 'wrong_credit']) {
      const claims = [];
      for (const id of ['of-ben', 'of-nobody']) {
        const body = await cat.expect(201, 'POST', '/v1/disputes', { ...dispute(id), type });
        const { evidence, dealName } = body;
        claims.push({ evidence, dealName });
        await cat.expect(201, 'POST', `/v1/statements/${ids.cat}/comments`, { period, body: 'x', dealId: id });
      }
      expect(claims[0]).to.deep.equal(claims[1]);
    }
  });
});

/** The addresses of a read with every combination of the choices that its query has, each also left out. */
function pathsOf(
  path: string,
  names: readonly string[],
  params: Readonly<Record<string, string>>,
  choices: Readonly<Record<string, readonly string[]>>,
): string[] {
  const address = path.replace(/:([A-Za-z]+)/g, (_, name: string) => params[name] ?? 'none');
  const queries = names
    .filter((name) => name in choices)
    .reduce<string[][]>(
      (combined, name) =>
        combined.flatMap((query) => [query, ...(choices[name] ?? []).map((value) => [...query, `${name}=${value}`])]),
      [[]],
    );
  return queries.map((query) => (query.length === 0 ? address : `${address}?${query.join('&')}`));
}

function schemaOf(schema: { toJSONSchema?: unknown } | undefined): string {
  return schema === undefined ? '' : JSON.stringify(toJsonSchema(schema as never, 'input', true));
}
