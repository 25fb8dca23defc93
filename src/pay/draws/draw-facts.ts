import { type Caller } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type FactChange, factOf, factsOf } from '../../platform/files/facts.js';
import { assertNotOwnDraw, type Draw } from './draw.js';
import {
  assertNoOverlap,
  assertOpenDays,
  changedDays,
  type DrawTerms,
  insertDraw,
  removeDraw,
  updateDrawRow,
} from './draw-store.js';
import { listDraws } from './draw-views.js';

/** A draw as a file states it. What was forgiven of it is not in the file. */
export type DrawFact = Omit<DrawTerms, 'drawId'> & Partial<Pick<Draw, 'drawId' | 'forgiven'>>;

export const drawFacts = factsOf<DrawFact>({
  key: ['repId', 'kind', 'from'],
  terms: ['recoverable', 'amount', 'currency', 'to', 'recovery', 'forgiven'],
  load: (tx, draws) => listDraws(tx, { repIds: draws.map(({ repId }) => repId) }),
  async store(tx, changes, { caller }) {
    for (const change of changes) await storeDraw(tx, caller, change);
    await tx.changeTerms({ repIds: [...new Set(changes.map((change) => factOf(change).repId))] });
    return [];
  },
});

/** A draw that grants something else is another draw. What an approved statement has granted stays. */
export async function storeDraw(tx: Transaction, caller: Caller, change: FactChange<DrawFact>): Promise<void> {
  assertNotOwnDraw(caller, factOf(change).repId);
  const { before, after } = change;
  const isSameDraw = before !== null && after !== null && grantsTheSame(before, after);
  if (before !== null && !isSameDraw) {
    await assertOpenDays(tx, before.repId, before);
    await removeDraw(tx, before.drawId as string);
  }
  if (after === null) return;
  const terms = { ...after, drawId: isSameDraw ? (before.drawId as string) : newId() };
  await assertNoOverlap(tx, terms);
  if (!isSameDraw) {
    await assertOpenDays(tx, terms.repId, terms);
    await insertDraw(tx, terms, caller.actor);
    return;
  }
  if (before.to !== terms.to) await assertOpenDays(tx, terms.repId, changedDays(before.to, terms.to));
  await updateDrawRow(tx, terms);
}

function grantsTheSame(before: DrawFact, after: DrawFact): boolean {
  return (['recoverable', 'amount', 'currency'] as const).every((name) => before[name] === after[name]);
}
