import { ApiError } from '#src/client.js';
import { ReadableError } from './client.js';

/** The message and the reference of an error for the support. */
export function describeError(error: unknown): { readonly message: string; readonly reference: string | null } {
  if (error instanceof ApiError) {
    if (error.code === 'step_up_required')
      return { message: 'This needs a confirmation that it is you.', reference: null };
    const reference = error.requestId === null ? error.code : `${error.code}, ${error.requestId}`;
    return { message: error.message, reference };
  }
  if (error instanceof ReadableError) return { message: error.message, reference: null };
  return { message: 'The page has an error. Load it again.', reference: null };
}
