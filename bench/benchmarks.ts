import { type Table } from './measure.js';
import { type Size } from './size.js';

type Benchmark = (size: Size) => AsyncGenerator<Table>;

/** The benchmarks by their names on the command line, in the order of docs/performance.md. Each process loads one. */
export const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  recalculation: async () => (await import('./recalculation.js')).recalculation,
  memory: async () => (await import('./memory.js')).memory,
  ramps: async () => (await import('./ramps.js')).ramps,
  splits: async () => (await import('./splits.js')).splits,
  lines: async () => (await import('./lines.js')).lines,
  shapes: async () => (await import('./shapes.js')).shapes,
  changes: async () => (await import('./changes.js')).changes,
  storms: async () => (await import('./storms.js')).storms,
  workers: async () => (await import('./workers.js')).workers,
  engine: async () => (await import('./engine.js')).engine,
  http: async () => (await import('./http.js')).http,
  intake: async () => (await import('./intake.js')).intake,
  latency: async () => (await import('./latency.js')).latency,
  import: async () => (await import('./imports.js')).imports,
  pdf: async () => (await import('./pdf.js')).pdf,
  documents: async () => (await import('./documents.js')).documents,
  sync: async () => (await import('./crm-sync.js')).crmSync,
  payouts: async () => (await import('./payouts.js')).payouts,
  fairness: async () => (await import('./fairness.js')).fairness,
  people: async () => (await import('./people.js')).people,
  feeds: async () => (await import('./feeds.js')).feeds,
  agents: async () => (await import('./agents.js')).agents,
};
