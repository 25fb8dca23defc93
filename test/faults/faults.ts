import { type Backend } from './harness/fleet.js';
import { repetition, runEpisodes } from './run-episodes.js';

/** Runs episodes until one fails: the nightly run, and the way to repeat one. docs/testing.md lists the settings. */
const first = Number(process.env['FAULT_SEED'] ?? 1);
const count = Number(process.env['FAULT_EPISODES'] ?? 400);
const chosen = process.env['FAULT_BACKEND'];
const backends: readonly Backend[] = chosen === 'postgres' || chosen === 'redis' ? [chosen] : ['postgres', 'redis'];

const print = (line: string) => process.stdout.write(`${line}\n`);
for (const [index, backend] of backends.entries()) {
  const seeds = Array.from({ length: count }, (_, offset) => first + offset).filter(
    (_seed, offset) => offset % backends.length === index,
  );
  let since = performance.now();
  const results = await runEpisodes(backend, seeds, (round) => {
    const report = round.map(({ seed, violation }) => `${seed} ${violation === null ? 'holds' : 'FAILS'}`).join(', ');
    print(`${backend}: ${report} (${((performance.now() - since) / 1000).toFixed(1)} s)`);
    since = performance.now();
  });
  if (results === null) print(`SKIPPED: episodes on ${backend}, because redis-server is not installed`);
  const failed = results?.find(({ violation }) => violation !== null);
  if (failed === undefined) continue;
  print(`\n${failed.violation?.message}\n\nto repeat: ${repetition(backend, failed.seed)}`);
  process.exitCode = 1;
  break;
}
