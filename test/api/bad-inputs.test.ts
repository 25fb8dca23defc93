import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { start } from '#src/app/main.js';
import { readConfig } from '#src/platform/config.js';
import { createLog } from '#src/platform/log.js';
import { newToken, type TokenKind, tokenHash } from '#src/platform/secrets/token.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { createTestDatabase } from '#test/support/test-database.js';
import {
  type Answer,
  ApiClient,
  migrateTestDatabase,
  startTestService,
  type TestService,
} from '#test/support/test-service.js';

/**
 * The responses to invalid requests. `<ada>` and the like are replaced by ids of the world below. A rejected request
 * leaves every table unchanged.
 */
type Row = readonly [name: string, request: string, body: unknown, expected: string, as?: string];

const none = undefined;
const invalid = '400 VALIDATION_FAILED';
const unknownRep = '404 rep_not_found';
const forbidden = '403 forbidden';

const tier = { tierIndex: 0, minThreshold: 0, rate: 0.08 };
const rule = { name: 'Invalid rule', measure: 'amount', tiers: [tier] };
const withRule = (change: object, more: object = {}) => ({
  name: 'Invalid',
  config: { rules: [{ ...rule, ...change }] },
  ...more,
});
const withTiers = (...tiers: object[]) => withRule({ tiers });
const withCondition = (condition: object) =>
  withRule({ conditions: [{ field: 'stage', fieldType: 'text', operator: 'equals', value: 'x', ...condition }] });
const withNumber = (condition: object) => withCondition({ field: 'amount', fieldType: 'number', ...condition });
const assigned = (change: object) => ({ repIds: ['<bob>'], planId: '<se>', ...change });
const quotaOf = (change: object) => ({
  repIds: ['<ada>'],
  planRuleId: '<aeRule>',
  period: '2026-05',
  target: 100,
  ...change,
});
const simulated = (change: object) => ({ planId: '<ae>', period: '2026-03', ...change });

describe('invalid requests', () => {
  let service: TestService;
  let owner: pg.Client;
  let snapshot: string;
  const ids = new Map<string, string>();
  const tokens = new Map<string, string>();
  let workspaceId: string;
  let api: ApiClient;

  before(async () => {
    service = await startTestService({ RATE_LIMIT_PER_MINUTE: '10000', FAILED_SIGN_INS_PER_MINUTE: '10000' });
    owner = new pg.Client({ connectionString: service.database.ownerUrl });
    await owner.connect();
    const { rows } =
      await owner.query(`select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
      and tablename not in ('rate_windows', 'attempt_counters') order by 1`);
    // Any request may record the use of its token.
    const content = (name: string) => (name === 'tokens' ? 't.token_hash::text' : 't::text');
    const contents = rows
      .map(
        ({ name }) =>
          `select '${name}' as name, count(*)::int as rows, md5(string_agg(${content(name)}, chr(10) order by ${content(name)})) as content from ${name} t`,
      )
      .join(' union all ');
    // The server may read the tables in any order.
    snapshot = `${contents} order by name`;
    await buildWorld();
  });

  after(async () => {
    await owner.end();
    await service.stop();
  });

  async function buildWorld(): Promise<void> {
    ({ workspaceId, api } = await service.workspace({ name: 'Bad inputs' }).then((made) => {
      tokens.set('admin key', made.apiKey);
      return made;
    }));
    const people = [
      ['Amy', 'admin'],
      ['Max', 'manager'],
      ['Ada', 'rep'],
      ['Bob', 'rep'],
    ].map(([name, role]) => ({ name, role, email: `${name}@x.io` }));
    await saveReps(api, people, ids);
    for (const [name, who] of [
      ['admin', 'amy'],
      ['manager', 'max'],
      ['rep', 'ada'],
    ] as const)
      tokens.set(name, await addToken(workspaceId, 'sess', ids.get(who)));
    tokens.set('connection', await addToken(workspaceId, 'conn'));
    const config = {
      rules: [
        {
          ...rule,
          name: 'New business',
          attainmentPeriod: 'monthly',
          tiers: [tier, { tierIndex: 1, minThreshold: 1, rate: 0.1 }],
        },
      ],
    };
    const first = await api.expect(201, 'POST', '/v1/plans', { name: 'AE', config });
    const ae = await api.expect(200, 'PATCH', `/v1/plans/${first.planId}`, {
      config: { ...config, quotaPeriod: 'monthly' },
    });
    const se = await api.expect(201, 'POST', '/v1/plans', { name: 'SE', config });
    const spare = await api.expect(201, 'POST', '/v1/plans', { name: 'Spare', config });
    const gone = await api.expect(201, 'POST', '/v1/plans', { name: 'Gone', config });
    await api.expect(200, 'DELETE', `/v1/plans/${gone.planId}`);
    nameIds({
      ae: ae.planId,
      aeVersion: ae.planVersionId,
      aeRule: ae.rules[0].id,
      oldRule: first.rules[0].id,
      se: se.planId,
      spare: spare.planId,
      gone: gone.planId,
    });
    const [onAe] = await api.expect(201, 'POST', '/v1/assignments', {
      repIds: [ids.get('ada'), ids.get('bob')],
      planId: ae.planId,
    });
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [ids.get('ada')], planId: se.planId });
    const [quota] = await api.expect(201, 'POST', '/v1/quotas', {
      repIds: [ids.get('ada')],
      planRuleId: ae.rules[0].id,
      period: '2026-03',
      target: 1000,
    });
    await api.expect(201, 'PUT', '/v1/deals/won-1', {
      amount: 1000,
      closeDate: '2026-03-10',
      repId: ids.get('ada'),
      stage: "won 'n' done",
    });
    nameIds({ assignment: onAe.assignmentId, quota: quota.quotaId, unknown: randomUUID() });
    const foreign = await service.workspace({ name: 'Foreign' });
    await saveReps(foreign.api, [{ name: 'Foreigner', email: 'foreigner@x.io' }], ids);
    const plan = await foreign.api.expect(201, 'POST', '/v1/plans', { name: 'Foreign', config });
    nameIds({ foreignPlan: plan.planId, foreignRule: plan.rules[0].id });
    await service.waitForCalculations(workspaceId);
  }

  function nameIds(named: Record<string, string>): void {
    for (const [name, id] of Object.entries(named)) ids.set(name, id);
  }

  async function addToken(
    ofWorkspace: string,
    kind: TokenKind,
    repId: string | undefined = undefined,
  ): Promise<string> {
    const token = newToken(kind);
    await owner.query(
      'insert into tokens (workspace_id, token_id, kind, token_hash, rep_id) values ($1, $2, $3, $4, $5)',
      [ofWorkspace, randomUUID(), kind, tokenHash(token), repId ?? null],
    );
    return token;
  }

  function filled(text: string): string {
    return text.replace(
      /<([a-zA-Z]+)>/g,
      (_, name: string) => ids.get(name) ?? expect.fail(`nothing is called ${name}`),
    );
  }

  function send(as: string, request: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const [method, path] = filled(request).split(' ') as [string, string];
    const text =
      typeof body === 'string' || body === undefined || body instanceof Uint8Array
        ? body
        : filled(JSON.stringify(body));
    const client = service.client(as === 'no token' ? null : (tokens.get(as) ?? expect.fail(`no token for ${as}`)));
    return client.send(method, path, text, {
      ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    });
  }

  async function stored(): Promise<unknown[]> {
    return (await owner.query(snapshot)).rows;
  }

  async function expectError(expected: string, request: () => Promise<Answer>): Promise<Answer> {
    const before = await stored();
    const answer = await request();
    expectEnvelope(answer, expected);
    expect(await stored(), 'nothing is stored').to.deep.equal(before);
    return answer;
  }

  function expectEnvelope(answer: Answer, expected: string): void {
    const [status, code] = expected.split(' ');
    expect(`${answer.status} ${answer.body?.code}`, JSON.stringify(answer.body).slice(0, 400)).to.equal(expected);
    const { details, ...envelope } = answer.body;
    expect(Object.keys(envelope)).to.deep.equal(['statusCode', 'code', 'message']);
    expect(envelope).to.deep.include({ statusCode: Number(status), code });
    expect(envelope.message).to.be.a('string').with.length.within(1, 2000);
    if ('details' in answer.body) expect(details).to.be.an('object');
    if (code === 'VALIDATION_FAILED' && details !== undefined) {
      for (const issue of details.issues.slice(0, 20)) expect(issue).to.have.all.keys('path', 'message');
    }
    expect(answer.headers.get('x-request-id')).to.be.a('string').with.length.greaterThan(0);
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
  }

  /** One test per row, sent with the workspace's key by default. */
  function rejections(title: string, rows: readonly Row[]): void {
    describe(title, () => {
      for (const [name, request, body, expected, as = 'admin key'] of rows) {
        it(`${request.slice(0, 60)}: ${name} returns ${expected}`, async () => {
          await expectError(expected, () => send(as, request, body));
        });
      }
    });
  }

  describe('tokens', () => {
    const plans = 'GET /v1/plans';
    let missing: unknown;

    before(async () => {
      const answer = await expectError('401 unauthorized', () => send('no token', plans));
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
      missing = answer.body;
    });

    /** An invalid token has the same response as a missing one. */
    async function expectUnknown(authorization: string): Promise<void> {
      const answer = await expectError('401 unauthorized', () =>
        send('no token', plans, none, { Authorization: authorization }),
      );
      expect(answer.body).to.deep.equal(missing);
    }

    const wrong: readonly (readonly [name: string, authorization: () => string])[] = [
      ['another scheme', () => 'Basic x'],
      ['a scheme alone', () => 'Bearer'],
      ['a scheme and blanks', () => 'Bearer  '],
      ['10 KB', () => `bearer sess_${'x'.repeat(10_000)}`],
      ['two tokens in one header', () => `Bearer ${tokens.get('admin key')}, Bearer ${tokens.get('admin')}`],
      ['one character changed', () => `Bearer ${changed(tokens.get('admin key') as string)}`],
      ['unknown, well-formed', () => `Bearer ${newToken('ws')}`],
      ['the kind changed', () => `Bearer ${(tokens.get('connection') as string).replace('conn_', 'ws_')}`],
      ['an injection', () => `Bearer ' or 1=1--`],
    ];
    for (const [name, authorization] of wrong)
      it(`returns 401 for a token: ${name}`, () => expectUnknown(authorization()));

    it('the session of a rep ends when the rep is deactivated', async () => {
      const token = await addToken(workspaceId, 'sess', ids.get('bob'));
      const bob = new ApiClient(service.url, token);
      await bob.expect(200, 'GET', '/v1/plans');
      await owner.query('update reps set active = false where workspace_id = $1 and rep_id = $2', [
        workspaceId,
        ids.get('bob'),
      ]);
      await expectUnknown(`Bearer ${token}`);
      await owner.query('update reps set active = true where workspace_id = $1 and rep_id = $2', [
        workspaceId,
        ids.get('bob'),
      ]);
    });

    it('returns 401 for an expired token', async () => {
      const token = await addToken(workspaceId, 'ws');
      await owner.query('update tokens set expires_at = now() where workspace_id = $1 and token_hash = $2', [
        workspaceId,
        tokenHash(token),
      ]);
      await expectUnknown(`Bearer ${token}`);
    });

    it('returns 401 for a token in the query or the body', async () => {
      const key = tokens.get('admin key') as string;
      for (const name of ['access_token', 'token', 'authorization']) {
        await expectError('401 unauthorized', () => send('no token', `${plans}?${name}=${key}`));
        await expectError('401 unauthorized', () => send('no token', 'POST /v1/commissions/cleanup', { [name]: key }));
      }
    });

    it('accepts the scheme of the Authorization header in any case', async () => {
      expect(
        (await send('no token', plans, none, { Authorization: `bEARER ${tokens.get('admin key')}` })).status,
      ).to.equal(200);
    });
  });

  rejections('any route: bodies', [
    ['broken JSON', 'POST /v1/plans', '{', '400 invalid_json'],
    ['a number', 'POST /v1/plans', '1', invalid],
    ['a text', 'POST /v1/plans', '"x"', invalid],
    ['a list', 'POST /v1/plans', '[]', invalid],
    ['null', 'POST /v1/commissions/reset', 'null', invalid],
    ['a missing body', 'POST /v1/plans', none, invalid],
    ['a list for an optional body', 'POST /v1/commissions/reset', '[]', invalid],
    ['an unexpected body', 'POST /v1/commissions/cleanup', { scope: 'all' }, invalid],
    ['an unexpected text body', 'POST /v1/commissions/cleanup', '"x"', invalid],
    ['a body on DELETE', 'DELETE /v1/quotas/<quota>', { force: true }, invalid],
    [
      'a body of 1 MiB and one byte',
      'PATCH /v1/workspaces',
      JSON.stringify({ name: 'x'.repeat(1024 * 1024 - 10) }),
      '413 payload_too_large',
    ],
    ['a body nested 20,000 levels deep', 'POST /v1/plans', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, invalid],
    [
      'a config nested 20,000 levels deep',
      'POST /v1/plans',
      `{"name":"x","config":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`,
      invalid,
    ],
    [
      'an object with 20,000 keys',
      'PATCH /v1/workspaces',
      Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1])),
      invalid,
    ],
    [
      'an object with 99,000 keys',
      'PATCH /v1/workspaces',
      `{${Array.from({ length: 99_000 }, (_, index) => `"${index.toString(36)}":1`).join()}}`,
      invalid,
    ],
    [
      'a config with 20,000 keys',
      'POST /v1/plans',
      { name: 'x', config: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1])) },
      invalid,
    ],
    ['__proto__', 'PATCH /v1/reps/<ada>', '{"__proto__":{"role":"admin"}}', invalid],
    ['a nested __proto__', 'POST /v1/plans', '{"name":"x","config":{"rules":[{"__proto__":{}}]}}', invalid],
    ['constructor', 'PATCH /v1/reps/<ada>', '{"constructor":{"prototype":{}}}', invalid],
    ['the unknown field workspaceId', 'PATCH /v1/reps/<ada>', { active: true, workspaceId: '<unknown>' }, invalid],
    ['the unknown field repId', 'PATCH /v1/reps/<ada>', { active: true, repId: '<bob>' }, invalid],
    ['the unknown field tier', 'PATCH /v1/workspaces', { name: 'x', tier: 'enterprise' }, invalid],
    ['an unknown field of a plan', 'POST /v1/plans', withRule({}, { version: 7 }), invalid],
    ['an unknown field of a rule', 'POST /v1/plans', withRule({ teirs: [] }), invalid],
    ['an unknown field of a quota', 'POST /v1/quotas', quotaOf({ current_value: 5 }), invalid],
    ['a NUL', 'PATCH /v1/workspaces', '{"name":"a\\u0000b"}', invalid],
    ['an unpaired surrogate', 'PATCH /v1/workspaces', '{"name":"a\\ud800"}', invalid],
    ['a NUL in a deal', 'PUT /v1/deals/won-1', '{"fields":{"a":"\\u0000"}}', invalid],
    ['an unpaired surrogate in a slug', 'PUT /v1/deals/won-1', '{"fields":{"\\udfff":1}}', invalid],
    ['a control character in a name', 'POST /v1/plans', { name: 'a\u001fb', config: { rules: [rule] } }, invalid],
    [
      '1e999',
      'POST /v1/quotas',
      '{"repIds":["<ada>"],"planRuleId":"<aeRule>","period":"2026-05","target":1e999}',
      invalid,
    ],
    ['-1e999', 'PUT /v1/deals/won-1', '{"amount":-1e999}', invalid],
    ['NaN as a text', 'PUT /v1/deals/won-1', { amount: 'NaN' }, invalid],
    ['Infinity as a text', 'PUT /v1/deals/won-1', { amount: 'Infinity' }, invalid],
    ['NaN without quotes', 'PUT /v1/deals/won-1', '{"amount":NaN}', '400 invalid_json'],
    ['an unsafe integer', 'POST /v1/workspaces/keys/rotate', '{"graceMinutes":9007199254740993}', invalid],
    [
      'an unsafe integer as tierIndex',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      '{"rules":[{"ruleId":"<aeRule>","tiers":[{"tierIndex":9007199254740993,"rate":0.1}]}]}',
      invalid,
    ],
    ['a fraction for an integer', 'POST /v1/workspaces/keys/rotate', { graceMinutes: 1.5 }, invalid],
  ]);

  describe('any route: media types', () => {
    const bytes = (text: string) => new TextEncoder().encode(text);

    it('returns 415 for a body without a media type', () =>
      expectError('415 unsupported_media_type', () => api.send('PATCH', '/v1/workspaces', bytes('{"name":"x"}'))));

    it('returns 415 for JSON as text/plain', () =>
      expectError('415 unsupported_media_type', () =>
        send('admin key', 'PATCH /v1/workspaces', '{"name":"x"}', { 'Content-Type': 'text/plain' }),
      ));

    it('returns 400 for an invalid gzip body', () =>
      expectError(invalid, () =>
        send('admin key', 'PATCH /v1/workspaces', '{"name":"x"}', { 'Content-Encoding': 'gzip' }),
      ));

    it('returns 413 for 20 MiB compressed to 20 KB', () => {
      const bomb = gzipSync(
        Buffer.concat([Buffer.from('{"name":"'), Buffer.alloc(20 * 1024 * 1024, 'x'), Buffer.from('"}')]),
      );
      return expectError('413 payload_too_large', () =>
        send('admin key', 'PATCH /v1/workspaces', bomb, { 'Content-Encoding': 'gzip' }),
      );
    });

    it('returns 415 for an unknown encoding', () =>
      expectError('415 unsupported_media_type', () =>
        send('admin key', 'PATCH /v1/workspaces', '{"name":"x"}', { 'Content-Encoding': 'br2' }),
      ));

    it('returns 413 for an import of more than 32 MiB', () =>
      expectError('413 payload_too_large', () =>
        send('admin key', 'POST /v1/deals/import', Buffer.alloc(32 * 1024 * 1024 + 1, ' '), {
          'Content-Type': 'text/csv',
        }),
      ));

    it('returns 415 for an import of another media type', () =>
      expectError('415 unsupported_media_type', () =>
        send('admin key', 'POST /v1/deals/import', 'id\n1', { 'Content-Type': 'text/plain' }),
      ));
  });

  const longId = 'x'.repeat(5000);
  const strangeIds = ['not-a-uuid', '%00', '..%2f..%2f', longId, "'%20or%201=1--", '%F0%9F%92%B8'];
  const routes: readonly (readonly [request: (id: string) => string, code: string, body?: unknown])[] = [
    [(id) => `GET /v1/plans/${id}`, '404 plan_not_found'],
    [(id) => `GET /v1/plans/${id}/history`, '404 plan_not_found'],
    [(id) => `PATCH /v1/plans/${id}`, '404 plan_not_found', { currency: 'EUR' }],
    [(id) => `PATCH /v1/plans/${id}/status`, '404 plan_not_found', { status: 'draft' }],
    [(id) => `DELETE /v1/plans/${id}`, '404 plan_not_found'],
    [(id) => `GET /v1/plans/${id}/overrides`, '404 plan_not_found'],
    [
      (id) => `PUT /v1/plans/${id}/overrides/<ada>`,
      '404 plan_not_found',
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    ],
    [
      (id) => `PUT /v1/plans/<aeVersion>/overrides/${id}`,
      unknownRep,
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    ],
    [(id) => `DELETE /v1/plans/<aeVersion>/overrides/${id}`, unknownRep],
    [(id) => `PATCH /v1/assignments/${id}`, '404 assignment_not_found', { effectiveEnd: null }],
    [(id) => `DELETE /v1/assignments/${id}`, '404 assignment_not_found'],
    [(id) => `DELETE /v1/quotas/${id}`, '404 quota_not_found'],
    [(id) => `GET /v1/reps/${id}`, '400 rep_not_found'],
    [(id) => `PATCH /v1/reps/${id}`, unknownRep, { active: true }],
    [(id) => `GET /v1/commissions/recalculate/jobs/${id}`, '404 job_not_found'],
  ];
  rejections(
    'any route: invalid ids',
    routes.flatMap(([request, expected, body]) =>
      strangeIds.map((id): Row => ['an invalid id', request(id), body, expected]),
    ),
  );

  rejections('any route: addresses', [
    ['an invalid percent escape', 'GET /v1/plans/%E0%A4%A', none, invalid],
    ['a repeated parameter', 'GET /v1/commissions?repId=<ada>&repId=<bob>', none, invalid],
    ['a repeated parameter with equal values', 'GET /v1/deals?limit=5&limit=5', none, invalid],
    ['brackets in a parameter name', 'GET /v1/commissions?repId[x]=1', none, invalid],
    ['an unknown parameter', 'GET /v1/plans?state=active', none, invalid],
    ['a parameter of an operation without parameters', 'GET /v1/workspaces/keys?show=true', none, invalid],
    ['a parameter in another case', 'GET /v1/deals?LIMIT=5', none, invalid],
    ['PUT on a GET route', 'PUT /v1/commissions/periods', {}, '405 method_not_allowed'],
    ['POST on a path with ids', 'POST /v1/plans/<ae>', {}, '405 method_not_allowed'],
    ['an unknown path', 'GET /v1/nope', none, '404 not_found'],
    ['an unknown path without a token', 'GET /v1/nope', none, '404 not_found', 'no token'],
    ['a path with an extra segment', 'GET /v1/plans/<ae>/history/1', none, '404 not_found'],
  ]);

  it('returns 431 for headers or a URL of 20 KB', async () => {
    await expectError('431 headers_too_large', () => send('admin key', `GET /v1/plans?status=${'x'.repeat(20_000)}`));
    await expectError('431 headers_too_large', () =>
      send('admin key', 'GET /v1/plans', none, { 'X-Long': 'x'.repeat(20_000) }),
    );
  });

  it('returns the allowed methods with 405', async () => {
    const answer = await send('admin key', 'PUT /v1/plans/<ae>', {});
    expect(answer.headers.get('allow')).to.equal('GET, DELETE, PATCH');
  });

  it('ignores method override headers and parameters', async () => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE', 'X-Forwarded-For': '1.2.3.4' };
    expect((await send('admin key', 'GET /v1/plans/<spare>', none, headers)).status).to.equal(200);
    expect((await send('admin key', 'GET /v1/plans/<spare>?_method=DELETE', none, headers)).status).to.equal(400);
    expect((await send('admin key', 'GET /v1/plans/<spare>')).status).to.equal(200);
  });

  it('uses the last value of a repeated JSON key', async () => {
    const answer = await send('admin key', 'PATCH /v1/plans/<spare>/status', '{"status":"draft","status":"archived"}');
    expect([answer.status, answer.body.status]).to.deep.equal([200, 'archived']);
  });

  it('reads -0 and 1e-400 as 0', async () => {
    for (const number of ['-0', '1e-400', '0.0']) {
      const answer = await send(
        'admin key',
        'PUT /v1/deals/zero',
        filled(`{"amount":${number},"repId":"<bob>","closeDate":"2026-04-01"}`),
      );
      expect(answer.status).to.be.oneOf([200, 201]);
      expect(Object.is(answer.body.amount, 0), `${number} reads ${answer.body.amount}`).to.equal(true);
    }
    await service.waitForCalculations(workspaceId);
  });

  it('returns 503 while the database is unavailable, and works again afterwards', async () => {
    const database = await createTestDatabase({ migrate: migrateTestDatabase });
    const line = await breakableLine(database.ownerUrl);
    const config = readConfig({ DATABASE_URL: line.url, PORT: '0', LOG_LEVEL: 'silent' });
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
        expectEnvelope(answer, '503 database_unavailable');
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

  rejections('fields', [
    ['an unknown standard value', 'POST /v1/fields/save', { standard: { dealValue: 'acv' } }, invalid],
    [
      'two standard values in one field',
      'POST /v1/fields/save',
      { standard: { dealAmount: 'acv', dealStage: 'acv' } },
      invalid,
    ],
    ['__proto__ as a measure', 'POST /v1/fields/save', '{"standard":{},"measures":{"__proto__":"acv"}}', invalid],
    ['__proto__ as a standard value', 'POST /v1/fields/save', '{"standard":{"__proto__":"acv"}}', invalid],
    ['a body without a mapping', 'POST /v1/fields/save', {}, invalid],
    ['a slug that is not a text', 'POST /v1/fields/save', { standard: { dealAmount: 5 } }, invalid],
    ['an empty slug', 'POST /v1/fields/save', { standard: { dealAmount: ' ' } }, invalid],
    ['a slug of 501 characters', 'POST /v1/fields/save', { standard: { dealAmount: 'x'.repeat(501) } }, invalid],
    ['a rep', 'POST /v1/fields/save', { standard: {} }, forbidden, 'rep'],
    ['a manager', 'POST /v1/fields/save', { standard: {} }, forbidden, 'manager'],
    ['a connection token', 'POST /v1/fields/save', { standard: {} }, forbidden, 'connection'],
  ]);

  const periods = [
    '2026-13',
    '2026-00',
    '2026-Q5',
    '2026-H3',
    '26-01',
    '2026-1',
    '',
    '2026-q1',
    '2026-01-01',
    "2026'",
    '%202026',
  ];
  rejections('commissions', [
    ['a rep who reads the team', 'GET /v1/commissions', none, forbidden, 'rep'],
    ['a rep who reads the team under its alias', 'GET /v1/commissions/dashboard', none, forbidden, 'rep'],
    ['a rep who reads another rep', 'GET /v1/commissions?repId=<bob>', none, forbidden, 'rep'],
    ['a rep of another workspace', 'GET /v1/commissions?repId=<foreigner>', none, unknownRep],
    ['an unknown rep', 'GET /v1/commissions?repId=<unknown>', none, unknownRep],
    ['an invalid id', 'GET /v1/commissions?repId=me', none, unknownRep],
    ['an unknown deal', 'GET /v1/commissions?dealId=nope', none, '404 deal_not_found'],
    ['the periods of an unknown rep', 'GET /v1/commissions/periods?repId=<unknown>', none, unknownRep],
    ...periods.map((period): Row => [`the period "${period}"`, `GET /v1/commissions?period=${period}`, none, invalid]),
    ['a recalculation by a manager', 'POST /v1/commissions/recalculate', {}, forbidden, 'manager'],
    ['a recalculation by a rep', 'POST /v1/commissions/recalculate', { repId: '<ada>' }, forbidden, 'rep'],
    ['a recalculation with a connection token', 'POST /v1/commissions/recalculate', {}, forbidden, 'connection'],
    ['a recalculation of an unknown rep', 'POST /v1/commissions/recalculate', { repId: '<unknown>' }, unknownRep],
    [
      'a recalculation of a rep of another workspace',
      'POST /v1/commissions/recalculate',
      { repId: '<foreigner>' },
      unknownRep,
    ],
    [
      'a recalculation of an unknown plan',
      'POST /v1/commissions/recalculate',
      { planId: '<unknown>' },
      '404 plan_not_found',
    ],
    [
      'a recalculation of an unknown deal',
      'POST /v1/commissions/recalculate',
      { dealId: 'nope' },
      '404 deal_not_found',
    ],
    ['a recalculation of an invalid id', 'POST /v1/commissions/recalculate', { repId: 'me' }, invalid],
    ['async as a text', 'POST /v1/commissions/recalculate', { async: 'true' }, invalid],
    ['async as a number', 'POST /v1/commissions/recalculate', { async: 1 }, invalid],
    ['async: null', 'POST /v1/commissions/recalculate', { async: null }, invalid],
    ['an unknown job', 'GET /v1/commissions/recalculate/jobs/<unknown>', none, '404 job_not_found'],
    ['a manager who reads a job', 'GET /v1/commissions/recalculate/jobs/<unknown>', none, forbidden, 'manager'],
    ['an unknown plan', 'POST /v1/commissions/simulate', simulated({ planId: '<unknown>' }), '404 plan_not_found'],
    [
      'a plan of another workspace',
      'POST /v1/commissions/simulate',
      simulated({ planId: '<foreignPlan>' }),
      '404 plan_not_found',
    ],
    [
      'an unknown version',
      'POST /v1/commissions/simulate',
      { planVersionId: '<unknown>', period: '2026-03' },
      '404 plan_not_found',
    ],
    ['an unknown rep', 'POST /v1/commissions/simulate', simulated({ repId: '<unknown>' }), unknownRep],
    [
      'a rep of another workspace',
      'POST /v1/commissions/simulate',
      simulated({ repIds: ['<ada>', '<foreigner>'] }),
      unknownRep,
    ],
    ['neither a plan nor a config', 'POST /v1/commissions/simulate', { period: '2026-03' }, invalid],
    ['a plan and a version', 'POST /v1/commissions/simulate', simulated({ planVersionId: '<aeVersion>' }), invalid],
    ['a missing period', 'POST /v1/commissions/simulate', { planId: '<ae>' }, invalid],
    ['repId and repIds', 'POST /v1/commissions/simulate', simulated({ repId: '<ada>', repIds: ['<ada>'] }), invalid],
    ['an invalid day', 'POST /v1/commissions/simulate', simulated({ asOf: '2026-02-30' }), invalid],
    ['a target below 0', 'POST /v1/commissions/simulate', simulated({ quota: { target: -1 } }), invalid],
    ['a target of 1e308', 'POST /v1/commissions/simulate', simulated({ quota: { target: 1e308 } }), invalid],
    [
      'a deal of an unknown rep',
      'POST /v1/commissions/simulate',
      simulated({ deals: [{ dealId: 'x', amount: 1 }] }),
      invalid,
    ],
    [
      'a deal without a date',
      'POST /v1/commissions/simulate',
      simulated({ deals: [{ dealId: 'x', amount: 1, repId: '<ada>' }] }),
      invalid,
    ],
    [
      'a config with 51 rules',
      'POST /v1/commissions/simulate',
      {
        period: '2026-03',
        config: { rules: Array.from({ length: 51 }, (_, index) => ({ ...rule, name: `R${index}` })) },
      },
      invalid,
    ],
    ['a config without rules', 'POST /v1/commissions/simulate', { period: '2026-03', config: { rules: [] } }, invalid],
    [
      'a body of more than 1 MiB',
      'POST /v1/commissions/simulate',
      { period: '2026-03', config: { rules: [{ ...rule, name: 'x'.repeat(1024 * 1024) }] } },
      '413 payload_too_large',
    ],
    [
      'a rep who simulates another rep',
      'POST /v1/commissions/simulate',
      simulated({ repId: '<bob>' }),
      forbidden,
      'rep',
    ],
    [
      'a rep who simulates several reps',
      'POST /v1/commissions/simulate',
      simulated({ repIds: ['<ada>', '<bob>'] }),
      forbidden,
      'rep',
    ],
    ['a connection token', 'POST /v1/commissions/simulate', simulated({}), forbidden, 'connection'],
    ['the scope everything', 'POST /v1/commissions/reset', { scope: 'everything' }, invalid],
    ['the scope __proto__', 'POST /v1/commissions/reset', { scope: '__proto__' }, invalid],
    ['the scope null', 'POST /v1/commissions/reset', { scope: null }, invalid],
    ['a reset by a manager', 'POST /v1/commissions/reset', {}, forbidden, 'manager'],
    ['a cleanup by a manager', 'POST /v1/commissions/cleanup', none, forbidden, 'manager'],
  ]);

  describe('commissions: unusual valid requests', () => {
    it('uses the most specific of several ids', async () => {
      const scopeOf = async (body: object) =>
        (await send('admin key', 'POST /v1/commissions/recalculate', body)).body.scope;
      expect(await scopeOf({ repId: '<ada>', planId: '<ae>', dealId: 'won-1' })).to.equal('deal');
      expect(await scopeOf({ repId: '<ada>', planId: '<ae>' })).to.equal('rep');
      expect(await scopeOf({ planId: '<ae>' })).to.equal('plan');
      expect(await scopeOf({})).to.equal('workspace');
      await service.waitForCalculations(workspaceId);
    });

    it('joins a running job of the same scope only', async () => {
      const holder = new pg.Client({ connectionString: service.database.ownerUrl });
      await holder.connect();
      const recalculate = async (body: object) =>
        (await send('admin key', 'POST /v1/commissions/recalculate', { ...body, async: true })).body;
      try {
        await holder.query('begin');
        await holder.query('select from lanes where workspace_id = $1 for update', [workspaceId]);
        const first = await recalculate({ repId: '<ada>' });
        const second = await recalculate({ repId: '<ada>' });
        const other = await recalculate({ repId: '<bob>' });
        expect(first).to.deep.include({ triggered: true, async: true, status: 'running', scope: 'rep' });
        expect(second).to.deep.equal(first);
        expect(other.jobId).not.to.equal(first.jobId);
        await holder.query('rollback');
        await service.running.service.laneRunner.calculateNow(
          workspaceId,
          ['ada', 'bob'].map((name) => ids.get(name) as string),
        );
        await service.waitForCalculations(workspaceId);
        const job = await send('admin key', `GET /v1/commissions/recalculate/jobs/${first.jobId}`);
        expect(job.body).to.deep.include({ status: 'completed', progress: { done: 1, total: 1 } });
      } finally {
        await holder.end();
      }
    });

    it('returns a job for six hours after its end', async () => {
      const { jobId } = (await send('admin key', 'POST /v1/commissions/recalculate', { dealId: 'won-1' })).body;
      expect((await send('admin key', `GET /v1/commissions/recalculate/jobs/${jobId}`)).status).to.equal(200);
      await owner.query(
        `update jobs set started_at = now() - interval '7 hours', finished_at = now() - interval '6 hours 1 minute' where workspace_id = $1 and job_id = $2`,
        [workspaceId, jobId],
      );
      await expectError('404 job_not_found', () => send('admin key', `GET /v1/commissions/recalculate/jobs/${jobId}`));
    });
  });

  rejections('deals', [
    ...['0', '-1', '501', '1.5', '1e3', 'abc', '', '%205', '99999999999999999999'].map(
      (limit): Row => [`limit ${limit}`, `GET /v1/deals?limit=${limit}`, none, invalid],
    ),
    ...['-1', '1.5', 'x', '', '1000000000001', '99999999999999999999'].map(
      (offset): Row => [`offset ${offset}`, `GET /v1/deals?offset=${offset}`, none, invalid],
    ),
    ...[
      'yesterday',
      '2026-02-30',
      'infinity',
      '2026-02-30T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-01-01T00:00:00',
      'now()',
      '0',
      '0000-01-01T00:00:00Z',
      '2026-01-01T00:00:00%2B23:00',
    ].map((since): Row => [`since ${since}`, `GET /v1/deals?since=${since}`, none, invalid]),
    ['an invalid repId', 'GET /v1/deals?repId=me', none, invalid],
    ['a NUL as stage', 'GET /v1/deals?stage=%00', none, invalid],
    ["a rep who reads another rep's deals", 'GET /v1/deals?repId=<bob>', none, forbidden, 'rep'],
    ['hard=yes', 'DELETE /v1/deals/won-1?hard=yes', none, invalid],
    ['hard=1', 'DELETE /v1/deals/won-1?hard=1', none, invalid],
    ['hard=TRUE', 'DELETE /v1/deals/won-1?hard=TRUE', none, invalid],
    ['hard=', 'DELETE /v1/deals/won-1?hard=', none, invalid],
    ['a manager', 'DELETE /v1/deals/won-1', none, forbidden, 'manager'],
    ['a deal of an unknown rep', 'PUT /v1/deals/new', { repId: '<unknown>' }, unknownRep],
    ['a deal of a rep of another workspace', 'PUT /v1/deals/new', { repId: '<foreigner>' }, unknownRep],
    ['a deal id of 201 characters', `PUT /v1/deals/${'x'.repeat(201)}`, {}, invalid],
    ['a deal id with a NUL', 'PUT /v1/deals/%00', {}, invalid],
    ['a blank deal id', 'PUT /v1/deals/%20', {}, invalid],
    ['an amount that is not a number', 'PUT /v1/deals/new', { amount: '12,5' }, invalid],
    ['an amount beyond 1e15', 'PUT /v1/deals/new', { amount: 1.1e15 }, invalid],
    ['an amount beyond 1e15 in fields', 'PUT /v1/deals/new', { fields: { amount: '1e400' } }, invalid],
    ['an amount of 1e308', 'PUT /v1/deals/new', { amount: 1e308 }, invalid],
    ['an amount with a huge exponent', 'PUT /v1/deals/new', { amount: '1e999999999' }, invalid],
    ['an amount of 100,000 digits', 'PUT /v1/deals/new', { amount: '9'.repeat(100_000) }, invalid],
    ['an invalid currency', 'PUT /v1/deals/new', { currency: 'usd' }, invalid],
    ['an invalid close date', 'PUT /v1/deals/new', { closeDate: '2026-02-29' }, invalid],
    ['a close date in words', 'PUT /v1/deals/new', { closeDate: 'tomorrow' }, invalid],
    ['an ambiguous close date', 'PUT /v1/deals/new', { closeDate: '3/4/2026' }, invalid],
    ['a close date before 1900', 'PUT /v1/deals/new', { closeDate: '1899-12-31' }, invalid],
    ['a field that is an object', 'PUT /v1/deals/new', { fields: { a: { b: 1 } } }, invalid],
    [
      'fields',
      'PUT /v1/deals/new',
      { fields: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, 1])) },
      invalid,
    ],
    ['an invalid instant', 'PUT /v1/deals/new', { sourceUpdatedAt: '2026-01-01' }, invalid],
    ['an instant in the year 1', 'PUT /v1/deals/new', { sourceUpdatedAt: '0001-01-01T00:00:00Z' }, invalid],
    ['an import that is not JSON', 'POST /v1/deals/import', '{"deals":[', '400 invalid_json'],
    ['an import without deals', 'POST /v1/deals/import', {}, invalid],
    ['an import with an unknown field', 'POST /v1/deals/import', { deals: [], more: 1 }, invalid],
    ['an import with an unknown date format', 'POST /v1/deals/import?dateFormat=YMD', { deals: [] }, invalid],
    [
      'an import with two date formats',
      'POST /v1/deals/import?dateFormat=MDY',
      { deals: [], dateFormat: 'DMY' },
      invalid,
    ],
    ['an import by a manager', 'POST /v1/deals/import', { deals: [] }, forbidden, 'manager'],
  ]);

  describe('deals: unusual valid requests', () => {
    const list = async (query: string) => (await send('admin key', `GET /v1/deals?${query}`)).body;

    it('returns an empty page for an offset beyond the end', async () => {
      expect(await list('offset=1000000000000')).to.deep.include({ deals: [], offset: 1e12 });
    });

    it('reads a day in since as its midnight in UTC', async () => {
      expect((await list('since=2020-01-01')).count).to.be.greaterThan(0);
      expect((await list('since=2199-01-01')).count).to.equal(0);
    });

    it('compares the stage exactly, without patterns', async () => {
      for (const stage of ['%25', 'won%25', '%27', 'won%20%27n', '_on'])
        expect((await list(`stage=${stage}`)).deals, stage).to.deep.equal([]);
      expect((await list('stage=won%20%27n%27%20done')).count).to.equal(1);
    });

    it('reverses nothing when an unknown deal is deleted', async () => {
      for (const id of ['nope', '%00', '..%2fnope']) {
        const answer = await send('admin key', `DELETE /v1/deals/${id}`);
        expect([answer.status, answer.body]).to.deep.equal([
          200,
          { reversed: 0, statementLocked: false, softDeleted: false, hardDeleted: false },
        ]);
      }
    });

    it('reverses events once when a deal is deleted twice', async () => {
      await send('admin key', 'PUT /v1/deals/twice', { amount: 100, closeDate: '2026-04-02', repId: '<bob>' });
      await service.waitForCalculations(workspaceId);
      const first = await send('admin key', 'DELETE /v1/deals/twice');
      expect(first.body).to.deep.equal({ reversed: 1, statementLocked: false, softDeleted: true, hardDeleted: false });
      expect((await send('admin key', 'DELETE /v1/deals/twice')).body.reversed).to.equal(0);
      expect((await send('admin key', 'DELETE /v1/deals/twice?hard=true')).body).to.deep.include({
        reversed: 0,
        hardDeleted: true,
      });
      await service.waitForCalculations(workspaceId);
    });

    it('returns invalid rows of an import and does not store them', async () => {
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
      const rows = [
        '1',
        'null',
        '{}',
        '{"dealId":""}',
        '{"dealId":"a","amount":"x"}',
        '{"dealId":"b","closeDate":"2026-02-30"}',
        '{"dealId":"c","unknown":1}',
        '{"dealId":"d","fields":{"a":"\\u0000"}}',
        `{"dealId":"e","fields":{"a":${deep}}}`,
        '{"dealId":"f","__proto__":{"amount":1}}',
        '{"dealId":"g","repId":"<unknown>"}',
        '{"dealId":"h","repId":"<foreigner>"}',
      ];
      const before = await owner.query('select count(*)::int as deals from deals');
      const answer = await send('admin key', 'POST /v1/deals/import', filled(`{"deals":[${rows.join()}]}`));
      expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(200);
      expect(answer.body).to.deep.include({ accepted: 0, unchanged: 0, stale: 0 });
      expect(answer.body.rejected.map((one: { row: number }) => one.row)).to.deep.equal(
        rows.map((_, index) => index + 1),
      );
      const after = await owner.query('select count(*)::int as deals from deals');
      expect(after.rows).to.deep.equal(before.rows);
    });
  });

  rejections('plans', [
    ['a missing name', 'POST /v1/plans', { config: { rules: [rule] } }, invalid],
    ['a blank name', 'POST /v1/plans', { name: ' ', config: { rules: [rule] } }, invalid],
    ['a name of 201 characters', 'POST /v1/plans', { name: 'x'.repeat(201), config: { rules: [rule] } }, invalid],
    ['a missing config', 'POST /v1/plans', { name: 'Invalid' }, invalid],
    ['missing rules', 'POST /v1/plans', { name: 'Invalid', config: {} }, invalid],
    ['an empty list of rules', 'POST /v1/plans', { name: 'Invalid', config: { rules: [] } }, invalid],
    ['an empty list of tiers', 'POST /v1/plans', withTiers(), invalid],
    ['missing tiers', 'POST /v1/plans', withRule({ tiers: undefined }), invalid],
    ['the name of another plan', 'POST /v1/plans', { name: 'ae', config: { rules: [rule] } }, '409 plan_name_taken'],
    ['two rules of one name', 'POST /v1/plans', { name: 'Invalid', config: { rules: [rule, rule] } }, invalid],
    ['rate and flatAmount', 'POST /v1/plans', withTiers({ ...tier, flatAmount: 5 }), invalid],
    ['neither rate nor flatAmount', 'POST /v1/plans', withTiers({ tierIndex: 0, minThreshold: 0 }), invalid],
    [
      'tierMode marginal with tierBy value',
      'POST /v1/plans',
      withRule({ tierMode: 'marginal', tierBy: 'value', tierValueField: 'amount' }),
      invalid,
    ],
    ['tierBy value without a tierValue', 'POST /v1/plans', withRule({ tierBy: 'value' }), invalid],
    [
      'quotaMeasure and quotaCredit',
      'POST /v1/plans',
      withRule({ quotaMeasure: 'acv', quotaCredit: [{ field: 'tcv' }] }),
      invalid,
    ],
    ['a repeated tierIndex', 'POST /v1/plans', withTiers(tier, { ...tier, minThreshold: 1 }), invalid],
    [
      'descending thresholds',
      'POST /v1/plans',
      withTiers({ ...tier, minThreshold: 1 }, { ...tier, tierIndex: 1, minThreshold: 0.5 }),
      invalid,
    ],
    ['a threshold NaN', 'POST /v1/plans', withTiers({ ...tier, minThreshold: 'NaN' }), invalid],
    ['a threshold null', 'POST /v1/plans', withTiers({ ...tier, minThreshold: null }), invalid],
    ['a threshold below 0', 'POST /v1/plans', withTiers({ ...tier, minThreshold: -1 }), invalid],
    ['a tierIndex of 1.5', 'POST /v1/plans', withTiers({ ...tier, tierIndex: 1.5 }), invalid],
    ...[1e308, -0.1, '0.08', 50, null].map(
      (rate): Row => [`the rate ${JSON.stringify(rate)}`, 'POST /v1/plans', withTiers({ ...tier, rate }), invalid],
    ),
    ['a flatAmount below 0', 'POST /v1/plans', withTiers({ tierIndex: 0, minThreshold: 0, flatAmount: -1 }), invalid],
    [
      'a flatAmount beyond 1e12',
      'POST /v1/plans',
      withTiers({ tierIndex: 0, minThreshold: 0, flatAmount: 1.1e12 }),
      invalid,
    ],
    [
      'dependsOn an unknown rule',
      'POST /v1/plans',
      withRule({ executionPhase: 'cascade', dependsOn: 'Nothing' }),
      invalid,
    ],
    ['dependsOn itself', 'POST /v1/plans', withRule({ executionPhase: 'cascade', dependsOn: rule.name }), invalid],
    [
      'a cycle of dependsOn',
      'POST /v1/plans',
      {
        name: 'Invalid',
        config: {
          rules: [
            ['A', 'B'],
            ['B', 'A'],
          ].map(([name, dependsOn]) => ({ ...rule, name, dependsOn, executionPhase: 'cascade' })),
        },
      },
      invalid,
    ],
    ['dependsOn of a rule that is not a cascade', 'POST /v1/plans', withRule({ dependsOn: 'New business' }), invalid],
    ...['usd', 'US', 'XXXX', 'ZZZ', 'XXX', '', 5].map(
      (currency): Row => [
        `the currency ${JSON.stringify(currency)}`,
        'POST /v1/plans',
        withRule({}, { currency }),
        invalid,
      ],
    ),
    [
      'an end before the start',
      'POST /v1/plans',
      withRule({}, { effectiveStart: '2026-02-01', effectiveEnd: '2026-01-31' }),
      invalid,
    ],
    ['an invalid day', 'POST /v1/plans', withRule({}, { effectiveStart: '2026-02-29' }), invalid],
    ['a day in words', 'POST /v1/plans', withRule({}, { effectiveEnd: 'tomorrow' }), invalid],
    ['an instant instead of a day', 'POST /v1/plans', withRule({}, { effectiveEnd: '2026-02-01T00:00:00Z' }), invalid],
    [
      'a PATCH with an end before the start',
      'PATCH /v1/plans/<ae>',
      { effectiveStart: '2026-02-01', effectiveEnd: '2026-01-31' },
      invalid,
    ],
    ...[[1], [1, 2, 3], [2, 1], 5, ['a', 'b'], [null, 1]].map(
      (value): Row => [
        `between ${JSON.stringify(value)}`,
        'POST /v1/plans',
        withNumber({ operator: 'between', value }),
        invalid,
      ],
    ),
    ['the operator regex', 'POST /v1/plans', withCondition({ operator: 'regex' }), invalid],
    ['the operator constructor', 'POST /v1/plans', withCondition({ operator: 'constructor' }), invalid],
    ['in without a list', 'POST /v1/plans', withCondition({ operator: 'in', value: 'x' }), invalid],
    [
      'in with 1,001 values',
      'POST /v1/plans',
      withCondition({ operator: 'in', value: Array.from({ length: 1001 }, String) }),
      invalid,
    ],
    ['is_set with an object', 'POST /v1/plans', withCondition({ operator: 'is_set', value: {} }), invalid],
    ['equals an object', 'POST /v1/plans', withCondition({ value: { a: 1 } }), invalid],
    ['a number compared to a text', 'POST /v1/plans', withNumber({ operator: 'gt', value: 'many' }), invalid],
    [
      '51 conditions',
      'POST /v1/plans',
      withRule({
        conditions: Array.from({ length: 51 }, () => ({ field: 'a', fieldType: 'text', operator: 'is_set' })),
      }),
      invalid,
    ],
    ['a group without rules', 'POST /v1/plans', withRule({ conditions: [{ operator: 'and', rules: [] }] }), invalid],
    [
      'a group in a group',
      'POST /v1/plans',
      withRule({
        conditions: [
          {
            operator: 'and',
            rules: [{ operator: 'or', rules: [{ field: 'a', fieldType: 'text', operator: 'is_set' }] }],
          },
        ],
      }),
      invalid,
    ],
    ['a field of 501 characters', 'POST /v1/plans', withCondition({ field: 'x'.repeat(501) }), invalid],
    ['a measure of 501 characters', 'POST /v1/plans', withRule({ measure: 'x'.repeat(501) }), invalid],
    ['a tier of an invalid repId', 'POST /v1/plans', withTiers(tier, { ...tier, tierIndex: 1, repId: 'me' }), invalid],
    ['a tier of an unknown rep', 'POST /v1/plans', withTiers(tier, { ...tier, repId: '<unknown>' }), unknownRep],
    [
      'a tier of a rep of another workspace',
      'POST /v1/plans',
      withTiers(tier, { ...tier, repId: '<foreigner>' }),
      unknownRep,
    ],
    [
      'a PATCH with a tier of a rep of another workspace',
      'PATCH /v1/plans/<ae>',
      { config: { rules: [{ ...rule, tiers: [tier, { ...tier, repId: '<foreigner>' }] }] } },
      unknownRep,
    ],
    [
      'a config with 51 rules',
      'POST /v1/plans',
      {
        name: 'Invalid',
        config: { rules: Array.from({ length: 51 }, (_, index) => ({ ...rule, name: `R${index}` })) },
      },
      invalid,
    ],
    ['both config shapes in one rule', 'POST /v1/plans', withRule({ baseField: 'amount' }), invalid],
    ['a mapping of the close date', 'POST /v1/plans', withRule({}, { fieldMapping: { closeDate: 'signed' } }), invalid],
    ['an unknown status', 'POST /v1/plans', withRule({}, { status: 'paused' }), invalid],
    ['an empty object', 'PATCH /v1/plans/<ae>', {}, invalid],
    ['a missing body', 'PATCH /v1/plans/<ae>', none, invalid],
    ['an empty name', 'PATCH /v1/plans/<ae>', { name: ' ' }, invalid],
    ['the status paused', 'PATCH /v1/plans/<ae>', { status: 'paused' }, invalid],
    ['the status paused', 'PATCH /v1/plans/<ae>/status', { status: 'paused' }, invalid],
    ['the status null', 'PATCH /v1/plans/<ae>/status', { status: null }, invalid],
    ['a missing status', 'PATCH /v1/plans/<ae>/status', {}, invalid],
    ['an unknown plan', 'PATCH /v1/plans/<unknown>', { status: 'draft' }, '404 plan_not_found'],
    ['a plan of another workspace', 'PATCH /v1/plans/<foreignPlan>', { status: 'draft' }, '404 plan_not_found'],
    ['a deleted plan', 'PATCH /v1/plans/<gone>', { status: 'draft' }, '404 plan_not_found'],
    [
      'an unknown plan with an invalid config',
      'PATCH /v1/plans/<unknown>',
      { config: { rules: [rule] } },
      '404 plan_not_found',
    ],
    ['a plan with assignments', 'DELETE /v1/plans/<ae>', none, '409 plan_has_assignments'],
    ['a version of a plan with assignments', 'DELETE /v1/plans/<aeVersion>', none, '409 plan_has_assignments'],
    ['a plan of another workspace', 'DELETE /v1/plans/<foreignPlan>', none, '404 plan_not_found'],
    ['a manager', 'DELETE /v1/plans/<spare>', none, forbidden, 'manager'],
    [
      'an override of an unknown tier',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 9, rate: 0.1 }] }] },
      invalid,
    ],
    [
      'an override of a superseded rule',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [{ ruleId: '<oldRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
      '404 plan_rule_not_found',
    ],
    [
      'an override of a rule of another workspace',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [{ ruleId: '<foreignRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
      '404 plan_rule_not_found',
    ],
    [
      'an override with rate and flatAmount',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate: 0.1, flatAmount: 1 }] }] },
      invalid,
    ],
    [
      'an override with neither rate nor flatAmount',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0 }] }] },
      invalid,
    ],
    [
      'two overrides of one tier',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      {
        rules: [
          {
            ruleId: '<aeRule>',
            tiers: [
              { tierIndex: 0, rate: 0.1 },
              { tierIndex: 0, rate: 0.2 },
            ],
          },
        ],
      },
      invalid,
    ],
    [
      'two overrides of one rule',
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [0.1, 0.2].map((rate) => ({ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate }] })) },
      invalid,
    ],
    ['an override without rules', 'PUT /v1/plans/<aeVersion>/overrides/<ada>', { rules: [] }, invalid],
    [
      'an override with a plan id instead of a version id',
      'PUT /v1/plans/<ae>/overrides/<ada>',
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
      '404 plan_not_found',
    ],
    [
      'an override for a rep of another workspace',
      'PUT /v1/plans/<aeVersion>/overrides/<foreigner>',
      { rules: [{ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
      unknownRep,
    ],
    [
      'the deletion of an override for a rep of another workspace',
      'DELETE /v1/plans/<aeVersion>/overrides/<foreigner>',
      none,
      unknownRep,
    ],
    ['an unknown status', 'GET /v1/plans?status=paused', none, invalid],
    ['versions other than all', 'GET /v1/plans?versions=2', none, invalid],
  ]);

  describe('plans: unusual valid requests', () => {
    it('treats any field name as a plain slug', async () => {
      for (const field of ['a.b.__proto__', '__proto__', 'constructor', 'toString', "a'b", '$.x']) {
        const config = { rules: [{ ...rule, conditions: [{ field, fieldType: 'text', operator: 'is_set' }] }] };
        const answer = await send('admin key', 'POST /v1/commissions/simulate', {
          config,
          period: '2026-03',
          repId: '<ada>',
        });
        expect([answer.status, answer.body.total], field).to.deep.equal([200, 0]);
      }
    });

    it('creates two versions for two concurrent changes', async () => {
      const { version } = (await send('admin key', 'GET /v1/plans/<spare>')).body;
      const answers = await Promise.all(
        ['2026-01-01', '2026-01-02'].map((effectiveStart) =>
          send('admin key', 'PATCH /v1/plans/<spare>', { effectiveStart }),
        ),
      );
      expect(answers.map((answer) => answer.status)).to.deep.equal([200, 200]);
      expect(answers.map((answer) => answer.body.version).sort()).to.deep.equal([version + 1, version + 2]);
    });

    it('deletes a plan without assignments once, then returns 404', async () => {
      const made = await send('admin key', 'POST /v1/plans', { name: 'Short-lived', config: { rules: [rule] } });
      expect((await send('admin key', `DELETE /v1/plans/${made.body.planId}`)).status).to.equal(200);
      await expectError('404 plan_not_found', () => send('admin key', `DELETE /v1/plans/${made.body.planId}`));
      await expectError('404 plan_not_found', () => send('admin key', `GET /v1/plans/${made.body.planVersionId}`));
    });

    it('accepts ids in capitals', async () => {
      const upper = (name: string) => (ids.get(name) as string).toUpperCase();
      const override = { rules: [{ ruleId: upper('aeRule'), tiers: [{ tierIndex: 0, rate: 0.09 }] }] };
      expect(
        (await send('admin key', `PUT /v1/plans/${upper('aeVersion')}/overrides/${upper('ada')}`, override)).status,
      ).to.equal(200);
      expect(
        (await send('admin key', `DELETE /v1/plans/${upper('aeVersion')}/overrides/${upper('ada')}`)).status,
      ).to.equal(200);
      await service.waitForCalculations(workspaceId);
    });
  });

  rejections('assignments and quotas', [
    ['an empty list of repIds', 'POST /v1/assignments', assigned({ repIds: [] }), invalid],
    ['missing repIds', 'POST /v1/assignments', { planId: '<se>' }, invalid],
    ['a missing planId', 'POST /v1/assignments', { repIds: ['<bob>'] }, invalid],
    [
      '10,001 repIds',
      'POST /v1/assignments',
      assigned({ repIds: Array.from({ length: 10_001 }, () => '<bob>') }),
      invalid,
    ],
    ['an invalid id', 'POST /v1/assignments', assigned({ repIds: ['me'] }), invalid],
    ['an unknown rep among others', 'POST /v1/assignments', assigned({ repIds: ['<bob>', '<unknown>'] }), unknownRep],
    [
      'a rep of another workspace among others',
      'POST /v1/assignments',
      assigned({ repIds: ['<bob>', '<foreigner>'] }),
      unknownRep,
    ],
    ['an unknown plan', 'POST /v1/assignments', assigned({ planId: '<unknown>' }), '404 plan_not_found'],
    [
      'a plan of another workspace',
      'POST /v1/assignments',
      assigned({ planId: '<foreignPlan>' }),
      '404 plan_not_found',
    ],
    [
      'an end before the start',
      'POST /v1/assignments',
      assigned({ effectiveStart: '2026-02-01', effectiveEnd: '2026-01-01' }),
      invalid,
    ],
    [
      'a rep who is on the plan already',
      'POST /v1/assignments',
      assigned({ planId: '<ae>', effectiveStart: '2026-02-01' }),
      '409 assignment_overlap',
    ],
    [
      'two reps of whom one is on the plan already',
      'POST /v1/assignments',
      assigned({ repIds: ['<max>', '<bob>'], planId: '<ae>' }),
      '409 assignment_overlap',
    ],
    ['a missing body', 'PATCH /v1/assignments/<assignment>', {}, invalid],
    ['a change of the rep', 'PATCH /v1/assignments/<assignment>', { repId: '<bob>' }, invalid],
    [
      'an end before the start',
      'PATCH /v1/assignments/<assignment>',
      { effectiveStart: '2026-02-01', effectiveEnd: '2026-01-01' },
      invalid,
    ],
    [
      'an unknown assignment',
      'PATCH /v1/assignments/<unknown>',
      { effectiveEnd: '2026-01-01' },
      '404 assignment_not_found',
    ],
    ['an unknown assignment', 'DELETE /v1/assignments/<unknown>', none, '404 assignment_not_found'],
    ['an unknown quota', 'DELETE /v1/quotas/<unknown>', none, '404 quota_not_found'],
    ['a quarter for a monthly rule', 'POST /v1/quotas', quotaOf({ period: '2026-Q1' }), '400 period_mismatch'],
    ['a year for a monthly rule', 'POST /v1/quotas', quotaOf({ period: '2026' }), '400 period_mismatch'],
    ['an invalid period', 'POST /v1/quotas', quotaOf({ period: '2026-13' }), invalid],
    [
      'a measure on two plans',
      'POST /v1/quotas',
      quotaOf({ planRuleId: undefined, measure: 'New business' }),
      '400 quota_ambiguous_measure',
    ],
    [
      'a measure of no rule',
      'POST /v1/quotas',
      quotaOf({ planRuleId: undefined, measure: 'Nothing' }),
      '404 plan_rule_not_found',
    ],
    [
      'a rule of a superseded version',
      'POST /v1/quotas',
      quotaOf({ planRuleId: '<oldRule>' }),
      '404 plan_rule_not_found',
    ],
    [
      'a rule of another workspace',
      'POST /v1/quotas',
      quotaOf({ planRuleId: '<foreignRule>' }),
      '404 plan_rule_not_found',
    ],
    ['a rule of another plan', 'POST /v1/quotas', quotaOf({ planId: '<se>' }), '404 plan_rule_not_found'],
    ['an unknown plan', 'POST /v1/quotas', quotaOf({ planId: '<unknown>' }), '404 plan_not_found'],
    ...[-1, '5', null, 1e13, 1e308, 1e-7].map(
      (target): Row => [`the target ${JSON.stringify(target)}`, 'POST /v1/quotas', quotaOf({ target }), invalid],
    ),
    ['a missing target', 'POST /v1/quotas', quotaOf({ target: undefined }), invalid],
    ['a variableTarget below 0', 'POST /v1/quotas', quotaOf({ variableTarget: -1 }), invalid],
    ['neither planRuleId nor measure', 'POST /v1/quotas', quotaOf({ planRuleId: undefined }), invalid],
    ['planRuleId and measure', 'POST /v1/quotas', quotaOf({ measure: 'New business' }), invalid],
    ['a quota for an unknown rep', 'POST /v1/quotas', quotaOf({ repIds: ['<ada>', '<unknown>'] }), unknownRep],
    ['a quota for a rep of another workspace', 'POST /v1/quotas', quotaOf({ repIds: ['<foreigner>'] }), unknownRep],
    ['a quota set by a manager', 'POST /v1/quotas', quotaOf({}), forbidden, 'manager'],
    ['an assignment by a manager', 'POST /v1/assignments', assigned({}), forbidden, 'manager'],
    ['a manager', 'DELETE /v1/quotas/<quota>', none, forbidden, 'manager'],
    ["a rep who reads another rep's quotas", 'GET /v1/quotas?repId=<bob>', none, forbidden, 'rep'],
    ["a rep who reads another rep's assignments", 'GET /v1/assignments?repId=<bob>', none, forbidden, 'rep'],
    ['an invalid period', 'GET /v1/quotas?period=2026-13', none, invalid],
  ]);

  describe('assignments and quotas: unusual valid requests', () => {
    it('creates one assignment for a repeated rep', async () => {
      const answer = await send('admin key', 'POST /v1/assignments', { repIds: ['<max>', '<max>'], planId: '<spare>' });
      expect([answer.status, answer.body.length]).to.deep.equal([201, 1]);
      expect((await send('admin key', `DELETE /v1/assignments/${answer.body[0].assignmentId}`)).status).to.equal(200);
      await service.waitForCalculations(workspaceId);
      await expectError('404 assignment_not_found', () =>
        send('admin key', `DELETE /v1/assignments/${answer.body[0].assignmentId}`),
      );
    });

    it('reaches no tier with a target of 0', async () => {
      const answer = await send('admin key', 'POST /v1/quotas', quotaOf({ target: 0 }));
      expect([answer.status, answer.body[0].attainment]).to.deep.equal([201, 0]);
      expect((await send('admin key', 'GET /v1/commissions?repId=<ada>&period=2026-05')).status).to.equal(200);
      await service.waitForCalculations(workspaceId);
    });
  });

  rejections('reps and workspace', [
    ['an unknown rep', 'GET /v1/reps/<unknown>', none, '400 rep_not_found'],
    ['a rep of another workspace', 'GET /v1/reps/<foreigner>', none, '400 rep_not_found'],
    ['a rep who reads another rep', 'GET /v1/reps/<bob>', none, forbidden, 'rep'],
    ['the role root', 'PATCH /v1/reps/<ada>', { role: 'root' }, invalid],
    ['active: "no"', 'PATCH /v1/reps/<ada>', { active: 'no' }, invalid],
    ['active: null', 'PATCH /v1/reps/<ada>', { active: null }, invalid],
    ['an empty object', 'PATCH /v1/reps/<ada>', {}, invalid],
    ['an unknown rep', 'PATCH /v1/reps/<unknown>', { active: true }, unknownRep],
    ['a rep of another workspace', 'PATCH /v1/reps/<foreigner>', { active: false }, unknownRep],
    ['an unknown manager', 'PATCH /v1/reps/<ada>', { managerId: '<unknown>' }, unknownRep],
    ['a manager of another workspace', 'PATCH /v1/reps/<ada>', { managerId: '<foreigner>' }, unknownRep],
    ['the rep as their own manager', 'PATCH /v1/reps/<ada>', { managerId: '<ada>' }, invalid],
    ['managerFrom without managerId', 'PATCH /v1/reps/<ada>', { managerFrom: '2026-01-01' }, invalid],
    ['another role for the last admin', 'PATCH /v1/reps/<amy>', { role: 'rep' }, '409 last_admin'],
    ['the deactivation of the last admin', 'PATCH /v1/reps/<amy>', { active: false }, '409 last_admin'],
    [
      'another role for the last admin by PUT',
      'PUT /v1/reps',
      { reps: [{ email: 'amy@x.io', name: 'Amy', role: 'rep' }] },
      '409 last_admin',
    ],
    ['a manager who sets their own role to admin', 'PATCH /v1/reps/<max>', { role: 'admin' }, forbidden, 'manager'],
    ['a rep who sets their own role to admin', 'PATCH /v1/reps/<ada>', { role: 'admin' }, forbidden, 'rep'],
    ['an invalid e-mail', 'PUT /v1/reps', { reps: [{ email: 'a@', name: 'A' }] }, invalid],
    ['an e-mail with a line break', 'PUT /v1/reps', { reps: [{ email: 'a@x.io\r\nBcc: b@x.io', name: 'A' }] }, invalid],
    [
      'an e-mail of 255 characters',
      'PUT /v1/reps',
      { reps: [{ email: `${'a'.repeat(250)}@x.io`, name: 'A' }] },
      invalid,
    ],
    [
      'a repeated e-mail',
      'PUT /v1/reps',
      {
        reps: [
          { email: 'n@x.io', name: 'N' },
          { email: 'N@X.io ', name: 'N' },
        ],
      },
      invalid,
    ],
    [
      'an unknown managerEmail',
      'PUT /v1/reps',
      { reps: [{ email: 'n@x.io', name: 'N', managerEmail: 'nobody@x.io' }] },
      invalid,
    ],
    ['an empty list of reps', 'PUT /v1/reps', { reps: [] }, invalid],
    ['an empty name', 'PATCH /v1/workspaces', { name: '' }, invalid],
    ['a blank name', 'PATCH /v1/workspaces', { name: '  ' }, invalid],
    ['a name of 201 characters', 'PATCH /v1/workspaces', { name: 'x'.repeat(201) }, invalid],
    ['the currency EURO', 'PATCH /v1/workspaces', { currency: 'EURO' }, invalid],
    ['the currency eur', 'PATCH /v1/workspaces', { currency: 'eur' }, invalid],
    ['the currency null', 'PATCH /v1/workspaces', { currency: null }, invalid],
    ['an unknown time zone', 'PATCH /v1/workspaces', { timezone: 'Mars/Olympus' }, invalid],
    ['an offset instead of a time zone', 'PATCH /v1/workspaces', { timezone: '+02:00' }, invalid],
    ['an empty object', 'PATCH /v1/workspaces', {}, invalid],
    ['a manager', 'PATCH /v1/workspaces', { name: 'Mine' }, forbidden, 'manager'],
    ['includeDeleted=1', 'GET /v1/workspaces?includeDeleted=1', none, invalid],
    ['a manager who reads the keys', 'GET /v1/workspaces/keys', none, forbidden, 'manager'],
    ['a rep who reads the keys', 'GET /v1/workspaces/keys', none, forbidden, 'rep'],
    ['a rotation by a manager', 'POST /v1/workspaces/keys/rotate', {}, forbidden, 'manager'],
    ['a grace period below 0', 'POST /v1/workspaces/keys/rotate', { graceMinutes: -1 }, invalid],
    ['a grace period of two days', 'POST /v1/workspaces/keys/rotate', { graceMinutes: 2880 }, invalid],
    ['a manager who reads the audit log', 'GET /v1/workspaces/audit-logs', none, forbidden, 'manager'],
    ['a limit of 501', 'GET /v1/workspaces/audit-logs?limit=501', none, invalid],
  ]);

  describe('reps and workspace: unusual valid requests', () => {
    it('finds an e-mail in any case, and only if it matches completely', async () => {
      const found = async (email: string) => (await send('admin key', `GET /v1/reps?email=${email}`)).body.reps.length;
      expect(await found('ADA@X.IO')).to.equal(1);
      expect(await found('%20ada@x.io%20')).to.equal(1);
      for (const email of ['%25', 'ada', 'ada@x.i_', 'nobody@x.io', "'"]) expect(await found(email), email).to.equal(0);
    });

    it('allows ten active reps in the free tier', async () => {
      const free = await service.workspace({ tier: 'free' });
      const people = Array.from({ length: 11 }, (_, index) => ({
        email: `p${index}@free.io`,
        name: `P${index}`,
        active: index < 10,
      }));
      const saved = await free.api.expect(200, 'PUT', '/v1/reps', { reps: people });
      const eleventh = saved.reps[10];
      await expectError('403 rep_limit_reached', () => free.api.patch(`/v1/reps/${eleventh.id}`, { active: true }));
      await expectError('403 rep_limit_reached', () =>
        free.api.put('/v1/reps', { reps: [{ email: 'p11@free.io', name: 'P11' }] }),
      );
      expect((await free.api.patch(`/v1/reps/${saved.reps[0].id}`, { active: false })).status).to.equal(200);
      expect((await free.api.patch(`/v1/reps/${eleventh.id}`, { active: true })).status).to.equal(200);
    });

    it('returns the key only masked, also to an admin', async () => {
      const { body } = await send('admin', 'GET /v1/workspaces/keys');
      expect(body).to.deep.equal({ masked: `ws_${'*'.repeat(32)}`, isSet: true });
    });

    it('returns nothing for an actor with an SQL injection', async () => {
      const { status, body } = await send('admin key', 'GET /v1/workspaces/audit-logs?actor=%27%20or%201=1--');
      expect([status, body.runs, body.count]).to.deep.equal([200, [], 0]);
    });
  });

  describe('an approved period', () => {
    const names = new Map<string, string>();
    let other: Awaited<ReturnType<TestService['workspace']>>;

    const events = async () =>
      (
        await owner.query<{ deal: string; amount: string; status: string }>(
          'select deal_key as deal, trim_scale(amount)::text as amount, status from commission_events where workspace_id = $1 order by 1',
          [other.workspaceId],
        )
      ).rows.map((row) => `${row.deal} ${row.amount} ${row.status}`);

    before(async () => {
      other = await service.workspace();
      await saveReps(other.api, [{ name: 'Zoe', email: 'zoe@x.io' }], names);
      const repId = names.get('zoe') as string;
      const plan = await other.api.expect(201, 'POST', '/v1/plans', { name: 'AE', config: { rules: [rule] } });
      await other.api.expect(201, 'POST', '/v1/assignments', { repIds: [repId], planId: plan.planId });
      for (const [id, closeDate] of [
        ['january', '2026-01-10'],
        ['february', '2026-02-10'],
      ])
        await other.api.expect(201, 'PUT', `/v1/deals/${id}`, { amount: 1000, closeDate, repId });
      await service.waitForCalculations(other.workspaceId);
      await owner.query(
        `insert into statement_periods (workspace_id, rep_id, period, from_day, to_day, status) values ($1, $2, '2026-01', '2026-01-01', '2026-01-31', 'approved')`,
        [other.workspaceId, repId],
      );
      expect(await events()).to.deep.equal(['february 80 earned', 'january 80 earned']);
    });

    it('is not changed by a recalculation', async () => {
      const repId = names.get('zoe');
      await other.api.expect(200, 'PUT', '/v1/deals/january', { amount: 5000, closeDate: '2026-01-10', repId });
      await service.waitForCalculations(other.workspaceId);
      const answer = await other.api.expect(200, 'POST', '/v1/commissions/recalculate', { repId });
      expect(answer).to.deep.include({
        triggered: true,
        eventsWritten: 0,
        eventsReversed: 0,
        statementLocked: true,
        reason: 'statement_locked',
      });
      expect(await events()).to.deep.equal(['february 80 earned', 'january 80 earned']);
    });

    it('keeps the events of a deleted deal', async () => {
      const answer = await other.api.expect(200, 'DELETE', '/v1/deals/january');
      expect(answer).to.deep.equal({ reversed: 0, statementLocked: true, softDeleted: true, hardDeleted: false });
      await service.waitForCalculations(other.workspaceId);
      expect(await events()).to.deep.equal(['february 80 earned', 'january 80 earned']);
    });

    it('is not changed or counted by a reset', async () => {
      const answer = await other.api.expect(200, 'POST', '/v1/commissions/reset', {});
      expect(answer).to.deep.equal({ events: 1, quotas: 0, skippedLocked: 1 });
      expect(await events()).to.deep.equal(['january 80 earned']);
    });

    it('has its other events restored by a recalculation after the reset', async () => {
      await other.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect(await events()).to.deep.equal(['february 80 earned', 'january 80 earned']);
      await expectSoundLedger(service.database.ownerUrl, other.workspaceId);
    });
  });
});

function changed(token: string): string {
  const last = token.at(-1) === '0' ? '1' : '0';
  return `${token.slice(0, -1)}${last}`;
}

async function saveReps(
  api: ApiClient,
  people: readonly { name: string | undefined; email: string }[],
  ids: Map<string, string>,
): Promise<void> {
  const saved = await api.expect(200, 'PUT', '/v1/reps', { reps: people });
  for (const { id, name } of saved.reps) ids.set(name.toLowerCase(), id);
}

/** A connection to the database that can be interrupted and restored. */
async function breakableLine(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const listenOn = (port: number) =>
    new Promise<ReturnType<typeof createServer>>((resolve) => {
      const server = createServer((near) => {
        const far = connectTcp(Number(target.port), target.hostname);
        for (const [one, another] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(one);
          one.on('error', () => another.destroy());
          one.on('close', () => another.destroy());
          one.pipe(another);
        }
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  let server = await listenOn(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      await closed;
    },
    mend: async () => {
      server = await listenOn(port);
    },
  };
}
