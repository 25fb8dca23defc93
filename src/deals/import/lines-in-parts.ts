import { type DealLine } from '../../engine/deal-line.js';
import { type Caller } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type affectedOfAll } from '../change-deal-facts.js';
import { type ChangedLines, changeLines } from '../change-lines.js';
import { type ImportPace } from './import-pace.js';

/** Lines that are replaced in one go; more of them would hold the process. */
const maxLinesAtOnce = 2000;

/** Replaces the lines of the deals in parts, between which other requests run. */
export async function changeLinesInParts(
  tx: Transaction,
  caller: Caller,
  deals: ReadonlyMap<string, readonly DealLine[]>,
  pace: ImportPace,
): Promise<ChangedLines> {
  const changed = new Set<string>();
  const affected = new Map<string, ReturnType<typeof affectedOfAll>>();
  for (const part of toParts(deals)) {
    const result = await changeLines(tx, caller, part);
    for (const dealId of result.changed) changed.add(dealId);
    for (const [dealId, reps] of result.affected) affected.set(dealId, reps);
    await pace.pause();
  }
  return { changed, affected };
}

function* toParts(
  deals: ReadonlyMap<string, readonly DealLine[]>,
): Generator<ReadonlyMap<string, readonly DealLine[]>> {
  let part = new Map<string, readonly DealLine[]>();
  let size = 0;
  for (const [dealId, lines] of deals) {
    part.set(dealId, lines);
    size += lines.length;
    if (size < maxLinesAtOnce) continue;
    yield part;
    part = new Map();
    size = 0;
  }
  if (part.size > 0) yield part;
}
