import { sql } from 'kysely';
import { isLineSlug, lineFields, nameInLine } from '../engine/deal-line.js';
import { foldedSlug } from '../engine/folded-slug.js';
import { type PlanTerms } from '../engine/plan-config.js';
import { cellOf, isAnyValue, type RateTable } from '../engine/rate-table.js';
import { findTable } from '../engine/rule-table.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type FieldReference } from './plan-references.js';
import { type PlanWarning } from './plan-warnings.js';

/** Warns of tables without a row for all other values, which then pay nothing and are listed in the exceptions. */
export function tablesWithoutDefault({ rules }: PlanTerms, tables: readonly RateTable[]): PlanWarning[] {
  return rules.flatMap(({ tiers }, index) =>
    tiers.flatMap(({ table: name }, position): PlanWarning[] => {
      const table = name === undefined ? undefined : findTable(tables, name);
      if (table === undefined || table.noMatch === 'zero' || hasDefault(table)) return [];
      return [
        {
          code: 'table_without_default',
          path: `config.rules.${index}.tiers.${position}.table`,
          message: `"${table.name}" has no row of * for all other values, which pay 0 and are listed in the exceptions. Add such a row, or set noMatch zero.`,
        },
      ];
    }),
  );
}

function hasDefault({ keys, rows }: RateTable): boolean {
  return rows.some((row) => keys.every((key) => isAnyValue(cellOf(row, key))));
}

/** Warns of fields of lines that no line of the workspace has. */
export async function unknownLineFields(
  tx: Transaction,
  references: readonly FieldReference[],
): Promise<PlanWarning[]> {
  const own = references.filter(
    ({ slug }) => isLineSlug(slug) && !Object.hasOwn(lineFields, foldedSlug(nameInLine(slug))),
  );
  if (own.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select distinct jsonb_object_keys(coalesce(content -> 'fields', '{}')) as name from deal_lines
    where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const known = new Set(rows.map(({ name }) => foldedSlug(name)));
  return own
    .filter(({ slug }) => !known.has(foldedSlug(nameInLine(slug))))
    .map(({ slug, path }) => ({ code: 'unknown_line_field', path, message: `No line of a deal has "${slug}".` }));
}
