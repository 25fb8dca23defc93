import { sql } from 'kysely';
import { type Refund } from '../../engine/clawback.js';
import { type DealLine } from '../../engine/deal-line.js';
import { refundConverter, withAmountsOfLines } from '../../engine/line-refunds.js';
import { exchangeRatesOf } from '../../ledger/input/exchange-rates.js';
import { linesOfDeal } from '../../ledger/input/lines-of-deals.js';
import { loadWorkspaceTerms, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { anyOf } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface DealWithLines {
  readonly dealId: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly lines: readonly DealLine[];
}

/** The deals with their lines. */
export async function loadLinesOfDeals(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, DealWithLines>> {
  if (dealIds.length === 0) return new Map();
  const { rows } = await sql<DealWithLines>`
    select d.deal_id as "dealId", d.amount::text as amount, d.currency,
      coalesce(${linesOfDeal(tx.workspaceId)}, '[]') as lines
    from deals d where d.workspace_id = ${tx.workspaceId} and d.deal_id = ${anyOf('text', dealIds)}`.execute(tx.db);
  return new Map(rows.map((row) => [row.dealId, row]));
}

/** The refunds of each deal, with the amounts of those that name lines. A line without a rate to the currency of the deal gives back 0. */
export async function resolveLineRefunds(
  tx: Transaction,
  refunds: ReadonlyMap<string, readonly Refund[]>,
  workspace?: Pick<WorkspaceTerms, 'fx' | 'currency'>,
): Promise<ReadonlyMap<string, readonly Refund[]>> {
  const named = [...refunds].filter(([, ofDeal]) => ofDeal.some(({ lines }) => lines !== undefined));
  if (named.length === 0) return refunds;
  const deals = await loadLinesOfDeals(
    tx,
    named.map(([dealId]) => dealId),
  );
  const { fx, currency: ofWorkspace } = workspace ?? (await loadWorkspaceTerms(tx));
  const convert = refundConverter(fx === null ? null : exchangeRatesOf(fx, ofWorkspace));
  const resolved = named.map(([dealId, ofDeal]) => {
    const { amount = null, currency = null, lines = [] } = deals.get(dealId) ?? {};
    const standard = { dealAmount: amount, currency };
    const deal = { dealId, closeDate: '', fields: {}, standard, lines, refunds: ofDeal };
    return [dealId, withAmountsOfLines(deal, convert)] as const;
  });
  return new Map([...refunds, ...resolved]);
}
