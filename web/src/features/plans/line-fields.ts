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

/** The fields that the products of every deal may have. */
const standardFields: readonly Field[] = Object.entries(types).map(
  ([slug, type]): Field => ({ slug, label: fieldWords(slug), type }) as Field,
);

function isOfLines({ slug }: Field): boolean {
  return slug.startsWith('line.');
}

/** The fields of deals, and those of their products with the ones that only products of this workspace have. */
export function splitFields(fields: readonly Field[]): {
  readonly ofDeals: readonly Field[];
  readonly ofLines: readonly Field[];
} {
  // Values of products are typed: only those of deals are listed.
  const own = fields.filter(isOfLines).map(
    ({ slug, type }): Field => ({
      slug,
      label: fieldWords(slug),
      type: type === 'select' ? 'text' : type,
    }),
  );
  return { ofDeals: fields.filter((field) => !isOfLines(field)), ofLines: [...standardFields, ...own] };
}
