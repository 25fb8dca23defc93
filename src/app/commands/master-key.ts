import { sql } from 'kysely';
import { type Config } from '../../platform/config.js';
import { type Database, serviceName } from '../../platform/database/pool.js';
import { type DatabaseServer } from '../../platform/database/server.js';
import { deletePreviousKeys, openSecrets, replaceGeneratedKey } from '../../platform/secrets/master-key.js';
import { reencryptSecrets } from '../master-key-rotation.js';
import { withOwner, withServer } from './database-access.js';
import { UsageError } from './usage-error.js';

export async function rotateMasterKey({ json = false }: { readonly json?: boolean }): Promise<void> {
  await withServer(async (server, config) => {
    const isGenerated = config.MASTER_KEY === undefined;
    if (isGenerated) await prepareGeneratedKey(server, config);
    else if (config.MASTER_KEY_PREVIOUS.length === 0)
      throw new UsageError('set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the old one');
    const result = await withOwner(server, (database) => reencryptSecrets(database, openSecrets(config)));
    if (isGenerated && result.remaining === 0) deletePreviousKeys(config.DATA_DIR);
    process.stdout.write(
      json ? `${JSON.stringify(result)}\n` : `re-encrypted ${result.reencrypted}, remaining ${result.remaining}\n`,
    );
    process.exitCode = result.remaining > 0 ? 1 : 0;
  });
}

/** A running service would continue with the key that it read at its start. */
async function prepareGeneratedKey(server: DatabaseServer, { DATA_DIR }: Config): Promise<void> {
  if (server.joined || (await withOwner(server, hasServiceConnections)))
    throw new UsageError('stop the service first, because it uses the generated master key');
  replaceGeneratedKey(DATA_DIR);
}

async function hasServiceConnections(database: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and application_name = ${serviceName} limit 1
  `.execute(database);
  return rows.length > 0;
}
