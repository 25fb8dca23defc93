import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chunk } from '#src/kernel/chunk.js';
import { type EpisodeResult, runRound } from './harness/episode.js';
import { type Backend, Fleet } from './harness/fleet.js';

/** This many episodes share one wait for quiescence. Fewer episodes report a failure sooner. */
const episodesPerRound = Number(process.env['FAULT_ROUND'] ?? 4);

/** Runs episodes on one fleet until one fails. Returns null if the backend's server is not installed. */
export async function runEpisodes(
  backend: Backend,
  seeds: readonly number[],
  report: (results: readonly EpisodeResult[]) => void = () => undefined,
): Promise<EpisodeResult[] | null> {
  const fleet = await Fleet.start(backend);
  if (fleet === null) return null;
  const all: EpisodeResult[] = [];
  try {
    for (const round of chunk(seeds, episodesPerRound)) {
      const results = await runRound(fleet, round);
      all.push(...results);
      report(results);
      const failed = results.filter(({ violation }) => violation !== null);
      for (const result of process.env['FAULT_KEEP'] === '1' ? results : failed) await storeEvidence(fleet, result);
      if (failed.length > 0) break;
    }
  } finally {
    await fleet.stop();
  }
  return all;
}

/** The command that repeats the episode. Processes race, so reproducing a failure may take a few repetitions. */
export function repetition(backend: Backend, seed: number): string {
  return `FAULT_BACKEND=${backend} FAULT_SEED=${seed} FAULT_EPISODES=1 npm run faults`;
}

/** Stores the decisions and the output of every process and of PostgreSQL. */
async function storeEvidence(fleet: Fleet, { seed, log }: EpisodeResult): Promise<void> {
  const folder = path.join(tmpdir(), `commissions-faults-${fleet.backend}-${seed}`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'episode.log'), `${log.lines.join('\n')}\n`);
  await writeFile(path.join(folder, 'postgres.log'), await fleet.postgres.log());
  for (const { name, output } of fleet.processes) await writeFile(path.join(folder, `${name}.log`), output);
}
