import { z } from 'zod';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type JsonSchema, toJsonSchema } from '../json-schema.js';
import { type AnyOperation, type AnyTool } from '../operations/operation.js';
import { plainSchema } from './plain-schema.js';
import { type Argument, type Description, type Detail, type Follow, type Hints } from './tool.js';
import { readingArguments } from './tool-arguments.js';

/** A tool in the result of tools/list. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: Hints;
}

/** An operation and its tool definition. */
export interface OfferedTool {
  readonly operation: AnyOperation;
  readonly tool: AnyTool;
  readonly definition: ToolDefinition;
}

/** The tools in a fixed order: clients cache prompts that begin with the list. */
export function offeredTools(operations: readonly AnyOperation[]): OfferedTool[] {
  const offered = operations.flatMap((operation) => {
    const tool = operation.tool as AnyTool | undefined;
    return tool === undefined ? [] : [{ operation, tool, definition: defineTool(operation, tool) }];
  });
  const isFirst = ({ tool }: OfferedTool) => tool.listedFirst === true;
  return [...offered.filter(isFirst), ...offered.filter((tool) => !isFirst(tool))];
}

function defineTool(operation: AnyOperation, tool: AnyTool): ToolDefinition {
  return {
    name: tool.name,
    title: tool.title,
    description: describe(tool.description, toExample(operation, tool)),
    inputSchema: inputSchema(operation, tool),
    outputSchema: outputSchema(operation, tool),
    annotations: tool.hints,
  };
}

function describe({ purpose, useWhen, notFor, formats, changes }: Description, example: object): string {
  return [
    purpose,
    `Use when ${useWhen}`,
    `Not for ${notFor}`,
    ...(formats === undefined ? [] : [`Formats: ${formats}`]),
    `Changes: ${changes}`,
    `Example: ${withoutSampleIds(JSON.stringify(example))}`,
  ].join('\n');
}

/** Ids of the examples belong to no workspace. Their names are shorter, and a model cannot take them for real ids. */
function withoutSampleIds(text: string): string {
  return Object.entries(sampleIds)
    .filter(([, id]) => isUuid(id))
    .reduce((rest, [name, id]) => rest.replaceAll(`"${id}"`, `"<${name}>"`), text);
}

/** The example of the operation as the arguments of a call. */
export function toExample({ example }: AnyOperation, tool: AnyTool): Readonly<Record<string, unknown>> {
  const { params, query, body } = example;
  const values = Object.entries({ ...params, ...query, ...(body as object | undefined) });
  const parts = values.filter(([name]) => isVariable((tool.arguments as Readonly<Record<string, Argument>>)[name]));
  return { ...Object.fromEntries(parts), ...(tool.confirmed === undefined ? {} : { confirm: true }) };
}

interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/** Omits the descriptions of the API: the list of tools is part of every conversation, and each argument has its own. */
function inputSchema(operation: AnyOperation, tool: AnyTool): ToolDefinition['inputSchema'] {
  const parts = [operation.params, operation.query, operation.body]
    .filter((part): part is z.ZodType => part !== undefined)
    .map((part) => objectSchema(part, 'input', true));
  const read = objectSchema(readingArguments(tool), 'input');
  const known = Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, JsonSchema>;
  const described = Object.entries(tool.arguments as Readonly<Record<string, Argument>>).flatMap(([name, argument]) =>
    isVariable(argument) ? [{ name, argument }] : [],
  );
  const properties = {
    ...Object.fromEntries(described.map(({ name, argument }) => [name, argumentSchema(argument, known[name])])),
    ...Object.fromEntries(
      Object.entries(read.properties).map(([name, property]) => [name, withoutZero(plainSchema(property))]),
    ),
  };
  const needed = described.filter(({ argument }) => typeof argument !== 'string' && argument.required === true);
  const names = [...parts.flatMap((part) => part.required), ...needed.map(({ name }) => name), ...read.required];
  const required = [...new Set(names)].filter((name) => name in properties);
  // An unknown argument is rejected by the operation, so the list does not repeat that for every tool.
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** Omits a default of 0: a list begins at its start. */
function withoutZero({ default: preset, ...rest }: JsonSchema): JsonSchema {
  return preset === undefined || preset === 0 ? rest : { default: preset, ...rest };
}

type VariableArgument = Exclude<Argument, { readonly always: unknown }>;

function isVariable(argument: Argument | undefined): argument is VariableArgument {
  return argument !== undefined && (typeof argument === 'string' || !('always' in argument));
}

function argumentSchema(argument: VariableArgument, own: JsonSchema | undefined): JsonSchema {
  const { description, schema } = typeof argument === 'string' ? { description: argument } : argument;
  return { ...plainSchema(schema?.() ?? own ?? {}), description };
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output', bare = false): ObjectSchema {
  return { required: [], properties: {}, ...toJsonSchema(schema, io, bare) } as unknown as ObjectSchema;
}

const errorBody = z.object({
  statusCode: z.int(),
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** The schema of the structured content: the result or an error body, since clients validate both against it. */
function outputSchema(operation: AnyOperation, tool: AnyTool): ToolDefinition['outputSchema'] {
  const response = toJsonSchema(operation.response as z.ZodType, 'output', true);
  const whole = response['type'] === 'array' ? asObject(tool.list ?? '', response) : response;
  const forms = ((whole['anyOf'] as readonly JsonSchema[] | undefined) ?? [whole]).map((form) =>
    [relaxed(tool.detail), paged(tool), followed(tool.follow)].reduce((schema, change) => change(schema), form),
  );
  const failed = toJsonSchema(errorBody, 'output');
  const [only] = forms as [JsonSchema];
  if (forms.length > 1) return { type: 'object', anyOf: [...forms, failed] };
  const required = [only['required'] ?? [], failed['required']].map((names) => ({ required: names }));
  const properties = { ...(only['properties'] as object), ...(failed['properties'] as object) };
  return { type: 'object', properties, anyOf: required };
}

type Change = (schema: JsonSchema) => JsonSchema;

function asObject(name: string, list: JsonSchema): JsonSchema {
  return { type: 'object', properties: { [name]: list }, required: [name] };
}

function withProperties(schema: JsonSchema, added: object, required: readonly string[]): JsonSchema {
  const { properties, required: already } = { properties: {}, required: [], ...schema } as unknown as ObjectSchema;
  return { ...schema, properties: { ...properties, ...added }, required: [...already, ...required] };
}

function paged({ list, listsWithin }: AnyTool): Change {
  const paging = { total: { type: 'integer' }, nextOffset: { type: ['integer', 'null'] } };
  const names = Object.keys(paging);
  if (list !== undefined) return (schema) => withProperties(schema, paging, names);
  if (listsWithin === undefined) return (schema) => schema;
  const page = { type: 'object', properties: { list: { type: 'string' }, ...paging }, required: ['list', ...names] };
  return (schema) => withProperties(schema, { page }, ['page']);
}

/** A client that waits gets the result of the work besides the response that started it. */
function followed(follow: Follow<AnyOperation> | undefined): Change {
  if (follow === undefined) return (schema) => schema;
  const { properties } = objectSchema(follow.operation.response as z.ZodType, 'output', true);
  return (schema) => withProperties(schema, { ...properties, pollAfterSeconds: { type: 'integer' } }, []);
}

/** Parts that a summary leaves out cannot be required. */
function relaxed(detail: Detail | undefined): Change {
  const paths = (detail?.summaryOmits ?? []).map((path) => path.split('.'));
  return (schema) => paths.reduce(withoutRequirement, schema);
}

function withoutRequirement(schema: JsonSchema, [name, ...rest]: readonly string[]): JsonSchema {
  if (name === undefined) return schema;
  if (schema['items'] !== undefined)
    return { ...schema, items: withoutRequirement(schema['items'] as JsonSchema, [name, ...rest]) };
  const { properties, required } = { properties: {}, required: [], ...schema } as unknown as ObjectSchema;
  const own = properties[name];
  if (own === undefined) return schema;
  if (rest.length === 0) return { ...schema, required: required.filter((key) => key !== name) };
  return { ...schema, properties: { ...properties, [name]: withoutRequirement(own, rest) } };
}
