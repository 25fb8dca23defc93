import { z } from 'zod';
import { isDay } from '../kernel/day.js';
import { lineFields } from './deal-line.js';
import { asNumber } from './field-value.js';
import { foldedSlug } from './folded-slug.js';

export const maxLines = 500;

const text = z.string().max(500);
const number = z
  .union([z.number(), z.string()])
  .refine((value) => asNumber(value) !== null, 'must be a number within ±10^15');
const money = number.nullish();

const reserved: ReadonlySet<string> = new Set([
  ...Object.keys(lineFields),
  ...Object.values(lineFields).map(foldedSlug),
]);

/** One product of a deal, as requests give it. */
export const dealLineInput = z
  .strictObject({
    lineId: z.string().trim().min(1).max(200).describe('Id of the line, unique in the deal'),
    productCode: text.nullish().describe('Code of the product (line.product_code)'),
    name: text.nullish().describe('Name of the product (line.name)'),
    family: text.nullish().describe('Family of the product (line.family)'),
    quantity: money.describe('Number of units, negative for a return (line.quantity)'),
    unitPrice: money.describe('Price of one unit, in the currency of the line (line.unit_price)'),
    listPrice: money.describe('List price, in the currency of the line (line.list_price)'),
    cost: money.describe('Cost, in the currency of the line (line.cost)'),
    discount: money.describe('Discount as a fraction: 0.25 is 25 % (line.discount)'),
    amount: number.describe('Net amount, after discount and for the whole quantity (line.amount)'),
    currency: z
      .string()
      .regex(/^[A-Za-z]{3}$/)
      .nullish()
      .describe('Currency, ISO 4217; that of the deal when absent'),
    startDate: z
      .string()
      .refine(isDay, 'must be a day, YYYY-MM-DD')
      .nullish()
      .describe('First day of the service, YYYY-MM-DD (line.start_date)'),
    months: money.describe('Number of months of the term (line.months)'),
    recurring: text.nullish().describe('How the line recurs, usually one_time, monthly or annual (line.recurring)'),
    fields: z
      .record(
        z.string().min(1).max(200),
        z.union([z.string().max(10_000), z.number(), z.boolean(), z.null(), z.array(z.string().max(1_000)).max(1_000)]),
      )
      .refine((fields) => Object.keys(fields).length <= 50, 'must have at most 50 fields')
      .refine(
        (fields) => !Object.keys(fields).some((slug) => reserved.has(foldedSlug(slug))),
        'must not name a field that every line has',
      )
      .optional()
      .describe('Further values by slug (line.<slug>)'),
  })
  .describe('A product of the deal');

/** The position of a line whose id an earlier one has; -1 if there is none. */
export function findRepeatedLine(lines: readonly { readonly lineId: string }[]): number {
  const ids = lines.map(({ lineId }) => lineId);
  return ids.findIndex((id, index) => ids.indexOf(id) < index);
}
