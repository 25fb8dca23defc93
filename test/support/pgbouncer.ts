import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { access, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemUser } from '#embedded-postgres/privileges.js';
import { appRole } from '#src/platform/database/pool.js';
import { freePort } from './free-port.js';
import { query } from './ledger-checks.js';
import { testServer } from './test-database.js';

export interface PgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

const program = '/usr/sbin/pgbouncer';
const example = new URL('../../../deploy/pgbouncer/pgbouncer.ini', import.meta.url);

/** Starts Debian's PgBouncer in transaction mode. Returns null if it is not installed; with CI set that is an error. */
export async function startPgBouncer(behindUrl: string): Promise<PgBouncer | null> {
  const installed = await access(program).then(
    () => true,
    () => false,
  );
  if (!installed) {
    if (process.env['CI']) throw new Error('pgbouncer is not installed; .ci/run installs it.');
    return null;
  }
  const behind = new URL(behindUrl);
  const user = process.getuid?.() === 0 ? await systemUser() : undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'commissions-pgbouncer-'));
  const port = await freePort();
  const [ini, users] = [path.join(folder, 'pgbouncer.ini'), path.join(folder, 'users.txt')];
  await writeFile(users, `"${behind.username}" "${decodeURIComponent(behind.password)}"\n`);
  await writeFile(ini, settingsOf({ behind, port, users }));
  if (user !== undefined) for (const file of [folder, ini, users]) await chown(file, user.uid, user.gid);
  await chmod(folder, 0o700);
  const bouncer = spawn(program, [ini], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...user });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    bouncer.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('process up')) resolve();
    });
    bouncer.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${output}`)));
  });
  const url = new URL(behindUrl);
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      const exit = new Promise((resolve) => bouncer.once('exit', resolve));
      bouncer.kill('SIGTERM');
      setTimeout(() => bouncer.kill('SIGKILL'), 2000).unref();
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Creates a separate login for a pooler, as docs/growing.md describes it: it has the rights of the service, owns nothing, and
 * has the settings that the pooler drops. Returns the URL of the database with it.
 */
export async function createPooledLogin(appUrl: string, username: string): Promise<string> {
  const login = Object.assign(new URL(appUrl), { username, password: 'pooled' });
  const { superuserUrl } = await testServer();
  for (const statement of [
    `drop role if exists ${username}`,
    `create role ${username} login password 'pooled' in role ${appRole}`,
    `alter role ${username} set timezone = 'UTC'`,
    `alter role ${username} set jit = off`,
  ])
    await query(superuserUrl, statement);
  return login.href;
}

/** The file for operators, with the addresses of a test. */
function settingsOf({ behind, port, users }: { behind: URL; port: number; users: string }): string {
  const own: Readonly<Record<string, string | number>> = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_file: users,
    default_pool_size: 5,
  };
  const lines = readFileSync(example, 'utf8')
    .replace(/^commissions = .*$/m, `* = host=${behind.hostname} port=${behind.port}`)
    .split('\n')
    .map((line) =>
      line.replace(/^([a-z_]+) = .*$/, (all, name: string) => (name in own ? `${name} = ${own[name]}` : all)),
    );
  return [...lines, 'unix_socket_dir =', ''].join('\n');
}
