import { sql } from 'kysely';
import { foldedSlug } from '../../engine/folded-slug.js';
import { fieldsIn } from '../../engine/formula.js';
import { currencySuffix, findAlias } from '../../engine/slug.js';
import { standardSlugs } from '../../engine/standard-slugs.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface Read {
  readonly revision: string;
  readonly names: readonly string[];
}

/**
 * The keys of deal fields that a calculation of the workspace may read, as folded slugs: what rules, conditions and
 * mappings of all versions name, and some more. It is constant within one revision. The caller holds a lock under which no plan changes.
 */
export async function loadReadFields(tx: Transaction): Promise<ReadonlySet<string>> {
  const cache = tx.cacheOf<ReadonlySet<string>>();
  const key = `read-fields ${tx.workspaceId}`;
  const current = await tx.revision;
  const cached = current === undefined ? null : cache.get(current, key);
  if (cached !== null) return cached;
  const { revision, names } = await readNames(tx);
  const aliased = [...standardSlugs, ...names.flatMap(fieldsIn).flatMap((name) => [name, findAlias(name) ?? name])];
  const fields = new Set(aliased.flatMap((name) => [name, `${name}${currencySuffix}`]).map(foldedSlug));
  cache.set(revision, key, fields, [...fields].join('').length);
  return fields;
}

/** Rules are read as a whole, so that a new property of rules that names a field is included. */
async function readNames(tx: Transaction): Promise<Read> {
  const { rows } = await sql<Read>`
    select w.configuration_revision as revision, array(
      select v #>> '{}' from (
        select jsonb_path_query(r.definition - 'conditions' - 'tiers', '$.** ? (@.type() == "string")') as v
        from plan_rules r where r.workspace_id = w.workspace_id
        union select jsonb_path_query(r.definition, '$.conditions.**.field')
        from plan_rules r where r.workspace_id = w.workspace_id
        union select jsonb_path_query(p.deal_conditions, '$.**.field')
        from plan_versions p where p.workspace_id = w.workspace_id
        union select jsonb_path_query(p.field_mapping, '$.** ? (@.type() == "string")')
        from plan_versions p where p.workspace_id = w.workspace_id
        union select jsonb_path_query(t.keys, '$[*].field') from rate_tables t where t.workspace_id = w.workspace_id
        union select to_jsonb(person_field) from credit_rules c where c.workspace_id = w.workspace_id
        union select to_jsonb(percent_field) from credit_rules c
        where c.workspace_id = w.workspace_id and percent_field is not null
        union select jsonb_path_query(c.conditions, '$.**.field')
        from credit_rules c where c.workspace_id = w.workspace_id
        union select jsonb_path_query(w.field_mapping, '$.** ? (@.type() == "string")')
      ) named
    ) as names
    from workspaces w where w.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return rows[0] as Read;
}
