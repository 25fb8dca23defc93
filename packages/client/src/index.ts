import { type Client, type ClientOptions, createClient as createPlainClient } from '../../../src/client.js';
import { type RetryOptions, retrying } from './retry.js';

export { ApiError } from '../../../src/client.js';
export { waitForJob } from './jobs.js';
export { pages } from './pages.js';

/** A client that repeats what the service could not take yet. */
export function createClient({ retries, ...options }: ClientOptions & RetryOptions): Client {
  return createPlainClient({ ...options, fetch: retrying(options.fetch ?? fetch, { retries }) });
}
