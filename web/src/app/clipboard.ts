import { ReadableError } from '../api/client.js';
import { showProblem } from './messages.js';

/** Whether the text was copied. Browsers reject it without a permission, and on pages without TLS; a message says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showProblem(new ReadableError('The browser does not let this page copy. Select the text and copy it.'));
    return false;
  }
}
