import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded with `--import` before the conformance suite, which imports two things that Node.js 20 lacks and that its
 * commands for servers do not use: `globSync`, and a client of GitHub that needs Node.js 22.
 */
const replacements: Readonly<Record<string, string>> = {
  fs: `data:text/javascript,export * from 'node:fs'; export const globSync = undefined;`,
  '@octokit/rest': 'data:text/javascript,export const Octokit = undefined;',
};

if (isMainThread) register(import.meta.url);

interface Context {
  readonly parentURL?: string;
}

type Next = (specifier: string, context: Context) => unknown;

/** A hook of the module loader, which runs in a separate thread. */
export function resolve(specifier: string, context: Context, next: Next): unknown {
  const url = replacements[specifier];
  const isOfSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/') === true;
  return url === undefined || !isOfSuite ? next(specifier, context) : { url, shortCircuit: true };
}
