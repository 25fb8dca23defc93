import { type DealLine } from './deal-line.js';
import { type Fields, type FieldValue, isAbsent } from './field-value.js';
import { foldedSlug } from './folded-slug.js';

/** What a deal with lines has of them: their number, and the distinct families and product codes. */
export const lineSummarySlugs: readonly string[] = ['lines.count', 'lines.families', 'lines.products'];

/** Whether terms with slugs, as they are stored, name what a deal has of lines. */
export function readsSummaryOfLines(terms: unknown): boolean {
  const text = foldedSlug(JSON.stringify(terms));
  return lineSummarySlugs.some((slug) => text.includes(slug));
}

const summaries = new WeakMap<readonly DealLine[], Fields>();

export function readLineSummary(lines: readonly DealLine[], slug: string): FieldValue | undefined {
  const summary = summaries.get(lines) ?? summarize(lines);
  summaries.set(lines, summary);
  return summary[slug];
}

function summarize(lines: readonly DealLine[]): Fields {
  const distinct = (field: 'family' | 'productCode'): string[] =>
    [...new Set(lines.map((line) => line[field]).filter((text) => !isAbsent(text)))] as string[];
  return {
    'lines.count': lines.length,
    'lines.families': distinct('family'),
    'lines.products': distinct('productCode'),
  };
}
