import { ApiError } from '#src/client.js';
import { plainIssues, plainMessage } from '../shared/format/plain-message.js';
import { ReadableError } from './client.js';

/** What a person can do about a CRM that does not answer or does not accept the token; null for other errors. */
function wordsOfCrmFailure({ code, details }: ApiError): string | null {
  if (code === 'crm_unavailable')
    return 'The CRM does not answer. Check that the service reaches the internet, then try again.';
  if (code === 'crm_refused' && details?.['reason'] === 'unauthorized')
    return 'The CRM does not accept the token. Check that it is complete, still valid and has the rights named above.';
  return null;
}

/** The message of the service in words of the page; for a form, what is wrong with each field. */
function wordsOf({ code, message, details }: ApiError): string {
  const issues = details?.['issues'];
  return code === 'VALIDATION_FAILED' && Array.isArray(issues) && issues.length > 0
    ? plainIssues(issues as Parameters<typeof plainIssues>[0])
    : plainMessage(message);
}

/** The message, and the reference for the support of what a person cannot correct. */
export function describeError(error: unknown): { readonly message: string; readonly reference: string | null } {
  if (error instanceof ApiError) {
    if (error.code === 'step_up_required')
      return { message: 'This needs a confirmation that it is you.', reference: null };
    if (error.code === 'unauthorized')
      return { message: 'Your session has ended. Sign in again; what you entered is kept.', reference: null };
    if (error.code === 'no_known_columns')
      return {
        message: 'No column has a target yet. Choose one for each column that is to be imported.',
        reference: null,
      };
    const reference = error.statusCode >= 500 ? error.requestId : null;
    return { message: wordsOfCrmFailure(error) ?? wordsOf(error), reference };
  }
  if (error instanceof ReadableError) return { message: error.message, reference: null };
  if (isUnloadedPage(error))
    return { message: 'The service does not respond, so this page was not loaded. Try again.', reference: null };
  return { message: 'The page has an error. Load it again.', reference: null };
}

/** The code of a page did not arrive. Each browser has words of its own for it. */
function isUnloadedPage(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message);
}
