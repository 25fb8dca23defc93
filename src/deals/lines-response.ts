import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type DealLine } from '../engine/deal-line.js';
import { asNumber } from '../engine/field-value.js';
import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { roundToCurrency } from '../kernel/currency.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BeginChange, previewFactChange, runFactChange } from './change-deal-facts.js';
import { changeLines } from './change-lines.js';
import { describeBlocked, factOutcome } from './credits-response.js';
import { findCreditedDeal } from './deal-credit-views.js';
import { dealsWithRefundedLines, hasRulesReadingLines, loadCountedLines } from './deal-line-store.js';
import { dealLine, noLines, toLineRecord } from './deal-lines.js';

const lineWarning = z
  .object({
    code: z
      .enum(['lines_differ', 'no_rule_reads_lines', 'paid_twice'])
      .describe(
        'lines_differ: the lines do not add up to the amount of the deal; no_rule_reads_lines: no rule of any plan pays on lines; paid_twice: approved statements keep what others are paid now, until the discrepancies are resolved',
      ),
    message: z.string().describe('The warning in words'),
    currency: fields.currency.optional(),
    amount: z.number().optional().describe('Amount that is paid twice, in `currency`'),
  })
  .describe('A warning');

/** The lines of a deal in responses. */
export const linesOfOneDeal = z.object({
  dealId: fields.dealId,
  source: z
    .enum(['api', 'crm'])
    .nullable()
    .describe('Where the lines come from; those of the API count before those of the CRM. null: there are none'),
  lines: z.array(dealLine).describe('The lines that count, in the order in which they were given'),
  total: z
    .array(
      z
        .object({ currency: fields.currency, amount: z.number().describe('Sum of the net amounts') })
        .describe('The sum in one currency'),
    )
    .describe('The sum of the lines, by currency'),
  differs: z
    .boolean()
    .describe('true: all lines are in the currency of the deal, and their rounded sum is not its rounded amount'),
  warnings: z.array(lineWarning).describe('What to look at'),
});
type LinesOfOneDeal = z.input<typeof linesOfOneDeal>;

/** The response of a change, and of its dry run. */
export const changedDealLines = linesOfOneDeal.extend({
  ...factOutcome,
  before: z.array(dealLine).optional().describe('With dryRun=true: the lines before the change'),
  after: z.array(dealLine).optional().describe('With dryRun=true: the lines after the change, as in `lines`'),
});
type ChangedDealLines = z.input<typeof changedDealLines>;

/** The lines of a deal that the caller sees; in a transaction with `asOf`, as they were at that instant. */
export async function describeLines(tx: Transaction, caller: Caller, dealId: string): Promise<LinesOfOneDeal> {
  const deal = await findCreditedDeal(tx, caller, dealId);
  const { source, lines } = (await loadCountedLines(tx, [dealId])).get(dealId) ?? noLines;
  const currency = deal.currency ?? (await loadWorkspaceCurrency(tx));
  const differs = linesDiffer(lines, deal.amount, currency);
  const amounts = lines.map((line) => ({ currency: line.currency ?? currency, amount: amountOf(line).toString() }));
  return {
    dealId,
    source,
    lines: lines.map((line) => toLineRecord(line, caller)),
    total: [...sumsByCurrency(amounts)].map(([code, total]) => ({ currency: code, amount: total.toNumber() })),
    differs,
    warnings: differs ? [{ code: 'lines_differ', message: 'The lines do not add up to the amount of the deal.' }] : [],
  };
}

function amountOf({ amount }: DealLine): Decimal {
  return asNumber(amount) ?? Decimal.zero;
}

/** Lines in other currencies than the deal are not compared. */
function linesDiffer(lines: readonly DealLine[], amount: string | null, currency: string): boolean {
  if (lines.length === 0 || amount === null) return false;
  if (lines.some((line) => (line.currency ?? currency) !== currency)) return false;
  const total = roundToCurrency(sum(lines.map(amountOf)), currency);
  return !total.equals(roundToCurrency(Decimal.of(amount), currency));
}

async function loadWorkspaceCurrency(tx: Transaction): Promise<string> {
  const { currency } = await tx.db
    .selectFrom('workspaces')
    .select('currency')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return currency;
}

interface LinesChangeRequest {
  readonly dealId: string;
  /** None: those of the CRM count again. */
  readonly lines: readonly DealLine[];
  readonly dryRun: boolean;
}

/** Changes the lines of one deal and requests the calculation; a dry run calculates it and writes nothing. */
export async function changeLinesOfDeal(
  uses: { readonly changes: CommissionChanges; readonly clock: Clock },
  caller: Caller,
  { dealId, lines, dryRun }: LinesChangeRequest,
): Promise<ChangedDealLines> {
  const begin: BeginChange<LinesOfOneDeal> = async (tx) => ({
    trigger: 'lines',
    write: () => changeLines(tx, caller, new Map([[dealId, lines]])),
    describe: async () => withUnreadWarning(tx, await describeLines(tx, caller, dealId)),
  });
  if (!dryRun)
    return runFactChange(uses, caller, begin, async (tx, { content, paidTwice, blocked, jobId }) => ({
      ...content,
      warnings: [...content.warnings, ...paidTwice],
      ...(await describeBlocked(tx, blocked)),
      jobId,
    }));
  return previewFactChange(uses, caller, begin, async (tx, { before, after, paidTwice, blocked, effect }) => ({
    ...after,
    warnings: [...after.warnings, ...paidTwice],
    ...(await describeBlocked(tx, blocked)),
    dryRun: true,
    before: before.lines,
    after: after.lines,
    ...effect,
  }));
}

async function withUnreadWarning(tx: Transaction, described: LinesOfOneDeal): Promise<LinesOfOneDeal> {
  if (described.lines.length === 0 || (await hasRulesReadingLines(tx))) return described;
  const isRefunded = (await dealsWithRefundedLines(tx, [described.dealId])).size > 0;
  const message = isRefunded
    ? 'No rule of any plan reads lines, so only refunds that name them are calculated.'
    : 'No rule of any plan reads lines, so nothing is calculated.';
  return { ...described, warnings: [...described.warnings, { code: 'no_rule_reads_lines', message }] };
}
