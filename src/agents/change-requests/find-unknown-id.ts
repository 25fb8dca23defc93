import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type IdLookup } from '../../platform/mcp/tool-runner.js';

interface Kind {
  readonly arguments: readonly string[];
  readonly code: string;
  /** The ids of the workspace, as text only where ids are not UUIDs. */
  readonly ids: (tx: Transaction) => RawBuilder<unknown>;
  readonly type: 'uuid' | 'text';
}

const kinds: readonly Kind[] = [
  {
    arguments: ['planId', 'planRef', 'planVersionId'],
    code: 'plan_not_found',
    ids: ({ workspaceId }) => sql`select plan_id as id from plans where workspace_id = ${workspaceId}
      union all select plan_version_id from plan_versions where workspace_id = ${workspaceId}`,
    type: 'uuid',
  },
  ofTable(['planRuleId', 'ruleId'], 'plan_rule_not_found', 'plan_rules', 'rule_id'),
  ofTable(['repId', 'repIds'], 'rep_not_found', 'reps', 'rep_id'),
  ofTable(['assignmentId'], 'assignment_not_found', 'assignments', 'assignment_id', sql`deleted_at is null`),
  ofTable(['quotaId'], 'quota_not_found', 'quotas', 'quota_id'),
  ofTable(['rampId'], 'ramp_not_found', 'ramps', 'ramp_id'),
  ofTable(['drawId'], 'draw_not_found', 'draws', 'draw_id', sql`deleted_at is null`),
  ofTable(['discrepancyId'], 'discrepancy_not_found', 'discrepancies', 'discrepancy_id'),
  { ...ofTable(['dealId'], 'deal_not_found', 'deals', 'deal_id'), type: 'text' },
];

function ofTable(names: readonly string[], code: string, table: string, column: string, also = sql`true`): Kind {
  return {
    arguments: names,
    code,
    ids: ({ workspaceId }) =>
      sql`select ${sql.ref(column)} as id from ${sql.table(table)} where workspace_id = ${workspaceId} and ${also}`,
    type: 'uuid',
  };
}

/** Looks up every id in a request of an agent, so that no person decides about a change that must fail. */
export const findUnknownId: IdLookup = async (tx, texts, codes) => {
  for (const kind of kinds.filter(({ code }) => Object.hasOwn(codes, code))) {
    const sent = texts.filter(({ name }) => kind.arguments.includes(name));
    const missing = sent.length === 0 ? null : await firstMissing(tx, kind, sent);
    if (missing !== null) return { path: missing.path, code: kind.code, id: missing.text };
  }
  return null;
};

async function firstMissing<Sent extends { readonly text: string }>(
  tx: Transaction,
  { ids, type }: Kind,
  sent: readonly Sent[],
): Promise<Sent | null> {
  const wellFormed = sent.filter(({ text }) => type === 'text' || isUuid(text));
  const { rows } = await sql<{ id: string }>`
    select known.id::text as id from (${ids(tx)}) known
    where known.id = any(${wellFormed.map(({ text }) => text)}::${sql.raw(type)}[])`.execute(tx.db);
  const known = new Set(rows.map(({ id }) => id));
  return sent.find(({ text }) => !known.has(type === 'uuid' ? text.toLowerCase() : text)) ?? null;
}
