import { type Field } from './fields.js';
import { fieldWords } from './words.js';

const types = {
  'line.family': 'text',
  'line.product_code': 'text',
  'line.name': 'text',
  'line.amount': 'currency',
  'line.quantity': 'number',
  'line.unit_price': 'currency',
  'line.list_price': 'currency',
  'line.cost': 'currency',
  'line.discount': 'number',
  'line.currency': 'text',
  'line.start_date': 'date',
  'line.months': 'number',
  'line.recurring': 'text',
} as const;

/** The fields of the products of a deal. */
export const lineFields: readonly Field[] = Object.entries(types).map(
  ([slug, type]): Field => ({ slug, label: fieldWords(slug), type }) as Field,
);
