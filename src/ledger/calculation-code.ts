import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { idOf } from '../kernel/ids.js';

/**
 * What the code that decides commission is known by: its own text. A version number would have to be remembered at every
 * change of the engine, and the one time that it is not, a recalculation would skip what it was meant to mend.
 */
export const calculationCode = idOf(
  ['kernel', 'engine', 'ledger']
    .flatMap((folder) => textsIn(fileURLToPath(new URL(`../${folder}/`, import.meta.url))))
    .join('\n'),
);

function textsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return names.sort().map((name) => readFileSync(path.join(folder, name), 'utf8'));
}
