import { migrations } from '#migrations/index.js';
import { listPendingMigrations, migrateToLatest } from '../../platform/database/migrate.js';
import { withOwner, withServer } from './database-access.js';

export async function migrate(): Promise<void> {
  await withServer(async (server) => {
    const done = await migrateToLatest(server.ownerUrl, migrations);
    process.stderr.write(done.length > 0 ? `Applied ${done.length} migrations.\n` : 'The database is up to date.\n');
  });
}

export async function migrateStatus({ json = false }: { readonly json?: boolean }): Promise<void> {
  await withServer(async (server) => {
    const pending = await withOwner(server, (database) => listPendingMigrations(database, migrations, 'owner'));
    process.stdout.write(json ? `${JSON.stringify({ pending })}\n` : pending.map((name) => `${name}\n`).join(''));
    process.exitCode = pending.length > 0 ? 1 : 0;
  });
}
