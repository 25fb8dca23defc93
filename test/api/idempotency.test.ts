import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sql } from 'kysely';
import { operations } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { acceptsIdempotencyKey } from '#src/platform/operations/operation-scope.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';

const won = [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }];
const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];

const regions = (count: number) => Array.from({ length: count }, (_, at) => `${'r'.repeat(95)}${at}`);

function plan(name: string) {
  return { name, config: { dealConditions: won, rules: [{ name: 'New', measure: 'amount', tiers }] } };
}

describe('Idempotency-Key', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
  });

  function post(path: string, body: unknown, key: string, by: ApiClient = api): Promise<ApiResponse> {
    return by.send('POST', path, body, { 'Idempotency-Key': key });
  }

  async function planNames(): Promise<string[]> {
    return (await api.expect(200, 'GET', '/v1/plans')).map(({ name }: { name: string }) => name);
  }

  it('returns the first successful response again, byte for byte, without executing the request twice', async () => {
    const first = await post('/v1/plans', plan('A'), 'k1');
    const second = await post('/v1/plans', plan('A'), 'k1');
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.body).to.deep.equal(first.body);
    expect(first.headers.get('idempotent-replay')).to.equal(null);
    expect(second.headers.get('idempotent-replay')).to.equal('true');
    expect(second.headers.get('content-type')).to.equal(first.headers.get('content-type'));
    expect(second.headers.get('x-ratelimit-limit')).to.be.a('string');
    expect(await planNames()).to.deep.equal(['A']);
  });

  it('rejects a used key with another body, another query or another caller', async () => {
    await post('/v1/plans', plan('A'), 'k');
    await expectError('409 duplicate_idempotency_key', post('/v1/plans', plan('B'), 'k'));
    await service.sql('update idempotency_keys set request_hash = $1', Buffer.alloc(32));
    await expectError('409 duplicate_idempotency_key', post('/v1/plans', plan('A'), 'k'));
    expect(await planNames()).to.deep.equal(['A']);
  });

  it('recognizes the same request in every notation of its path and query', async () => {
    const [id] = await api.saveReps('Ann');
    const adjustment = { period: '2026-01', amount: 5, reason: 'Spiff' };
    const first = await post(`/v1/statements/${id}/adjust`, adjustment, 'k');
    expect(first.status).to.equal(200);
    for (const path of [
      `/v1/statements/${id}/adjust/`,
      `/V1/Statements/${id}/ADJUST`,
      `/v1/statements/${id.toUpperCase()}/adjust`,
      `/v1/statements/${id.replace('-', '%2D')}/adjust`,
      `/v1/statements/${id}/adjust?`,
    ]) {
      const again = await post(path, adjustment, 'k');
      expect([again.status, again.body.eventId], path).to.deep.equal([200, first.body.eventId]);
    }
    const statement = await api.expect(200, 'GET', `/v1/commissions?repId=${id}&period=2026-01`);
    expect(statement.earnings.adjustments).to.equal(5);
  });

  it('separates keys by path and by workspace', async () => {
    const { api: other } = await service.workspace();
    expect((await post('/v1/plans', plan('A'), 'k')).status).to.equal(201);
    expect((await post('/v1/commissions/cleanup', undefined, 'k')).status).to.equal(200);
    const elsewhere = await post('/v1/plans', plan('A'), 'k', other);
    expect(elsewhere.status).to.equal(201);
    expect(elsewhere.headers.get('idempotent-replay')).to.equal(null);
  });

  it('executes one of 50 concurrent requests; the others get 409 or its response', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/v1/plans', plan('A'), 'k')));
    const done = answers.filter(({ status }) => status === 201);
    expect(done.filter(({ headers }) => headers.get('idempotent-replay') === null)).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      await expectError('409 request_in_progress', answer);
    expect(new Set(done.map(({ body }) => body.planId)).size).to.equal(1);
    expect(await planNames()).to.deep.equal(['A']);
  });

  for (const [what, path, body, status] of [
    ['a rejected request', '/v1/plans', { name: '' }, 400],
    ['a body without a media type', '/v1/plans', '{', 415],
    ['an unknown id', '/v1/assignments', { repIds: [crypto.randomUUID()], planId: crypto.randomUUID() }, 404],
  ] as const) {
    it(`is free again after ${what}`, async () => {
      expect((await post(path, body, 'k')).status).to.equal(status);
      const [again] = await Promise.all([post(path, body, 'k')]);
      expect(again.status).to.equal(status);
      expect(again.headers.get('idempotent-replay')).to.equal(null);
      expect(await storedResponses()).to.have.length(0);
    });
  }

  it('accepts a corrected request with the same key after a failure', async () => {
    expect((await post('/v1/plans', { name: 'A' }, 'k')).status).to.equal(400);
    expect((await post('/v1/plans', plan('A'), 'k')).status).to.equal(201);
  });

  const storedResponses = () => service.sql('select * from idempotency_keys where workspace_id = $1', workspaceId);

  /** Leaves the key in the state of a process that died during the request; the lease ends in so many seconds. */
  const leaveRunning = (seconds: number, status: number | null = null) =>
    service.sql(
      `update idempotency_keys set status = $2, response = null, request_hash = null,
        leased_until = now() + make_interval(secs => $3) where workspace_id = $1`,
      workspaceId,
      status,
      seconds,
    );

  it('is claimed while the request runs, and free when its process has died', async () => {
    await post('/v1/commissions/cleanup', undefined, 'k');
    await leaveRunning(30);
    await expectError('409 request_in_progress', post('/v1/commissions/cleanup', undefined, 'k'));
    await leaveRunning(-1);
    const again = await post('/v1/commissions/cleanup', undefined, 'k');
    expect(again.status).to.equal(200);
    expect(again.headers.get('idempotent-replay')).to.equal(null);
  });

  it('is leased for 15 seconds at a time, and a request that has lost its lease writes nothing', async () => {
    const { ownerUrl } = service.database;
    const blocker = await openTransaction(ownerUrl, 'lock table plans in exclusive mode');
    const requested = post('/v1/plans', plan('A'), 'k');
    await untilBlocked(ownerUrl, 'plans');
    const [lost] = await service.sql<{ seconds: number }>(
      `update idempotency_keys set lease_id = gen_random_uuid() where workspace_id = $1
      returning extract(epoch from leased_until - now())::float as seconds`,
      workspaceId,
    );
    expect(lost?.seconds).to.be.within(1, 15);
    await blocker.rollback();
    await expectError('409 request_in_progress', await requested);
    expect(await planNames()).to.deep.equal([]);
  });

  it('stays claimed when the request has written and its response was lost', async () => {
    expect((await post('/v1/plans', plan('Once'), 'k')).status).to.equal(201);
    expect((await storedResponses())[0]?.['status']).to.equal(201);
    // The state when the process or its connection ends between the commit and the response.
    await leaveRunning(-1, 102);
    await expectError('409 duplicate_idempotency_key', post('/v1/plans', plan('Once'), 'k'));
    expect(await planNames()).to.deep.equal(['Once']);
  });

  it('expires after a day, for requests and for the sweep', async () => {
    await post('/v1/plans', plan('A'), 'k');
    const age = (hours: number) =>
      service.sql(
        `update idempotency_keys set created_at = now() - make_interval(hours => $1),
        leased_until = now() - make_interval(hours => $1)`,
        hours,
      );
    const sweep = () => sql`select delete_old_request_data()`.execute(service.running.service.database);
    await age(23);
    expect((await post('/v1/plans', plan('A'), 'k')).headers.get('idempotent-replay')).to.equal('true');
    await age(25);
    await expectError('409 plan_name_taken', post('/v1/plans', plan('A'), 'k'));
    await post('/v1/plans', plan('B'), 'k2');
    await sweep();
    expect(await storedResponses()).to.have.length(1);
    await age(25);
    await sweep();
    expect(await storedResponses()).to.have.length(0);
  });

  it('stores no secret: an API key is neither rotated nor returned twice', async () => {
    const rotated = await post('/v1/workspaces/keys/rotate', { graceMinutes: 5 }, 'k');
    expect(rotated.status).to.equal(200);
    await expectError('409 duplicate_idempotency_key', post('/v1/workspaces/keys/rotate', { graceMinutes: 5 }, 'k'));
    expect(JSON.stringify(await storedResponses())).not.to.include(rotated.body.apiKey.slice(3));
    expect((await storedResponses()).map(({ status, response }) => ({ status, response }))).to.deep.equal([
      { status: 200, response: null },
    ]);
    expect((await service.client(rotated.body.apiKey).get('/v1')).status).to.equal(200);
  });

  it('stores of a response larger than 256 KiB only that it was sent', async () => {
    const condition = { field: 'region', fieldType: 'text', operator: 'in', value: regions(900) };
    const conditions = Array.from({ length: 4 }, () => condition);
    const rules = [{ name: 'New', measure: 'amount', tiers, conditions }];
    const create = () => post('/v1/plans', { name: 'Large', config: { rules } }, 'large');
    const { status, body } = await create();
    expect(status, JSON.stringify(body).slice(0, 300)).to.equal(201);
    expect(JSON.stringify(body).length).to.be.greaterThan(256 * 1024);
    const { message } = await expectError('409 duplicate_idempotency_key', create());
    expect(message).to.contain('was executed').and.to.contain('larger than 256 KiB');
    const sizes = await service.sql<{ size: number | null }>(
      'select length(response) as size from idempotency_keys where workspace_id = $1',
      workspaceId,
    );
    expect(sizes).to.deep.equal([{ size: null }]);
    expect(await planNames()).to.deep.equal(['Large']);
  });

  describe('of an operation that only reads', () => {
    const declared: readonly AnyOperation[] = operations;
    /** Reads are declared in the folders `queries` of the slices. */
    const idsOfReads = new Set(
      readdirSync('src', { recursive: true, encoding: 'utf8' })
        .filter((file) => /\bqueries\/[^/]+\.ts$/.test(file))
        .flatMap((file) => [...readFileSync(`src/${file}`, 'utf8').matchAll(/^ {2}id: '(\w+)'/gm)].map(([, id]) => id)),
    );
    const reads = declared.filter(
      ({ id, method, tool }) => method === 'post' && (idsOfReads.has(id) || tool?.hints.readOnlyHint === true),
    );

    it('is not supported', () => {
      expect(reads.map(({ id }) => id)).to.include.members([
        'simulateCommissions',
        'runPlanTests',
        'previewPlanChange',
        'autoMatchFields',
      ]);
      expect(reads.filter(acceptsIdempotencyKey).map(({ id }) => id)).to.deep.equal([]);
    });

    it('is ignored, and nothing is stored', async () => {
      const [repId] = await api.saveReps('Ann');
      const { planId } = await api.createPlan(plan('A'), [repId]);
      const bodies: Readonly<Record<string, unknown>> = {
        simulateCommissions: { planId, period: '2026-01' },
        runPlanTests: {},
        previewPlanChange: { effectiveEnd: '2026-06-30', period: '2026-01' },
        autoMatchFields: undefined,
        lookUpRate: { values: { family: 'software' } },
      };
      await api.expect(200, 'PUT', '/v1/rate-tables/Products', {
        keys: [{ name: 'family', field: 'family', match: 'exact' }],
        columns: [{ name: 'rate' }],
        rows: [{ keys: { family: 'software' }, values: { rate: 0.1 } }],
      });
      for (const { id, path } of reads) {
        expect(bodies, 'add a body of the operation').to.have.property(id);
        const { status, body } = await post(
          path.replace(':planRef', planId).replace(':name', 'Products'),
          bodies[id],
          'k',
        );
        expect(status, `${id}: ${JSON.stringify(body).slice(0, 300)}`).to.be.within(200, 299);
      }
      expect(await storedResponses()).to.deep.equal([]);
    });
  });

  it('works for uploads too', async () => {
    await api.expect(201, 'POST', '/v1/fields/save', { standard: { dealAmount: 'value' } });
    const file = (amount: number) => `id,value\n1,${amount}\n`;
    const send = (text: string) =>
      api.send('POST', '/v1/deals/import', text, { 'Content-Type': 'text/csv', 'Idempotency-Key': 'k' });
    const first = await send(file(5));
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    const second = await send(file(5));
    expect(second.headers.get('idempotent-replay')).to.equal('true');
    expect(second.body).to.deep.equal(first.body);
    await expectError('409 duplicate_idempotency_key', send(file(6)));
    const deals = await api.expect(200, 'GET', '/v1/deals');
    expect(deals.deals.map((deal: { amount: number }) => deal.amount)).to.deep.equal([5]);
  });

  it('must be 1 to 200 printable ASCII characters', async () => {
    for (const key of ['', 'x'.repeat(201), 'tab\there', 'ümlaut'])
      await expectError('400 VALIDATION_FAILED', post('/v1/commissions/cleanup', undefined, key));
    for (const key of ['x', 'x'.repeat(200), 'a b~!'])
      expect((await post('/v1/commissions/cleanup', undefined, key)).status).to.equal(200);
  });

  it('is ignored for other methods', async () => {
    const send = () => api.send('PUT', '/v1/deals/D-1', { amount: 1 }, { 'Idempotency-Key': 'k' });
    expect((await send()).status).to.equal(201);
    expect((await send()).status).to.equal(200);
    expect(await storedResponses()).to.have.length(0);
  });

  it('does not return a stored response to a caller without access', async () => {
    await post('/v1/plans', plan('A'), 'k');
    await expectError('401 unauthorized', post('/v1/plans', plan('A'), 'k', service.client('ws_wrong')));
  });
});
