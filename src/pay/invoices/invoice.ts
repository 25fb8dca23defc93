import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { dealId } from '../../deals/deal.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { currency, day, money, text } from '../../platform/operations/schemas.js';

/** At most four decimals, as they are stored. */
const amount = money.refine((value) => Number(value.toFixed(4)) === value, 'must have at most 4 decimals');
const positive = amount.refine((value) => value > 0, 'must be more than 0');

/** The id of an invoice or a payment in the system that issues it. */
const foreignId = text(200);

const invoiceStatuses = ['open', 'void', 'written_off'] as const;

const payment = z
  .strictObject({
    paymentId: foreignId.describe('Id of the payment in the system that records it'),
    amount: amount
      .refine((value) => value !== 0, 'must not be 0')
      .describe('Amount in the currency of the invoice; negative for a payment that was charged back'),
    paidOn: day.describe('Day of the payment, YYYY-MM-DD'),
  })
  .describe('A payment of the customer');

/** The terms of an invoice in requests. */
export const invoiceTerms = z.strictObject({
  amount: positive.describe('Amount net of tax'),
  grossAmount: positive
    .nullable()
    .default(null)
    .describe('Amount with tax, if the payments are gross; null if they are net'),
  currency: currency.nullable().default(null).describe('Currency, ISO 4217 code; null for that of the deal'),
  issuedOn: day.describe('Day of the invoice, YYYY-MM-DD'),
  status: z
    .enum(invoiceStatuses)
    .default('open')
    .describe('void: the invoice and its payments do not count; written_off: what was paid on it counts'),
  payments: z.array(payment).max(1000).default([]).describe('All payments of the invoice, in place of earlier ones'),
});
export type InvoiceTerms = z.infer<typeof invoiceTerms>;

const recordedPayment = payment
  .extend({
    rateMissing: z
      .boolean()
      .optional()
      .describe(
        'true: the payment counts nothing, since there is no exchange rate of its day into the currency of the deal; otherwise absent',
      ),
  })
  .describe('A payment of the customer');

export const invoice = z
  .object({
    dealId: fields.dealId,
    invoiceId: z.string().describe('Id of the invoice in the system that issues it'),
    ...invoiceTerms.shape,
    payments: z.array(recordedPayment).describe('All payments of the invoice'),
    updatedAt: fields.updatedAt,
  })
  .describe('An invoice of a deal with the payments of the customer');
export type InvoiceResponse = z.output<typeof invoice>;

export interface Invoice extends InvoiceTerms {
  readonly dealId: string;
  readonly invoiceId: string;
  readonly updatedAt: string;
}

export const invoiceParams = z.strictObject({
  dealId: dealId.describe('Id of the deal in the CRM'),
  invoiceId: foreignId.describe('Id of the invoice'),
});

export const invoiceField = text(500).describe(
  'Slug of the field of deals that names their invoices: the deal of a row without dealId is the one whose field has its invoiceId. Rows of other invoices change nothing',
);

/** Two payments with one id are one payment that was sent twice. */
export function assertPaymentsUnique({ payments }: InvoiceTerms): void {
  const ids = payments.map(({ paymentId }) => paymentId);
  const index = ids.findIndex((id, position) => ids.indexOf(id) < position);
  if (index >= 0)
    throw invalid({ path: `payments.${index}.paymentId`, message: `${ids[index]} is the id of another payment here` });
}

export function invoiceNotFound(): Failure {
  return new Failure('invoice_not_found', 'The deal has no such invoice.');
}

export const invoiceExample = {
  dealId: sampleIds.dealId,
  invoiceId: 'INV-1',
  amount: 60_000,
  grossAmount: null,
  currency: null,
  issuedOn: '2026-01-31',
  status: 'open',
  payments: [{ paymentId: 'P-1', amount: 20_000, paidOn: '2026-02-15' }],
  updatedAt: '2026-02-16T08:00:00.000Z',
} as const;
