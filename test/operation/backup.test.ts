import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { expectSoundLedger, ledgerRows } from '#test/support/ledger-checks.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { readingAllWorkspaces } from '#test/support/test-database.js';
import { ApiClient } from '#test/support/test-service.js';

const programs = '/usr/lib/postgresql/15/bin';
const run = promisify(execFile);

describe('a backup of the embedded database', function () {
  this.timeout(180_000);

  it('is restored by the commands of the documentation, and the service continues on it', async function () {
    const [old, fresh] = [await startDebianPostgres15(), await startDebianPostgres15()];
    if (old === undefined || fresh === undefined) {
      if (process.env['CI']) throw new Error('PostgreSQL 15 is not installed; .ci/run installs it.');
      return this.skip();
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'commissions-backup-'));
    const file = path.join(folder, 'commissions.dump');
    const processes: ServiceProcess[] = [];
    const serve = async (url: string) => {
      const environment = {
        ...urlsOf(url),
        PORT: '0',
        LOG_LEVEL: 'warn',
        MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      };
      processes.push(await ServiceProcess.start('api', environment), await ServiceProcess.start('worker', environment));
      return processes.at(-2)?.url ?? '';
    };
    try {
      const from = await ownerDatabase(old.superuserUrl);
      const before = new ApiClient(await serve(from), null);
      expect((await before.get('/readyz')).status).to.equal(200);
      const workspace = await createWorkspace(from);
      const api = new ApiClient(processes[0]?.url ?? '', workspace.apiKey);
      await saveSimpleTerms(api, ['ann']);
      await api.expect(201, 'PUT', '/v1/deals/D-1', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await api.expect(200, 'POST', '/v1/commissions/recalculate', {});

      const dump = ['--format=custom', '--exclude-schema=bullmq', '--enable-row-security', `--file=${file}`, from];
      await run(path.join(programs, 'pg_dump'), dump, { env: { PGOPTIONS: '-c app.all_workspaces=on' } });
      await Promise.all(processes.splice(0).map((process) => process.end()));

      const to = await ownerDatabase(fresh.superuserUrl);
      const restore = ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${to}`, file];
      await run(path.join(programs, 'pg_restore'), restore);

      const again = new ApiClient(await serve(to), workspace.apiKey);
      const rowsOf = (url: string) => ledgerRows(readingAllWorkspaces(url), workspace.workspaceId);
      expect(await rowsOf(to))
        .to.deep.equal(await rowsOf(from))
        .and.not.to.deep.equal([]);
      await again.expect(201, 'PUT', '/v1/deals/D-2', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await again.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect((await again.expect(200, 'GET', '/v1/commissions?period=2026-Q1')).totals.commission).to.equal(100);
      await expectSoundLedger(readingAllWorkspaces(to), workspace.workspaceId);
    } finally {
      await Promise.all(processes.map((process) => process.end()));
      await Promise.all([old.stop(), fresh.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The two roles and an empty database, as an administrator creates them on a new server. */
async function ownerDatabase(superuserUrl: string): Promise<string> {
  const admin = new pg.Client({ connectionString: superuserUrl });
  await admin.connect();
  await admin.query(`create role commissions login password 'secret'`);
  await admin.query(`create role commissions_app login password 'secret'`);
  await admin.query('create database commissions owner commissions');
  await admin.end();
  const url = new URL(superuserUrl);
  url.username = 'commissions';
  url.password = 'secret';
  url.pathname = '/commissions';
  return url.href;
}

function urlsOf(ownerUrl: string): { DATABASE_URL: string; DATABASE_OWNER_URL: string } {
  const url = new URL(ownerUrl);
  url.username = 'commissions_app';
  return { DATABASE_URL: url.href, DATABASE_OWNER_URL: ownerUrl };
}

async function createWorkspace(url: string): Promise<{ workspaceId: string; apiKey: string }> {
  const command = ['bin/commissions.js', 'workspace', 'create', 'Restored', '--json'];
  const { stdout } = await run(process.execPath, command, { env: { PATH: process.env['PATH'], ...urlsOf(url) } });
  return JSON.parse(stdout);
}
