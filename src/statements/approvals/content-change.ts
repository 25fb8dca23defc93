import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Decimal } from '../../kernel/decimal.js';
import { describePayLine } from '../../pay/payables/stored-payable.js';
import { describeLine, type Snapshot, type StatementLine, type Summary } from '../snapshot.js';

/** So many lines are listed. */
const maxLines = 20;

/** How the content of a statement differs from an earlier version. */
export const contentChange = z
  .object({
    version: fields.version.describe('The earlier version'),
    amount: z.number().describe('By how much the total differs, in the currency of the statement'),
    lines: z
      .array(
        z
          .object({
            eventId: fields.eventId,
            dealId: fields.dealId.nullable(),
            dealName: fields.dealName.nullable(),
            ruleName: fields.ruleName.nullable(),
            before: z.number().nullable().describe('Amount in the earlier version; null for a new line'),
            after: z.number().nullable().describe('Amount now; null for a line that is gone'),
            currency: fields.currency,
          })
          .describe('A line that was added, changed or removed'),
      )
      .describe('The lines that differ, at most 20'),
    moreLines: z.int().describe('Number of lines that differ and are not listed'),
  })
  .describe('What differs from an earlier version');
type ContentChange = z.input<typeof contentChange>;

type Content = Pick<Snapshot, 'summary' | 'otherCurrencies' | 'lines' | 'payable'>;

/** What a statement pays, or what is earned in workspaces without payouts. */
export function totalOf({ payable, netPayout }: Summary): Decimal {
  return Decimal.of(payable ?? netPayout);
}

export function changeOfTotal(before: Pick<Content, 'summary'>, after: Pick<Content, 'summary'>): Decimal {
  return totalOf(after.summary).minus(totalOf(before.summary));
}

/**
 * Whether a signature of `before` may count for `after`: every line that was signed is unchanged, the total differs by at
 * most `limit`, and no amount in another currency differs.
 */
export function mayCarry(before: Content, after: Content, limit: number): boolean {
  if (Decimal.of(limit).isLessThan(changeOfTotal(before, after).absolute())) return false;
  if (JSON.stringify(totalsOf(before)) !== JSON.stringify(totalsOf(after))) return false;
  return (
    includesAll(after.lines.map(describeLine), before.lines.map(describeLine)) &&
    includesAll(payLinesOf(after), payLinesOf(before))
  );
}

function totalsOf({ otherCurrencies }: Content) {
  return otherCurrencies.map(({ currency, summary }) => [currency, totalOf(summary).toString()]);
}

function payLinesOf({ payable }: Content): string[] {
  return (payable?.lines ?? []).map((line) => JSON.stringify(describePayLine(line)));
}

function includesAll(all: readonly string[], some: readonly string[]): boolean {
  const present = new Set(all);
  return some.every((each) => present.has(each));
}

export function compareContent(before: Content & { readonly version: number }, after: Content): ContentChange {
  const earlier = new Map(before.lines.map((line) => [line.eventId, line]));
  const now = new Map(after.lines.map((line) => [line.eventId, line]));
  const ids = [...new Set([...now.keys(), ...earlier.keys()])];
  const differing = ids.flatMap((id) => toChange(earlier.get(id) ?? null, now.get(id) ?? null));
  return {
    version: before.version,
    amount: changeOfTotal(before, after).toNumber(),
    lines: differing.slice(0, maxLines),
    moreLines: Math.max(0, differing.length - maxLines),
  };
}

function toChange(before: StatementLine | null, after: StatementLine | null): ContentChange['lines'] {
  const line = after ?? before;
  if (line === null) return [];
  if (before !== null && after !== null && describeLine(before) === describeLine(after)) return [];
  const { eventId, dealId, dealName, ruleName, currency } = line;
  const toAmount = (version: StatementLine | null) => (version === null ? null : Number(version.amount));
  return [{ eventId, dealId, dealName, ruleName, before: toAmount(before), after: toAmount(after), currency }];
}
