import { withTimeout } from '#src/kernel/waiting.js';
import { closeServices } from './bench-service.js';
import { benchmarks } from './benchmarks.js';
import { markdown } from './measure.js';
import { type Size } from './size.js';

/** What the process of a benchmark sends to main.ts: a table, or why it failed. */
export type Report = { readonly table: string } | { readonly failure: string };

const [name = '', size] = process.argv.slice(2);
let hasFailed = false;

// Also a rejection that no code handles. What the benchmark has started would outlive its process.
process.on('uncaughtException', (error) => void fail(error));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void fail(new Error(`interrupted by ${signal}`)));

async function fail(error: unknown): Promise<void> {
  if (hasFailed) return;
  hasFailed = true;
  await report({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  await withTimeout(60_000, closeServices(), () => undefined);
  process.exit(1);
}

function report(message: Report): Promise<unknown> {
  return new Promise((resolve) => process.send?.(message, resolve));
}

try {
  const benchmark = await benchmarks[name]?.();
  if (benchmark === undefined) throw new Error(`there is no benchmark ${name}`);
  for await (const table of benchmark(size as Size)) await report({ table: markdown(table) });
  process.exit(0);
} catch (error) {
  await fail(error);
}
