import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Root cannot set up the sandbox of the browser. */
const asRoot = 'the service runs as root';
const withoutNamespaces = 'this user may not create user namespaces, which containers forbid by default';

let known: Promise<string | null> | undefined;

/**
 * Why the browser must run without its sandbox, or null if it has one. On Linux the sandbox needs user namespaces, and
 * a browser that lacks them ends at its start.
 */
export function findMissingSandbox(): Promise<string | null> {
  known ??= find();
  return known;
}

async function find(): Promise<string | null> {
  if (process.getuid?.() === 0) return asRoot;
  if (process.platform !== 'linux') return null;
  return promisify(execFile)('unshare', ['--user', 'true'], { timeout: 10_000 }).then(
    () => null,
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : withoutNamespaces),
  );
}
