import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Subject } from '../platform/operations/operation.js';
import { loadCreditedDeal } from './deal-credit-views.js';
import { allLines, type SentLine } from './deal-credits.js';
import { resolveLines } from './resolve-lines.js';

/** A change of the lines of a deal: it pays those who have a line before or after. */
export async function creditsSubject(tx: Transaction, dealId: string, sent: readonly SentLine[]): Promise<Subject> {
  const deal = await loadCreditedDeal(tx, dealId);
  if (deal === null) return { paid: [], state: null };
  const lines = allLines(deal.credits, deal.ownerId);
  const added = await resolveLines(tx, sent);
  const paid = new Set([...lines, ...added].flatMap(({ repId }) => repId ?? []));
  return { paid: [...paid], state: lines };
}
