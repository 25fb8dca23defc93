import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Mutant, mutants } from './mutants/mutants.js';

/**
 * Applies known bugs one by one to a copy of the compiled project and runs the harness on it, with `--part 2/5` every
 * fifth one, beginning with the second. Fails if a bug is not found.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const parts = ['dist', 'bin', 'package.json', 'package-lock.json'];
const maxEpisodes = process.env['FAULT_EPISODES'] ?? '40';
const backend = process.env['FAULT_BACKEND'] ?? 'postgres';
const chosen = process.env['FAULT_MUTANT'] ?? '';
const { values } = parseArgs({ options: { part: { type: 'string', default: '1/1' } } });
const [part = 0, partCount = 0] = values.part.split('/').map(Number);
if (!(part >= 1 && part <= partCount)) throw new Error(`--part ${values.part} must have the form 2/5`);

interface Verdict {
  readonly isCaught: boolean;
  /** The violated invariant, otherwise the end of the output. */
  readonly finding: string;
  /** The number of episodes until the failure, if episodes found it. */
  readonly after: string;
  readonly seconds: number;
}

async function copyOfProject(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'commissions-mutants-'));
  for (const part of parts) await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  // Changed files are compiled separately, and bugs need not satisfy the type checker.
  const compilerOptions = { noCheck: true, noResolve: true, incremental: false, rootDir: '.', outDir: 'dist' };
  const settings = {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions,
    include: ['src', 'workers', 'migrations'],
  };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
  return folder;
}

/** Compiles the changed files into the copy; returns a function that restores it. */
async function apply(folder: string, { changes }: Mutant): Promise<() => Promise<void>> {
  const compiled = [...new Set(changes.map(({ file }) => path.join(folder, 'dist', file.replace(/\.ts$/, '.js'))))];
  const before = await Promise.all(compiled.map((file) => readFile(file)));
  for (const { file, from, to } of changes) {
    const place = path.join(folder, file);
    const text = await readFile(place, 'utf8').catch(() => readFile(path.join(root, file), 'utf8'));
    if (text.split(from).length !== 2) throw new Error(`${file} does not contain exactly once: ${from}`);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(
      place,
      text.replace(from, () => to),
    );
  }
  const { output } = await run(folder, ['node_modules/typescript/bin/tsc']);
  if (output !== '') throw new Error(output);
  return async () => {
    for (const { file } of changes) await rm(path.join(folder, file), { force: true });
    await Promise.all(compiled.map((file, index) => writeFile(file, before[index] as Buffer)));
  };
}

async function judge(folder: string, mutant: Mutant): Promise<Verdict> {
  const restore = await apply(folder, mutant);
  const startedAt = performance.now();
  const verdict =
    mutant.steps === undefined ? await judgeByEpisodes(folder, mutant) : await judgeBySteps(folder, mutant.steps);
  await restore();
  return { ...verdict, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

async function judgeByEpisodes(folder: string, { breaks, aim = '' }: Mutant): Promise<Omit<Verdict, 'seconds'>> {
  const { output, code } = await run(folder, ['dist/test/faults/faults.js'], {
    FAULT_EPISODES: maxEpisodes,
    FAULT_BACKEND: backend,
    FAULT_ROUND: '2',
    FAULT_AIM: aim,
  });
  const reports = [...output.matchAll(/(\d+) (holds|FAILS)/g)];
  const failed = reports.findIndex(([, , how]) => how === 'FAILS');
  const violation = /^(I\d+(?:\/I\d+)?|40P01): .*/m.exec(output);
  return {
    isCaught: violation !== null && breaks.includes(violation[1] as string),
    finding: violation?.[0] ?? (code === 0 ? 'every episode held' : output.slice(-600)),
    after: `${failed === -1 ? reports.length : failed + 1}`,
  };
}

async function judgeBySteps(folder: string, test: string): Promise<Omit<Verdict, 'seconds'>> {
  const mocha = ['node_modules/mocha/bin/mocha.js', '--no-config', '--require', 'dist/test/support/hooks.js'];
  const { output } = await run(folder, [...mocha, '--timeout', '100000', `dist/${test}.js`]);
  // Only a failed assertion counts.
  const broken = /AssertionError.*|.+(?=\n +\+ expected - actual)/.exec(output);
  const finding = broken === null ? output.slice(-600) : `${path.basename(test)}: ${broken[0].trim()}`;
  return { isCaught: broken !== null, finding, after: '' };
}

function run(
  folder: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<{ readonly output: string; readonly code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...settings } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        process.stderr.write(chunk);
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ output, code }));
  });
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = await copyOfProject();
const rows: string[] = [];
try {
  const ofPart = mutants.filter((_, index) => index % partCount === part - 1);
  for (const mutant of ofPart.filter(({ name }) => name.includes(chosen))) {
    const { isCaught, finding, after, seconds } = await judge(folder, mutant);
    const how = isCaught ? 'caught' : 'NOT CAUGHT';
    print(
      `${mutant.name}: ${how}, ${seconds} s, episode ${after || 'none'}: ${finding.slice(0, isCaught ? 160 : 1000)}`,
    );
    rows.push(`| ${mutant.name} | ${isCaught ? finding.split(':')[0] : how} | ${after} |`);
    if (!isCaught) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
print(['', '| Mutant | Caught by | Episode |', '| --- | --- | --- |', ...rows].join('\n'));
