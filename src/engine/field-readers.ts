import { getOrInsert } from '../kernel/get-or-insert.js';
import { isLineSlug, nameInLine, lineReader as readerInLine } from './deal-line.js';
import { formulaReader, isFormula } from './formula.js';
import {
  dealAmount,
  dealCount,
  fieldReader,
  lineCount,
  type ReadField,
  type SlugMapping,
  signOfAmount,
} from './slug.js';

export type ReaderOf = (slug: string) => ReadField;

/** Reads the fields of deals, and those of a line with its deal. */
export interface FieldReaders {
  readonly ofDeal: ReaderOf;
  readonly ofLine: ReaderOf;
}

/** Rules that read the same field share its reader, and with it the number of the last deal; see NumberReader. */
export function fieldReaders(mapping: SlugMapping, measures: SlugMapping): FieldReaders {
  const dealReaders = new Map<string, ReadField>();
  const ofDeal = (slug: string): ReadField =>
    getOrInsert(dealReaders, slug, () =>
      slug === dealCount ? countDeals(ofDeal(dealAmount)) : fieldReader(slug, mapping, measures),
    );
  const lineReaders = new Map<string, ReadField>();
  const ofLine = (slug: string): ReadField =>
    getOrInsert(lineReaders, slug, () => readerOfLines(slug, { ofDeal, ofLine }));
  return { ofDeal, ofLine };
}

/** Reads a slug of a rule with lines from the line at which the rule looks, with its deal. */
function readerOfLines(slug: string, { ofDeal, ofLine }: FieldReaders): ReadField {
  if (slug === lineCount) {
    const count = ofDeal(dealCount);
    // Not the same reader: sums distinguish fields of lines from fields of deals by their readers.
    return (source) => count(source);
  }
  if (isFormula(slug)) return formulaReader(slug, ofLine);
  if (!isLineSlug(slug)) return ofDeal(slug);
  const read = readerInLine(nameInLine(slug));
  return ({ line }) => (line === undefined ? undefined : read(line));
}

function countDeals(readAmount: ReadField): ReadField {
  return (deal) => (signOfAmount(readAmount, deal) < 0 ? -1 : 1);
}
