import { type Deal } from '../../api/queries.js';
import { withoutAccents } from '../../shared/format/texts.js';

/** The id of the deal that the person entered by id or by name; the text itself if no deal, or several, have the name. */
export function findDealId(entered: string, deals: readonly Pick<Deal, 'deal_id' | 'name'>[]): string {
  const text = entered.trim();
  if (text === '' || deals.some(({ deal_id: dealId }) => dealId === text)) return text;
  const named = deals.filter(({ name }) => name !== null && withoutAccents(name) === withoutAccents(text));
  return named.length === 1 && named[0] !== undefined ? named[0].deal_id : text;
}
