import { isOutage } from './database-errors.js';

const maxTries = 5;
const pauseMs = 300;

/**
 * Retries for about three seconds while connections fail. Only for idempotent work: a commit without a response may
 * or may not have taken effect.
 */
export async function retryOnOutage<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !isOutage(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, tries * pauseMs));
    }
  }
}
