import { type CrmProduct, type LineMapping } from '../port.js';
import { toProduct, type UsualValues } from '../products.js';
import { type CrmaRecord, readCurrency, readValues } from './values.js';

const currencyOfAmount = 'currency of the amount';

const usual: UsualValues = {
  name: (read) => read('name'),
  currency: (read) => read(currencyOfAmount),
};

/** A record as a product; null for a heading. */
export function readProduct(record: CrmaRecord, mapping: LineMapping): CrmProduct | null {
  const values = readValues(record);
  const currency = readCurrency(record, mapping.standard['amount'] ?? '');
  const read = (name: string) => (name === currencyOfAmount ? currency : values[name]);
  return toProduct(record.id.record_id, read, usual, mapping);
}
