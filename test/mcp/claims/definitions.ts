import { operations } from '#src/operations.js';
import { offeredTools } from '#src/platform/mcp/tool-definition.js';

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly description: string }>> };
  readonly annotations: { readonly readOnlyHint: boolean };
}

export const tests = new URL('../../../../test/', import.meta.url);

/** What `tools/list` returns to an admin. */
export const definitions = offeredTools(operations).map(({ definition }) => definition);

/** The words of a tool: its description and those of its arguments. */
export const wordsOf = ({ description, inputSchema }: Definition) => `${description}\n${JSON.stringify(inputSchema)}`;

/** What the tool says about the argument. */
export const argumentOf = ({ inputSchema }: Definition, name: string): string | undefined =>
  inputSchema.properties?.[name]?.description;

/** The sentences of the lines about formats and changes. */
export function promisesOf({ description }: Definition): string[] {
  const lines = [...description.matchAll(/^(?:Formats|Changes): (.+)$/gm)].map(([, text]) => text as string);
  return lines.flatMap((line) => line.replace(/\.$/, '').split('. '));
}
