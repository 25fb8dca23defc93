import { CrmFailure, type CrmProduct, type LineMapping } from '../port.js';
import { productFields, toFraction, toProduct, type UsualValues } from '../products.js';

const fields = [
  'Name',
  'Product2.ProductCode',
  'Product2.Family',
  'Quantity',
  'UnitPrice',
  'ListPrice',
  'Discount',
  'TotalPrice',
  'ServiceDate',
];

/** Line items have the currency of their opportunity. */
const usual: UsualValues = {
  productCode: (read) => read('Product2.ProductCode'),
  name: (read) => read('Name'),
  family: (read) => read('Product2.Family'),
  quantity: (read) => read('Quantity'),
  unitPrice: (read) => read('UnitPrice'),
  listPrice: (read) => read('ListPrice'),
  discount: (read) => toFraction(read('Discount')),
  amount: (read) => read('TotalPrice'),
  startDate: (read) => read('ServiceDate'),
};

/** The fields of line items that products need. The names become part of a query, so other characters are rejected. */
export function selectedFields(mapping: LineMapping): string[] {
  const selected = productFields(fields, mapping);
  const unusable = selected.find((name) => !/^\w{1,80}(\.\w{1,80})?$/.test(name));
  if (unusable === undefined) return selected;
  throw new CrmFailure('rejected', `crmc: ${unusable.slice(0, 100)} is not the name of a field of line items`);
}

/** A line item as a product; null for a heading. */
export function readProduct(
  id: string,
  item: Readonly<Record<string, unknown>>,
  mapping: LineMapping,
): CrmProduct | null {
  return toProduct(id, (name) => valueAt(item, name.split('.')), usual, mapping);
}

/** Queries take names in any case, and rows have those of the CRM. */
function valueAt(row: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const found = Object.entries(row ?? {}).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return rest.length === 0 ? found : valueAt(found, rest);
}
