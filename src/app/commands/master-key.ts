import { sql } from 'kysely';
import { type Database, serviceName } from '../../platform/database/pool.js';
import { deletePreviousKeys, openSecrets, replaceGeneratedKey } from '../../platform/secrets/master-key.js';
import { readConfig } from '../config.js';
import { reencryptSecrets } from '../master-key-rotation.js';
import { chosenShard } from './chosen-shard.js';
import { withEachServer, withOwner } from './database-access.js';
import { UsageError } from './usage-error.js';

/** Encrypts the secrets of all databases again. A generated key that one of them still needs is not deleted. */
export async function rotateMasterKey({ json = false }: { readonly json?: boolean }): Promise<void> {
  const { MASTER_KEY, MASTER_KEY_PREVIOUS, DATA_DIR } = readConfig(process.env);
  const isGenerated = MASTER_KEY === undefined;
  if (isGenerated && chosenShard.name !== null)
    throw new UsageError('leave out --shard: the databases share the generated master key');
  if (isGenerated) await prepareGeneratedKey(DATA_DIR);
  else if (MASTER_KEY_PREVIOUS.length === 0)
    throw new UsageError('set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the old one');
  const total = { reencrypted: 0, remaining: 0 };
  await withEachServer(async (server, config) => {
    const done = await withOwner(server, (database) => reencryptSecrets(database, openSecrets(config)));
    total.reencrypted += done.reencrypted;
    total.remaining += done.remaining;
  });
  if (isGenerated && total.remaining === 0) deletePreviousKeys(DATA_DIR);
  process.stdout.write(
    json ? `${JSON.stringify(total)}\n` : `re-encrypted ${total.reencrypted}, remaining ${total.remaining}\n`,
  );
  process.exitCode = total.remaining > 0 ? 1 : 0;
}

/** A running service would continue with the key that it read at its start. */
async function prepareGeneratedKey(dataFolder: string): Promise<void> {
  await withEachServer(async (server) => {
    if (server.joined || (await withOwner(server, hasServiceConnections)))
      throw new UsageError('stop the service first, because it uses the generated master key');
  });
  replaceGeneratedKey(dataFolder);
}

async function hasServiceConnections(database: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and application_name = ${serviceName} limit 1
  `.execute(database);
  return rows.length > 0;
}
