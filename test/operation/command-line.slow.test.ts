import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createLog } from '#src/platform/log.js';
import { command } from '#test/support/command.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { runCommand } from '#test/support/run-command.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase } from '#test/support/test-database.js';

describe('the command line', () => {
  let service: ServiceProcesses;

  before(async () => {
    service = await ServiceProcesses.start();
  });

  after(() => service?.stop());

  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runCommand(args, { ...service.environment, ...more });

  it('doctor reports what is missing and how to repair it, and exits with 1 only if a check fails', async () => {
    const healthy = await run(['doctor', '--json']);
    const findings: { check: string; state: string; message: string }[] = JSON.parse(healthy.stdout);
    const checks = ['Node.js', 'Configuration', 'Time zones', 'Port', 'Disk', 'PDF', 'Fonts', 'Mail', 'Database'];
    expect(findings.map(({ check }) => check)).to.include.members([
      ...checks,
      'Migrations',
      'Clock',
      'Database role',
      'Job queue',
      'Master key',
    ]);
    const failed = findings.filter(({ state }) => state === 'failed').map(({ check }) => check);
    expect(failed.filter((check) => check !== 'PDF')).to.deep.equal([]);
    const broken = await run(['doctor'], { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Pay <pay@x.test>' });
    expect(broken.code).to.equal(1);
    expect(broken.stdout).to.match(/^✗ Mail: connecting to SMTP_URL failed/m);
  });

  it('status, migrate status and version print the state of the installation', async () => {
    expect(JSON.parse((await run(['status', '--json'])).stdout)).to.include({ pendingMigrations: 0, parkedReps: 0 });
    expect(await run(['migrate', 'status'])).to.include({ code: 0, stdout: '' });
    expect((await run(['version'])).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('openapi prints the document, and completion a valid script of its shell', async () => {
    expect(JSON.parse((await run(['openapi'])).stdout)).to.include({ openapi: '3.0.3' });
    const cut = `"${process.execPath}" "${command}" openapi | head -c 1`;
    expect(await promisify(execFile)('bash', ['-c', cut])).to.include({ stdout: '{', stderr: '' });
    const { stdout } = await run(['completion', 'bash']);
    const script = `${stdout}\nCOMP_WORDS=(commissions migrate st); COMP_CWORD=2; _commissions; echo "\${COMPREPLY[*]}"`;
    expect((await promisify(execFile)('bash', ['-c', script])).stdout).to.equal('status\n');
    expect(await run(['completion', 'tcsh'])).to.have.property('code', 2);
  });

  it('audit verify, audit delete and workspace list work on all databases, or on that of --shard', async () => {
    const eu = await createTestDatabase({ migrate: migrateTestDatabase });
    try {
      const { DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl } = eu.environment;
      const shards = { DATABASE_SHARDS: JSON.stringify([{ name: 'eu', url, ownerUrl }]) };
      const create = async (shard: string): Promise<string> =>
        JSON.parse((await run(['workspace', 'create', `In ${shard}`, '--shard', shard, '--json'], shards)).stdout)
          .workspaceId;
      const [home, away] = [await create('main'), await create('eu')];
      const read = async (...args: readonly string[]) => {
        const { stdout } = await run([...args, '--json'], shards);
        return (JSON.parse(stdout) as { readonly workspaceId: string; readonly database?: string }[]).map(
          ({ workspaceId, database }) => [workspaceId, database],
        );
      };
      for (const words of [
        ['workspace', 'list'],
        ['audit', 'verify'],
        ['audit', 'delete', '--before', '2020-01-01'],
      ]) {
        expect(await read(...words), words.join(' '))
          .to.deep.include([home, 'main'])
          .and.deep.include([away, 'eu']);
        expect(await read(...words, '--shard', 'eu')).to.deep.equal([[away, undefined]]);
      }
      expect(await read('audit', 'verify', away)).to.deep.equal([[away, 'eu']]);
      const wrong = await run(['audit', 'verify', away, '--expect', '1:ab'], shards);
      expect(wrong.code).to.equal(1);
      expect(wrong.stdout).to.match(new RegExp(`^eu  ${away}  .*WRONG: the chain does not contain 1:ab\n$`));
      expect((await run(['audit', 'verify', home])).stdout).to.match(new RegExp(`^${home}  `));
    } finally {
      await eu.drop();
    }
  });

  it('wrong arguments exit with 2 and say what is wrong', async () => {
    const unknown = '0d5a3a4e-6d0c-4f1b-9a53-6a1f4f7f2b10';
    const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
      [['workspace', 'create', 'Acme', '--admin-email', 'alex'], 'alex is not an e-mail address'],
      [['api-key', 'rotate', 'acme'], 'acme is not a workspace id'],
      [
        ['api-key', 'rotate', unknown, '--grace-minutes', '-5'],
        '--grace-minutes must be a whole number from 0 to 1440',
      ],
      [['recalc', unknown, '--timeout', '0'], '--timeout must be a whole number from 1 to 86400'],
      [['plan', 'pull', '--format', 'xml', '--key', 'k'], 'Allowed choices are yaml, json'],
      [['plan', 'pull', '--out', 'plan.yaml', '--key', 'k'], '--out needs the name of a plan'],
      ...[['api-key', 'rotate'], ['audit', 'verify'], ['person', 'erase'], ['recalc']].map(
        (words) =>
          [
            [...words, unknown, ...(words[0] === 'person' ? ['eve@x.test'] : [])],
            `there is no workspace ${unknown}`,
          ] as const,
      ),
    ];
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
      expect(stderr).to.include(message);
    }
  });

  describe('with a port that another process uses', () => {
    const other = createServer();
    let port: string;

    before(async () => {
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      port = String((other.address() as AddressInfo).port);
    });
    after(() => other.close());

    it('serve ends before it creates a database, whose demo key would be lost', async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'port-in-use-'));
      const { code, stderr } = await runCommand(['serve'], { DATA_DIR: folder, PORT: port });
      expect([code, readdirSync(folder)]).to.deep.equal([1, []]);
      expect(stderr).to.include(`Port ${port} is in use. Set PORT to another port`);
      await rm(folder, { recursive: true });
    });

    it('demo-crm ends', async () => {
      const { code, stderr } = await run(['demo-crm', '--port', port]);
      expect(code).to.equal(1);
      expect(stderr).to.include(`Port ${port} is in use`);
    });
  });

  describe('with a Redis that does not respond', () => {
    const commands = [
      ['doctor'],
      ['status'],
      ['workspace', 'list'],
      ['migrate', 'status'],
      ['recalc', 'WORKSPACE'],
      ['audit', 'verify'],
    ];
    const silent = createServer(() => undefined);
    let workspaceId: string;
    before(async () => {
      workspaceId = JSON.parse((await run(['workspace', 'create', 'Waiting', '--json'])).stdout).workspaceId;
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    });
    after(() => silent.close());

    const ports = {
      'a closed port': () => 9,
      'a port that never answers': () => (silent.address() as AddressInfo).port,
    };
    for (const [what, port] of Object.entries(ports))
      for (const REDIS_MODE of ['single', 'sentinel', 'cluster'])
        it(`every command ends: ${what}, ${REDIS_MODE}`, async () => {
          const settings = { REDIS_URL: `redis://127.0.0.1:${port()}`, REDIS_MODE };
          // The commands share the connection, whose modes the doctor covers.
          for (const args of REDIS_MODE === 'single' ? commands : [['doctor']]) {
            const words = args.map((word) => (word === 'WORKSPACE' ? workspaceId : word));
            const { code, stdout, stderr } = await run(words, settings);
            expect([0, 1], `${args.join(' ')}: ${stderr}`).to.include(code);
            if (args[0] !== 'doctor') continue;
            expect(code).to.equal(1);
            const isRefused = REDIS_MODE === 'single' && port() === 9;
            expect(stdout).to.match(isRefused ? /^✗ Redis: connect ECONNREFUSED/m : /^✗ Redis: /m);
            expect(stdout).to.match(/^✗ Job queue: /m);
            expect(stdout).to.match(/^✓ Database role: /m);
          }
        });
  });

  it('person erase counts the rows, and erases only with --yes', async () => {
    const process = await service.startProcess('api');
    const { workspaceId, api } = await service.workspace();
    const people = { reps: [{ email: 'eve@x.test', name: 'Eve Example', payrollId: 'P9' }] };
    await api.expect(200, 'PUT', '/v1/reps', people);
    const read = async () => (await api.expect(200, 'GET', '/v1/reps')).reps[0];
    const erase = (...more: string[]) => run(['person', 'erase', workspaceId, 'EVE@x.test', '--json', ...more]);
    const tried = await erase();
    expect(JSON.parse(tried.stdout)).to.include({ erased: false });
    expect(tried.stderr).to.include('Nothing was erased');
    expect(await read()).to.include({ name: 'Eve Example', active: true });
    const { repId, name } = JSON.parse((await erase('--yes')).stdout);
    expect(await read()).to.include({ id: repId, name, active: false, email: `erased-${repId}@erased.invalid` });
    expect(await erase()).to.have.property('code', 1);
    await process.end();
  });

  it('recalc requests a recalculation, waits for workers until none calculates, and prints the result', async () => {
    await service.startProcess('api');
    const { workspaceId, api } = await service.workspace();
    await saveSimpleTerms(api, ['ann']);
    const waited = await run(['recalc', workspaceId, '--wait', '--timeout', '1']);
    expect([waited.code, waited.stdout]).to.deep.equal([1, '']);
    expect(waited.stderr).to.include('no rep was calculated for 1 s. Is a worker running');
    await service.startProcess('worker');
    const { code, stdout, stderr } = await run(['recalc', workspaceId, '--wait', '--json']);
    const [, done, total] = /(\d+) of (\d+) reps\n$/.exec(stderr) ?? [];
    expect(done, stderr).to.equal(total);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ status: 'completed', scope: 'workspace' });
    expect((await run(['recalc', workspaceId, '--rep', workspaceId])).stderr).to.include('There is no such rep');
  });
});

describe('the log', () => {
  it('redacts secrets in messages, fields and URLs', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => lines.push(line) });
    const secret = 'canary-4711';
    log.info({ authorization: secret, headers: { authorization: secret }, token: secret, session: { token: secret } });
    log.info({
      apiKey: secret,
      workspace: { apiKey: secret },
      code: secret,
      password: secret,
      db: { password: secret },
    });
    log.warn({ otp: secret, mail: { otp: secret, text: secret, html: secret }, crm: { accessToken: secret } });
    log.warn({ crm: { refreshToken: secret, secret }, cookie: secret, headers: { cookie: secret } });
    log.error({ err: Object.assign(new Error('broken'), { client: { connectionParameters: { password: secret } } }) });
    expect(lines).to.have.length(5);
    expect(lines[0]).to.include('[redacted]');
    expect(lines.join()).to.not.include(secret);
  });
});
