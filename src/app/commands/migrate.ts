import { migrations } from '#migrations/index.js';
import { listPendingMigrations, migrateToLatest } from '../../platform/database/migrate.js';
import { mainShard } from '../../platform/database/shard-settings.js';
import { withEachServer, withOwner } from './database-access.js';

export async function migrate(): Promise<void> {
  await withEachServer(async (server, _config, name) => {
    const done = await migrateToLatest(server.ownerUrl, migrations);
    const what = name === mainShard ? 'The database' : `The database ${name}`;
    process.stderr.write(done.length > 0 ? `Applied ${done.length} migrations.\n` : `${what} is up to date.\n`);
  });
}

export async function migrateStatus({ json = false }: { readonly json?: boolean }): Promise<void> {
  const pending: string[] = [];
  await withEachServer(async (server, _config, name) => {
    const names = await withOwner(server, (database) => listPendingMigrations(database, migrations, 'owner'));
    pending.push(...names.map((migration) => (name === mainShard ? migration : `${name} ${migration}`)));
  });
  process.stdout.write(json ? `${JSON.stringify({ pending })}\n` : pending.map((name) => `${name}\n`).join(''));
  process.exitCode = pending.length > 0 ? 1 : 0;
}
