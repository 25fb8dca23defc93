import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chunk } from '#src/kernel/chunk.js';
import { type EpisodeResult, runRound } from './harness/episode.js';
import { type Backend, Fleet } from './harness/fleet.js';

/** So many share one wait for quiet; fewer show sooner that something is wrong. */
const episodesPerRound = Number(process.env['FAULT_ROUND'] ?? 4);

/** Episodes on one fleet, until one fails; null where the backend's server is not installed. */
export async function runEpisodes(
  backend: Backend,
  seeds: readonly number[],
  told: (results: readonly EpisodeResult[]) => void = () => undefined,
): Promise<EpisodeResult[] | null> {
  const fleet = await Fleet.start(backend);
  if (fleet === null) return null;
  const all: EpisodeResult[] = [];
  try {
    for (const round of chunk(seeds, episodesPerRound)) {
      const results = await runRound(fleet, round);
      all.push(...results);
      told(results);
      const failed = results.filter(({ violation }) => violation !== null);
      for (const result of process.env['FAULT_KEEP'] === '1' ? results : failed) await keepEvidence(fleet, result);
      if (failed.length > 0) break;
    }
  } finally {
    await fleet.stop();
  }
  return all;
}

/** How to see the episode again. The processes race each other, so it may take a few times. */
export function repetition(backend: Backend, seed: number): string {
  return `FAULT_BACKEND=${backend} FAULT_SEED=${seed} FAULT_EPISODES=1 npm run faults`;
}

/** The decisions, and what every process and PostgreSQL have said. */
async function keepEvidence(fleet: Fleet, { seed, log }: EpisodeResult): Promise<void> {
  const folder = path.join(tmpdir(), `commissions-faults-${fleet.backend}-${seed}`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'episode.log'), `${log.lines.join('\n')}\n`);
  await writeFile(path.join(folder, 'postgres.log'), await fleet.postgres.log());
  for (const { name, output } of fleet.processes) await writeFile(path.join(folder, `${name}.log`), output);
}
