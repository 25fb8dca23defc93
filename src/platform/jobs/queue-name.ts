/** All jobs of the service share one queue and are distinguished by their names. */
export const queueName = 'commissions';

/** The braces make a Redis cluster keep all keys of the queue in one hash slot: its scripts use several keys. */
export const keyPrefix = '{commissions}';
