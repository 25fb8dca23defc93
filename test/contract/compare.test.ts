import { expect } from 'chai';
import { isAnnounced } from './announcements.js';
import { compareRecords, printChange } from './compare.js';
import { readContract } from './contract.js';
import { type ContractRecord, parseRecord, printRecord } from './record.js';
import { type Schema } from './schema-lines.js';

/** Parts of an operation and of a tool; a test states only what it changes. */
interface Parts {
  readonly operation?: object | null;
  readonly query?: Schema;
  readonly queryRequired?: boolean;
  readonly request?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly requestBody?: object;
  readonly response?: Readonly<Record<string, Schema>>;
  readonly always?: readonly string[];
  readonly responses?: object;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly tool?: object | null;
  readonly input?: Readonly<Record<string, Schema>>;
  readonly inputRequired?: readonly string[];
}

const text = { type: 'string' };

function record(parts: Parts): ContractRecord {
  const document = { paths: { '/v1/plans': parts.operation === null ? {} : { post: describedOperation(parts) } } };
  const tools = parts.tool === null ? [] : [describedTool(parts)];
  return parseRecord(printRecord(readContract(document as never, tools as never)));
}

function json(schema: Schema) {
  return { content: { 'application/json': { schema } } };
}

function describedOperation({ query = text, queryRequired = false, request = { name: text }, ...rest }: Parts) {
  const { required = [], response = { id: text }, always = ['id'], errors = { 404: ['not_found'] } } = rest;
  const failures = Object.entries(errors).map(([status, codes]) => {
    return [status, json({ allOf: [{}, { properties: { code: { enum: codes } } }] })];
  });
  return {
    operationId: 'createPlan',
    'x-least-role': 'admin',
    'x-key-scope': 'plans',
    parameters: [{ in: 'query', name: 'limit', required: queryRequired, schema: query }],
    requestBody: json({ type: 'object', properties: request, required, additionalProperties: false }),
    ...(rest.requestBody === undefined ? {} : { requestBody: rest.requestBody }),
    responses: {
      200: json({ type: 'object', properties: response, required: always }),
      ...rest.responses,
      ...Object.fromEntries(failures),
    },
    ...rest.operation,
  };
}

function describedTool({ tool, input = { planId: text }, inputRequired = [] }: Parts) {
  return {
    name: 'get_plan',
    title: 'Get a plan',
    description: 'Reads a plan.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: input, required: inputRequired },
    ...tool,
  };
}

function changes(before: Parts, after: Parts): string[] {
  return compareRecords(record(before), record(after)).map(printChange);
}

const POST = 'POST /v1/plans';
const TOOL = 'tool get_plan';
const rule = (fields: Readonly<Record<string, Schema>>, required: readonly string[] = []) => ({
  config: {
    type: 'object',
    additionalProperties: false,
    properties: {
      rules: { type: 'array', items: { type: 'object', properties: fields, required, additionalProperties: false } },
    },
  },
});
/** A list or an object with one of the names. */
const forms = (...names: readonly string[]) => ({
  anyOf: [{ type: 'array', items: text }, ...names.map((name) => ({ type: 'object', properties: { [name]: text } }))],
});
const field = 'config.rules[].measure';

/** What changes, before and after, and the report. */
const cases: readonly (readonly [title: string, before: Parts, after: Parts, report: readonly string[]])[] = [
  ['nothing', {}, {}, []],
  ['a removed operation', {}, { operation: null }, [`breaking: ${POST}: was removed`]],
  ['a new operation', { operation: null }, {}, [`added: ${POST}`]],
  ['a removed tool', {}, { tool: null }, [`breaking: ${TOOL}: was removed`]],
  ['a new tool', { tool: null }, {}, [`added: ${TOOL}`]],
  [
    'the name in the client',
    {},
    { operation: { operationId: 'addPlan' } },
    [`breaking: ${POST}: name changed from createPlan to addPlan`],
  ],
  [
    'the access',
    {},
    { operation: { 'x-least-role': 'manager' } },
    [`breaking: ${POST}: access changed from admin key-scope=plans to manager key-scope=plans`],
  ],
  [
    'the scope',
    {},
    { operation: { 'x-key-scope': 'none' } },
    [`breaking: ${POST}: access changed from admin key-scope=plans to admin key-scope=none`],
  ],
  [
    'a step-up',
    {},
    { operation: { 'x-step-up': 'always' } },
    [`breaking: ${POST}: access changed from admin key-scope=plans to admin key-scope=plans step-up=always`],
  ],
  [
    'a further role',
    {},
    { operation: { 'x-also-for': ['finance'] } },
    [`changed: ${POST}: access changed from admin key-scope=plans to admin key-scope=plans also-for=finance`],
  ],
  ['a deprecated operation', {}, { operation: { deprecated: true } }, [`changed: ${POST}: is deprecated`]],

  // Parameters and request fields.
  [
    'a removed parameter',
    {},
    { operation: { parameters: [] } },
    [`breaking: ${POST}: query parameter limit was removed`],
  ],
  ['a new parameter', { operation: { parameters: [] } }, {}, [`added: ${POST}: query parameter limit`]],
  [
    'a new required parameter',
    { operation: { parameters: [] } },
    { queryRequired: true },
    [`breaking: ${POST}: new required query parameter limit`],
  ],
  ['a required parameter', {}, { queryRequired: true }, [`breaking: ${POST}: query parameter limit became required`]],
  [
    'a required field deep in the body',
    { request: rule({ measure: text }) },
    { request: rule({ measure: text }, ['measure']) },
    [`breaking: ${POST}: request field ${field} became required`],
  ],
  [
    'an optional field deep in the body',
    { request: rule({ measure: text }, ['measure']) },
    { request: rule({ measure: text }) },
    [`changed: ${POST}: request field ${field} became optional`],
  ],
  [
    'a removed request field',
    { request: rule({ measure: text, name: text }) },
    { request: rule({ name: text }) },
    [`breaking: ${POST}: request field ${field} was removed`],
  ],
  [
    'a removed request object, without its fields',
    { request: rule({ measure: text }) },
    { request: {} },
    [`breaking: ${POST}: request field config was removed`],
  ],
  [
    'a new optional request object with required fields',
    { request: {} },
    { request: rule({ measure: text }, ['measure']) },
    [`added: ${POST}: request field config`],
  ],
  [
    'a new required request field',
    { request: {} },
    { request: { name: text }, required: ['name'] },
    [`breaking: ${POST}: new required request field name`],
  ],
  [
    'a request body that there was not',
    { operation: { requestBody: undefined } },
    { requestBody: { required: true, ...json({ type: 'object' }) } },
    [`breaking: ${POST}: new required request body`],
  ],
  [
    'a required request body',
    {},
    {
      requestBody: {
        required: true,
        ...json({ type: 'object', properties: { name: text }, additionalProperties: false }),
      },
    },
    [`breaking: ${POST}: request body became required`],
  ],
  [
    'a removed media type of the request',
    { requestBody: { content: { 'application/json': { schema: { type: 'object' } }, 'text/csv': {} } } },
    { requestBody: json({ type: 'object' }) },
    [`breaking: ${POST}: request body no longer has the media type text/csv`],
  ],
  [
    'a body that rejects other fields',
    { requestBody: json({ type: 'object', properties: {} }) },
    { requestBody: json({ type: 'object', properties: {}, additionalProperties: false }) },
    [`breaking: ${POST}: request body rejects other fields`],
  ],

  // Types and bounds of what is sent.
  [
    'a narrower type',
    { request: { name: { type: 'string', nullable: true } } },
    { request: { name: text } },
    [`breaking: ${POST}: request field name no longer accepts null`],
  ],
  [
    'a wider type',
    { request: { name: { type: 'integer' } } },
    { request: { name: { type: 'number', nullable: true } } },
    [
      `changed: ${POST}: request field name also accepts number`,
      `changed: ${POST}: request field name also accepts null`,
    ],
  ],
  [
    'one of several types',
    { request: { name: { anyOf: [text, { type: 'number' }, { type: 'boolean' }] } } },
    { request: { name: { anyOf: [text, { type: 'number', minimum: 0 }] } } },
    [
      `breaking: ${POST}: request field name no longer accepts boolean`,
      `breaking: ${POST}: request field name changed minimum from none to 0`,
    ],
  ],
  [
    'another type',
    {},
    { request: { name: { anyOf: [text, { type: 'number' }] } } },
    [`changed: ${POST}: request field name also accepts number`],
  ],
  [
    'a removed form of an object',
    { request: { name: forms('a', 'b') } },
    { request: { name: forms('a') } },
    [`breaking: ${POST}: request field name|object-2 was removed`],
  ],
  [
    'a type where there was none',
    { query: {} },
    {},
    [`breaking: ${POST}: query parameter limit no longer accepts any`],
  ],
  [
    'narrower bounds',
    { query: { type: 'integer', minimum: 0, maximum: 200 } },
    { query: { type: 'integer', minimum: 1, maximum: 100 } },
    [
      `breaking: ${POST}: query parameter limit changed minimum from 0 to 1`,
      `breaking: ${POST}: query parameter limit changed maximum from 200 to 100`,
    ],
  ],
  [
    'wider bounds',
    { query: { type: 'integer', minimum: 1, maximum: 100 } },
    { query: { type: 'integer', maximum: 200 } },
    [
      `changed: ${POST}: query parameter limit changed minimum from 1 to none`,
      `changed: ${POST}: query parameter limit changed maximum from 100 to 200`,
    ],
  ],
  [
    'a new length',
    { request: { name: text } },
    { request: { name: { type: 'string', minLength: 1, maxLength: 20 } } },
    [
      `breaking: ${POST}: request field name changed minLength from none to 1`,
      `breaking: ${POST}: request field name changed maxLength from none to 20`,
    ],
  ],
  [
    'fewer items, and shorter ones',
    { request: { ids: { type: 'array', items: text } } },
    { request: { ids: { type: 'array', maxItems: 9, items: { type: 'string', maxLength: 20 } } } },
    [
      `breaking: ${POST}: request field ids changed maxItems from none to 9`,
      `breaking: ${POST}: request field ids items: changed maxLength from none to 20`,
    ],
  ],
  [
    'a pattern and a format',
    { request: { id: { type: 'string', pattern: '^[a-z ]+$' }, day: text } },
    { request: { id: { type: 'string', pattern: '^(a|b) %c$' }, day: { type: 'string', format: 'date' } } },
    [
      `breaking: ${POST}: request field day changed format from none to date`,
      `breaking: ${POST}: request field id changed pattern from ^[a-z ]+$ to ^(a|b) %c$`,
    ],
  ],
  [
    'values of a request',
    { query: { enum: ['draft', 'in force', 'a|b'] } },
    { query: { enum: ['draft', 'archived', 'a|b'] } },
    [
      `breaking: ${POST}: query parameter limit no longer accepts the value in force`,
      `added: ${POST}: query parameter limit value archived`,
    ],
  ],
  [
    'an enumeration where there was none',
    {},
    { query: { type: 'string', enum: ['a', 'b'] } },
    [`breaking: ${POST}: query parameter limit accepts only a|b`],
  ],
  [
    'a default',
    { query: { type: 'integer', default: 50 } },
    { query: { type: 'integer', default: 20 } },
    [`breaking: ${POST}: query parameter limit changed default from 50 to 20`],
  ],
  [
    'a deprecated field',
    {},
    { request: { name: { ...text, deprecated: true } } },
    [`changed: ${POST}: request field name is deprecated`],
  ],

  // Responses.
  [
    'a removed response field',
    { response: { id: text, plans: { type: 'array', items: { type: 'object', properties: { id: text } } } } },
    { response: { id: text, plans: { type: 'array', items: { type: 'object', properties: {} } } } },
    [`breaking: ${POST}: response field plans[].id (200) was removed`],
  ],
  [
    'a new response field',
    {},
    { response: { id: text, name: text }, always: ['id', 'name'] },
    [`added: ${POST}: response field name (200)`],
  ],
  [
    'a response field that may be missing',
    {},
    { always: [] },
    [`breaking: ${POST}: response field id (200) may be missing`],
  ],
  [
    'a response field that is always present',
    { always: [] },
    {},
    [`changed: ${POST}: response field id (200) is always present`],
  ],
  [
    'a nullable response field',
    {},
    { response: { id: { type: 'string', nullable: true } } },
    [`breaking: ${POST}: response field id (200) may be null`],
  ],
  [
    'a wider response type',
    { response: { id: { type: 'integer' } } },
    { response: { id: { type: 'number' } } },
    [`breaking: ${POST}: response field id (200) may be number`],
  ],
  [
    'a narrower response type',
    { response: { id: { type: 'number', nullable: true } } },
    { response: { id: { type: 'integer' } } },
    [
      `changed: ${POST}: response field id (200) is no longer number`,
      `changed: ${POST}: response field id (200) is no longer null`,
    ],
  ],
  [
    'values of a response',
    { response: { id: { enum: ['draft', 'active'] } } },
    { response: { id: { enum: ['draft', 'paused'] } } },
    [
      `changed: ${POST}: response field id (200) is never active`,
      `added: ${POST}: response field id (200) value paused`,
    ],
  ],
  [
    'a response that is no enumeration any more',
    { response: { id: { type: 'string', enum: ['draft'] } } },
    {},
    [`breaking: ${POST}: response field id (200) may be another value than draft`],
  ],
  [
    'the format of a response field',
    { response: { id: { type: 'string', format: 'date' } } },
    { response: { id: { type: 'string', format: 'date-time' } } },
    [`breaking: ${POST}: response field id (200) changed format from date to date-time`],
  ],
  [
    'the bounds of a response field',
    { response: { id: { type: 'integer', maximum: 9 } } },
    { response: { id: { type: 'integer' } } },
    [`changed: ${POST}: response field id (200) changed maximum from 9 to none`],
  ],
  [
    'a new form of a response field',
    { response: { id: forms('a') } },
    { response: { id: forms('a', 'b') } },
    [`breaking: ${POST}: new response field id|object-2 (200)`],
  ],
  [
    'a removed form of a response field',
    { response: { id: forms('a', 'b') } },
    { response: { id: forms('a') } },
    [`changed: ${POST}: response field id|object-2 (200) was removed`],
  ],
  [
    'a removed media type of the response',
    { responses: { 200: { content: { 'text/csv': {}, 'application/pdf': {} } } } },
    { responses: { 200: { content: { 'text/csv': {} } } } },
    [`breaking: ${POST}: response 200 no longer has the media type application/pdf`],
  ],
  [
    'another success status',
    {},
    { responses: { 202: { description: 'Accepted' } } },
    [`breaking: ${POST}: new response 202`],
  ],
  [
    'a removed success status',
    { responses: { 202: { description: 'Accepted' } } },
    {},
    [`breaking: ${POST}: response 202 was removed`],
  ],
  ['a removed error code', {}, { errors: {} }, [`breaking: ${POST}: error not_found was removed`]],
  ['a new error code', {}, { errors: { 404: ['not_found', 'gone'] } }, [`added: ${POST}: error gone (404)`]],
  [
    'the status of an error',
    {},
    { errors: { 410: ['not_found'] } },
    [`breaking: ${POST}: error not_found changed its status from 404 to 410`],
  ],

  // Tools.
  ['the description of a tool', {}, { tool: { description: 'Reads.' } }, [`changed: ${TOOL}: description`]],
  [
    'the description of an argument',
    { input: { planId: { ...text, description: 'The plan' } } },
    { input: { planId: { ...text, description: 'Its id' } } },
    [`changed: ${TOOL}: description of argument planId`],
  ],
  [
    'the hints of a tool',
    {},
    { tool: { annotations: { readOnlyHint: false } } },
    [`breaking: ${TOOL}: hints changed from readOnlyHint=true to readOnlyHint=false`],
  ],
  ['a removed argument', {}, { input: {} }, [`breaking: ${TOOL}: argument planId was removed`]],
  ['a new argument', { input: {} }, {}, [`added: ${TOOL}: argument planId`]],
  ['a required argument', {}, { inputRequired: ['planId'] }, [`breaking: ${TOOL}: argument planId became required`]],
];

describe('the comparison of contracts reports', () => {
  for (const [title, before, after, report] of cases)
    it(`${title}: ${report[0]?.split(':')[0] ?? 'no change'}`, () => {
      expect(changes(before, after)).to.deep.equal(report);
    });

  it('breaking changes first', () => {
    const after = { request: { name: text, note: text }, response: {}, tool: { description: 'Reads.' } };
    expect(changes({}, after).map((line) => line.split(':')[0])).to.deep.equal(['breaking', 'changed', 'added']);
  });

  it('a change of fields that several values share once, with the others that have it', () => {
    const person = (fields: readonly string[]) => {
      const properties = Object.fromEntries(['email', 'id', 'name', ...fields].map((name) => [name, text]));
      return { type: 'object', properties };
    };
    const shared = (fields: readonly string[]) => ({
      request: { author: person(fields), reader: person(fields) },
      input: { people: { type: 'array', items: person(fields) } },
    });
    expect(changes(shared(['phone']), shared(['city']))).to.deep.equal([
      `breaking: ${POST}: request field author.phone was removed; also ${TOOL}`,
      `added: ${POST}: request field author.city; also ${TOOL}`,
    ]);
    expect(
      changes(shared(['phone']), { ...shared(['phone']), input: { people: { type: 'array', items: person([]) } } }),
    ).to.deep.equal([`breaking: ${TOOL}: argument people[].phone was removed`]);
  });
});

describe('the record of a contract', () => {
  it('rejects schemas with keywords that the comparison would overlook', () => {
    expect(() => record({ query: { not: text } })).to.throw(
      'query.limit: the contract check does not know the keyword not',
    );
    expect(() => record({ query: { allOf: [text, text] } })).to.throw('allOf with several members');
  });

  it('rejects text that is no record, such as the marks of a merge conflict', () => {
    expect(() => parseRecord('<<<<<<< HEAD\nPOST /v1/plans\n  name: a\n')).to.throw(
      'The record has the line: <<<<<<< HEAD',
    );
    expect(() => parseRecord('POST /v1/plans\n  200: object as GET /v1/plans 200\n')).to.throw(
      'refers to GET /v1/plans 200',
    );
  });
});

describe('a breaking change is announced', () => {
  const change = { kind: 'breaking', subject: POST, part: field, text: 'became required' } as const;
  const newest = (lines: string) =>
    `# Changelog\n\n## Unreleased\n\n${lines}\n\n## 0.1.0\n\n### Breaking\n\n- \`${POST}\`\n`;

  it('by an entry of the changelog under Breaking in the newest section that names operation and field', () => {
    expect(
      isAnnounced(change, newest(`### Breaking\n\n- \`${POST}\`:\n  \`${field}\` is required,\n  because …`)),
    ).to.equal(true);
    expect(isAnnounced({ ...change, part: null }, newest(`### Breaking\n\n- \`${POST}\` is gone.`))).to.equal(true);
    expect(
      isAnnounced({ ...change, subject: TOOL, part: null }, newest('### Breaking\n\n- `get_plan` is gone.')),
    ).to.equal(true);
  });

  it('neither by another section or release, nor without the field', () => {
    expect(isAnnounced(change, newest(`### Added\n\n- \`${POST}\`: \`${field}\` is required.`))).to.equal(false);
    expect(isAnnounced({ ...change, part: null }, newest('### Added\n\n- Nothing.'))).to.equal(false);
    expect(isAnnounced(change, newest(`### Breaking\n\n- \`${POST}\` has changed.`))).to.equal(false);
    expect(isAnnounced(change, newest(`### Breaking\n\n- \`${POST}\` has changed.\n- \`${field}\` too.`))).to.equal(
      false,
    );
  });
});
