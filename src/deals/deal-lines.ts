import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type DealLine } from '../engine/deal-line.js';
import { dealLineInput, findRepeatedLine, maxLines } from '../engine/deal-line-input.js';
import { asNumber } from '../engine/field-value.js';
import { type Caller, seesTeam } from '../kernel/caller.js';
import { isCurrency } from '../kernel/currency.js';
import { Failure, invalid } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { isStorable } from '../platform/database/columns.js';

/** Where the lines of a deal come from. Those of the API count before those of the CRM. */
export type LineSource = 'api' | 'crm';

/** The lines of a deal that count; source null if there are none. */
export interface CountedLines {
  readonly source: LineSource | null;
  readonly lines: readonly DealLine[];
}

export const noLines: CountedLines = { source: null, lines: [] };

export const sentDealLines = z
  .array(dealLineInput)
  .min(1)
  .describe(`All lines of the deal in their order, at most ${maxLines}`);
type SentDealLine = z.output<typeof dealLineInput>;

const numbers = ['quantity', 'unitPrice', 'listPrice', 'cost', 'discount', 'amount', 'months'] as const;
const texts = ['productCode', 'name', 'family', 'startDate', 'recurring'] as const;

/** The lines as they are stored, without absent values. Rejects repeated ids, more lines than allowed and unknown currencies. */
export function toDealLines(sent: readonly SentDealLine[]): DealLine[] {
  assertLinesOfDeal(sent);
  return sent.map((line, index) => toDealLine(line, ['lines', index]));
}

/** Rejects repeated ids, and more lines than a deal may have. */
export function assertLinesOfDeal(lines: readonly Pick<DealLine, 'lineId'>[]): void {
  if (lines.length > maxLines)
    throw new Failure('too_many_lines', `The deal has ${lines.length} lines. At most ${maxLines} are allowed.`);
  const repeated = findRepeatedLine(lines);
  if (repeated >= 0)
    throw new Failure('line_repeated', `Line ${repeated + 1} has the id of an earlier line.`, {
      lineId: lines[repeated]?.lineId,
    });
}

/** The line as it is stored; `path` is where the request has it. */
export function toDealLine(sent: SentDealLine, path: readonly PropertyKey[] = []): DealLine {
  const currency = sent.currency?.toUpperCase();
  if (currency !== undefined && !isCurrency(currency))
    throw invalid({ path: [...path, 'currency'].join('.'), message: 'must be an ISO 4217 code' });
  const line = {
    lineId: sent.lineId,
    ...pick(texts, (name) => sent[name]),
    ...pick(numbers, (name) => asNumber(sent[name])?.toString()),
    ...(currency === undefined ? {} : { currency }),
    ...(sent.fields === undefined ? {} : { fields: sent.fields }),
  };
  if (!allTexts(line).every(isStorable))
    throw invalid({ path: path.join('.'), message: 'must not contain control characters or lone surrogates' });
  return line as DealLine;
}

function pick<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value | null | undefined,
): Partial<Record<Name, Value>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name) ?? null;
      return value === null ? [] : [[name, value]];
    }),
  ) as Partial<Record<Name, Value>>;
}

function allTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...allTexts(inner)]);
}

const number = z.number().nullable();
const text = z.string().nullable();

export const dealLine = z
  .object({
    lineId: z.string().describe('Id of the line, unique in the deal'),
    productCode: text.describe('Code of the product'),
    name: text.describe('Name of the product'),
    family: text.describe('Family of the product'),
    quantity: number.describe('Number of units, negative for a return'),
    unitPrice: number.describe('Price of one unit'),
    listPrice: number.describe('List price'),
    cost: number.optional().describe('Cost. Managers and admins only'),
    discount: number.describe('Discount as a fraction: 0.25 is 25 %'),
    amount: number.describe('Net amount, after discount and for the whole quantity; null if the CRM has none'),
    currency: fields.currency.nullable().describe('Currency of the amounts, ISO 4217; null: that of the deal'),
    startDate: text.describe('First day of the service, YYYY-MM-DD'),
    months: number.describe('Number of months of the term'),
    recurring: text.describe('How the line recurs, usually one_time, monthly or annual'),
    fields: z.record(z.string(), z.unknown()).optional().describe('Further values by slug'),
  })
  .describe('A product of the deal');
export type DealLineRecord = z.input<typeof dealLine>;

export function toLineRecord(line: DealLine, caller: Caller): DealLineRecord {
  const asText = (value: string | null | undefined) => value ?? null;
  const toNumber = (value: DealLine['amount'] | undefined) => asNumber(value)?.toNumber() ?? null;
  return {
    lineId: line.lineId,
    productCode: asText(line.productCode),
    name: asText(line.name),
    family: asText(line.family),
    quantity: toNumber(line.quantity),
    unitPrice: toNumber(line.unitPrice),
    listPrice: toNumber(line.listPrice),
    ...(seesTeam(caller) ? { cost: toNumber(line.cost) } : {}),
    discount: toNumber(line.discount),
    amount: toNumber(line.amount),
    currency: asText(line.currency),
    startDate: asText(line.startDate),
    months: toNumber(line.months),
    recurring: asText(line.recurring),
    ...(line.fields === undefined ? {} : { fields: line.fields }),
  };
}

export const linesExample = {
  dealId: sampleIds.dealId,
  source: 'api' as const,
  lines: [
    {
      lineId: '1',
      productCode: null,
      name: null,
      family: 'software',
      quantity: null,
      unitPrice: null,
      listPrice: null,
      cost: null,
      discount: null,
      amount: 30_000,
      currency: null,
      startDate: null,
      months: null,
      recurring: null,
    },
  ],
  total: [{ currency: 'USD', amount: 30_000 }],
  differs: false,
};
