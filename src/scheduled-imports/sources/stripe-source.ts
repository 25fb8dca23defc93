import { type Stripe } from 'stripe';
import { BillingRejected, BillingUnavailable, stripeClient, withStripeErrors } from '../../billing/stripe-client.js';
import { currencyDigits } from '../../kernel/currency.js';
import { type Day, dayInZone } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { toCsvLine } from '../file-columns.js';
import { type FileSource, type ListedFile, unreachable } from './source.js';

interface StripeAccess {
  readonly apiKey: string;
  readonly apiBase: string;
  /** The metadata of an invoice that has the id of the deal. */
  readonly dealKey: string;
  /** Invoices that were created in the last days. */
  readonly days: number;
  /** Whether invoices count whose metadata name no deal: a field of the deal names them. */
  readonly includesUnnamed: boolean;
  /** The time zone of the workspace, in which payments have their day. */
  readonly timeZone: string;
}

const columns = [
  'dealId',
  'invoiceId',
  'amount',
  'grossAmount',
  'currency',
  'issuedOn',
  'status',
  'paymentId',
  'paidAmount',
  'paidOn',
] as const;
type Row = Readonly<Record<(typeof columns)[number], string>>;

/** A payment in the minor unit of the invoice; negative for one that the customer has charged back. */
interface Payment {
  readonly paymentId: string;
  readonly amount: number;
  readonly at: number;
}

const pageSize = 100;
const secondsOfDay = 86_400;
/** The import takes at most 10,000 rows of a file. */
const rowsOfFile = 9000;

/**
 * The invoices of an account of the billing provider as files, one for each month in which invoices were created, in the
 * form that the import of invoices reads. A month with many has several parts.
 */
export function stripeSource(access: StripeAccess): FileSource {
  const contents = new Map<string, Buffer>();
  return {
    hostKey: null,
    async list() {
      const invoices = await withReasons(access, (stripe) => readInvoices(stripe, access));
      const files = [...groupBy(invoices, ({ month }) => month)].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [month, ofMonth] of files)
        for (const [index, rows] of partition(ofMonth).entries())
          contents.set(`invoices-${month}${index === 0 ? '' : `-part-${index + 1}`}.csv`, toCsv(rows));
      return [...contents].map(
        ([name, content]): ListedFile => ({ name, version: null, bytes: content.length, modifiedAt: null }),
      );
    },
    read: async ({ name }) => contents.get(name) as Buffer,
  };
}

/** The rows of an invoice, which stay in one file. */
interface InvoiceRows {
  readonly month: string;
  readonly rows: readonly Row[];
}

function partition(invoices: readonly InvoiceRows[]): Row[][] {
  const parts: Row[][] = [[]];
  for (const { rows } of invoices) {
    const last = parts.at(-1) as Row[];
    if (last.length + rows.length > rowsOfFile && last.length > 0) parts.push([...rows]);
    else last.push(...rows);
  }
  return parts;
}

function toCsv(rows: readonly Row[]): Buffer {
  const lines = rows.map((row) => columns.map((column) => row[column]));
  return Buffer.from([[...columns], ...lines].map(toCsvLine).join(''));
}

async function withReasons<T>(access: StripeAccess, work: (stripe: Stripe) => Promise<T>): Promise<T> {
  try {
    return await withStripeErrors(async () => work(await stripeClient(access)));
  } catch (error) {
    if (error instanceof BillingUnavailable || error instanceof BillingRejected) throw unreachable(error.message);
    throw error;
  }
}

/** The invoices in the order in which they were created, so that a new one is the last of its month. */
async function readInvoices(stripe: Stripe, access: StripeAccess): Promise<InvoiceRows[]> {
  const created = { gte: Math.floor(Date.now() / 1000) - access.days * secondsOfDay };
  const disputes = await loadDisputes(stripe, created);
  const invoices: InvoiceRows[] = [];
  for await (const invoice of stripe.invoices.list({ created, limit: pageSize, expand: ['data.payments'] })) {
    if (!counts(invoice, access)) continue;
    const month = dayInZone(new Date(invoice.created * 1000), access.timeZone).slice(0, 7);
    invoices.push({ month, rows: toRows(invoice, await loadPayments(stripe, invoice, disputes), access) });
  }
  return invoices.reverse();
}

/** A draft is no invoice yet, and a credit is no amount that a customer owes. */
function counts(invoice: Stripe.Invoice, { dealKey, includesUnnamed }: StripeAccess): boolean {
  const isNamed = invoice.metadata?.[dealKey] !== undefined;
  return invoice.status !== 'draft' && netTotal(invoice) > 0 && (isNamed || includesUnnamed);
}

function netTotal({ total, total_excluding_tax: net }: Stripe.Invoice): number {
  return net ?? total;
}

/** The charges that customers dispute, by the payment. A dispute that is won or that only warns takes nothing. */
async function loadDisputes(
  stripe: Stripe,
  created: { readonly gte: number },
): Promise<ReadonlyMap<string, readonly Stripe.Dispute[]>> {
  const disputes: Stripe.Dispute[] = [];
  for await (const dispute of stripe.disputes.list({ created, limit: pageSize }))
    if (dispute.status !== 'won' && dispute.status !== 'prevented' && !dispute.status.startsWith('warning_'))
      disputes.push(dispute);
  return groupBy(disputes, ({ payment_intent: intent, charge }) => idOf(intent ?? charge) ?? '');
}

/** What was paid on the invoice. What was paid outside of the provider has the day on which the invoice was paid in full. */
async function loadPayments(
  stripe: Stripe,
  invoice: Stripe.Invoice,
  disputes: ReadonlyMap<string, readonly Stripe.Dispute[]>,
): Promise<Payment[]> {
  const listed = invoice.payments?.data ?? [];
  const all =
    invoice.payments?.has_more === true
      ? await stripe.invoicePayments.list({ invoice: invoice.id, limit: pageSize }).autoPagingToArray({ limit: 10_000 })
      : listed;
  const paid = all.flatMap(({ id, status, amount_paid: amount, status_transitions: { paid_at: at }, payment }) =>
    status === 'paid' && amount !== null && at !== null ? [{ paymentId: id, amount, at, payment }] : [],
  );
  const chargedBack = paid.flatMap(({ payment }) =>
    (disputes.get(idOf(payment.payment_intent ?? payment.charge ?? null) ?? '') ?? []).map(
      ({ id, amount, created }): Payment => ({ paymentId: id, amount: -amount, at: created }),
    ),
  );
  const rest = paid.reduce((left, { amount }) => left - amount, invoice.amount_paid);
  const completeAt = invoice.status_transitions.paid_at;
  const outside =
    rest > 0 && completeAt !== null ? [{ paymentId: `${invoice.id}-other`, amount: rest, at: completeAt }] : [];
  return [...paid, ...outside, ...chargedBack];
}

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

const statuses: Readonly<Record<string, string>> = { void: 'void', uncollectible: 'written_off' };

/** One row for each payment, at least one. Payments contain the tax, as the gross amount does. */
function toRows(invoice: Stripe.Invoice, payments: readonly Payment[], { dealKey, timeZone }: StripeAccess): Row[] {
  const currency = invoice.currency.toUpperCase();
  const money = (minor: number) => toMajor(minor, currency);
  const day = (seconds: number): Day => dayInZone(new Date(seconds * 1000), timeZone);
  const net = netTotal(invoice);
  const shared = {
    dealId: invoice.metadata?.[dealKey] ?? '',
    invoiceId: invoice.id,
    amount: money(net),
    grossAmount: invoice.total === net ? '' : money(invoice.total),
    currency,
    issuedOn: day(invoice.status_transitions.finalized_at ?? invoice.created),
    status: statuses[invoice.status ?? ''] ?? 'open',
  };
  if (payments.length === 0) return [{ ...shared, paymentId: '', paidAmount: '', paidOn: '' }];
  return payments.map(({ paymentId, amount, at }) => ({
    ...shared,
    paymentId,
    paidAmount: money(amount),
    paidOn: day(at),
  }));
}

/** The provider counts these in hundredths, although they have no smaller unit. */
const countedInHundredths: readonly string[] = ['ISK', 'UGX'];

function toMajor(minor: number, currency: string): string {
  const digits = countedInHundredths.includes(currency) ? 2 : currencyDigits(currency);
  return Decimal.of(minor)
    .times(Decimal.of(`1e-${digits}`))
    .toString();
}
