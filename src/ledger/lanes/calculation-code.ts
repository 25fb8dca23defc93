import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deriveId } from '../../kernel/ids.js';

/**
 * A hash of the code that decides commission. A version number might not be increased in a change of the engine, and
 * recalculations would then skip reps that need one.
 */
export const calculationCode = deriveId(
  ['kernel', 'engine', 'ledger']
    .flatMap((folder) => textsIn(fileURLToPath(new URL(`../../${folder}/`, import.meta.url))))
    .join('\n'),
);

function textsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  return names.sort().map((name) => readFileSync(path.join(folder, name), 'utf8'));
}
