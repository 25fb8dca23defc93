import { operations } from '#src/operations.js';
import { offeredTools, type ToolDefinition } from '#src/platform/mcp/tool-definition.js';

export const tests = new URL('../../../../test/', import.meta.url);

/** What `tools/list` returns to an admin. */
export const definitions = offeredTools(operations).map(({ definition }) => definition);

/** The words of a tool: its description and those of its arguments. */
export const wordsOf = ({ description, inputSchema }: ToolDefinition) =>
  `${description}\n${JSON.stringify(inputSchema)}`;

/** What the tool says about the argument. */
export function argumentOf({ inputSchema }: ToolDefinition, name: string): string | undefined {
  const properties = inputSchema['properties'] as
    | Readonly<Record<string, { readonly description: string }>>
    | undefined;
  return properties?.[name]?.description;
}

/** The sentences of the lines about formats and changes. */
export function promisesOf({ description }: ToolDefinition): string[] {
  const lines = [...description.matchAll(/^(?:Formats|Changes): (.+)$/gm)].map(([, text]) => text as string);
  return lines.flatMap((line) => line.replace(/\.$/, '').split('. '));
}
