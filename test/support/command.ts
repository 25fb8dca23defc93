import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const command = commandOf(root);

/** The command of a checkout. */
export function commandOf(checkout: string): string {
  return path.join(checkout, 'bin', 'commissions.js');
}
