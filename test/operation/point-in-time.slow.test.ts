import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { systemUser, type UnixUser } from '#embedded-postgres/privileges.js';
import { ownedDatabase, startDebianPostgres15, startRestored } from '#test/support/debian-postgres.js';
import { ledgerRows, query } from '#test/support/ledger-checks.js';
import { serverFolder } from '#test/support/server-folder.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { databaseOf, readingAllWorkspaces } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const sources = fileURLToPath(new URL('../../../deploy/postgres', import.meta.url));
const programs = '/usr/lib/postgresql/15/bin';
const execute = promisify(execFile);

describe('a backup with the log of changes', () => {
  let folder: string;
  let user: UnixUser | undefined;

  before(async () => {
    user = process.getuid?.() === 0 ? await systemUser() : undefined;
    folder = await mkdtemp(path.join(serverFolder, 'commissions-archive-'));
    // The user of the server may not enter the folder of this repository.
    await cp(sources, path.join(folder, 'scripts'), { recursive: true });
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    await chmod(folder, 0o755);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs a script as the user of the server, and returns what it prints. */
  async function script(name: string, ...parameters: readonly string[]): Promise<string> {
    const options = {
      cwd: folder,
      env: { PATH: `${programs}:${process.env['PATH']}`, TMPDIR: folder, DATABASE: 'commissions' },
      ...user,
    };
    const { stdout } = await execute(path.join(folder, 'scripts', name), parameters, options);
    return stdout;
  }

  it('restores the state of an instant before a mistake, and passes its drill', async function () {
    const archive = path.join(folder, 'backup');
    const server = await startDebianPostgres15([
      'archive_mode=on',
      'wal_level=replica',
      `archive_command=${path.join(folder, 'scripts', 'archive-wal.sh')} %p %f ${archive}`,
    ]);
    if (server === undefined) return this.skip();
    const stops: (() => Promise<unknown>)[] = [() => server.stop()];
    try {
      const serve = async (superuserUrl: string, owned: { ownerUrl: string; appUrl: string }) => {
        const [ownerUrl, appUrl] = [owned.ownerUrl, owned.appUrl].map((url) => {
          const moved = new URL(url);
          moved.port = new URL(superuserUrl).port;
          return moved.href;
        }) as [string, string];
        const service = await ServiceProcesses.start({
          processes: ['api', 'worker'],
          database: databaseOf({ ownerUrl, appUrl }),
        });
        stops.unshift(() => service.stop());
        return { service, ownerUrl: readingAllWorkspaces(ownerUrl) };
      };
      const owned = await ownedDatabase(server.superuserUrl);
      const { service, ownerUrl } = await serve(server.superuserUrl, owned);
      const { api, apiKey, workspaceId } = await service.workspace();
      await saveSimpleTerms(api, ['ann']);
      const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };
      await api.expect(201, 'PUT', '/v1/deals/D-1', deal);
      const base = await script('base-backup.sh', server.superuserUrl, archive);
      expect(base).to.match(/\/base\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
      await until(async () => new Date().toISOString() > path.basename(base.trim()));

      await api.expect(201, 'PUT', '/v1/deals/D-2', deal);
      await service.waitForCalculations(workspaceId);
      const right = await ledgerRows(ownerUrl, workspaceId);
      expect(right).to.have.length.above(1);
      const [{ time }] = (await query(server.superuserUrl, 'select clock_timestamp()::text as time')) as [
        { time: string },
      ];
      await api.expect(200, 'DELETE', '/v1/deals/D-2');
      await service.waitForCalculations(workspaceId);
      await query(server.superuserUrl, 'select pg_switch_wal()');
      await until(async () => {
        const [archiver] = await query(
          server.superuserUrl,
          'select last_archived_time > $1::timestamptz as done from pg_stat_archiver',
          [time],
        );
        return archiver?.['done'] === true;
      });
      const drill = await script('restore-drill.sh', archive);
      expect(drill)
        .to.match(/^workspaces: 1$/m)
        .and.to.match(/^newest audit entry: \d{4}-/m);
      console.log(drill.replace(/^/gm, '        '));

      const restored = await startRestored(server, (data) => script('restore.sh', archive, data, time));
      stops.push(() => restored.stop());
      const again = await serve(restored.superuserUrl, owned);
      expect(await ledgerRows(again.ownerUrl, workspaceId)).to.deep.equal(right);
      const client = again.service.client(apiKey);
      await client.expect(201, 'PUT', '/v1/deals/D-3', deal);
      await again.service.waitForCalculations(workspaceId);
      await again.service.expectSoundLedger(workspaceId);
    } finally {
      for (const stop of stops) await stop();
    }
  });
});
