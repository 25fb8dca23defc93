import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ApiClient } from '#test/support/api-client.js';
import { newWorkspace } from '#test/support/backends.js';
import { ownedDatabase, startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { expectSoundLedger, ledgerRows } from '#test/support/ledger-checks.js';
import { serverFolder } from '#test/support/server-folder.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { readingAllWorkspaces } from '#test/support/test-database.js';

const programs = '/usr/lib/postgresql/15/bin';
const run = promisify(execFile);
type Urls = Awaited<ReturnType<typeof ownedDatabase>>;

describe('a backup of the embedded database', function () {
  this.timeout(180_000);

  it('is restored by the commands of the documentation, and the service continues on it', async function () {
    const [old, fresh] = [await startDebianPostgres15(), await startDebianPostgres15()];
    if (old === undefined || fresh === undefined) {
      if (process.env['CI']) throw new Error('PostgreSQL 15 is not installed; .ci/run installs it.');
      return this.skip();
    }
    const folder = await mkdtemp(path.join(serverFolder, 'commissions-backup-'));
    const file = path.join(folder, 'commissions.dump');
    const processes: ServiceProcess[] = [];
    const serve = async ({ ownerUrl, appUrl }: Urls) => {
      const environment = {
        DATABASE_URL: appUrl,
        DATABASE_OWNER_URL: ownerUrl,
        PORT: '0',
        LOG_LEVEL: 'warn',
        MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      };
      processes.push(await ServiceProcess.start('api', environment), await ServiceProcess.start('worker', environment));
      return processes.at(-2)?.url ?? '';
    };
    try {
      const from = await ownedDatabase(old.superuserUrl);
      const before = new ApiClient(await serve(from), null);
      expect((await before.get('/readyz')).status).to.equal(200);
      const workspace = await newWorkspace(from.appUrl);
      const api = new ApiClient(processes[0]?.url ?? '', workspace.apiKey);
      await saveSimpleTerms(api, ['ann']);
      await api.expect(201, 'PUT', '/v1/deals/D-1', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await api.expect(200, 'POST', '/v1/commissions/recalculate', {});

      const dump = [
        '--format=custom',
        '--exclude-schema=bullmq',
        '--enable-row-security',
        `--file=${file}`,
        from.ownerUrl,
      ];
      await run(path.join(programs, 'pg_dump'), dump, { env: { PGOPTIONS: '-c app.all_workspaces=on' } });
      await Promise.all(processes.splice(0).map((process) => process.end()));

      const to = await ownedDatabase(fresh.superuserUrl);
      const restore = ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${to.ownerUrl}`, file];
      await run(path.join(programs, 'pg_restore'), restore);

      const again = new ApiClient(await serve(to), workspace.apiKey);
      const rowsOf = ({ ownerUrl }: Urls) => ledgerRows(readingAllWorkspaces(ownerUrl), workspace.workspaceId);
      expect(await rowsOf(to))
        .to.deep.equal(await rowsOf(from))
        .and.not.to.deep.equal([]);
      await again.expect(201, 'PUT', '/v1/deals/D-2', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await again.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect((await again.expect(200, 'GET', '/v1/commissions?period=2026-Q1')).totals.commission).to.equal(100);
      await expectSoundLedger(readingAllWorkspaces(to.ownerUrl), workspace.workspaceId);
    } finally {
      await Promise.all(processes.map((process) => process.end()));
      await Promise.all([old.stop(), fresh.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  });
});
