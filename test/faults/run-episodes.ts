import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EpisodeResult, runEpisode } from './harness/episode.js';
import { type Backend, Fleet } from './harness/fleet.js';

/** Episodes on one fleet one after the other; null where the backend's server is not installed. */
export async function runEpisodes(
  backend: Backend,
  seeds: readonly number[],
  told: (result: EpisodeResult) => void,
): Promise<EpisodeResult[] | null> {
  const fleet = await Fleet.start(backend);
  if (fleet === null) return null;
  const results: EpisodeResult[] = [];
  try {
    for (const seed of seeds) {
      const result = await runEpisode(fleet, seed);
      results.push(result);
      if (result.violation !== null) await keepEvidence(fleet, result);
      told(result);
      if (result.violation !== null) break;
    }
  } finally {
    await fleet.stop();
  }
  return results;
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
  for (const { name, said } of fleet.processes) await writeFile(path.join(folder, `${name}.log`), said.join('\n'));
}
