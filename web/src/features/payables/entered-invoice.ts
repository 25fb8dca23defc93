import { type Invoice } from '../../api/payout-queries.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';

/** A payment as a form has it, with texts. */
export interface EnteredPayment {
  readonly paymentId: string;
  readonly amount: string;
  readonly paidOn: string;
}

/** An invoice as a form has it, with texts. */
export interface EnteredInvoice {
  readonly invoiceId: string;
  readonly amount: string;
  readonly grossAmount: string;
  readonly currency: string;
  readonly issuedOn: string;
  readonly status: Invoice['status'];
  readonly payments: readonly EnteredPayment[];
}

const emptyInvoice: EnteredInvoice = {
  invoiceId: '',
  amount: '',
  grossAmount: '',
  currency: '',
  issuedOn: '',
  status: 'open',
  payments: [],
};

export function toEnteredInvoice(invoice: Invoice | null): EnteredInvoice {
  if (invoice === null) return emptyInvoice;
  const { invoiceId, amount, grossAmount, currency, issuedOn, status, payments } = invoice;
  return {
    invoiceId,
    amount: writeNumber(amount),
    grossAmount: writeNumber(grossAmount ?? undefined),
    currency: currency ?? '',
    issuedOn,
    status,
    payments: payments.map(({ paymentId, amount: paid, paidOn }) => ({
      paymentId,
      amount: writeNumber(paid),
      paidOn,
    })),
  };
}

/** A further payment, with an id that no other payment of the invoice has. */
export function addPayment(payments: readonly EnteredPayment[]): EnteredPayment[] {
  const used = new Set(payments.map(({ paymentId }) => paymentId));
  let number = payments.length + 1;
  while (used.has(`P-${number}`)) number += 1;
  return [...payments, { paymentId: `P-${number}`, amount: '', paidOn: '' }];
}

type SentPayment = Invoice['payments'][number];

/** The terms of the invoice as they are sent. */
export type SentInvoice = Omit<Invoice, 'dealId' | 'invoiceId' | 'updatedAt'>;

/** The invoice as it is sent; null while it is incomplete. */
export function readInvoice(entered: EnteredInvoice): SentInvoice | null {
  const [amount, grossAmount] = [readNumber(entered.amount), readNumber(entered.grossAmount)];
  const payments = entered.payments.flatMap((payment) => readPayment(payment) ?? []);
  const isComplete = entered.invoiceId.trim() !== '' && isDay(entered.issuedOn) && amount !== null && amount > 0;
  const isGross = entered.grossAmount.trim() === '' || (grossAmount !== null && grossAmount > 0);
  if (!isComplete || !isGross || payments.length < entered.payments.length) return null;
  const currency = entered.currency.trim().toUpperCase();
  return {
    amount,
    grossAmount,
    currency: currency === '' ? null : currency,
    issuedOn: entered.issuedOn,
    status: entered.status,
    payments,
  };
}

function readPayment({ paymentId, amount, paidOn }: EnteredPayment): SentPayment | null {
  const paid = readNumber(amount);
  if (paymentId.trim() === '' || paid === null || paid === 0 || !isDay(paidOn)) return null;
  return { paymentId: paymentId.trim(), amount: paid, paidOn };
}

/** The share of the invoice that is paid, from 0 to 1. Payments are gross where the invoice says what it is with tax. */
export function paidShare({ amount, grossAmount, payments }: Invoice): number {
  const paid = payments.reduce((sum, payment) => sum + payment.amount, 0);
  return Math.min(1, Math.max(0, paid / (grossAmount ?? amount)));
}
