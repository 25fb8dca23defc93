import { randomInt } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { FakeServer, respondWith } from '#fakes/fake-server.js';
import { newId } from '#src/kernel/ids.js';
import { operations } from '#src/operations.js';
import { type AnyOperation, commonFailures, type Example } from '#src/platform/operations/operation.js';
import { forAgents } from '#test/agents/access/oauth-fixture.js';
import { Service } from '#test/support/service.js';
import { extremeValues, jsonOf, outsideValues } from './boundary-values.js';
import { type BoundedField, boundedFields, setAt } from './declared-fields.js';
import { type CallerName, ExampleWorld } from './example-world.js';

const requests = Number(process.env['FUZZ_REQUESTS'] ?? 1500);
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const lanes = 8;
const tendEvery = 250;
const answerWithinMs = 40_000;

/** Excludes crm-c connections, whose address is an input, since tests must not send requests to other hosts. */
const all: readonly AnyOperation[] = operations.filter(({ id }) => id !== 'connectCrmc');
/** These delete tokens or the ledger, so they run in a separate workspace. */
const destructive = new Set(['rotateWorkspaceKey', 'logOut', 'resetCommissions']);
/** Errors of Node.js before an operation is found. */
const beforeRouting: Readonly<Record<string, number>> = { headers_too_large: 431 };
const registered = new Map<string, Set<number>>();
for (const failures of [commonFailures, ...all.map((operation) => operation.failures)]) {
  for (const [code, status] of Object.entries(failures))
    registered.set(code, (registered.get(code) ?? new Set()).add(status));
}

/** mulberry32: the same numbers for the same seed on every machine. */
class Chance {
  private state: number;
  constructor(from: number, index: number) {
    this.state = (Math.imul(from, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  }
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  is(probability: number): boolean {
    return this.next() < probability;
  }
  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

const unusualNumbers = extremeValues.number;
const unusualTexts = [
  '',
  ' ',
  'x'.repeat(10_240),
  'é'.repeat(5000),
  '\u0000',
  'a\u0000b',
  '\u0001\u001b[31m\u007f',
  '\ud800',
  'x\udfffy',
  '\u202e\u200b\ufeff',
  '😀'.repeat(300),
  "' or 1=1 --",
  '"; drop',
  '%',
  '\\',
  '\n\r\t',
  'NaN',
  'Infinity',
  '-1',
  '1e400',
  'null',
  'true',
  '__proto__',
  'toString',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '99999-01-01',
  '2026-13',
  '2026-Q5',
  '9999-Q4',
  '0001-01',
  '2026',
  '2026-02-10T25:00:00Z',
  '2026-02-10T08:00:00+99:00',
  '$ref',
  'a.b.c',
  '[object Object]',
  '=1+1',
  'USD',
  'XXX',
  'ＵＳＤ',
  'ben@acme.test',
  `${'a'.repeat(300)}@x.io`,
  'Europe/Nowhere',
];
const unusualSegments = [
  '%00',
  '%E0%A4',
  '%',
  '%zz',
  '..',
  '../..',
  '%2e%2e%2f',
  '%2F',
  `${'x'.repeat(5120)}`,
  '%F0%9F%98%80',
  '\u00e9\u00ff',
  '%ED%A0%80',
  'a;b=c',
  'a:b',
  '*',
  '(',
  '[1]',
  '%5C',
  '%0D%0A',
  '.',
  '',
  '%20',
  'null',
  'undefined',
  '__proto__',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '1',
  "'",
];
const mediaTypes = [
  'text/plain',
  'text/csv',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json;;;',
  'APPLICATION/JSON',
  '',
  'x',
  '/',
  'application/json, text/csv',
  'application/vnd.api+json',
  'x'.repeat(2000),
];

function nest(depth: number, chance: Chance): unknown {
  let value: unknown = chance.of([1, 'x', null, {}]);
  for (let level = 0; level < depth; level += 1) value = chance.is(0.5) ? [value] : { a: value };
  return value;
}

function anything(chance: Chance): unknown {
  return chance.of<() => unknown>([
    () => null,
    () => chance.is(0.5),
    () => chance.of(unusualNumbers),
    () => chance.of(unusualNumbers),
    () => chance.of(unusualTexts),
    () => chance.of(unusualTexts),
    () => [],
    () => ({}),
    () => [anything(chance), anything(chance)],
    () => ({ [chance.of(unusualTexts).slice(0, 50)]: anything(chance) }),
    () => nest(chance.of([2, 10, 31, 32, 33, 200, 2000]), chance),
    () => Array.from({ length: 300 }, (_, index) => index),
    () => newId(),
  ])();
}

/** The fields of every object in the schema with a value that may be valid, besides those of the example. */
type Field = { readonly name: string; readonly schema: Schema };
// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read at every depth
type Schema = any;

function fieldsOf(schema: z.ZodType | undefined): Field[] {
  if (schema === undefined) return [];
  const found: Field[] = [];
  const open: Schema[] = [z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })];
  for (let next = open.pop(); next !== undefined && found.length < 300; next = open.pop()) {
    for (const [name, field] of Object.entries(next.properties ?? {})) found.push({ name, schema: field });
    const below = [next.items, ...Object.values(next.properties ?? {}), ...(next.anyOf ?? []), ...(next.oneOf ?? [])];
    open.push(...below.filter((one) => typeof one === 'object' && one !== null));
  }
  return found;
}

function plausible(schema: Schema, chance: Chance): unknown {
  const one = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema;
  if (one.enum !== undefined) return chance.of(one.enum);
  if (one.type === 'number' || one.type === 'integer')
    return chance.of([0, 1, 12.5, 100, one.maximum ?? 7, one.minimum ?? 7]);
  if (one.type === 'boolean') return chance.is(0.5);
  if (one.type === 'array') return one.items === undefined ? [] : [plausible(one.items, chance)];
  if (one.type === 'object') return {};
  return chance.of(['2026-02-11', '2026-02', '2026-Q1', 'EUR', 'Won', 'amount', 'New business', newId()]);
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    found.push({ holder: value as Record<string, unknown>, key });
    placesIn(item, found);
  }
  return found;
}

function mutateJson(body: unknown, fields: readonly Field[], chance: Chance): unknown {
  const places = placesIn(body);
  if (places.length === 0 || chance.is(0.04)) {
    if (fields.length > 0 && chance.is(0.6)) {
      const field = chance.of(fields);
      return { [field.name]: plausible(field.schema, chance) };
    }
    return anything(chance);
  }
  const { holder, key } = chance.of(places);
  const drop = () => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  };
  const add = () => {
    const into = Array.isArray(holder) ? (body as Record<string, unknown>) : holder;
    if (fields.length > 0 && chance.is(0.7)) {
      const field = chance.of(fields);
      into[field.name] = chance.is(0.7) ? plausible(field.schema, chance) : anything(chance);
    } else into[chance.of([...unusualTexts, 'unknownKey', 'constructor'])] = anything(chance);
  };
  chance.of([
    () => {
      holder[key] = anything(chance);
    },
    () => {
      holder[key] = chance.of(unusualTexts);
    },
    () => {
      holder[key] = chance.of(unusualNumbers);
    },
    () => {
      holder[key] = Array.isArray(holder[key]) ? (holder[key] as unknown[])[0] : [holder[key]];
    },
    drop,
    add,
    add,
    () => {
      if (Array.isArray(holder[key])) (holder[key] as unknown[]).push(...structuredClone(holder[key] as unknown[]));
      // A mutation may have set `toString` to something that is not a function.
      else holder[key] = typeof holder[key] === 'object' ? JSON.stringify(holder[key]) : String(holder[key]);
    },
  ])();
  return body;
}

function mutateText(text: string, chance: Chance): string {
  const at = chance.below(text.length + 1);
  const piece = chance.of([
    '"',
    ',',
    '\n',
    '\r',
    '""',
    '"\n',
    '\u0000',
    '\ud800',
    ',,,,,',
    '\ufeff',
    '#',
    ';',
    'x'.repeat(10_240),
  ]);
  return chance.of([
    text.slice(0, at) + piece + text.slice(at),
    text.slice(0, at),
    text + text,
    text.slice(at),
    text.replace('120000', chance.of(['NaN', '1e400', '-1', '1,000.00', '$5', '', 'x', '9'.repeat(400)])),
    text.replace('02/10/2026', chance.of(['13/45/2026', '2026-02-10', '', '0/0/0', '01/01/99999', 'today'])),
    text.replace('opportunity_id', chance.of(['', 'close_value', '__proto__', 'id'])),
    text.replace('D-1', chance.of(['', 'x'.repeat(500), ' ', '\u0000', "'", '../x'])),
  ]);
}

interface Request {
  readonly index: number;
  readonly operation: AnyOperation;
  method: string;
  path: string;
  token: string | null;
  headers: Record<string, string>;
  body: Buffer | null;
  /** The rest of the body is never sent. */
  broken: boolean;
}

const toolsPath = '/v1/mcp';

const boundedByOperation = new Map<string, readonly BoundedField[]>();

function boundedFieldsOf(operation: AnyOperation): readonly BoundedField[] {
  const known = boundedByOperation.get(operation.id) ?? boundedFields(operation);
  boundedByOperation.set(operation.id, known);
  return known;
}

/** Each operation in rotation, and those that need a browser for a quarter of a second only every eighth time. */
function operationOf(index: number): AnyOperation {
  const due = all[index % all.length] as AnyOperation;
  const round = Math.floor(index / all.length);
  const isPrinted = due.files !== undefined && due.otherStatus === 202;
  return isPrinted && round % 8 > 0 ? (all[(index + 7 * round) % all.length] as AnyOperation) : due;
}

/** A valid request that is changed step by step. */
class RequestDraft {
  private readonly chance: Chance;
  private readonly operation: AnyOperation;
  private readonly main: ExampleWorld;
  private readonly other: ExampleWorld;
  private body: unknown;
  private readonly queryParts: [string, string][];
  private readonly params: Record<string, string>;
  private readonly headers: Record<string, string> = {};
  private method: string;
  private token: string | null;
  private tail = '';
  private readonly afterwards: ((bytes: Buffer) => Buffer)[] = [];
  private broken = false;
  /** The request becomes the call of a tool by an agent. */
  private readonly isToolCall: boolean;

  constructor(
    private readonly index: number,
    worlds: readonly [ExampleWorld, ExampleWorld],
  ) {
    this.chance = new Chance(seed, index);
    this.operation = operationOf(index);
    const { id, method, example: declared } = this.operation;
    [this.main, this.other] = destructive.has(id) ? [worlds[1], worlds[0]] : worlds;
    const example: Example = this.main.fill(declared);
    const uploads = Object.entries(example.uploads ?? {});
    const [uploadType, upload] = uploads.length === 0 ? [undefined, undefined] : this.chance.of(uploads);
    this.body = method === 'get' ? undefined : (upload ?? example.body);
    this.queryParts = Object.entries(example.query ?? {});
    this.params = Object.fromEntries(
      Object.entries(example.params ?? {}).map(([name, value]) => [name, encodeURIComponent(value)]),
    );
    if (this.body !== undefined) this.headers['Content-Type'] = uploadType ?? 'application/json';
    this.method = method.toUpperCase();
    // Half of the requests are those of the key, which may do everything.
    this.token = this.chance.is(0.5) ? this.main.key : this.chance.of(Object.values(this.main.tokens));
    this.isToolCall = this.operation.tool !== undefined && this.chance.is(0.15);
  }

  mutate(): this {
    const { chance } = this;
    if (chance.is(0.03)) this.mutateMethod();
    if (chance.is(0.3)) this.mutateOne();
    else
      for (let left = chance.below(10) === 0 ? 0 : chance.of([1, 1, 1, 2, 2, 3]); left > 0; left -= 1)
        this.mutateSomething();
    return this;
  }

  toRequest(): Request {
    if (this.isToolCall && typeof this.body !== 'string') return this.toToolCall();
    const { index, operation, method, token, headers, afterwards } = this;
    const address = operation.path.replace(/:([A-Za-z]+)/g, (_, name: string) => this.params[name] ?? 'x');
    const query = this.queryParts.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&') + this.tail;
    let body: Buffer | null =
      this.body === undefined && afterwards.length === 0
        ? null
        : Buffer.from(typeof this.body === 'string' ? this.body : jsonOf(this.body));
    for (const change of afterwards) body = change(body ?? Buffer.alloc(0));
    return {
      index,
      operation,
      method,
      path: query === '' ? address : `${address}?${query}`,
      token,
      headers,
      body,
      broken: this.broken && body !== null && body.length > 1,
    };
  }

  private toToolCall(): Request {
    const { index, operation, chance, main } = this;
    const params = Object.entries(this.params).map(([name, value]) => [name, decoded(value)]);
    const given = Object.fromEntries([...params, ...this.queryParts, ...Object.entries(this.body ?? {})]);
    const call = { name: operation.tool?.name, arguments: given };
    const agents: readonly CallerName[] = ['agent', 'repAgent', 'key', 'integration'];
    return {
      index,
      operation,
      method: 'POST',
      path: toolsPath,
      token: main.tokens[chance.of(agents)],
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: Buffer.from(jsonOf({ jsonrpc: '2.0', id: index, method: 'tools/call', params: call })),
      broken: false,
    };
  }

  /** Sets a number, day, instant or period to a value at or beyond its bounds. */
  private mutateBounded(): void {
    const fields = boundedFieldsOf(this.operation);
    if (fields.length === 0) return this.mutateQuery();
    const { part, path, kind } = this.chance.of(fields);
    const extremes = extremeValues[kind];
    const value = this.chance.of(kind === 'number' || this.chance.is(0.5) ? extremes : outsideValues[kind]);
    const name = path[0] as string;
    if (part === 'query') {
      const others = this.queryParts.filter(([one]) => one !== name);
      this.queryParts.splice(0, Number.POSITIVE_INFINITY, ...others, [name, String(value)]);
    } else if (typeof this.body === 'object' && this.body !== null) setAt(this.body, path, value);
  }

  private mutateSomething(): void {
    const part = this.chance.below(14);
    if (part >= 10) this.mutateBounded();
    else if (part < 4) this.mutateBody();
    else if (part === 4) this.mutateQuery();
    else if (part === 5) this.mutateParam();
    else if (part === 6) this.mutateIds();
    else if (part === 7) this.mutateBytes();
    else if (part === 8) this.mutateHeaders();
    else this.mutateToken();
  }

  private mutateBody(): void {
    if (this.operation.method === 'get') return this.mutateQuery();
    if (typeof this.body === 'string') this.body = mutateText(this.body, this.chance);
    else this.body = mutateJson(this.body, fieldsOf(this.operation.body), this.chance);
    this.headers['Content-Type'] ??= 'application/json';
  }

  private mutateQuery(): void {
    const fields = fieldsOf(this.operation.query);
    const name =
      this.chance.is(0.75) && fields.length > 0
        ? this.chance.of(fields).name
        : this.chance.of([...unusualTexts, 'unknown']);
    const value = this.chance.is(0.7)
      ? this.chance.of(unusualTexts).slice(0, this.chance.is(0.9) ? 1000 : 10_240)
      : String(this.chance.of([...unusualNumbers, newId()]));
    this.chance.of([
      () => this.queryParts.push([name, value]),
      () => this.queryParts.splice(this.chance.below(this.queryParts.length + 1), 1),
      () => {
        const part = this.queryParts[this.chance.below(this.queryParts.length)];
        if (part !== undefined) part[1] = value;
        else this.queryParts.push([name, value]);
      },
      () => this.queryParts.push(...this.queryParts),
      () => this.queryParts.push([`${name}[]`, value], [`${name}[a][b]`, value]),
      () => {
        this.tail = this.chance.of([
          '&&&=',
          '&%00=%00',
          '&a=%E0%A4',
          '&=',
          `&${'a[b]'.repeat(50)}=1`,
          '&__proto__[x]=1',
          '&%',
          `&${'p=1&'.repeat(1500)}`,
        ]);
      },
    ])();
  }

  private mutateParam(): void {
    const names = Object.keys(this.params);
    if (names.length === 0) return this.mutateQuery();
    const name = this.chance.of(names);
    this.params[name] = this.chance.is(0.7)
      ? this.chance.of(unusualSegments)
      : this.chance.of(
          [newId(), ...Object.values(this.other.ids), ...Object.values(this.main.ids)].map(encodeURIComponent),
        );
  }

  private mutateIds(): void {
    const ids: unknown[] = Object.values(this.main.ids);
    const places = placesIn(this.body).filter(({ holder, key }) => ids.includes(holder[key]));
    if (places.length === 0) return this.mutateParam();
    const { holder, key } = this.chance.of(places);
    holder[key] = this.chance.of([newId(), ...Object.values(this.other.ids), ...Object.values(this.main.ids), 'x', '']);
  }

  private mutateBytes(): void {
    if (this.operation.method === 'get') return this.mutateQuery();
    this.chance.of([
      () => this.afterwards.push((bytes) => bytes.subarray(0, this.chance.below(bytes.length + 1))),
      () =>
        this.afterwards.push((bytes) =>
          Buffer.concat([bytes, Buffer.from(this.chance.of(['}', ',', '\u0000', '//', 'x', ' ']))]),
        ),
      () =>
        this.afterwards.push((bytes) => {
          const changed = Buffer.from(bytes);
          if (changed.length > 0)
            changed[this.chance.below(changed.length)] = this.chance.of([0, 0xff, 0xc0, 0x22, 0x5c, 0x7b]);
          return changed;
        }),
      () =>
        this.afterwards.push(() =>
          Buffer.from(
            this.chance.of(['', '{', '[', '"', 'NaN', '{"a":1,}', "{'a':1}", '[[[[[[', 'null', '0', '[]', '""']),
          ),
        ),
      () => this.afterwards.push((bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])),
      () => this.afterwards.push((bytes) => Buffer.from(bytes.toString(), 'utf16le')),
      () => {
        this.broken = true;
      },
    ])();
    this.headers['Content-Type'] ??= 'application/json';
  }

  private mutateHeaders(): void {
    const [name, values] = this.chance.of<[string, readonly string[]]>([
      ['X-Request-Id', ['', 'x'.repeat(3000), 'a b', '\u00e9', 'ok-1', '{"a":1}', '<x>']],
      [
        'Idempotency-Key',
        ['', 'x'.repeat(201), '\u00e9', `key-${this.chance.below(5)}`, `key-${this.chance.below(5)}`, '"', '\t'],
      ],
      ['Content-Type', mediaTypes],
      ['Content-Encoding', ['gzip', 'br', 'deflate', 'x', 'identity']],
      ['Accept', ['text/html', 'x', '*/*;q=0']],
      [
        'Authorization',
        [
          '',
          'Bearer',
          'Bearer  ',
          `Bearer ${'x'.repeat(200)}`,
          'Basic dTpw',
          'Bearer ws_\u00e9',
          'bearer sess_x conn_y',
        ],
      ],
      ['X-Forwarded-For', ['x', '1.2.3.4, ::1', '\u00e9']],
      ['Range', ['bytes=0-1', 'x']],
      ['If-None-Match', ['*']],
      ['Expect', ['100-continue']],
    ]);
    this.headers[name] = this.chance.of(values);
  }

  private mutateToken(): void {
    this.token = this.chance.of([...Object.values(this.main.tokens), this.other.key]);
  }

  private mutateMethod(): void {
    this.method = this.chance.of(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']);
  }

  /** Changes one value within its type, so that the other validations pass. */
  private mutateOne(): void {
    const ids = new Set(Object.values(this.main.ids));
    const places = placesIn(this.body).filter(({ holder, key }) => ['string', 'number'].includes(typeof holder[key]));
    const free = places.filter(({ holder, key }) => !ids.has(String(holder[key])));
    if (free.length === 0) return this.chance.is(0.5) ? this.mutateQuery() : this.mutateParam();
    const { holder, key } = this.chance.of(free);
    const fields = fieldsOf(this.operation.body).filter(({ schema }) => schema.type === 'string');
    const text = this.chance.is(0.4)
      ? this.chance.of(['a\u0000b', 'x\udfffy', '\ud800'])
      : this.chance.of(unusualTexts);
    if (fields.length > 0 && this.chance.is(0.4))
      (this.body as Record<string, unknown>)[this.chance.of(fields).name] = text;
    else holder[key] = typeof holder[key] === 'number' ? this.chance.of(unusualNumbers) : text;
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: lanes });

/** Null when the request was aborted, since it has no response. */
function sendRequest(url: string, sent: Request): Promise<Reply | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = sent.body === null ? {} : { 'Content-Length': sent.body.length };
    const authorization = sent.token === null ? {} : { Authorization: `Bearer ${sent.token}` };
    const outgoing = send({
      hostname,
      port,
      method: sent.method,
      path: sent.path,
      headers: { ...authorization, ...length, ...sent.headers },
      ...(sent.broken ? { agent: false } : { agent }),
      timeout: answerWithinMs,
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${answerWithinMs} ms`)));
    outgoing.on('error', (error) => (sent.broken ? resolve(null) : reject(error)));
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (error) => (sent.broken ? resolve(null) : reject(error)));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    if (sent.broken && sent.body !== null) {
      outgoing.write(sent.body.subarray(0, sent.body.length - 1));
      setTimeout(() => outgoing.destroy(), 15);
      outgoing.on('close', () => resolve(null));
    } else outgoing.end(sent.body ?? undefined);
  });
}

const leaks = [
  /(^|\n|\\n)\s*at \S+/,
  /\bnode_modules\b|\bdist\/(src|workers)\b|\bfile:\/\/|\/work\/|\.[jt]s:\d+/,
  /\b(select|insert|update|delete)\b[^"]{0,200}\b(from|into|set|where)\b[^"]{0,80}\$\d/i,
  /duplicate key value|violates [a-z-]+ constraint|invalid input syntax|relation \\"|syntax error at or near|column \\"/i,
];

/** The fault of the response, or null. */
function complaint(sent: Request, { status, headers, text }: Reply): string | null {
  if (status >= 500) return `answered ${status}`;
  if (text.includes('internal_error')) return 'holds an internal error';
  if (leaks.some((pattern) => pattern.test(text))) return 'contains internal details';
  if (!headers['x-request-id']) return 'has no X-Request-Id';
  if ((status >= 200 && status < 300) || sent.path === toolsPath) return null;
  if (status === 304) return sent.headers['If-None-Match'] === '*' ? null : 'is empty';
  // A browser gets errors of the sign-in as a page.
  if (String(headers['content-type']).startsWith('text/html'))
    return sent.path.startsWith('/auth/') && sent.headers['Accept'] === 'text/html' ? null : 'is a page';
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return 'is no JSON';
  }
  return complaintOfBody(sent, status, parsed);
}

function complaintOfBody(sent: Request, status: number, body: Record<string, unknown>): string | null {
  const { statusCode, code, message, details, docs, ...more } = body;
  if (Object.keys(more).length > 0) return `has ${Object.keys(more).join(', ')} beside the envelope`;
  if (statusCode !== status) return `says ${String(statusCode)} with the status ${status}`;
  if (typeof message !== 'string' || message === '') return 'has no message';
  if (typeof docs !== 'string' || !docs.endsWith(`/docs/errors#${String(code).toLowerCase()}`)) return 'has other docs';
  if (details !== undefined && (typeof details !== 'object' || details === null)) return 'has odd details';
  const declared = sent.operation.failures[String(code)] ?? commonFailures[String(code)];
  if (beforeRouting[String(code)] === status) return null;
  const onItsWay = sameAddress(sent) ? declared === status : registered.get(String(code))?.has(status);
  return onItsWay === true ? null : `has the code ${String(code)} with ${status}, which is not declared`;
}

function sameAddress({ operation, method, path }: Request): boolean {
  const address = path.split('?')[0] as string;
  const pattern = new RegExp(`^${operation.path.replace(/\./g, '\\.').replace(/:[A-Za-z]+/g, '[^/]+')}$`);
  const others = all.filter((one) => one.method === operation.method && one.path === address);
  return method.toLowerCase() === operation.method && pattern.test(address) && others.every((one) => one === operation);
}

function shown(sent: Request, why: string, reply: Reply | null): string {
  const { index, operation, method, path, headers, body } = sent;
  const answer = reply === null ? 'none' : `${reply.status} ${reply.text.slice(0, 400)}`;
  return `#${index} ${operation.id}: the answer ${why}
    ${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 400)}
    body: ${body === null ? 'none' : JSON.stringify(body.toString()).slice(0, 1200)}
    answer: ${answer}`;
}

describe(`${requests} mutated requests (FUZZ_SEED=${seed})`, function () {
  this.timeout(60_000 + requests * 80);
  let service: Service;
  let crm: FakeServer;
  let worlds: [ExampleWorld, ExampleWorld];

  before(async () => {
    crm = new FakeServer();
    crm.app.use(respondWith(401));
    await crm.start();
    service = await Service.start({
      ...forAgents,
      settings: { ...forAgents.settings, CRMA_API_BASE: crm.url, CRMB_API_BASE: crm.url },
    });
    worlds = [await ExampleWorld.create(service), await ExampleWorld.create(service)];
  });
  after(async () => {
    agent.destroy();
    await service.stop();
    await crm.stop();
  });

  it('return a result or an error body, and never 500', async () => {
    const complaints: string[] = [];
    const statuses = new Map<number, number>();
    const slowest = { ms: 0, what: '' };
    for (let start = 0; start < requests && complaints.length < 10; start += tendEvery) {
      if (start > 0) for (const world of worlds) await world.recreate();
      const end = Math.min(start + tendEvery, requests);
      let next = start;
      const lane = async () => {
        while (next < end) {
          const index = next++;
          const sent = new RequestDraft(index, worlds).mutate().toRequest();
          const began = performance.now();
          const reply = await sendRequest(service.url, sent).catch((error: Error) => error);
          const ms = performance.now() - began;
          if (ms > slowest.ms) Object.assign(slowest, { ms, what: `#${index} ${sent.operation.id}` });
          if (reply instanceof Error) {
            complaints.push(shown(sent, `did not come: ${reply.message}`, null));
            continue;
          }
          if (reply === null) continue;
          statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
          const why = complaint(sent, reply);
          if (why !== null) complaints.push(shown(sent, why, reply));
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    }
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(`        ${counts.join(', ')}; slowest ${slowest.what}, ${Math.round(slowest.ms)} ms`);
    expect(complaints, `FUZZ_SEED=${seed}\n${complaints.join('\n')}\n`).to.have.length(0);
  });

  it('leave the ledgers consistent and the service ready', async () => {
    for (const world of worlds) {
      await world.recreate();
      await service.waitForCalculations(world.workspaceId);
      await service.expectSoundLedger(world.workspaceId);
      const parked = await service.sql(
        'select last_error from lanes where workspace_id = $1 and parked_at is not null',
        world.workspaceId,
      );
      expect(parked, 'parked lanes').to.deep.equal([]);
      const events = await world.api.expect(200, 'GET', `/v1/commissions?period=2026-02`);
      expect(events.period).to.equal('2026-02');
    }
    expect((await service.client(null).get('/readyz')).status).to.equal(200);
  });
});
