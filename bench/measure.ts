import { withTimeout } from '#src/kernel/waiting.js';
import { type Effect, observe } from './effects.js';

/** One of the alternatives that a benchmark compares. */
export interface Contender {
  readonly name: string;
  /** What each run must have done, exactly. */
  readonly effects: readonly Effect[];
  /** Restores the initial state before each run; not measured. */
  prepare?(): Promise<void>;
  /** Runs once; returns the figure, or nothing to use the elapsed time. */
  run(): Promise<number | undefined> | Promise<void>;
}

/** The longest wait for one run or one preparation, so that what hangs fails. */
export const maxWaitSeconds = Number(process.env['BENCH_TIMEOUT_SECONDS'] ?? 3600);

export interface Measured {
  readonly name: string;
  readonly median: number;
  readonly runs: readonly number[];
}

/**
 * Runs the contenders alternately, so that other load on the machine affects all of them, and returns their medians.
 * The first rounds are a warm-up.
 */
export async function alternating(contenders: readonly Contender[], rounds: number, warmUps = 1): Promise<Measured[]> {
  const runs = new Map(contenders.map((contender) => [contender.name, [] as number[]]));
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const contender of contenders) {
      const figure = await measureOnce(contender, round === 0);
      if (round >= warmUps) runs.get(contender.name)?.push(figure);
      if (process.env['BENCH_VERBOSE']) process.stderr.write(`${contender.name} ${round}: ${figure.toFixed(1)}\n`);
    }
  }
  return [...runs].map(([name, figures]) => ({ name, runs: figures, median: median(figures) }));
}

/**
 * Runs the contender once and returns its figure. Throws if the run did not have exactly its effects, and before the
 * first run if they are there without it: such effects prove nothing.
 */
export async function measureOnce(contender: Contender, isFirst = true): Promise<number> {
  const { name, effects } = contender;
  await contender.prepare?.();
  if (isFirst && (await (await observe(effects))()).length === 0)
    throw new Error(`"${name}" has its effects without a run`);
  const findDeviations = await observe(effects);
  const start = performance.now();
  const running = contender.run() as Promise<number | undefined>;
  const result = await withTimeout(maxWaitSeconds * 1000, running, () => {
    throw new Error(`"${name}" still runs after ${maxWaitSeconds} s`);
  });
  const figure = result ?? performance.now() - start;
  if (!(figure > 0)) throw new Error(`"${name}" has the figure ${figure}`);
  const deviations = await findDeviations();
  if (deviations.length > 0) throw new Error(`"${name}" did not do its work: ${deviations.join('; ')}`);
  return figure;
}

/** Prints that a part of a benchmark is omitted, since its program is not installed. */
export function omit(part: string, reason: string): null {
  process.stdout.write(`Without ${part}: ${reason}.\n\n`);
  return null;
}

/** Returns how many milliseconds the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** The result of a benchmark as one Markdown table under a heading. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes?: readonly string[];
}

export function markdown({ title, columns, rows, notes = [] }: Table): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const remarks = notes.map((note) => `\n${note}\n`).join('');
  return `**${title}**\n\n${[line(columns), rule, ...rows.map(line)].join('\n')}\n${remarks}`;
}

/** Formats milliseconds: `0.42 ms`, `18 ms`, `4.7 s`. */
export function duration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms >= 10_000 ? 1 : 2)} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(2)} ms`;
}

export function ratio(figure: number): string {
  if (figure < 0.0005) return '< 0.001 ×';
  return `${figure >= 10 ? figure.toFixed(0) : figure.toFixed(figure < 0.1 ? 3 : 2)} ×`;
}

export function count(figure: number): string {
  return Math.round(figure).toLocaleString('en-US');
}
