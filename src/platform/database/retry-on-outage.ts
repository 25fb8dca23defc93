import { isOutage } from './database-errors.js';

const mostTries = 5;
const pauseMs = 300;

/**
 * Tries again for some three seconds while connections are cut or refused, which says nothing of what was asked. For
 * what may be done twice: of a commit that was not answered nobody knows whether it was carried out.
 */
export async function retryOnOutage<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === mostTries || !isOutage(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, tries * pauseMs));
    }
  }
}
