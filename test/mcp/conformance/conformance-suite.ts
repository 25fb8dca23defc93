import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One statement of the protocol that a scenario has checked. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

const manifest = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'));
const command = join(dirname(manifest), 'dist/index.js');
const loader = fileURLToPath(new URL('./load-on-node-20.js', import.meta.url));

/** Runs a command of the conformance suite. Returns the checks of each scenario that it ran. */
export async function runSuite(
  given: readonly string[],
  onLine: (line: string) => void = () => undefined,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const output = await outputOf([...given, '--output-dir', folder], onLine);
    const results = await Promise.all((await readdir(folder)).map((name) => resultIn(folder, name)));
    if (results.length === 0) throw new Error(`the suite ran no scenario: ${output}`);
    return new Map(results);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The exit code is that of the suite's own judgement, which the caller replaces. */
function outputOf(given: readonly string[], onLine: (line: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', loader, command, ...given], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        for (const line of text.split('\n')) onLine(line);
      });
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

/** The name of a folder ends with the time of the run. */
async function resultIn(folder: string, name: string): Promise<readonly [string, readonly Check[]]> {
  const scenario = name.replace(/^(authorization-server|server)-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  return [scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[]];
}
