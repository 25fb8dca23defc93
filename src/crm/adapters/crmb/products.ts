import { Decimal } from '../../../kernel/decimal.js';
import { type CrmProduct, type LineMapping } from '../port.js';
import { productFields, toDecimal, toFraction, toProduct, type UsualValues } from '../products.js';
import { toText } from '../values.js';

const properties = [
  'hs_sku',
  'hs_product_id',
  'name',
  'quantity',
  'price',
  'hs_discount_percentage',
  'amount',
  'hs_cost_of_goods_sold',
  'hs_line_item_currency_code',
  'hs_recurring_billing_start_date',
  'hs_recurring_billing_period',
  'recurringbillingfrequency',
];

const usual: UsualValues = {
  productCode: (read) => toText(read('hs_sku')) ?? read('hs_product_id'),
  name: (read) => read('name'),
  quantity: (read) => read('quantity'),
  unitPrice: (read) => read('price'),
  discount: (read) => toFraction(read('hs_discount_percentage')),
  amount: (read) => read('amount'),
  cost: (read) => toCost(read('hs_cost_of_goods_sold'), read('quantity')),
  currency: (read) => read('hs_line_item_currency_code'),
  startDate: (read) => read('hs_recurring_billing_start_date'),
  months: (read) => toMonths(read('hs_recurring_billing_period')),
  recurring: (read) => read('recurringbillingfrequency'),
};

/** The properties of line items that products need. */
export function productProperties(mapping: LineMapping): string[] {
  return productFields(properties, mapping);
}

/** A line item as a product; null for a heading. */
export function readProduct(
  id: string,
  item: Readonly<Record<string, string | null | undefined>>,
  mapping: LineMapping,
): CrmProduct | null {
  return toProduct(id, (name) => item[name], usual, mapping);
}

/** The CRM has the cost of one unit. */
function toCost(ofUnit: unknown, quantity: unknown): Decimal | null {
  const [cost, units] = [toDecimal(ofUnit), toDecimal(quantity)];
  return cost === null || units === null ? null : cost.times(units);
}

/** A period such as P12M or P1Y, in months. */
function toMonths(period: unknown): Decimal | null {
  const [, years, months] = /^P(?:(\d{1,3})Y)?(?:(\d{1,4})M)?$/.exec(toText(period) ?? '') ?? [];
  if (years === undefined && months === undefined) return null;
  return Decimal.of(Number(years ?? 0) * 12 + Number(months ?? 0));
}
