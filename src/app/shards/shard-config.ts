import { type Config } from '../../platform/config.js';
import { mainShard } from '../../platform/database/shard-settings.js';

/** The names of all databases, the first one first. */
export function shardNames({ DATABASE_SHARDS }: Config): readonly string[] {
  return [mainShard, ...DATABASE_SHARDS.map(({ name }) => name)];
}

/** The settings of a process that has only this database; null for a name that is not configured. */
export function settingsOfShard(config: Config, name: string): Config | null {
  if (name === mainShard) return config;
  const found = config.DATABASE_SHARDS.find((candidate) => candidate.name === name);
  if (found === undefined) return null;
  const { DATABASE_OWNER_URL: _owner, DATABASE_READ_URL: _read, QUEUE_DATABASE_URL: _queue, ...shared } = config;
  return {
    ...shared,
    DATABASE_URL: found.url,
    ...(found.ownerUrl === undefined ? {} : { DATABASE_OWNER_URL: found.ownerUrl }),
    ...(found.readUrl === undefined ? {} : { DATABASE_READ_URL: found.readUrl }),
    ...(found.queueUrl === undefined ? {} : { QUEUE_DATABASE_URL: found.queueUrl }),
  };
}
