import { sql } from 'kysely';
import { aliasOf, currencySuffix, foldedSlug, standardSlugs } from '../../engine/slug.js';
import { type Work } from '../../platform/database/unit-of-work.js';

interface Read {
  readonly revision: string;
  readonly names: readonly string[];
}

/**
 * The keys of deal fields that a calculation of the workspace may read, as folded slugs: what rules, conditions and
 * mappings of all versions name, and some more. It is constant within one revision. The caller holds a lock under which no plan changes.
 */
export async function loadReadFields(trx: Work, workspaceId: string): Promise<ReadonlySet<string>> {
  const cache = trx.cacheOf<ReadonlySet<string>>();
  const key = `read-fields ${workspaceId}`;
  const { revision: current } = await trx
    .selectFrom('workspaces')
    .select('configuration_revision as revision')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const cached = cache.get(current, key);
  if (cached !== null) return cached;
  const { revision, names } = await readNames(trx, workspaceId);
  const aliased = [...standardSlugs, ...names.flatMap((name) => [name, aliasOf(name) ?? name])];
  const fields = new Set(aliased.flatMap((name) => [name, `${name}${currencySuffix}`]).map(foldedSlug));
  cache.set(revision, key, fields, [...fields].join('').length);
  return fields;
}

/** Rules are read as a whole, so that a new property of rules that names a field is included. */
async function readNames(trx: Work, workspaceId: string): Promise<Read> {
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
        union select jsonb_path_query(w.field_mapping, '$.** ? (@.type() == "string")')
      ) named
    ) as names
    from workspaces w where w.workspace_id = ${workspaceId}`.execute(trx);
  return rows[0] as Read;
}
