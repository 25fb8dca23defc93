import { migrations } from '#migrations/index.js';
import { listPendingMigrations, migrateToLatest } from '../../platform/database/migrate.js';
import { mainShard } from '../../platform/database/shard-settings.js';
import { readConfig } from '../config.js';
import { shardNames } from '../shards/shard-config.js';
import { chosenShard } from './chosen-shard.js';
import { withOwner, withServer } from './database-access.js';

export async function migrate(): Promise<void> {
  for (const name of chosenShards()) {
    chosenShard.name = name;
    await withServer(async (server) => {
      const done = await migrateToLatest(server.ownerUrl, migrations);
      const what = name === mainShard ? 'The database' : `The database ${name}`;
      process.stderr.write(done.length > 0 ? `Applied ${done.length} migrations.\n` : `${what} is up to date.\n`);
    });
  }
}

export async function migrateStatus({ json = false }: { readonly json?: boolean }): Promise<void> {
  const pending: string[] = [];
  for (const name of chosenShards()) {
    chosenShard.name = name;
    const names = await withServer((server) =>
      withOwner(server, (database) => listPendingMigrations(database, migrations, 'owner')),
    );
    pending.push(...names.map((migration) => (name === mainShard ? migration : `${name} ${migration}`)));
  }
  process.stdout.write(json ? `${JSON.stringify({ pending })}\n` : pending.map((name) => `${name}\n`).join(''));
  process.exitCode = pending.length > 0 ? 1 : 0;
}

/** The database of `--shard`, or all of them. */
function chosenShards(): readonly string[] {
  return chosenShard.name === null ? shardNames(readConfig(process.env)) : [chosenShard.name];
}
