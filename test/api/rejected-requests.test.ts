import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readConfig } from '#src/app/config.js';
import { start } from '#src/app/main.js';
import { createLog } from '#src/platform/log.js';
import { hashToken, newToken } from '#src/platform/secrets/token.js';
import { ApiClient } from '#test/support/api-client.js';
import { duringSuite } from '#test/support/during-suite.js';
import { type ExpectedError, expectError } from '#test/support/errors.js';
import { interruptibleConnection } from '#test/support/interruptible-connection.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { bodies, invalid, RejectionWorld, type Requests, rejects, rule } from '#test/support/rejections.js';
import { createTestDatabase } from '#test/support/test-database.js';

const plans = 'GET /v1/plans';
const rename = 'PATCH /v1/workspaces';
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

/** Requests with an id in the path, and the code for an id that does not exist. */
const override = { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] };
const idRequests: readonly (readonly [code: ExpectedError, request: (id: string) => string, body?: unknown])[] = [
  ['404 plan_not_found', (id) => `GET /v1/plans/${id}`],
  ['404 plan_not_found', (id) => `GET /v1/plans/${id}/history`],
  ['404 plan_not_found', (id) => `PATCH /v1/plans/${id}`, { currency: 'EUR' }],
  ['404 plan_not_found', (id) => `PATCH /v1/plans/${id}/status`, { status: 'draft' }],
  ['404 plan_not_found', (id) => `DELETE /v1/plans/${id}`],
  ['404 plan_not_found', (id) => `GET /v1/plans/${id}/overrides`],
  ['404 plan_not_found', (id) => `PUT /v1/plans/${id}/overrides/<ada>`, override],
  ['404 rep_not_found', (id) => `PUT /v1/plans/<aeVersion>/overrides/${id}`, override],
  ['404 rep_not_found', (id) => `DELETE /v1/plans/<aeVersion>/overrides/${id}`],
  ['404 rep_not_found', (id) => `PATCH /v1/reps/${id}`, { active: true }],
  ['400 rep_not_found', (id) => `GET /v1/reps/${id}`],
  ['404 assignment_not_found', (id) => `PATCH /v1/assignments/${id}`, { effectiveEnd: null }],
  ['404 assignment_not_found', (id) => `DELETE /v1/assignments/${id}`],
  ['404 quota_not_found', (id) => `DELETE /v1/quotas/${id}`],
  ['404 job_not_found', (id) => `GET /v1/commissions/recalculate/jobs/${id}`],
];
const strangeIds = ['not-a-uuid', '%00', '..%2f..%2f', 'x'.repeat(5000), "'%20or%201=1--", '%F0%9F%92%B8'];

function strangeIdRequests(code: string): Requests {
  const requests = idRequests.filter((one) => one[0] === code);
  return Object.fromEntries(
    requests.flatMap(([, request, body]) => strangeIds.map((id) => [request(id), [request(id), body] as const])),
  );
}

describe('rejected requests', () => {
  const world = duringSuite(() => RejectionWorld.create());

  describe('a token', () => {
    /** Expects the same response as for a request without a token. */
    async function expectUnknown(authorization: string): Promise<void> {
      const without = await world.expectError('401 unauthorized', () => world.send(plans, undefined, 'nobody'));
      expect(without.headers.get('www-authenticate')).to.equal('Bearer');
      const answer = await world.expectError('401 unauthorized', () =>
        world.send(plans, undefined, 'nobody', { Authorization: authorization }),
      );
      expect(answer.body).to.deep.equal(without.body);
    }

    const wrong: Readonly<Record<string, () => string>> = {
      'another scheme': () => 'Basic x',
      'a scheme alone': () => 'Bearer',
      'a scheme and blanks': () => 'Bearer  ',
      'a token of 10 KB': () => `bearer sess_${'x'.repeat(10_000)}`,
      'two tokens in one header': () => `Bearer ${world.token('admin key')}, Bearer ${world.token('admin')}`,
      'a token with one changed character': () => `Bearer ${changed(world.token('admin key'))}`,
      'an unknown token': () => `Bearer ${newToken('ws')}`,
      'a token with another prefix': () => `Bearer ${world.token('connection').replace('conn_', 'ws_')}`,
      'SQL as a token': () => "Bearer ' or 1=1--",
    };
    for (const [what, authorization] of Object.entries(wrong))
      it(`is rejected as a missing token: ${what}`, () => expectUnknown(authorization()));

    it('that has expired is rejected as a missing token', async () => {
      const token = await world.addToken('ws');
      await world.sql('update tokens set expires_at = now() where token_hash = $1', hashToken(token));
      await expectUnknown(`Bearer ${token}`);
    });

    it('in the query or the body is ignored', async () => {
      const key = world.token('admin key');
      for (const name of ['access_token', 'token', 'authorization']) {
        await world.expectError('401 unauthorized', () => world.send(`${plans}?${name}=${key}`, undefined, 'nobody'));
        await world.expectError('401 unauthorized', () =>
          world.send('POST /v1/commissions/cleanup', { [name]: key }, 'nobody'),
        );
      }
    });

    it('is accepted after a scheme in any case', async () => {
      const headers = { Authorization: `bEARER ${world.token('admin key')}` };
      expect((await world.send(plans, undefined, 'nobody', headers)).status).to.equal(200);
    });
  });

  rejects(() => world, '400 invalid_json', {
    'broken JSON': ['POST /v1/plans', '{'],
    'a bare NaN': ['PUT /v1/deals/won-1', '{"amount":NaN}'],
  });

  rejects(() => world, invalid, {
    'a number instead of an object': ['POST /v1/plans', '1'],
    'text instead of an object': ['POST /v1/plans', '"x"'],
    'an array instead of an object': ['POST /v1/plans', '[]'],
    'null where every field is optional': ['POST /v1/commissions/reset', 'null'],
    'an array where every field is optional': ['POST /v1/commissions/reset', '[]'],
    'no body where one is required': ['POST /v1/plans'],
    'a body where none is accepted': ['POST /v1/commissions/cleanup', { scope: 'all' }],
    'text where no body is accepted': ['POST /v1/commissions/cleanup', '"x"'],
    'a body on DELETE': ['DELETE /v1/quotas/<quota>', { force: true }],
    'arrays nested 20,000 deep': ['POST /v1/plans', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    'a config nested 20,000 deep': [
      'POST /v1/plans',
      `{"name":"x","config":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`,
    ],
    '20,000 unknown fields': [rename, keys(20_000)],
    '99,000 unknown fields': [
      rename,
      `{${Array.from({ length: 99_000 }, (_, index) => `"${index.toString(36)}":1`).join()}}`,
    ],
    'a config of 20,000 unknown fields': ['POST /v1/plans', { name: 'x', config: keys(20_000) }],
    'the field __proto__': ['PATCH /v1/reps/<ada>', '{"__proto__":{"role":"admin"}}'],
    'a nested field __proto__': ['POST /v1/plans', '{"name":"x","config":{"rules":[{"__proto__":{}}]}}'],
    'the field constructor': ['PATCH /v1/reps/<ada>', '{"constructor":{"prototype":{}}}'],
    'a measure __proto__': ['POST /v1/fields/save', '{"standard":{},"measures":{"__proto__":"acv"}}'],
    'a standard value __proto__': ['POST /v1/fields/save', '{"standard":{"__proto__":"acv"}}'],
    'an unknown field workspaceId': ['PATCH /v1/reps/<ada>', { active: true, workspaceId: '<unknown>' }],
    'an unknown field repId': ['PATCH /v1/reps/<ada>', { active: true, repId: '<bob>' }],
    'an unknown field of a plan': ['POST /v1/plans', { name: 'x', config: { rules: [rule] }, version: 7 }],
    'an unknown field of a rule': ['POST /v1/plans', { name: 'x', config: { rules: [{ ...rule, teirs: [] }] } }],
    'a NUL character': [rename, '{"name":"a\\u0000b"}'],
    'half of a surrogate pair': [rename, '{"name":"a\\ud800"}'],
    'a NUL character in a field of a deal': ['PUT /v1/deals/won-1', '{"fields":{"a":"\\u0000"}}'],
    'half of a surrogate pair in a slug': ['PUT /v1/deals/won-1', '{"fields":{"\\udfff":1}}'],
    'the number -1e999': ['PUT /v1/deals/won-1', '{"amount":-1e999}'],
    'the text NaN as a number': ['PUT /v1/deals/won-1', { amount: 'NaN' }],
    'a line break in an e-mail address': ['PUT /v1/reps', { reps: [{ email: 'a@x.io\r\nBcc: b@x.io', name: 'A' }] }],
    'a tier index beyond the safe integers': [
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      '{"rules":[{"ruleId":"<aeRule>","tiers":[{"tierIndex":9007199254740993,"rate":0.1}]}]}',
    ],
    ...bodies('POST /v1/workspaces/keys/rotate', {
      'an integer beyond the safe integers': '{"graceMinutes":9007199254740993}',
      'a fraction instead of an integer': { graceMinutes: 1.5 },
      'a number below 0': { graceMinutes: -1 },
      'more minutes than a day': { graceMinutes: 1441 },
      'text instead of a number': { graceMinutes: '5' },
      'null instead of a number': { graceMinutes: null },
    }),
    ...bodies('POST /v1/workspaces/connection-tokens', {
      'an empty label': { label: '' },
      'a number as the label': { label: 5 },
      'a label of 201 characters': { label: 'x'.repeat(201) },
      'an unknown field': { kind: 'ws' },
    }),
    'a repeated parameter': ['GET /v1/commissions?repId=<ada>&repId=<bob>'],
    'a parameter repeated with the same value': ['GET /v1/deals?limit=5&limit=5'],
    'brackets in a parameter': ['GET /v1/commissions?repId[x]=1'],
    'an unknown parameter': ['GET /v1/plans?state=active'],
    'a parameter where none is accepted': ['GET /v1/workspaces/keys?show=true'],
    'a parameter in another case': ['GET /v1/deals?LIMIT=5'],
    'a rep id that is not a UUID': ['GET /v1/quotas?repId=x'],
    'a period that does not exist': ['GET /v1/quotas?period=x'],
    'a filter that quotas do not have': ['GET /v1/quotas?measure=x'],
    'a filter that fields do not have': ['GET /v1/fields?type=text'],
    'a body of a disconnection': ['POST /auth/workspace/disconnect-crma', { force: true }],
    'text as reconcile': ['POST /v1/commissions/sync', { reconcile: 'yes' }],
    'an unknown field of a sync': ['POST /v1/commissions/sync', { recalculat: true }],
    'a body of a sync of reps': ['POST /v1/reps/sync', { reconcile: true }],
    'a month that does not exist': ['POST /v1/statements/<ada>/generate', { period: '2026-13' }],
    'an unknown field of a generation': ['POST /v1/statements/<ada>/generate', { period: '2026-01', typo: 1 }],
    'a body of auto-match': ['POST /v1/fields/auto-match', { slug: 'x' }],
    'includeDeleted=1': ['GET /v1/workspaces?includeDeleted=1'],
  });

  for (const code of new Set(idRequests.map(([one]) => one))) rejects(() => world, code, strangeIdRequests(code));

  rejects(() => world, '405 method_not_allowed', {
    'PUT on a path that only has GET': ['PUT /v1/commissions/periods', {}],
    'POST on a path with an id': ['POST /v1/plans/<ae>', {}],
  });

  rejects(() => world, '404 not_found', {
    'an unknown path': ['GET /v1/nope'],
    'an unknown path without a token': ['GET /v1/nope', undefined, 'nobody'],
    'a path with one part too many': ['GET /v1/plans/<ae>/history/1'],
  });

  const compressed = (body: string | Uint8Array) => () =>
    world.send(rename, body, 'admin key', { 'Content-Encoding': 'gzip' });

  it('returns 400 for a body that is not gzip although Content-Encoding says so', () =>
    world.expectError(invalid, compressed('{"name":"x"}')));

  it('returns 413 for 20 KB of gzip that unpack to 20 MiB', () =>
    world.expectError(
      '413 payload_too_large',
      compressed(gzipSync(Buffer.from(`{"name":"${'x'.repeat(20 * 1024 * 1024)}"}`))),
    ));

  const invalidUtf8 = Buffer.from([0x46, 0xff, 0x6f]);

  it('returns 400 for a JSON body that is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), invalidUtf8, Buffer.from('"}')]);
    const list = Buffer.concat([Buffer.from('['), body, Buffer.from(']')]);
    await expectError('400 invalid_json', world.send('PATCH /v1/workspaces', body));
    await expectError('400 VALIDATION_FAILED', world.send('POST /v1/deals/import', list));
    await expectError('400 invalid_json', world.send('POST /webhooks/crma', body));
  });

  it('returns 400 for a CSV file that is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('id,name\nD-1,'), invalidUtf8, Buffer.from('\n')]);
    for (const path of ['POST /v1/deals/import', 'POST /v1/reps/import'])
      await expectError(invalid, world.send(path, body, 'admin key', { 'Content-Type': 'text/csv' }));
  });

  it('names the allowed methods in a 405 response', async () => {
    const answer = await world.send('PUT /v1/plans/<ae>', {});
    expect(answer.headers.get('allow')).to.equal('GET, DELETE, PATCH');
  });

  it('uses the last value of a repeated key', async () => {
    const answer = await world.send('PATCH /v1/plans/<spare>/status', '{"status":"draft","status":"archived"}');
    expect([answer.status, answer.body.status]).to.deep.equal([200, 'archived']);
  });

  it('returns 503 while the database is unavailable, and works again afterwards', async () => {
    const database = await createTestDatabase({ migrate: migrateTestDatabase });
    const line = await interruptibleConnection(database.appUrl);
    const config = readConfig({ ...database.environment, DATABASE_URL: line.url, PORT: '0', LOG_LEVEL: 'silent' });
    const running = await start(config, { api: true, worker: false }, createLog('silent'));
    try {
      const client = new ApiClient(running.url as string, newToken('ws'));
      expect((await client.get('/v1/plans')).status).to.equal(401);
      await line.cut();
      for (const [method, path] of [
        ['GET', '/v1/plans'],
        ['POST', '/v1/commissions/cleanup'],
      ] as const) {
        const answer = await client.send(method, path);
        await expectError('503 database_unavailable', answer);
        expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0);
      }
      expect((await client.get('/readyz')).status).to.equal(503);
      expect((await client.get('/livez')).status).to.equal(200);
      await line.mend();
      expect((await client.get('/v1/plans')).status).to.equal(401);
    } finally {
      await running.stop();
      await line.cut();
      await database.drop();
    }
  });
});

function changed(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
}
