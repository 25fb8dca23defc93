import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { omit } from './measure.js';

/** The parts of json-rules-engine that the benchmark uses. */
export interface JsonRulesEngine {
  readonly Engine: new (
    rules: readonly object[],
  ) => { run(facts: object): Promise<{ readonly events: readonly unknown[] }> };
}

/** The parts of @gorules/zen-engine that the benchmark uses. */
export interface ZenEngineModule {
  readonly ZenEngine: new () => {
    createDecision(content: object): {
      evaluate(facts: object): Promise<{ readonly result: { readonly passed?: boolean } }>;
    };
  };
}

const { resolve } = createRequire(new URL('../../bench/package.json', import.meta.url));

/**
 * Imports a package of bench/package.json, which the installation of the service does not include. Returns null if it
 * is not installed. Its types are declared here, so that the benchmarks compile without it.
 */
export async function importPeer<Peer>(name: string): Promise<Peer | null> {
  try {
    return (await import(pathToFileURL(resolve(name)).href)) as Peer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return omit(name, '"npm ci --prefix bench" installs it');
  }
}
