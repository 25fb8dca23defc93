import { type OfferedTool } from '#src/platform/mcp/tool-definition.js';
import { type ApiDocument } from '#src/platform/openapi/document.js';
import { fingerprint, type Line, type Reading, type Schema, schemaLines } from './schema-lines.js';

/** The lines of every operation (`POST /v1/plans`) and tool (`tool list_plans`). */
export type Contract = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly $ref?: string }>>;
  readonly [extension: `x-${string}`]: unknown;
}

export function readContract(document: ApiDocument, tools: readonly OfferedTool['definition'][]): Contract {
  return new Map([...operationSections(document), ...tools.map(toolSection).sort(byName)]);
}

type Section = readonly [heading: string, lines: ReadonlyMap<string, string>];

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function operationSections(document: ApiDocument): Section[] {
  const paths = Object.entries(document.paths ?? {}).sort(byName);
  const component = (reference: string) =>
    reference
      .split('/')
      .slice(1)
      .reduce((at, name) => at[name] as Schema, document as unknown as Schema);
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>)
      .map(([method, described]): Section => {
        return [`${method.toUpperCase()} ${path}`, new Map(operationLines(described, component))];
      })
      .sort(byName),
  );
}

function operationLines(described: Described, component: Reading['resolve']): Line[] {
  const { operationId, deprecated, parameters = [], requestBody, responses } = described;
  const request = { resolve: component, withText: false, withOpen: true };
  const response = { ...request, withOpen: false };
  const statuses = Object.entries(responses).map(([status, { $ref, ...own }]) => {
    return [status, $ref === undefined ? own : (component($ref) as Body)] as const;
  });
  return [
    ['name', operationId],
    ['access', access(described)],
    ...(deprecated === true ? ([['deprecated', 'yes']] as const) : []),
    ...parameters.flatMap((parameter) => parameterLines(parameter, request)).sort(byName),
    ...(requestBody === undefined ? [] : bodyLines('body', requestBody, request)),
    ...statuses
      .filter(([status]) => Number(status) < 400)
      .flatMap(([status, body]) => bodyLines(status, body, response)),
    ['errors', errors(statuses.filter(([status]) => Number(status) >= 400))],
  ];
}

const json = 'application/json';

/** The role and everything else that decides who may call the operation. */
function access(described: Described): string {
  const extensions = Object.entries(described).filter(([name]) => name.startsWith('x-') && name !== 'x-least-role');
  return [described['x-least-role'], ...extensions.map(([name, value]) => `${name.slice(2)}=${value}`)].join(' ');
}

function parameterLines({ $ref, ...own }: Parameter, reading: Reading): Line[] {
  const { in: kind, name, required = false, schema } = $ref === undefined ? own : (reading.resolve($ref) as never);
  return schemaLines(`${kind}.${name}`, schema, required, reading);
}

/** Of a body with several media types, only JSON has fields. */
function bodyLines(key: string, { content = {}, required = false }: Body, reading: Reading): Line[] {
  const media = Object.keys(content).sort().join('|');
  if (media === '') return [[key, 'empty']];
  const schema = (content[json] ?? Object.values(content)[0])?.schema ?? {};
  return schemaLines(key, media === json ? schema : { ...schema, media }, required, reading);
}

/** `409=plan_changed|plan_in_use` for every status. */
function errors(statuses: readonly (readonly [string, Body])[]): string {
  const codes = statuses.map(([status, { content }]) => {
    const schema = content?.[json]?.schema as unknown as FailureSchema;
    return `${status}=${[...schema.allOf[1].properties.code.enum].sort().join('|')}`;
  });
  return codes.sort().join(' ');
}

/** The body of every error, and the codes with the status. */
interface FailureSchema {
  readonly allOf: readonly [Schema, { readonly properties: { readonly code: { readonly enum: readonly string[] } } }];
}

/** The schemas of tools contain no references. Their texts are part of the contract: models act on them. */
const toolReading = {
  resolve: (reference: string) => {
    throw new Error(`A tool refers to ${reference}`);
  },
  withText: true,
  withOpen: false,
};

function toolSection({ name, title, description, annotations, inputSchema }: OfferedTool['definition']): Section {
  const hints = Object.entries(annotations).map(([hint, value]) => `${hint}=${value}`);
  const lines: Line[] = [
    ['hints', hints.sort().join(' ')],
    ['text', fingerprint(`${title}\n${description}`)],
    ...schemaLines('input', inputSchema, false, toolReading),
  ];
  return [`tool ${name}`, new Map(lines)];
}
