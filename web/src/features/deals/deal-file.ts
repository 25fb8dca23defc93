import { disarmCells } from '#src/client.js';
import { type Deal } from '../../api/queries.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { type StandardSlugs, standardSlugs } from './edited-deal.js';

const header = ['Deal ID', 'Deal name', 'Owner email', 'Amount', 'Currency', 'Stage', 'Close date'] as const;

/** Spreadsheets execute texts that begin like a formula. A negative number is none. */
function toCellText(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return readNumber(text) === null ? disarmCells(text, ',') : text;
}

/**
 * The deals as rows of a file that the import reads again: the standard values, and a column for each other field. A
 * field with a standard value is none of them, because the import reads it from the column of the standard value.
 */
export function dealRows(
  deals: readonly Deal[],
  emails: ReadonlyMap<string, string>,
  standard: StandardSlugs,
): string[][] {
  const visible = standardSlugs(standard);
  const named = new Set(deals.flatMap(({ fields }) => Object.keys(fields)));
  const slugs = [...named].filter((slug) => !visible.has(slug)).sort();
  const rows = deals.map((deal) => {
    const { deal_id: dealId, name, repId, ownerEmail, amount, currency, stage, closeDate, fields } = deal;
    const owner = emails.get(repId ?? '') ?? ownerEmail;
    return [dealId, name, owner, amount, currency, stage, closeDate, ...slugs.map((slug) => fields[slug])];
  });
  return [[...header, ...slugs], ...rows].map((row) => row.map(toCellText));
}
