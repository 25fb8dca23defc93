import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { z } from 'zod';
import { type Caller } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { createApp } from '#src/platform/http/app.js';
import { Health } from '#src/platform/http/health.js';
import { type Listening, listen } from '#src/platform/http/listen.js';
import { createLog } from '#src/platform/log.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type OperationDispatcher, type RawInput } from '#src/platform/operations/operation-dispatcher.js';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

const common = {
  summary: '',
  access: 'rep',
  response: z.unknown(),
  failures: { thing_not_found: 404 },
  example: {},
  execute: () => null,
} as const;
const operations: readonly AnyOperation[] = [
  { ...common, id: 'listThings', method: 'get', path: '/v1/things' },
  { ...common, id: 'createThing', method: 'post', path: '/v1/things', body: z.unknown() },
  { ...common, id: 'getThing', method: 'get', path: '/v1/things/:thingId' },
  { ...common, id: 'deleteThing', method: 'delete', path: '/v1/things/:thingId' },
  {
    ...common,
    id: 'importThings',
    method: 'post',
    path: '/v1/things/import',
    upload: { types: ['text/csv'], limitBytes: 1024 * 1024 },
  },
];

const caller: Caller = { workspaceId: 'w', accessLevel: 'admin', repId: null, actor: 'api-key', requestId: 'r' };

describe('HTTP', () => {
  let listening: Listening;
  let health: Health;
  let databaseCheck: () => Promise<void>;
  let queueCheck = async (): Promise<void> => {};
  let run: (operation: AnyOperation, input: RawInput) => Promise<{ status: number; body: unknown }>;
  let admitted: string[];

  before(async () => {
    health = new Health({ database: () => databaseCheck() }, () => queueCheck(), 0, { timeoutMs: 1, cacheMs: 0 });
    const dispatcher = {
      admit: async (operation: AnyOperation) => admitted.push(operation.id),
      recordingRejections: (_operation: AnyOperation, _caller: Caller, work: () => Promise<unknown>) => work(),
      run: (operation: AnyOperation, input: RawInput) => run(operation, input),
    };
    const app = createApp({
      operations,
      dispatcher: dispatcher as unknown as OperationDispatcher,
      authenticate: async (authorization) => {
        if (authorization !== 'Bearer good') throw new Failure('unauthorized', 'A valid token is needed.');
        return { caller, counted: null, cacheVersions: null };
      },
      log: createLog('silent'),
      extra: [(express) => health.routes(express)],
    });
    listening = await listen(app, { host: '127.0.0.1', port: 0, setting: 'PORT' });
  });

  after(() => listening.close());

  beforeEach(() => {
    admitted = [];
    databaseCheck = async () => {};
    run = async (_operation, input) => ({
      status: 200,
      body: { params: input.params, query: input.query, body: input.body },
    });
  });

  /** Sends with Node's own client: fetch rejects some methods and rewrites some addresses. */
  function send(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> | string[] = {},
  ): Promise<Answer> {
    const { hostname, port } = new URL(listening.url);
    const given = Array.isArray(headers)
      ? ['Host', hostname, ...headers]
      : { authorization: 'Bearer good', ...headers };
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, headers: given, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  const json = { 'content-type': 'application/json' };

  /** Expects exactly the error envelope and its status, and returns its message and details. */
  function expectFailure(
    answer: Answer,
    statusCode: number,
    code: string,
  ): { message: string; details?: Record<string, unknown> } {
    expect(answer.status, answer.text.slice(0, 300)).to.equal(statusCode);
    expect(answer.headers['content-type']).to.match(/^application\/json/);
    expect(answer.headers['x-request-id'], 'X-Request-Id')
      .to.be.a('string')
      .and.match(/^[A-Za-z0-9._-]{1,100}$/);
    const envelope = JSON.parse(answer.text);
    expect(Object.keys(envelope).filter((key) => key !== 'details')).to.deep.equal([
      'statusCode',
      'code',
      'message',
      'docs',
    ]);
    expect(envelope).to.deep.include({ statusCode, code });
    return envelope;
  }

  describe('request ids', () => {
    it('generates a request id when none is sent', async () => {
      const first = await send('GET', '/v1/things');
      const second = await send('GET', '/v1/things');
      expect(first.headers['x-request-id']).to.match(/^req_[0-9a-f-]{36}$/);
      expect(second.headers['x-request-id']).not.to.equal(first.headers['x-request-id']);
    });

    it("uses the caller's request id when it is valid", async () => {
      const answer = await send('GET', '/v1/things', undefined, { 'x-request-id': 'trace-1.a_B' });
      expect(answer.headers['x-request-id']).to.equal('trace-1.a_B');
    });

    for (const [what, id] of [
      ['with a space', 'a b'],
      ['with markup', '<script>'],
      ['of 101 characters', 'x'.repeat(101)],
      ['that is empty', ''],
    ] as const) {
      it(`generates a new request id for one ${what}`, async () => {
        const answer = await send('GET', '/v1/things', undefined, { 'x-request-id': id });
        expect(answer.headers['x-request-id']).to.match(/^req_/);
      });
    }
  });

  describe('addresses and methods', () => {
    it('returns 404 not_found for an unknown path', async () => {
      for (const path of ['/', '/v1/nope', '/v1/things/1/more', '/index.html'])
        expectFailure(await send('GET', path), 404, 'not_found');
    });

    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS', 'PROPFIND']) {
      it(`returns 405 and the allowed methods for ${method} on a known path`, async () => {
        const answer = await send(method, '/v1/things');
        expectFailure(answer, 405, 'method_not_allowed');
        expect(answer.headers['allow']).to.equal('GET, POST');
      });
    }

    it('ignores a method override', async () => {
      await send('POST', '/v1/things', '{}', { ...json, 'x-http-method-override': 'DELETE' });
      expect(admitted).to.deep.equal(['createThing']);
    });

    it('serves HEAD as GET without a body', async () => {
      const answer = await send('HEAD', '/v1/things');
      expect([answer.status, answer.text]).to.deep.equal([200, '']);
    });

    it('returns the status of GET for HEAD on an unknown path', async () => {
      run = async () => {
        throw new Failure('thing_not_found', 'There is no such thing.');
      };
      expect((await send('HEAD', '/v1/things/1')).status).to.equal(404);
      expectFailure(await send('GET', '/v1/things/1'), 404, 'thing_not_found');
    });

    it('returns 400 for an invalid percent escape in the path', async () => {
      expectFailure(await send('GET', '/v1/things/%E0%A4%A'), 400, 'VALIDATION_FAILED');
    });

    it('treats an escaped path as one id', async () => {
      const answer = await send('GET', '/v1/things/..%2f..%2fetc');
      expect(JSON.parse(answer.text).params).to.deep.equal({ thingId: '../../etc' });
    });

    it('returns 431 for a URL longer than the limit', async () => {
      expectFailure(await send('GET', `/v1/things?x=${'a'.repeat(20_000)}`), 431, 'headers_too_large');
    });

    it('returns 431 for headers longer than the limit', async () => {
      expectFailure(
        await send('GET', '/v1/things', undefined, { 'x-long': 'a'.repeat(20_000) }),
        431,
        'headers_too_large',
      );
    });

    it('returns 400 for bytes that are not HTTP', async () => {
      const { hostname, port } = new URL(listening.url);
      const text = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
        let heard = '';
        socket.on('data', (chunk) => {
          heard += chunk.toString();
        });
        socket.on('close', () => resolve(heard));
        socket.on('error', reject);
      });
      const [head, body] = text.split('\r\n\r\n') as [string, string];
      expect(head)
        .to.match(/^HTTP\/1\.1 400 /)
        .and.to.match(/\r\nX-Request-Id: req_/i);
      expect(JSON.parse(body)).to.deep.equal({
        statusCode: 400,
        code: 'VALIDATION_FAILED',
        message: 'The request could not be read.',
        docs: '/docs/errors#validation_failed',
      });
    });
  });

  describe('query parameters', () => {
    for (const query of [
      '?a=1&a=2',
      '?a=1&a=1',
      '?__proto__=1',
      '?constructor=1',
      '?a=%00',
      '?a=%ff',
      '?a=%ED%A0%80',
    ]) {
      it(`returns 400 for the query ${query}`, async () => {
        expectFailure(await send('GET', `/v1/things${query}`), 400, 'VALIDATION_FAILED');
      });
    }

    it('does not parse brackets in a query as objects', async () => {
      const answer = await send('GET', '/v1/things?a[b]=1');
      expect(JSON.parse(answer.text).query).to.deep.equal({ 'a[b]': '1' });
    });
  });

  describe('bodies', () => {
    const post = (body: string | Buffer, headers: Record<string, string> = json) =>
      send('POST', '/v1/things', body, headers);

    it('passes a JSON body to the operation', async () => {
      const answer = await post('{"a":[1,"ü"]}', { 'content-type': 'application/json; charset=utf-8' });
      expect(JSON.parse(answer.text).body).to.deep.equal({ a: [1, 'ü'] });
    });

    for (const start of ['', 'x'])
      it(`returns a long text of surrogate pairs unchanged, after the text ${JSON.stringify(start)}`, async () => {
        const text = start + '😀'.repeat(80_000);
        expect(JSON.parse((await post(JSON.stringify({ text }))).text).body).to.deep.equal({ text });
      });

    it('accepts a request without a body', async () => expect((await send('POST', '/v1/things')).status).to.equal(200));

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      it(`returns 415 for a body of type ${type}`, async () => {
        expectFailure(await post('{}', { 'content-type': type }), 415, 'unsupported_media_type');
      });
    }

    it('returns 415 for a body without a media type', async () => {
      expectFailure(await post('{}', {}), 415, 'unsupported_media_type');
    });

    it('returns 415 for a body in another charset', async () => {
      expectFailure(
        await post('{}', { 'content-type': 'application/json; charset=latin1' }),
        415,
        'unsupported_media_type',
      );
    });

    it('returns 415 for a body with an unknown Content-Encoding', async () => {
      expectFailure(await post('{}', { ...json, 'content-encoding': 'br2' }), 415, 'unsupported_media_type');
    });

    for (const text of ['{', '{"a":}', 'undefined', "{'a':1}", '{"a":1}{"b":2}', 'NaN', '\u0000']) {
      it(`returns 400 invalid_json for the body ${JSON.stringify(text)}`, async () => {
        expectFailure(await post(text), 400, 'invalid_json');
      });
    }

    it('accepts a body of 1 MiB', async () => {
      const text = JSON.stringify({ a: 'x'.repeat(1024 * 1024 - 8) });
      expect(text).to.have.length(1024 * 1024);
      expect((await post(text)).status).to.equal(200);
    });

    it('returns 413 for a body of more than 1 MiB, with Content-Length or in chunks', async () => {
      const text = JSON.stringify({ a: 'x'.repeat(1024 * 1024 - 7) });
      expectFailure(await post(text), 413, 'payload_too_large');
      expectFailure(await post(text, { ...json, 'transfer-encoding': 'chunked' }), 413, 'payload_too_large');
    });

    it('returns 400 for a body nested 20,000 levels deep', async () => {
      expectFailure(await post(`${'['.repeat(20_000)}${']'.repeat(20_000)}`), 400, 'VALIDATION_FAILED');
      expectFailure(await post(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`), 400, 'VALIDATION_FAILED');
    });

    it('passes JSON bodies that are not objects to the operation, which rejects them', async () => {
      for (const text of ['1', '"x"', '[]', 'null', 'false'])
        expect(JSON.parse((await post(text)).text))
          .to.have.property('body')
          .eql(JSON.parse(text));
    });

    for (const [what, text] of [
      ['a NUL', '{"a":"\\u0000"}'],
      ['a NUL in a key', '{"\\u0000":1}'],
      ['half a surrogate pair', '{"a":["\\ud800"]}'],
      ['__proto__', '{"__proto__":{"role":"admin"}}'],
      ['constructor', '{"a":{"constructor":{"prototype":{"role":"admin"}}}}'],
    ] as const) {
      it(`returns 400 for a body with ${what}`, async () => {
        expectFailure(await post(text), 400, 'VALIDATION_FAILED');
        expect(({} as { role?: string }).role).to.equal(undefined);
      });
    }

    it('checks the token before it reads the body', async () => {
      expectFailure(
        await send('POST', '/v1/things', '{', { ...json, authorization: 'Bearer bad' }),
        401,
        'unauthorized',
      );
      expect(admitted).to.deep.equal([]);
    });
  });

  describe('uploads', () => {
    const readAll = async (input: RawInput) => {
      let bytes = 0;
      for await (const chunk of (input.body as { stream: AsyncIterable<Buffer> }).stream) bytes += chunk.length;
      return { status: 200, body: { bytes } };
    };

    it('streams an upload to the operation', async () => {
      run = (_operation, input) => readAll(input);
      const answer = await send('POST', '/v1/things/import', 'x'.repeat(100_000), { 'content-type': 'text/csv' });
      expect(JSON.parse(answer.text)).to.deep.equal({ bytes: 100_000 });
    });

    it('returns 413 for an upload beyond its limit, with Content-Length or in chunks', async () => {
      run = (_operation, input) => readAll(input);
      const large = Buffer.alloc(1024 * 1024 + 1, 'x');
      for (const headers of [
        { 'content-type': 'text/csv' },
        { 'content-type': 'text/csv', 'transfer-encoding': 'chunked' },
      ]) {
        expectFailure(
          await send('POST', '/v1/things/import', large, headers as Record<string, string>),
          413,
          'payload_too_large',
        );
      }
    });

    it('returns 415 for an upload of another type or with an encoding', async () => {
      expectFailure(await send('POST', '/v1/things/import', '{}', json), 415, 'unsupported_media_type');
      expectFailure(
        await send('POST', '/v1/things/import', 'x', { 'content-type': 'text/csv', 'content-encoding': 'br' }),
        415,
        'unsupported_media_type',
      );
    });

    it('reads an upload that is gzip, up to the limit of what it contains', async () => {
      run = (_operation, input) => readAll(input);
      const headers = { 'content-type': 'text/csv', 'content-encoding': 'gzip' };
      const sent = (bytes: number) => send('POST', '/v1/things/import', gzipSync(Buffer.alloc(bytes, 'x')), headers);
      expect(JSON.parse((await sent(1024 * 1024)).text)).to.deep.equal({ bytes: 1024 * 1024 });
      expectFailure(await sent(1024 * 1024 + 1), 413, 'payload_too_large');
      expectFailure(await sent(200 * 1024 * 1024), 413, 'payload_too_large');
      const whole = gzipSync('x'.repeat(1000));
      for (const wrong of ['x', whole.subarray(0, whole.length - 4)])
        expectFailure(await send('POST', '/v1/things/import', wrong, headers), 400, 'VALIDATION_FAILED');
    });
  });

  describe('headers of every response', () => {
    it('sets security headers and does not identify the server', async () => {
      for (const answer of [await send('GET', '/v1/things'), await send('GET', '/nope'), await send('GET', '/livez')]) {
        expect(answer.headers).to.include({
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none';frame-ancestors 'none'",
          'referrer-policy': 'no-referrer',
        });
        expect(answer.headers).to.not.have.any.keys(
          'x-powered-by',
          'server',
          'etag',
          'set-cookie',
          'access-control-allow-origin',
        );
      }
    });

    it('forbids caching of responses that need a token', async () => {
      expect((await send('GET', '/v1/things')).headers['cache-control']).to.equal('no-store');
      expect((await send('GET', '/v1/things', undefined, [])).headers['cache-control']).to.equal('no-store');
    });

    it('names the scheme in a 401 response', async () => {
      const answer = await send('GET', '/v1/things', undefined, []);
      expectFailure(answer, 401, 'unauthorized');
      expect(answer.headers['www-authenticate']).to.equal('Bearer');
    });

    it('uses the first of two Authorization headers', async () => {
      const two = (first: string, second: string) => [
        'Authorization',
        `Bearer ${first}`,
        'Authorization',
        `Bearer ${second}`,
      ];
      expect((await send('GET', '/v1/things', undefined, two('good', 'bad'))).status).to.equal(200);
      expect((await send('GET', '/v1/things', undefined, two('bad', 'good'))).status).to.equal(401);
    });
  });

  describe('errors inside the service', () => {
    const failWith = (error: unknown) => {
      run = async () => {
        throw error;
      };
    };

    it('returns 500 with only the request id for an unexpected error', async () => {
      failWith(new Error('secret: connection to postgres://app:hunter2@db refused'));
      const answer = await send('GET', '/v1/things', undefined, { 'x-request-id': 'abc' });
      const envelope = expectFailure(answer, 500, 'internal_error');
      expect(envelope.details).to.deep.equal({ requestId: 'abc' });
      expect(answer.text).not.to.match(/secret|hunter2|postgres|\.js/);
    });

    for (const thrown of [null, undefined, 'text', { code: 'XX000' }, new Failure('not_declared', 'x')]) {
      it(`returns 500 when ${JSON.stringify(thrown) ?? 'undefined'} is thrown`, async () => {
        failWith(thrown);
        expectFailure(await send('GET', '/v1/things'), 500, 'internal_error');
      });
    }

    it('returns the declared status and the details of a declared failure', async () => {
      failWith(new Failure('thing_not_found', 'There is no such thing.', { thingId: '1' }));
      expect(expectFailure(await send('GET', '/v1/things'), 404, 'thing_not_found').details).to.deep.equal({
        thingId: '1',
      });
    });

    const exhausted = ['53000', '53100', '53200', '53300', '53400', 'ENOSPC', 'EDQUOT'];
    for (const code of ['57P01', '57P03', '08006', 'ECONNREFUSED', ...exhausted]) {
      it(`returns 503 with Retry-After when the database is not reachable or has no room: ${code}`, async () => {
        failWith(Object.assign(new Error('away'), { code }));
        const answer = await send('GET', '/v1/things');
        expectFailure(answer, 503, 'database_unavailable');
        expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0);
      });
    }

    for (const code of ['55P03', '40001', '40P01']) {
      it(`returns 503 workspace_busy with Retry-After when other transactions hold the locks: ${code}`, async () => {
        failWith(Object.assign(new Error('busy'), { code }));
        const answer = await send('GET', '/v1/things');
        expectFailure(answer, 503, 'workspace_busy');
        expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0);
      });
    }

    for (const code of ['22P02', '22003', '22007', '22008', '22021', '22P05', '23514']) {
      it(`returns 400 for a value that PostgreSQL rejects: ${code}`, async () => {
        failWith(Object.assign(new Error('internals'), { code }));
        const answer = await send('GET', '/v1/things');
        expectFailure(answer, 400, 'VALIDATION_FAILED');
        expect(answer.text).not.to.include('internals');
      });
    }
  });

  describe('health', () => {
    const ready = async () => {
      const answer = await send('GET', '/readyz', undefined, []);
      return [answer.status, JSON.parse(answer.text)];
    };

    it('returns ok from /livez without a token', async () => {
      const answer = await send('GET', '/livez', undefined, []);
      expect([answer.status, answer.text]).to.deep.equal([200, 'ok']);
    });

    it('/readyz names failing checks without the reason, and fails first in a shutdown', async () => {
      expect(await ready()).to.deep.equal([
        200,
        { status: 'ready', checks: { database: 'ok', queue: 'ok' }, restarts: 0 },
      ]);
      queueCheck = () => new Promise(() => {});
      const degraded = {
        status: 'degraded',
        queue: 'unreachable',
        checks: { database: 'ok', queue: 'failing' },
        restarts: 0,
      };
      expect(await ready(), 'a queue that hangs').to.deep.equal([200, degraded]);
      queueCheck = async () => {};
      databaseCheck = async () => {
        throw new Error('password authentication failed for postgres');
      };
      const failing = { status: 'not_ready', checks: { database: 'failing', queue: 'ok' }, restarts: 0 };
      expect(await ready(), 'a check that fails').to.deep.equal([503, failing]);
      databaseCheck = () => new Promise(() => {});
      expect(await ready(), 'a check that hangs').to.deep.equal([503, failing]);
      health.beginShutdown();
      expect((await ready())[0], 'stopping').to.equal(503);
      expect((await send('GET', '/livez')).status).to.equal(200);
    });
  });
});
