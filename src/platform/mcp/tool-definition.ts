import { type z } from 'zod';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type JsonSchema, toJsonSchema } from '../json-schema.js';
import { type AnyOperation, type AnyTool } from '../operations/operation.js';
import { plainSchema } from './plain-schema.js';
import { type Argument, type Description, type Hints } from './tool.js';
import { readingArguments } from './tool-arguments.js';

/**
 * A tool in the result of tools/list. It has no output schema: the list is part of every conversation, and the schemas
 * of the results would be two thirds of it. The OpenAPI document has them.
 */
export interface ToolDefinition {
  readonly name: string;
  /** Absent where it says what the name says. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
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
    ...(saysMore(tool) ? { title: tool.title } : {}),
    description: describe(tool.description, toExample(operation, tool)),
    inputSchema: inputSchema(operation, tool),
    annotations: tool.hints,
  };
}

function saysMore({ name, title }: Pick<AnyTool, 'name' | 'title'>): boolean {
  return title.toLowerCase() !== name.replaceAll('_', ' ');
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
    .map((part) => objectSchema(part, true));
  const read = objectSchema(readingArguments(tool));
  const known = Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, JsonSchema>;
  const described = Object.entries(tool.arguments as Readonly<Record<string, Argument>>).flatMap(([name, argument]) =>
    isVariable(argument) ? [{ name, argument }] : [],
  );
  const properties = {
    ...Object.fromEntries(described.map(({ name, argument }) => [name, argumentSchema(argument, known[name])])),
    ...Object.fromEntries(
      Object.entries(read.properties).map(([name, property]) => [name, withoutNumber(plainSchema(property))]),
    ),
  };
  const needed = described.filter(({ argument }) => typeof argument !== 'string' && argument.required === true);
  const names = [...parts.flatMap((part) => part.required), ...needed.map(({ name }) => name), ...read.required];
  const required = [...new Set(names)].filter((name) => name in properties);
  // An unknown argument is rejected by the operation, so the list does not repeat that for every tool.
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** Omits default numbers: a list begins at its start, and says how many items a page has left out. */
function withoutNumber({ default: preset, ...rest }: JsonSchema): JsonSchema {
  return typeof preset === 'string' ? { default: preset, ...rest } : rest;
}

type VariableArgument = Exclude<Argument, { readonly always: unknown }>;

function isVariable(argument: Argument | undefined): argument is VariableArgument {
  return argument !== undefined && (typeof argument === 'string' || !('always' in argument));
}

function argumentSchema(argument: VariableArgument, own: JsonSchema | undefined): JsonSchema {
  const { description, schema } = typeof argument === 'string' ? { description: argument } : argument;
  return { ...plainSchema(schema?.() ?? own ?? {}), description };
}

function objectSchema(schema: z.ZodType, bare = false): ObjectSchema {
  return { required: [], properties: {}, ...toJsonSchema(schema, 'input', bare) } as unknown as ObjectSchema;
}
