import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import express from 'express';
import { type z } from 'zod';
import { describeService } from '#src/app/describe-service.js';
import { operations } from '#src/operations.js';
import { eventTypes } from '#src/outgoing/events/event-types.js';
import { Documents } from '#src/platform/openapi/documents.js';
import { failureCodes } from '#src/platform/openapi/failure-responses.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is read at every depth
type Loose = any;

const all: readonly AnyOperation[] = operations;

describe('the OpenAPI document', () => {
  const service = Service.duringSuite();
  let anyone: ApiClient;
  let document: Loose;
  let described: Map<string, Loose>;

  before(async () => {
    anyone = service.client(null);
    document = await anyone.expect(200, 'GET', '/v1/openapi.json');
    const paths = Object.entries<Loose>(document.paths);
    described = new Map(
      paths.flatMap(([path, methods]) =>
        Object.entries<Loose>(methods).map(([method, one]) => [one.operationId, { path, method, ...one }]),
      ),
    );
  });

  it('is valid OpenAPI 3.0, and 3.1 at another address, both compressed', async () => {
    for (const [path, version] of [
      ['/v1/openapi.json', '3.0'],
      ['/v1/openapi-3.1.json', '3.1'],
    ] as const) {
      const response = await fetch(`${service.url}${path}`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(response.headers.get('content-encoding'), path).to.equal('gzip');
      const described = (await response.json()) as Loose;
      const validator = new Validator();
      const { valid, errors } = await validator.validate(described);
      expect(errors ?? [], JSON.stringify(errors)?.slice(0, 2000)).to.deep.equal([]);
      expect([valid, validator.version], path).to.deep.equal([true, version]);
      expect(Object.keys(described.webhooks ?? described['x-webhooks']).sort()).to.deep.equal(
        Object.keys(eventTypes).sort(),
      );
    }
  });

  it('is what the operations declare, with the public address of the service', async () => {
    expect(document).to.deep.equal(JSON.parse(JSON.stringify(describeService())));
    const app = express();
    new Documents('https://acme.test/pay').routes(app);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { servers } = (await (await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).json()) as Loose;
    expect(servers).to.deep.equal([{ url: 'https://acme.test/pay' }]);
    server.close();
  });

  it('states what may be null beside a type, and among the values of an enumeration', () => {
    const wrong: string[] = [];
    const visit = (part: Loose, path: string): void => {
      if (typeof part !== 'object' || part === null) return;
      if (part.nullable === true && part.type === undefined) wrong.push(`${path}: nullable without a type`);
      if (part.nullable === true && part.enum?.includes(null) === false) wrong.push(`${path}: an enum without null`);
      if (part.enum?.length === 1 && part.enum[0] === null) wrong.push(`${path}: only null`);
      for (const [key, value] of Object.entries(part))
        if (!['example', 'examples', 'default'].includes(key)) visit(value, `${path}/${key}`);
    };
    visit(document, '');
    expect(wrong).to.deep.equal([]);
  });

  it('states defaults of requests in the description, since generators require fields with a default', () => {
    const format = described.get('listDealChanges').parameters.find(({ name }: Loose) => name === 'format');
    expect(format.schema).to.include({ 'x-default': 'json' }).and.not.have.property('default');
    expect(format.schema.description).to.include('Default: json');
  });

  it('describes what several operations have in common once', () => {
    const texts = new Map<string, number>();
    const visit = (part: Loose): void => {
      if (typeof part !== 'object' || part === null) return;
      const text = JSON.stringify(part);
      if (part.type === 'object' && part.properties !== undefined && text.length > 1500)
        texts.set(text, (texts.get(text) ?? 0) + 1);
      // Each of several alternatives stays in its place.
      for (const [key, value] of Object.entries(part))
        if (!(key === 'anyOf' && (value as Loose[]).filter(({ type }) => type !== 'null').length > 1)) visit(value);
    };
    visit(document.paths);
    visit(document.components.schemas);
    expect([...texts].filter(([, count]) => count > 1).map(([text]) => text.slice(0, 200))).to.deep.equal([]);
  });

  it('says what the operations of each tag are about', () => {
    for (const { name, description } of document.tags) expect(description, name).not.to.equal(name);
  });

  it('describes the body of every event that is sent to other systems', () => {
    expect(Object.keys(document['x-webhooks']).sort()).to.deep.equal(Object.keys(eventTypes).sort());
    for (const { post } of Object.values<Loose>(document['x-webhooks'])) {
      const name = post.requestBody.content['application/json'].schema.$ref.split('/').pop();
      expect(document.components.schemas[name].properties).to.have.all.keys('type', 'timestamp', 'data');
    }
  });

  it('contains every operation exactly once', () => {
    expect([...described.keys()].sort()).to.deep.equal(all.map(({ id }) => id).sort());
  });

  it('has no two equivalent paths', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{[^}]+\}/g, '{}'));
    expect(new Set(shapes).size).to.equal(shapes.length);
  });

  it('has no unresolved references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path]) => path as string,
    );
    expect(references).not.to.have.length(0);
    for (const path of new Set(references)) {
      const found = path.split('/').reduce((at: Loose, part) => at?.[part], document);
      expect(found, path).to.be.an('object');
    }
  });

  it('requires a token for every operation that is not public', () => {
    expect(document.components.securitySchemes.token).to.include({ type: 'http', scheme: 'bearer' });
    for (const { id, access } of all)
      expect(described.get(id).security ?? document.security, id).to.deep.equal(
        access === 'public' ? [] : [{ token: [] }, { session: [] }],
      );
  });

  for (const operation of all) {
    describe(operation.id, () => {
      const one = () => described.get(operation.id);

      it('has its path, summary, tag and required role', () => {
        expect(one().path.replace(/\{[^}]+\}/g, ':')).to.equal(operation.path.replace(/:[A-Za-z]+/g, ':'));
        expect(one().method).to.equal(operation.method);
        expect(one().summary).to.equal(operation.summary).and.not.equal('');
        expect(one().tags).to.have.length(1);
        expect(one()['x-least-role']).to.equal(operation.access);
      });

      it('declares the parameters of its path, as required strings, and those of its query', () => {
        const parameters = one().parameters ?? [];
        const inPath = parameters.filter((parameter: Loose) => parameter.in === 'path');
        const names = [...one().path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
        expect(inPath.map(({ name }: Loose) => name)).to.deep.equal(names);
        for (const parameter of inPath)
          expect(parameter).to.deep.include({ required: true, schema: { type: 'string' } });
        const inQuery = parameters.filter((parameter: Loose) => parameter.in === 'query');
        const shape = (operation.query as z.ZodObject | undefined)?.shape ?? {};
        expect(inQuery.map(({ name }: Loose) => name).sort()).to.deep.equal(Object.keys(shape).sort());
      });

      it('describes its request body', () => {
        const takesJson = operation.body !== undefined || operation.raw !== undefined;
        const types = operation.upload?.types ?? (takesJson ? ['application/json'] : []);
        expect(Object.keys(one().requestBody?.content ?? {})).to.deep.equal([...types]);
      });

      it('describes its success response and every failure, by status', () => {
        const failures = failureCodes(operation);
        const good = [operation.status ?? 200, operation.otherStatus].filter((status) => status !== undefined);
        const statuses = [...good, ...failures.keys()].map(String);
        expect(Object.keys(one().responses).sort()).to.deep.equal(statuses.sort());
        for (const [status, codes] of failures) {
          const { $ref, ...own } = one().responses[status];
          const { description, content } =
            $ref === undefined ? own : document.components.responses[$ref.split('/').pop()];
          for (const code of codes) expect(description).to.include(`\`${code}\``);
          expect(content['application/json'].schema.allOf[0].$ref).to.equal('#/components/schemas/Failure');
        }
        for (const code of Object.keys(operation.failures)) expect([...failures.values()].flat()).to.include(code);
      });

      it('has an example that satisfies its schemas', () => {
        const { example } = operation;
        expectParses(operation.params, example.params ?? {}, 'params');
        expectParses(operation.query, example.query ?? {}, 'query');
        if (operation.body !== undefined && !operation.body.safeParse({}).success)
          expect(example.body, 'a body is needed').not.to.equal(undefined);
        if (example.body !== undefined && operation.raw === undefined)
          expectParses(operation.body, example.body, 'body');
        if (example.response !== undefined) expectParses(operation.response, example.response, 'answer');
        for (const type of operation.upload?.types ?? []) expect(example.uploads?.[type], type).not.to.equal(undefined);
      });
    });
  }

  function expectParses(schema: z.ZodType | undefined, value: unknown, what: string): void {
    if (schema === undefined) expect(value, what).to.deep.equal({});
    else expect(schema.safeParse(value).error?.message ?? '', what).to.equal('');
  }

  describe('the addresses of the document', () => {
    const head = (answer: ApiResponse, name: string) => answer.headers.get(name);

    it('are readable without a token and support only GET', async () => {
      for (const path of ['/v1/openapi.json', '/docs/api', '/docs/initialize.js', '/docs/swagger-ui.css']) {
        expect((await fetch(`${service.url}${path}`, { method: 'HEAD' })).status, path).to.equal(200);
        const rejected = await anyone.send('POST', path);
        expect([rejected.status, rejected.body.code, head(rejected, 'allow')], path).to.deep.equal([
          405,
          'method_not_allowed',
          'GET',
        ]);
      }
      expect((await anyone.get('/docs/package.json')).status).to.equal(404);
      expect((await anyone.get('/docs/..%2fpackage.json')).status).to.equal(404);
    });

    it('/docs/api loads everything from its own origin, and its policy allows nothing else', async () => {
      const page = await anyone.get('/docs/api');
      expect(head(page, 'content-type')).to.match(/^text\/html/);
      const policy = head(page, 'content-security-policy') ?? '';
      expect(policy).to.include("default-src 'none'").and.to.include("script-src 'self'");
      expect(policy).not.to.match(/unsafe|https?:|\*/);
      expect(page.body).not.to.match(/<script>|style="|https?:\/\//);
      const loaded = [...(page.body as string).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);
      expect(loaded).to.have.length(5);
      for (const path of loaded.filter((one) => one !== '../docs').map((name) => `/docs/${name}`)) {
        const file = await anyone.get(path);
        expect(file.status, path).to.equal(200);
        expect(head(file, 'x-content-type-options')).to.equal('nosniff');
        expect(head(file, 'content-type'), path).to.match(/^(text\/(css|javascript)|image\/png)/);
      }
    });

    it('are returned by GET /v1', async () => {
      const { api, workspaceId } = await service.workspace({ name: 'Acme' });
      const { version, ...rest } = await api.expect(200, 'GET', '/v1');
      expect(rest).to.deep.equal({
        workspaceId,
        workspaceName: 'Acme',
        kind: 'ws',
        role: 'admin',
        repId: null,
        docs: '/docs',
        openapi: '/v1/openapi.json',
      });
      expect(version)
        .to.equal(document.info.version)
        .and.match(/^\d+\.\d+\.\d+/);
      expect((await anyone.get('/v1')).status).to.equal(401);
    });
  });
});
