import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ownedDatabase, startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { ledgerRows } from '#test/support/ledger-checks.js';
import { serverFolder } from '#test/support/server-folder.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { databaseOf, readingAllWorkspaces } from '#test/support/test-database.js';

const programs = '/usr/lib/postgresql/15/bin';
const run = promisify(execFile);
type Urls = Awaited<ReturnType<typeof ownedDatabase>>;

describe('a backup of the embedded database', () => {
  it('is restored by the commands of the documentation, and the service continues on it', async function () {
    const [old, fresh] = [await startDebianPostgres15(), await startDebianPostgres15()];
    if (old === undefined || fresh === undefined) {
      if (process.env['CI']) throw new Error('PostgreSQL 15 is not installed; .ci/run installs it.');
      return this.skip();
    }
    const folder = await mkdtemp(path.join(serverFolder, 'commissions-backup-'));
    const file = path.join(folder, 'commissions.dump');
    const services: ServiceProcesses[] = [];
    const serve = async ({ ownerUrl, appUrl }: Urls) => {
      const service = await ServiceProcesses.start({
        processes: ['api', 'worker'],
        database: databaseOf({ ownerUrl, appUrl }),
      });
      services.push(service);
      return service;
    };
    try {
      const from = await ownedDatabase(old.superuserUrl);
      const before = await serve(from);
      expect((await before.client(null).get('/readyz')).status).to.equal(200);
      const { api, apiKey, workspaceId } = await before.workspace();
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
      await before.stop();

      const to = await ownedDatabase(fresh.superuserUrl);
      const restore = ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${to.ownerUrl}`, file];
      await run(path.join(programs, 'pg_restore'), restore);

      const restored = await serve(to);
      const again = restored.client(apiKey);
      const rowsOf = ({ ownerUrl }: Urls) => ledgerRows(readingAllWorkspaces(ownerUrl), workspaceId);
      expect(await rowsOf(to))
        .to.deep.equal(await rowsOf(from))
        .and.not.to.deep.equal([]);
      await again.expect(201, 'PUT', '/v1/deals/D-2', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await again.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect((await again.expect(200, 'GET', '/v1/commissions?period=2026-Q1')).totals.commission).to.equal(100);
      await restored.expectSoundLedger(workspaceId);
    } finally {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([old.stop(), fresh.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  });
});
