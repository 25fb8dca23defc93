import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** The executable of a browser, and the font configuration for machines without fonts. */
export interface BrowserProgram {
  readonly path: string;
  readonly fontConfig?: string;
}

/** The version of @sparticuz/chromium; each version unpacks into its own folder. */
const version = '143.0.4';

/**
 * The bundled browser, unpacked on first use; null where it does not run. The package unpacks into the temporary
 * folder, under names that another user of the machine could have created before. So it unpacks into a private
 * folder, in a separate process because the folder is set by the environment.
 */
export async function findBundledBrowser(): Promise<BrowserProgram | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const home = path.join(tmpdir(), `commissions-chromium-${process.getuid?.() ?? 0}`);
  await mkdir(home, { mode: 0o700 }).catch(ignore('EEXIST'));
  const found = await lstat(home);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
    throw new Error(`${home} must be a folder that only the user of this process can access`);
  const folder = path.join(home, version);
  if (!existsSync(folder)) await unpack(home, folder);
  const fontConfig = existsSync('/etc/fonts/fonts.conf') ? {} : { fontConfig: path.join(folder, 'fonts.conf') };
  return { path: path.join(folder, 'chromium'), ...fontConfig };
}

/**
 * Unpacks beside the folder and then renames, so that the folder is always complete. If another process was faster,
 * its folder is used.
 */
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
