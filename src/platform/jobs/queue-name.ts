/** All jobs of the service share one queue and are distinguished by their names. */
export const queueName = 'commissions';

/**
 * Begins all keys in Redis. The braces make a Redis Cluster keep them in one hash slot: a script of the queue uses
 * several keys.
 */
export const keyPrefix = '{commissions}';
