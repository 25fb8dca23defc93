import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutants } from './mutants/mutants.js';

/** Gives the harness bugs to find, each in a copy of the project; fails when one of them stays unseen. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const parts = ['src', 'workers', 'migrations', 'test', 'bin', 'package.json', 'tsconfig.json'];
const mostEpisodes = Number(process.env['FAULT_EPISODES'] ?? 60);
const chosen = process.env['FAULT_MUTANT'];

interface Verdict {
  readonly episodes: number;
  /** Null when every episode held. */
  readonly violation: string | null;
}

async function copyWith({ changes }: Mutant): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'commissions-mutant-'));
  for (const part of parts) await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  for (const { file, from, to } of changes) {
    const text = await readFile(path.join(folder, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
    await writeFile(
      path.join(folder, file),
      text.replace(from, () => to),
    );
  }
  return folder;
}

async function judge(mutant: Mutant): Promise<Verdict> {
  const folder = await copyWith(mutant);
  try {
    // Bugs need not satisfy the compiler's checks.
    await run(folder, ['node_modules/typescript/bin/tsc', '--noCheck']);
    const { output } = await run(folder, ['dist/test/faults/faults.js'], {
      FAULT_EPISODES: String(mostEpisodes),
      FAULT_BACKEND: process.env['FAULT_BACKEND'] ?? 'postgres',
    });
    const told = output.match(/\d+ (holds|FAILS)/g) ?? [];
    if (told.length === 0) throw new Error(`no episode came to its end:\n${output.slice(-2000)}`);
    return { episodes: told.length, violation: /^(?:I\d|40P01).*/m.exec(output)?.[0] ?? null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  folder: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<{ output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...settings } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.once('error', reject);
    child.once('close', () => resolve({ output }));
  });
}

for (const mutant of mutants) {
  if (chosen !== undefined && !mutant.name.includes(chosen)) continue;
  const { episodes, violation } = await judge(mutant);
  const told =
    violation === null ? `NOT CAUGHT in ${episodes}` : `caught within ${episodes} by ${violation.slice(0, 100)}`;
  process.stdout.write(`${mutant.name}: ${told}\n`);
  if (violation === null) process.exitCode = 1;
}
