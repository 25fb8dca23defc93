/** The declarations of the client package, from the OpenAPI document. */
export function declareClient(document) {
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
  return [
    ...Object.entries(schemas).map(([name, schema]) => declareType(name, schema)),
    ...operations.flatMap((operation) => declareOperation(operation, document)),
    `/** One method for every operation, by its id. */\nexport interface Client {\n${operations.map(declareMethod).join('\n')}\n}`,
    declareEvents(document.webhooks),
    '',
  ].join('\n\n');
}

/** The union of the bodies that webhooks receive. */
function declareEvents(webhooks) {
  const bodies = Object.values(webhooks).map(({ post }) => toType(contentOf(post.requestBody, 'application/json')));
  return `/** The body of a webhook, by its type. */\nexport type WebhookEvent = ${bodies.join(' | ')};`;
}

function declareType(name, schema) {
  return `${toComment(schema.description, '')}export type ${name} = ${toType(schema)};`;
}

function declareOperation(operation, document) {
  const name = capital(operation.operationId);
  return [
    `export interface ${name}Input ${block(inputParts(operation, document))}`,
    `export type ${name}Response = ${responseType(operation)};`,
  ];
}

/** `params`, `query`, `body` and `upload`, each optional if nothing in it is required. */
function inputParts({ parameters = [], requestBody }, { components }) {
  const resolved = parameters.map((one) => (one.$ref === undefined ? one : components.parameters[nameOf(one.$ref)]));
  const given = (place) => resolved.filter((one) => one.in === place);
  const parts = [
    ['params', given('path')],
    ['query', given('query')],
  ].filter(([, list]) => list.length > 0);
  return [
    ...parts.map(([part, list]) => {
      const isRequired = list.some(({ required }) => required === true);
      return `readonly ${part}${isRequired ? '' : '?'}: ${block(list.map(toParameter))};`;
    }),
    ...bodyParts(requestBody),
  ];
}

function bodyParts(requestBody) {
  if (requestBody === undefined) return [];
  const types = Object.keys(requestBody.content);
  if (requestBody.description?.endsWith('as a stream.')) return ['readonly upload: Upload;'];
  const mark = requestBody.required === true ? '' : '?';
  return types.includes('application/json')
    ? [`readonly body${mark}: ${toType(contentOf(requestBody, 'application/json'))};`]
    : [];
}

/** Values of a query are sent as text, so numbers and booleans may be given as such. */
function toParameter({ name, description, required, schema }) {
  const type = toType(schema);
  const given = /\b(number|boolean|'true'|'false')/.test(type) || type === 'string' ? `${type} | number | boolean` : type;
  return `${toComment(description, '')}readonly ${key(name)}${required === true ? '' : '?'}: ${schema.enum === undefined ? given : type};`;
}

/** A page of a feed is JSON, unless lines are asked for, which is of use to programs without this client. */
function responseType({ responses }) {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) =>
      Object.entries(content)
        .filter(([type]) => type !== 'application/x-ndjson' || content['application/json'] === undefined)
        .map(([type, { schema }]) => (type === 'application/json' ? toType(schema) : 'ServiceFile')),
    );
  return types.length === 0 ? 'unknown' : [...new Set(types)].join(' | ');
}

function declareMethod({ operationId, summary, description, deprecated, parameters = [], requestBody }) {
  const isRequired =
    parameters.some((one) => one.required === true && one.in !== 'header') || requestBody?.required === true;
  const text = [summary, description, deprecated === true ? '@deprecated' : undefined].filter(Boolean).join('\n\n');
  const name = capital(operationId);
  return `${toComment(text, '  ')}  ${operationId}(input${isRequired ? '' : '?'}: ${name}Input, options?: CallOptions): Promise<${name}Response>;`;
}

/** The TypeScript type of a schema. */
function toType(schema) {
  if (schema === undefined || schema === true || Object.keys(schema).length === 0) return 'unknown';
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map(toType));
  if (schema.allOf !== undefined) return schema.allOf.map((one) => `(${toType(one)})`).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => toType({ ...schema, type })));
  return toSimpleType(schema);
}

function toSimpleType(schema) {
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return schema.prefixItems === undefined
        ? `readonly (${toType(schema.items)})[]`
        : `readonly [${schema.prefixItems.map(toType).join(', ')}]`;
    case 'object':
      return toObject(schema);
    default:
      return 'unknown';
  }
}

function toObject({ properties, required = [], additionalProperties }) {
  const values = typeof additionalProperties === 'object' ? toType(additionalProperties) : 'unknown';
  if (properties === undefined) return `{ readonly [name: string]: ${values} }`;
  return block(
    Object.entries(properties).map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${toComment(schema.description, '')}readonly ${key(name)}${mark}: ${toType(schema)};`;
    }),
  );
}

const union = (types) => [...new Set(types)].join(' | ');
const block = (lines) => (lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n}`);
const nameOf = (reference) => reference.split('/').at(-1);
const capital = (name) => name[0].toUpperCase() + name.slice(1);
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const contentOf = ({ content }, type) => content[type]?.schema;

function toComment(text, indent) {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
