/** All jobs of the service go through one queue; what they are is told by their name. */
export const queueName = 'commissions';

/** In braces, so that a Redis cluster keeps all keys of the queue in one slot: its scripts touch several at once. */
export const keyPrefix = '{commissions}';
