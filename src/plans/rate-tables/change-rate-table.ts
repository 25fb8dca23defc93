import { sql } from 'kysely';
import { z } from 'zod';
import { isPersonField, nameInPerson, tenure } from '../../engine/person-facts.js';
import { type RateTable } from '../../engine/rate-table.js';
import { problemsOfTier } from '../../engine/table-use.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import {
  allDays,
  type DayRange,
  earliestDay,
  extendRange,
  intersection,
  latestDay,
  overlap,
} from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { dealsOfRep, givenRepDays } from '../../ledger/input/deals-of-rep.js';
import { loadVersions, loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { requestAsJob } from '../../ledger/requests/request-as-job.js';
import { findDatedField } from '../../people/reps/dated-field.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AffectedDays, factsOf, recordingImport } from '../../platform/files/facts.js';
import { type Subject } from '../../platform/operations/operation.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { previewWrite } from '../../simulation/preview-write.js';
import { planEffect, toPlanEffect } from '../../simulation/write-effect.js';
import { countRows, differingDays } from './dated-rows.js';
import { assertSound, maxTables, rateTableNotFound, rowCounts, tablePlans } from './rate-table.js';
import { removeTable, storeTable } from './rate-table-store.js';
import { findTableRevision, listTables, listUsingAssignments, listUsingPlans } from './rate-table-views.js';

/** The response of a change of a table. */
export const changedTable = z.object({
  name: z.string().describe('Name of the table'),
  revision: z.int().describe('Number of this change; send it with the next one'),
  rows: rowCounts,
  affected: z
    .object({
      reps: z.int().describe('Number of people whose commission is calculated again'),
      plans: tablePlans,
      months: z.int().describe('Number of months in which these people have deals on these days'),
      approvedDeals: z.int().describe('Number of these deals that approved statements keep'),
    })
    .describe('Whom the change concerns'),
  jobId: z
    .string()
    .nullable()
    .describe(
      'Id of the calculation (GET /v1/commissions/recalculate/jobs/:jobId); null if there is nothing to calculate',
    ),
  effect: planEffect
    .nullable()
    .optional()
    .describe(
      'With dryRun: what the change would do to commission; null if the people have more deals than can be calculated at once',
    ),
});
type ChangedTable = z.input<typeof changedTable>;

export interface TableChange {
  readonly name: string;
  readonly note: string;
  /** The latest revision that the caller has seen. */
  readonly seen: number | undefined;
  /** The table after the change; null deletes it. */
  readonly change: (stored: RateTable | null) => RateTable | null;
  /** What is recorded of an imported file: what becomes of its rows, for the audit log. */
  readonly counts?: Readonly<Record<string, number>>;
}

interface ChangeUses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

/**
 * Changes a table, and requests the people on plans that use it on the days on which its rows differ. Rejects a change
 * that concerns a person behind the request.
 */
export async function runTableChange(
  uses: ChangeUses,
  caller: Caller,
  change: TableChange & { readonly dryRun: boolean },
): Promise<ChangedTable> {
  if (change.dryRun) return previewTableChange(uses, caller, change);
  return uses.changes.run(caller, 'exclusive', async (tx, recalculate) => {
    const { result, days } = await (change.counts === undefined
      ? writeTable(tx, caller, change)
      : writeImported(tx, caller, change, change.counts));
    const requests = [...days].map(([repId, range]) => ({ repId, days: range }));
    const work = { trigger: 'rate_table', requests, deals: 0 } as const;
    const jobId = requests.length === 0 ? null : await requestAsJob(tx, recalculate, caller, work);
    return { ...result, jobId };
  });
}

/** What the change would do to commission, or only to what is earned in the period. */
export async function previewTableChange(
  uses: ChangeUses,
  caller: Caller,
  change: TableChange,
  period?: Period,
): Promise<ChangedTable> {
  return previewWrite(uses, caller, toPlanEffect, async (tx) => {
    const compared = period === undefined ? allDays : (await loadCalendar(tx)).range(period);
    const { result, days } = await writeTable(tx, caller, change);
    return { result: { ...result, jobId: null }, affected: days, compared };
  });
}

/** A change of the table: it pays the people on plans that use it. */
export async function loadTableSubject(tx: Transaction, name: string): Promise<Subject> {
  const stored = await findTableRevision(tx, name);
  const plans = await listUsingPlans(tx, name);
  const assignments = await listUsingAssignments(tx, plans.map(planIdOf));
  return {
    paid: [...new Set(assignments.map(({ repId }) => repId))],
    state: { name: name.toLowerCase(), revision: stored?.revision ?? 0 },
  };
}

async function writeImported(
  tx: Transaction,
  caller: Caller,
  change: TableChange,
  counts: Readonly<Record<string, number>>,
): Promise<WrittenTable> {
  setAuditCounts(tx, counts);
  return recordingImport(tx, tableFacts, [{ row: 1, fact: { name: change.name.toLowerCase() } }], () =>
    writeTable(tx, caller, change),
  );
}

interface TableFact {
  /** In small letters. */
  readonly name: string;
  readonly revision?: number;
  readonly table?: RateTable | null;
}

/** A table with its rows. An import replaces them as a whole, and so does its take-back. */
export const tableFacts = factsOf<TableFact>({
  key: ['name'],
  terms: ['revision', 'table'],
  async load(tx, tables) {
    const found: TableFact[] = [];
    for (const { name } of tables) {
      const latest = await findTableRevision(tx, name);
      if (latest !== null) found.push({ name, ...latest });
    }
    return found;
  },
  async store(tx, changes, { caller }) {
    const affected: AffectedDays[] = [];
    for (const { before, after } of changes) {
      const { name, revision: seen } = before as TableFact;
      const change = { name, note: '', seen, change: () => after?.table ?? null };
      const { days } = await writeTable(tx, caller, change);
      affected.push(...[...days].map(([repId, range]) => ({ repId, days: range })));
    }
    return affected;
  },
});

interface WrittenTable {
  readonly result: Omit<ChangedTable, 'jobId' | 'effect'>;
  readonly days: ReadonlyMap<string, DayRange>;
}

async function writeTable(
  tx: Transaction,
  caller: Caller,
  { name: requestedName, note, seen, change }: TableChange,
): Promise<WrittenTable> {
  const latest = await findTableRevision(tx, requestedName);
  const stored = latest?.table ?? null;
  assertNotChanged(latest?.revision ?? 0, seen);
  const table = change(stored);
  const name = stored?.name ?? requestedName;
  const plans = (await listUsingPlans(tx, name)).map(({ planId, name: plan }) => ({ planId, name: plan }));
  if (table !== null) {
    assertSound(table);
    await assertDatedKeys(tx, table);
  }
  await assertPlansKeepIt(tx, plans, name, table);
  if (stored === null && (await listTables(tx)).length >= maxTables)
    throw invalid({ path: 'name', message: `there are ${maxTables} tables already` });
  const rows = countRows(stored?.rows ?? [], table?.rows ?? []);
  const revision = { revision: (latest?.revision ?? 0) + 1, actor: caller.actor, note, counts: rows };
  if (table === null) await removeTable(tx, name, revision);
  else await storeTable(tx, { ...table, name }, revision);
  const data = { name, revision: revision.revision, deleted: table === null };
  await recordEvent(tx, { type: 'rate_table.changed', data });
  const days = await findAffected(tx, plans.map(planIdOf), differingDays(stored, table));
  if (peopleBehind(caller).some((person) => days.has(person)))
    throw new Failure(
      'forbidden',
      'You cannot change rates that pay you, also not with a key that you created or by approving the request of an agent. Another admin must do it.',
    );
  const affected = { reps: days.size, plans, ...(await countDeals(tx, days)) };
  return { result: { name, revision: revision.revision, rows, affected }, days };
}

/** Of people, keys read the tenure and fields with days. */
async function assertDatedKeys(tx: Transaction, { keys }: RateTable): Promise<void> {
  for (const { field } of keys) {
    const slug = isPersonField(field) ? nameInPerson(field) : tenure;
    if (slug !== tenure) await findDatedField(tx, slug);
  }
}

function assertNotChanged(latest: number, seen: number | undefined): void {
  if (seen === undefined || seen === latest) return;
  throw new Failure(
    'table_changed',
    `The latest revision of the table is ${latest}, not ${seen}. Read the table, then repeat the change.`,
    { revision: latest },
  );
}

/** The active versions of the plans must be able to use the table after the change. */
async function assertPlansKeepIt(
  tx: Transaction,
  plans: readonly { readonly planId: string; readonly name: string }[],
  name: string,
  table: RateTable | null,
): Promise<void> {
  const versions = await loadVersions(tx, plans.map(planIdOf), await loadWorkspaceTerms(tx));
  const tables = table === null ? [] : [{ ...table, name }];
  const problems = versions
    .filter(({ status }) => status === 'active')
    .flatMap(({ planId, currency, rules }) =>
      rules.flatMap((rule) =>
        rule.tiers
          .filter((tier) => tier.table?.toLowerCase() === name.toLowerCase())
          .flatMap((tier) => [...problemsOfTier(rule, tier, rule.name, { tables, currency })])
          .map(({ message }) => ({ planId, message })),
      ),
    );
  const [first] = table === null ? plans.map(({ planId }) => ({ planId, message: 'names it' })) : problems;
  if (first === undefined) return;
  const using = plans.find(({ planId }) => planId === first.planId)?.name ?? first.planId;
  throw new Failure(
    'rate_table_in_use',
    `The active plan ${using} needs the table as it is: ${first.message}. Change the plan first.`,
    { planIds: plans.map(planIdOf) },
  );
}

/** The people on the plans, with their days in the range. */
async function findAffected(
  tx: Transaction,
  planIds: readonly string[],
  days: DayRange | null,
): Promise<ReadonlyMap<string, DayRange>> {
  const found = new Map<string, DayRange>();
  if (days === null || planIds.length === 0) return found;
  for (const { repId, start, end } of await listUsingAssignments(tx, planIds)) {
    const assigned = { from: start ?? earliestDay, to: end ?? latestDay };
    if (overlap(assigned, days)) extendRange(found, repId, intersection(assigned, days));
  }
  return found;
}

/** The months with deals of the people on their days, and the deals in approved periods. */
async function countDeals(
  tx: Transaction,
  days: ReadonlyMap<string, DayRange>,
): Promise<{ readonly months: number; readonly approvedDeals: number }> {
  if (days.size === 0) return { months: 0, approvedDeals: 0 };
  const people = unnestRows(
    [...days].map(([repId, range]) => ({ repId, ...range })),
    [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['from_day', 'date', ({ from }) => from],
      ['to_day', 'date', ({ to }) => to],
    ],
  );
  const { rows } = await sql<{ months: number; approvedDeals: number }>`
    select count(distinct date_trunc('month', d.close_date))::int as months,
      count(distinct d.deal_id) filter (where exists (
        select from statement_periods s
        where s.workspace_id = ${tx.workspaceId} and s.rep_id = input.rep_id and s.status = 'approved'
          and d.close_date between s.from_day and s.to_day
      ))::int as "approvedDeals"
    from ${people} cross join lateral (${dealsOfRep(givenRepDays(tx.workspaceId))}) d`.execute(tx.db);
  return rows[0] ?? { months: 0, approvedDeals: 0 };
}

export function existing(table: RateTable | null): RateTable {
  if (table === null) throw rateTableNotFound();
  return table;
}

function planIdOf({ planId }: { readonly planId: string }): string {
  return planId;
}
