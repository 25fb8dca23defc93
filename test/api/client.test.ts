import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ApiError, type Client, createClient } from '#src/client.js';
import { routes } from '#src/client-routes.js';
import { Service } from '#test/support/service.js';

describe('the typed client', () => {
  const service = Service.duringSuite();
  let client: Client;

  beforeEach(async () => {
    const { apiKey } = await service.workspace({ name: 'Acme' });
    client = createClient({ baseUrl: `${service.url}/`, token: apiKey });
  });

  async function rejection(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ApiError);
    return error as ApiError;
  }

  it('loads routes and texts, and nothing of the service, so that it runs in a browser', () => {
    const loaded = new Set<string>();
    const visit = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const compiled = readFileSync(new URL(file, new URL('../../src/', import.meta.url)), 'utf8');
      for (const [, from = ''] of compiled.matchAll(/from '([^']+)'/g))
        visit(path.posix.join(path.posix.dirname(file), from));
    };
    visit('client.js');
    const texts = [
      'commissions/cause-texts.js',
      'commissions/reason-texts.js',
      'crm/connections/product-names.js',
      'engine/counts-money.js',
      'engine/formula-words.js',
    ];
    const rules = ['engine/standard-slugs.js', 'kernel/spreadsheet-formulas.js', 'kernel/period-calendar.js'];
    const days = ['kernel/day.js', 'kernel/failure.js', 'kernel/period.js', 'kernel/time-zone.js'];
    const addresses = ['kernel/end-slashes.js'];
    const numbers = ['number-text', 'comparable-text', 'invisible-characters', 'decimal'].map(
      (one) => `kernel/${one}.js`,
    );
    expect([...loaded]).to.have.members([
      'client.js',
      'client-routes.js',
      'api/file-columns.js',
      ...texts,
      ...rules,
      ...days,
      ...addresses,
      ...numbers,
    ]);
  });

  it('has a method for every operation', () => {
    expect(Object.keys(client).sort()).to.deep.equal(Object.keys(routes).sort());
  });

  it('returns the response of the operation with its type', async () => {
    const me = await client.whoAmI();
    const name: string = me.workspaceName;
    expect(name).to.equal('Acme');
    const { reps } = await client.upsertReps({ body: { reps: [{ email: 'ben@acme.test', name: 'Ben' }] } });
    const rep = await client.getRep({ params: { repId: reps[0]?.id ?? '' } });
    const role: 'admin' | 'manager' | 'payroll' | 'finance' | 'auditor' | 'rep' = rep.role;
    expect(role).to.equal('rep');
  });

  it('sends parts of the path, the query and the body, and escapes them', async () => {
    const dealId = 'D/1 ?&ü';
    await client.putDeal({ params: { dealId }, body: { amount: 5, stage: 'Won & done' } });
    const { deals } = await client.listDeals({ query: { stage: 'Won & done', limit: '1' } });
    expect(deals.map((deal) => deal.deal_id)).to.deep.equal([dealId]);
    expect(await client.deleteDeal({ params: { dealId }, query: { hard: 'true' } })).to.include({ hardDeleted: true });
  });

  it('sends files', async () => {
    const deals = [{ dealId: 'D-1', amount: 5 }];
    const upload = { contentType: 'application/json', data: JSON.stringify({ deals }) };
    expect(await client.importDeals({ upload })).to.include({ accepted: 1 });
  });

  it('repeats a request with the same idempotency key', async () => {
    const body = {
      name: 'AE',
      config: { rules: [{ name: 'New', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
    };
    const first = await client.createPlan({ body }, { idempotencyKey: 'k' });
    expect((await client.createPlan({ body }, { idempotencyKey: 'k' })).planId).to.equal(first.planId);
    expect(await rejection(client.createPlan({ body }))).to.include({ statusCode: 409, code: 'plan_name_taken' });
  });

  it('throws an ApiError with all fields of the error body', async () => {
    // @ts-expect-error a misspelled field does not compile, and the service rejects it
    const error = await rejection(client.updateWorkspace({ body: { nam: 'x' } }));
    expect(error).to.include({ name: 'ApiError', statusCode: 400, code: 'VALIDATION_FAILED' });
    expect(error.details).to.deep.equal({ issues: [{ path: 'nam', message: 'unknown field' }] });
    expect(error.requestId).to.match(/^req_/);
    const named = await rejection(client.updateWorkspace({ body: { nam: 'x' } as never }, { requestId: 'resolve-9' }));
    expect(named.requestId).to.equal('resolve-9');
    const stranger = createClient({ baseUrl: service.url });
    expect(await rejection(stranger.whoAmI())).to.include({ statusCode: 401, code: 'unauthorized' });
  });

  it('distinguishes a response of a proxy from one of the service', async () => {
    const behindProxy = createClient({
      baseUrl: service.url,
      fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    });
    expect(await rejection(behindProxy.whoAmI())).to.include({
      statusCode: 502,
      code: 'unexpected_answer',
      requestId: null,
    });
  });

  it('fails to compile when an input is missing', () => {
    const compiled = () => [
      // @ts-expect-error the path requires its id
      client.getPlan(),
      // @ts-expect-error the body is required
      client.createPlan({}),
      // @ts-expect-error there is no such operation
      client.getEverything(),
      client.resetCommissions(),
      client.listDeals({ query: {} }),
    ];
    expect(compiled).to.be.a('function');
  });
});
