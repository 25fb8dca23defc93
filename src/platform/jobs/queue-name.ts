import { mainShard } from '../database/shard-settings.js';

/** All jobs of the service share one queue and are distinguished by their names. */
export const queueName = 'commissions';

/**
 * Begins all keys in Redis. The braces make a Redis Cluster keep them in one hash slot: a script of the queue uses
 * several keys.
 */
export const keyPrefix = '{commissions}';

/** The prefix of the queue of a database: each one has its own queue in a Redis that they share. */
export function queuePrefix(shard: string): string {
  return shard === mainShard ? keyPrefix : `${keyPrefix}:${shard}`;
}
