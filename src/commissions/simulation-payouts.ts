import { z } from 'zod';
import { type PayPeriodSegment } from '../access/workspaces/workspace-tables.js';
import { loadPayPeriodSegments } from '../access/workspaces/workspace-views.js';
import { dealId } from '../deals/deal.js';
import { invalid } from '../kernel/failure.js';
import { type Invoice, invoiceTerms } from '../pay/invoices/invoice.js';
import { listInvoices } from '../pay/invoices/invoice-views.js';
import { loadPayFacts, type PayFacts } from '../pay/payables/pay-facts.js';
import { loadPayableRows, type PayableRow } from '../pay/payables/payable-rows.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { text } from '../platform/operations/schemas.js';
import { type SimulatedRepData } from '../simulation/simulated-reps.js';

const { payments, ...terms } = invoiceTerms.omit({ issuedOn: true }).shape;
const payment = payments.unwrap().element.omit({ paymentId: true }).describe('A payment of the customer');

/** Invoices of a simulation. */
export const simulatedInvoices = z
  .array(
    z
      .strictObject({
        dealId: dealId.describe('Id of the deal in the CRM, or of a made-up deal'),
        invoiceId: text(200).default('simulated').describe('Id of the invoice; simulated by default'),
        ...terms,
        payments: z.array(payment).max(1000).default([]).describe('All payments of the invoice'),
      })
      .describe('A made-up invoice of a deal with the payments of the customer'),
  )
  .max(500);
type SimulatedInvoice = z.output<typeof simulatedInvoices>[number];

/** What decides when the simulated commission is paid, as plain data for a worker thread. */
export interface SimulatedPayouts {
  readonly segments: readonly PayPeriodSegment[];
  readonly invoices: readonly Invoice[];
  /** The stored rows that managers follow, and what decides when these are paid. */
  readonly inputs: readonly PayableRow[];
  readonly facts: PayFacts;
}

/** Null while payouts are off. */
export async function loadSimulatedPayouts(
  tx: Transaction,
  reps: readonly SimulatedRepData[],
  made: readonly SimulatedInvoice[] | undefined,
): Promise<SimulatedPayouts | null> {
  const segments = await loadPayPeriodSegments(tx);
  if (segments === null) {
    if (made !== undefined) throw invalid({ path: 'invoices', message: 'needs a workspace with payouts' });
    return null;
  }
  const followed = reps.flatMap(({ teamDeals }) => teamDeals.filter(({ upstream }) => upstream.length > 0));
  const dealKeys = [...new Set(followed.map(({ deal }) => deal.dealId))];
  const inputs = dealKeys.length === 0 ? [] : await loadPayableRows(tx, { dealKeys });
  return {
    segments,
    invoices: replaceInvoices(await listInvoices(tx, listDealIds(reps)), made ?? []),
    inputs,
    facts: await loadPayFacts(tx, inputs),
  };
}

function listDealIds(reps: readonly SimulatedRepData[]): string[] {
  const all = reps.flatMap(({ deals, teamDeals }) => [...deals, ...teamDeals.map(({ deal }) => deal)]);
  return [...new Set(all.map((deal) => deal.dealId))];
}

/** The stored invoices and the made-up ones, each in place of the stored one of its deal and id. */
function replaceInvoices(stored: readonly Invoice[], made: readonly SimulatedInvoice[]): Invoice[] {
  const keyOf = (invoice: { readonly dealId: string; readonly invoiceId: string }) =>
    JSON.stringify([invoice.dealId, invoice.invoiceId]);
  const replaced = new Set(made.map(keyOf));
  if (replaced.size < made.length)
    throw invalid({ path: 'invoices', message: 'has two invoices of one deal with the same id' });
  const added = made.map(
    (invoice): Invoice => ({
      ...invoice,
      issuedOn: invoice.payments[0]?.paidOn ?? '',
      updatedAt: '',
      payments: invoice.payments.map((each, index) => ({ ...each, paymentId: String(index) })),
    }),
  );
  return [...stored.filter((invoice) => !replaced.has(keyOf(invoice))), ...added];
}
