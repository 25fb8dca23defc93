import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** A browser's program, and where it finds fonts when the machine has none. */
export interface BrowserProgram {
  readonly path: string;
  readonly fontConfig?: string;
}

/** Of @sparticuz/chromium; another version unpacks into another folder. */
const version = '143.0.4';

/**
 * The browser that comes with the service, unpacked on first use; null where it does not run. The package unpacks
 * into the temp folder, under names that anyone on the machine could have taken before: so it is sent to a folder
 * that is ours alone, in a process of its own because the environment says where.
 */
export async function bundledBrowser(): Promise<BrowserProgram | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const home = path.join(tmpdir(), `commissions-chromium-${process.getuid?.() ?? 0}`);
  await mkdir(home, { mode: 0o700 }).catch(ignore('EEXIST'));
  const found = await lstat(home);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
    throw new Error(`${home} is not a folder of ours alone`);
  const folder = path.join(home, version);
  if (!existsSync(folder)) await unpack(home, folder);
  const fontConfig = existsSync('/etc/fonts/fonts.conf') ? {} : { fontConfig: path.join(folder, 'fonts.conf') };
  return { path: path.join(folder, 'chromium'), ...fontConfig };
}

/** Beside and then into place, so that a folder of that name is always whole; who comes second throws his away. */
async function unpack(home: string, folder: string): Promise<void> {
  const fresh = await mkdtemp(path.join(home, 'unpacking-'));
  try {
    const script = `import(process.argv[1]).then((module) => module.default.executablePath())`;
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: fresh };
    await promisify(execFile)(process.execPath, ['-e', script, import.meta.resolve('@sparticuz/chromium')], {
      env,
      timeout: 60_000,
    });
    await chmod(path.join(fresh, 'chromium'), 0o700);
    const fonts = path.join(folder, 'fonts');
    await writeFile(
      path.join(fresh, 'fonts.conf'),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${fonts}</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
    );
    await rename(fresh, folder).catch(ignore('ENOTEMPTY', 'EEXIST'));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

function ignore(...codes: readonly string[]) {
  return (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}
