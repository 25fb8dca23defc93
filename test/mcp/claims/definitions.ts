import { readFileSync } from 'node:fs';

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly description: string }>> };
  readonly annotations: { readonly readOnlyHint: boolean };
}

export const tests = new URL('../../../../test/', import.meta.url);

/** What `tools/list` returns to an admin. */
export const definitions: readonly Definition[] = JSON.parse(
  readFileSync(new URL('mcp/definitions.json', tests), 'utf8'),
);

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
