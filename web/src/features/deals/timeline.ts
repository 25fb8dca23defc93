import { type Invoice, type Payable } from '../../api/payout-queries.js';
import { type Breakdown } from '../../api/queries.js';
import { type Refund } from '../../api/refund-queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { signOf } from '../../shared/format/exact.js';
import { groupBy } from '../../shared/format/group-by.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { describePayable, openWords } from '../payables/words.js';
import { present, type Sum, sumByCurrency } from '../statements/pay-sums.js';
import { causeWords } from './entered-refund.js';

/** Something that happened to the money of a deal, and what it did to the pay. */
export interface TimelineEntry {
  readonly key: string;
  /** Null for what has not happened yet. */
  readonly day: string | null;
  readonly title: string;
  readonly detail: string;
  /** What it changed of what is earned, or what of it is paid. */
  readonly sums: readonly Sum[];
  /** Whether the sums are a change of what is earned. */
  readonly isChange: boolean;
}

interface Facts {
  readonly breakdown: Breakdown;
  readonly payables: readonly Payable[];
  /** Empty for people who may not see them. */
  readonly invoices: readonly Invoice[];
  readonly refunds: readonly Refund[];
  /** Who reads it: their own name is left out. */
  readonly ownRepId: string;
}

/** What happened to the money of a deal by day, then what has not happened yet. */
export function listTimeline({ breakdown, payables, invoices, refunds, ownRepId }: Facts): readonly TimelineEntry[] {
  const currency = breakdown.deal?.currency ?? breakdown.currency;
  const past = [
    ...listWon(breakdown),
    ...invoices.flatMap((invoice) => listInvoice(invoice, invoice.currency ?? currency)),
    ...listRefunded(breakdown, refunds, currency),
    ...breakdown.corrections.map((correction) => toCorrection(correction, ownRepId)),
    ...listPaid(payables, ownRepId),
  ];
  return [...past.toSorted((a, b) => ((a.day ?? '') < (b.day ?? '') ? -1 : 1)), ...listOpen(payables, ownRepId)];
}

type Amount = { readonly amount: number; readonly currency: string };

function sumsOf(amounts: readonly Amount[]): readonly Sum[] {
  return amounts.length === 0 ? [] : present(sumByCurrency(amounts, amounts[0]?.currency ?? ''));
}

function listWon({ deal, events }: Breakdown): readonly TimelineEntry[] {
  if (deal === null || !deal.isWon || deal.closeDate === null) return [];
  const earned = events.filter(({ refundId, status }) => refundId === undefined && status === 'earned');
  const detail = deal.amount === null ? '' : formatMoney(deal.amount, deal.currency ?? earned[0]?.currency ?? '');
  return [{ key: 'won', day: deal.closeDate, title: 'Won', detail, sums: sumsOf(earned), isChange: true }];
}

function listInvoice({ invoiceId, amount, issuedOn, status, payments }: Invoice, currency: string): TimelineEntry[] {
  const entry = { sums: [], isChange: false };
  return [
    {
      ...entry,
      key: `invoice ${invoiceId}`,
      day: issuedOn,
      title: 'Invoiced',
      detail: `${invoiceId}, ${formatMoney(amount, currency)}${status === 'open' ? '' : `, ${status.replace('_', ' ')}`}`,
    },
    ...payments.map((payment) => ({
      ...entry,
      key: `payment ${invoiceId} ${payment.paymentId}`,
      day: payment.paidOn,
      title: 'The customer paid',
      detail: `${formatMoney(payment.amount, currency)} of ${invoiceId}`,
    })),
  ];
}

function listRefunded({ events }: Breakdown, refunds: readonly Refund[], currency: string): readonly TimelineEntry[] {
  const taken = events.filter(({ refundId, status }) => refundId !== undefined && status === 'earned');
  return groupBy(taken, ({ refundId }) => refundId ?? '').map((ofRefund) => {
    const { refundId = '', earnedOn } = ofRefund[0];
    const refund = refunds.find((each) => each.refundId === refundId);
    const words =
      refund === undefined
        ? []
        : [
            refund.amount === null ? 'all that was left' : formatMoney(refund.amount, currency),
            causeWords[refund.cause],
          ];
    return {
      key: `refund ${refundId}`,
      day: refund?.day ?? earnedOn,
      title: 'Refunded',
      detail: [refundId, ...words].join(', '),
      sums: sumsOf(ofRefund),
      isChange: true,
    };
  });
}

function toCorrection(correction: Breakdown['corrections'][number], ownRepId: string): TimelineEntry {
  const { eventId, planId, ruleName, repId, repName, period, paidIn, at, delta, currency } = correction;
  return {
    key: `correction ${eventId} ${planId} ${ruleName}`,
    day: at.slice(0, 10),
    title: 'Corrected',
    detail: [
      `${formatPeriod(period)}, ${ruleName}`,
      ...(repId === ownRepId ? [] : [repName]),
      ...(period === paidIn ? [] : [`added to ${formatPeriod(paidIn)}`]),
    ].join(', '),
    sums: sumsOf([{ amount: delta, currency }]),
    isChange: true,
  };
}

function listPaid(payables: readonly Payable[], ownRepId: string): readonly TimelineEntry[] {
  const paid = payables.filter(({ status }) => status === 'paid');
  return groupBy(paid, ({ paidOn = '', period }) => `${paidOn} ${period}`).map((ofDay) => {
    const { paidOn = '', period } = ofDay[0];
    return {
      key: `paid ${paidOn} ${period}`,
      day: paidOn,
      title: `Paid on ${formatDay(paidOn, 'year')}`,
      detail: [
        ...namesOf(ofDay, ownRepId),
        ...(period === null ? [] : [`with the statement of ${formatPeriod(period)}`]),
      ].join(', '),
      sums: sumsOf(ofDay),
      isChange: false,
    };
  });
}

/** What is approved or comes with a statement, waits or is held. */
function listOpen(payables: readonly Payable[], ownRepId: string): readonly TimelineEntry[] {
  const open = payables.filter(({ status }) => status !== 'paid');
  return groupBy(open, (payable) => `${payable.status} ${describePayable(payable)}`).map((same) => {
    const sums = sumsOf(same);
    return {
      key: `${same[0].status} ${describePayable(same[0])}`,
      day: null,
      title: openWords(
        same[0].status,
        sums.some(({ amount }) => signOf(amount) < 0),
      ),
      detail: [...namesOf(same, ownRepId), describePayable(same[0])].join(', '),
      sums,
      isChange: false,
    };
  });
}

/** Whose amounts they are, as one text; none if they are only those of the reader. */
function namesOf(payables: readonly Payable[], ownRepId: string): readonly string[] {
  const areOwn = payables.every(({ repId }) => repId === ownRepId);
  return areOwn ? [] : [[...new Set(payables.map(({ repName }) => repName))].join(' and ')];
}
