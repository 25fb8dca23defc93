import { sql } from 'kysely';
import { findDealHeads } from '../deals/deal-heads.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Account, type AccountRole } from './accounts.js';
import { type JournalLine } from './journal-line.js';

/** What files of journals show of a person. */
export interface PersonLabel {
  readonly name: string;
  readonly payrollId: string | null;
  readonly team: string | null;
  readonly location: string | null;
}

/** What files of journals show of an entity. */
export interface EntityLabel {
  readonly name: string;
  readonly accounts: Readonly<Partial<Record<AccountRole, Account>>>;
}

/** Names as they were when the month was closed, so that its files stay the same. */
export interface Labels {
  readonly entities: Readonly<Record<string, EntityLabel>>;
  readonly people: Readonly<Record<string, PersonLabel>>;
  readonly deals: Readonly<Record<string, string | null>>;
  readonly plans: Readonly<Record<string, string>>;
}

export async function loadLabels(
  tx: Transaction,
  entities: readonly (EntityLabel & { readonly code: string })[],
  lines: readonly JournalLine[],
): Promise<Labels> {
  const repIds = [...new Set(lines.map(({ repId }) => repId))];
  const planIds = [...new Set(lines.flatMap(({ planId }) => planId ?? []))];
  const people = await sql<PersonLabel & { readonly repId: string }>`
    select rep_id as "repId", name, payroll_id as "payrollId", team, location from reps
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  const plans = await sql<{ readonly planId: string; readonly name: string }>`
    select plan_id as "planId", name from plans
    where workspace_id = ${tx.workspaceId} and plan_id = any(${planIds}::uuid[])`.execute(tx.db);
  const deals = await findDealHeads(
    tx,
    lines.flatMap(({ dealId }) => dealId ?? []),
  );
  return {
    entities: Object.fromEntries(entities.map(({ code, name, accounts }) => [code, { name, accounts }])),
    people: Object.fromEntries(people.rows.map(({ repId, ...person }) => [repId, person])),
    deals: Object.fromEntries([...deals].map(([dealId, { dealName }]) => [dealId, dealName])),
    plans: Object.fromEntries(plans.rows.map((plan) => [plan.planId, plan.name])),
  };
}
