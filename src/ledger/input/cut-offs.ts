import { sql } from 'kysely';
import { type FixedEvent } from '../../engine/model.js';
import { decodeCutOff } from '../../engine/trace.js';
import { type Decimal } from '../../kernel/decimal.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { naturalKey } from './ledger-rows.js';
import { hasRule, type RepTerms } from './rep-terms.js';

interface FixedOfRep {
  readonly terms: RepTerms;
  readonly fixed: readonly FixedEvent[];
}

/** Adds to the fixed rows of each rep what a cap cut off them, as their traces record it. */
export async function withCutOffs(tx: Transaction, reps: readonly FixedOfRep[]): Promise<(readonly FixedEvent[])[]> {
  const capped = reps.filter(({ terms, fixed }) => fixed.length > 0 && hasRule(terms, ({ cap }) => cap !== undefined));
  if (capped.length === 0) return reps.map(({ fixed }) => fixed);
  const found = await loadCutOffs(tx, capped);
  return reps.map(({ terms: { repId }, fixed }) =>
    fixed.map((event) => ({ ...event, cutOff: event.cutOff ?? found.get(`${repId}|${naturalKey(event)}`) })),
  );
}

async function loadCutOffs(tx: Transaction, reps: readonly FixedOfRep[]): Promise<ReadonlyMap<string, Decimal>> {
  const { rows } = await sql<{
    repId: string;
    planId: string;
    planVersionId: string;
    ruleName: string;
    dealKey: string;
    trace: string;
  }>`
    select rep_id as "repId", plan_id as "planId", plan_version_id as "planVersionId", rule_name as "ruleName",
      deal_key as "dealKey", trace
    from commission_events
    where workspace_id = ${tx.workspaceId} and kind = 'commission_earned' and status = 'earned'
      and rep_id = any(${reps.map(({ terms }) => terms.repId)}::uuid[])
      and deal_key = any(${[...new Set(reps.flatMap(({ fixed }) => fixed.map(({ dealKey }) => dealKey)))]}::text[])
      and trace like '%["c",%'`.execute(tx.db);
  const bonuses = new Set(reps.flatMap(({ terms }) => rulesOfBonuses(terms)));
  return new Map(
    rows
      .filter(({ planVersionId, ruleName }) => !bonuses.has(`${planVersionId}|${ruleName}`))
      .map((row) => [`${row.repId}|${naturalKey(row)}`, decodeCutOff(row.trace)]),
  );
}

/** Bonuses of the period neither add to what the cap has cut off nor use it. */
function rulesOfBonuses({ versions }: RepTerms): string[] {
  return versions.flatMap(({ planVersionId, rules }) =>
    rules
      .filter(({ payoutMode }) => payoutMode === 'flat_per_tier' || payoutMode === 'stepped_bonus')
      .map(({ name }) => `${planVersionId}|${name}`),
  );
}
