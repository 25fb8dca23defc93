/** All jobs of the service go through one queue; what they are is told by their name. */
export const queueName = 'commissions';
