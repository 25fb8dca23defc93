import { sql } from 'kysely';
import { defaultRateTable } from '../../engine/exchange-rates.js';
import { fxInput } from '../../ledger/input/exchange-rates.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { anyOf } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Invoice, type InvoiceResponse } from './invoice.js';
import { type InvoiceKey } from './invoice-store.js';
import { findInvoice } from './invoice-views.js';

/** Marks the payments that count nothing, since there is no exchange rate of their day into the currency of the deal. */
export async function markMissingRates(tx: Transaction, invoices: readonly Invoice[]): Promise<InvoiceResponse[]> {
  const foreign = invoices.filter(({ currency, payments }) => currency !== null && payments.length > 0);
  if (foreign.length === 0) return [...invoices];
  const workspace = await loadWorkspaceTerms(tx);
  const rates = fxInput({ workspace }).fx?.rates;
  const dealCurrencies = await loadDealCurrencies(tx, foreign);
  const lacksRate = (from: string, to: string, day: string) =>
    from !== to && (rates?.find(defaultRateTable, from, to, { day, isProvisional: false }) ?? null) === null;
  return invoices.map((invoice) => ({
    ...invoice,
    payments: invoice.payments.map((payment) =>
      invoice.currency !== null &&
      lacksRate(invoice.currency, dealCurrencies.get(invoice.dealId) ?? workspace.currency, payment.paidOn)
        ? { ...payment, rateMissing: true }
        : payment,
    ),
  }));
}

/** The stored invoice as responses have it. */
export async function findInvoiceResponse(tx: Transaction, key: InvoiceKey): Promise<InvoiceResponse | null> {
  const found = await findInvoice(tx, key);
  return found === null ? null : ((await markMissingRates(tx, [found]))[0] ?? null);
}

/** A deal without a currency has the one that it earns in. */
async function loadDealCurrencies(
  tx: Transaction,
  invoices: readonly Invoice[],
): Promise<ReadonlyMap<string, string | null>> {
  const dealIds = [...new Set(invoices.map(({ dealId }) => dealId))];
  const { rows } = await sql<{ dealId: string; currency: string | null }>`
    select d.deal_id as "dealId", coalesce(d.currency, (
      select min(e.currency) from commission_events e
      where e.workspace_id = d.workspace_id and e.deal_key = d.deal_id and e.kind = 'commission_earned'
        and e.status = 'earned' and e.phase = 'per_deal')) as currency
    from deals d where d.workspace_id = ${tx.workspaceId} and d.deal_id = ${anyOf('text', dealIds)}`.execute(tx.db);
  return new Map(rows.map(({ dealId, currency }) => [dealId, currency]));
}
