import { sql } from 'kysely';
import { addDays, allDays, type Day, type DayRange } from '../../kernel/day.js';
import { requestWriteBack } from '../../ledger/requests/write-back-requests.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { revokeLease } from '../../platform/jobs/leases.js';
import { type CrmProvider } from '../adapters/port.js';
import {
  type DealValues,
  type WriteCheck,
  type WriteResult,
  type WriteTargets,
  writtenValues,
} from '../adapters/write-back.js';
import { findConnectedCrm } from '../connections/crm-connection-views.js';
import { findSettings } from '../connections/crm-settings-views.js';
import { type DesiredValues } from './deal-values.js';
import { writeBackLease } from './write-back.js';
import { findWriteTargets } from './write-back-views.js';

/** What happens to the values that were written before. */
interface WriteBackChange {
  /** The CRM account has changed, so none of its deals has values. */
  readonly isOtherAccount?: boolean;
  /** The check of the connection, if there was one. */
  readonly check?: WriteCheck | null;
}

/**
 * Begins or ends writing to a CRM after its settings or its connection have changed. Other fields get the values of all
 * deals. The caller holds the exclusive lock of the workspace, so that no calculation misses that writing has begun.
 */
export async function applyWriteBack(
  tx: Transaction,
  provider: CrmProvider,
  { isOtherAccount = false, check = null }: WriteBackChange = {},
): Promise<void> {
  const isConnected = (await findConnectedCrm(tx, provider)) !== null;
  const targets = isConnected ? (await findSettings(tx, provider)).writeBack : null;
  const before = await findWriteTargets(tx, provider);
  if (isOtherAccount || !isEqual(before, targets)) await replaceTargets(tx, provider, targets);
  if (targets === null) return;
  await resumeWriteBack(tx, provider);
  await recordCheck(tx, provider, check);
}

function isEqual(targets: WriteTargets | null, other: WriteTargets | null): boolean {
  if (targets === null || other === null) return targets === other;
  return writtenValues.every((value) => (targets[value] ?? null) === (other[value] ?? null));
}

/** A worker that writes to the former fields loses its lease, so it records nothing for the new ones. */
async function replaceTargets(tx: Transaction, provider: CrmProvider, targets: WriteTargets | null): Promise<void> {
  await revokeLease(tx, writeBackLease);
  for (const table of ['crm_write_backs', 'deal_write_backs'] as const)
    await tx.db.deleteFrom(table).where('workspace_id', '=', tx.workspaceId).where('provider', '=', provider).execute();
  if (targets !== null)
    await tx.db
      .insertInto('crm_write_backs')
      .values({ workspace_id: tx.workspaceId, provider, targets: JSON.stringify(targets), findings: '[]' })
      .execute();
  await sql`
    update workspaces w set writes_back = exists (
      select from crm_write_backs b where b.workspace_id = w.workspace_id)
    where w.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  if (targets === null) return;
  const reps = await tx.db.selectFrom('lanes').select('rep_id').where('workspace_id', '=', tx.workspaceId).execute();
  requestWriteBack(
    tx,
    reps.map(({ rep_id: repId }) => ({ repId, days: allDays })),
  );
}

/** How long writing waits after a check that found something. */
const findingsPause = sql`interval '1 hour'`;

/** Stores the result of a check; without one, the next worker checks before it writes. */
export async function recordCheck(tx: Transaction, provider: CrmProvider, check: WriteCheck | null): Promise<void> {
  const { findings, properties } = check ?? { findings: [], properties: [] };
  await sql`
    update crm_write_backs set checked_at = ${check === null ? null : sql`now()`}, findings = ${JSON.stringify(findings)}::jsonb,
      properties = ${[...properties]}::text[],
      not_before = now() + ${findings.length === 0 ? sql`interval '0'` : findingsPause}
    where workspace_id = ${tx.workspaceId} and provider = ${provider}`.execute(tx.db);
}

/** Ends a pause, also of the deals that the CRM rejected. */
export async function resumeWriteBack(tx: Transaction, provider: CrmProvider): Promise<void> {
  await sql`
    update crm_write_backs set attempts = 0, error = null
    where workspace_id = ${tx.workspaceId} and provider = ${provider}`.execute(tx.db);
  await sql`
    update deal_write_backs set due_at = now()
    where workspace_id = ${tx.workspaceId} and provider = ${provider} and failed_at is not null`.execute(tx.db);
}

/** Writing waits. `checkAgain`: the permission or a field may be missing. */
export async function pauseWriteBack(
  tx: Transaction,
  provider: CrmProvider,
  { pauseMs, error, checkAgain }: { readonly pauseMs: number; readonly error: string; readonly checkAgain: boolean },
): Promise<void> {
  await sql`
    update crm_write_backs set attempts = attempts + 1, error = ${error},
      not_before = now() + ${pauseMs / 1000} * interval '1 second',
      checked_at = case when ${checkAgain}::boolean then null else checked_at end
    where workspace_id = ${tx.workspaceId} and provider = ${provider}`.execute(tx.db);
}

interface PendingComparison {
  readonly repId: string;
  readonly requestIds: readonly string[];
  readonly days: DayRange;
}

const maxRequestsRead = 1000;

/** The requests of the rep that has waited longest; null if there is none. */
export async function nextComparison(tx: Transaction): Promise<PendingComparison | null> {
  const { rows } = await sql<{ repId: string; requestIds: string[]; from: Day; to: Day }>`
    select rep_id as "repId", array_agg(request_id::text) as "requestIds", min(from_day) as "from", max(to_day) as "to"
    from (
      select * from write_back_requests where workspace_id = ${tx.workspaceId} order by request_id limit ${maxRequestsRead}
    ) first
    group by rep_id order by min(request_id) limit 1`.execute(tx.db);
  const [row] = rows;
  return row === undefined ? null : { ...row, days: { from: row.from, to: row.to } };
}

/** A step compares the deals of about so many events. */
const eventsPerStep = 2000;

/** The first days of the range with at most so many events, and more only if they are of one day. */
export async function firstDays(tx: Transaction, repId: string, days: DayRange): Promise<DayRange> {
  const { rows } = await sql<{ day: Day }>`
    select earned_on as day from commission_events
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and earned_on between ${days.from}::date and ${days.to}::date
    order by earned_on offset ${eventsPerStep} limit 1`.execute(tx.db);
  return { from: days.from, to: rows[0]?.day ?? days.to };
}

/** Ends the requests; the days after `through` are requested again. */
export async function finishComparison(
  tx: Transaction,
  { repId, requestIds, days }: PendingComparison,
  through: Day,
): Promise<void> {
  await sql`
    delete from write_back_requests
    where workspace_id = ${tx.workspaceId} and request_id = any(${[...requestIds]}::bigint[])`.execute(tx.db);
  if (through < days.to) requestWriteBack(tx, [{ repId, days: { from: addDays(through, 1), to: days.to } }]);
}

/** Deals that may show the commission of the rep on these days, also those whose events were deleted. */
export async function dealsToCompare(tx: Transaction, repId: string, days: DayRange): Promise<string[]> {
  const { rows } = await sql<{ dealId: string }>`
    select deal_key as "dealId" from commission_events
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and earned_on between ${days.from}::date and ${days.to}::date
      and kind = 'commission_earned' and phase <> 'periodic'
    union
    select d.deal_id from deals d
    join deal_write_backs w on w.workspace_id = d.workspace_id and w.deal_id = d.deal_id
    where d.workspace_id = ${tx.workspaceId} and d.rep_id = ${repId}
      and d.close_date between ${days.from}::date and ${days.to}::date`.execute(tx.db);
  return rows.map(({ dealId }) => dealId);
}

/** Stores what the deals must show. Deals that the CRM shows correctly are not written. */
export async function saveDesiredValues(tx: Transaction, desired: readonly DesiredValues[]): Promise<void> {
  const gone = desired.filter(({ values }) => values === null).map(({ dealId }) => dealId);
  if (gone.length > 0)
    await tx.db
      .deleteFrom('deal_write_backs')
      .where('workspace_id', '=', tx.workspaceId)
      .where('deal_id', 'in', gone)
      .execute();
  const wanted = desired.filter(({ values }) => values !== null);
  if (wanted.length === 0) return;
  await sql`
    insert into deal_write_backs as w (workspace_id, deal_id, provider, desired, due_at)
    select ${tx.workspaceId}::uuid, deal_id, provider, desired, now()
    from ${unnestRows(wanted, [
      ['deal_id', 'text', ({ dealId }) => dealId],
      ['provider', 'text', ({ provider }) => provider],
      ['desired', 'jsonb', ({ values }) => JSON.stringify(values)],
    ])}
    on conflict (workspace_id, deal_id) do update set provider = excluded.provider, desired = excluded.desired,
      due_at = case when w.written = excluded.desired and w.sent_at is null and w.provider = excluded.provider
        then null else now() end,
      attempts = 0, error = null, failed_at = null
    where w.desired <> excluded.desired or w.provider <> excluded.provider`.execute(tx.db);
}

/** A deal that is about to be sent. */
export interface ClaimedDeal {
  readonly dealId: string;
  readonly values: DealValues;
  /** The outcome of an earlier request is unknown: another worker may still be sending it. */
  readonly isUncertain: boolean;
}

/** Takes deals that are due and notes, before they are sent, that the CRM may get them. */
export async function claimDeals(tx: Transaction, provider: CrmProvider, atMost: number): Promise<ClaimedDeal[]> {
  const { rows } = await sql<ClaimedDeal>`
    with due as materialized (
      select deal_id, sent_at from deal_write_backs
      where workspace_id = ${tx.workspaceId} and provider = ${provider} and due_at <= now()
      order by due_at, deal_id limit ${atMost} for update
    )
    update deal_write_backs w set sent_at = now() from due
    where w.workspace_id = ${tx.workspaceId} and w.deal_id = due.deal_id
    returning w.deal_id as "dealId", w.desired as values, due.sent_at is not null as "isUncertain"`.execute(tx.db);
  return rows;
}

/**
 * No request takes longer. Until then the CRM may still receive a request of a worker that stopped, with earlier values.
 * A deal that such a worker had taken is therefore written once more afterwards.
 */
const uncertainFor = sql`interval '2 minutes'`;

/** Records which values the CRM has accepted. A deal that must show others by now stays due. */
export async function recordWritten(
  tx: Transaction,
  provider: CrmProvider,
  written: readonly ClaimedDeal[],
): Promise<void> {
  if (written.length === 0) return;
  await sql`
    update deal_write_backs w set written = g.sent, written_at = now(), sent_at = null, attempts = 0, error = null,
      failed_at = null, due_at = case when g.uncertain then now() + ${uncertainFor}
        when w.desired = g.sent then null else now() end
    from (select * from ${unnestRows(written, [
      ['deal_id', 'text', ({ dealId }) => dealId],
      ['sent', 'jsonb', ({ values }) => JSON.stringify(values)],
      ['uncertain', 'boolean', ({ isUncertain }) => String(isUncertain)],
    ])}) as g
    where w.workspace_id = ${tx.workspaceId} and w.deal_id = g.deal_id`.execute(tx.db);
  await sql`
    update crm_write_backs set written_at = now(), attempts = 0, error = null
    where workspace_id = ${tx.workspaceId} and provider = ${provider}`.execute(tx.db);
}

/** Records why the CRM did not accept deals. They are due again after a pause that doubles, up to a day. */
export async function recordRejected(tx: Transaction, rejected: readonly WriteResult[]): Promise<void> {
  if (rejected.length === 0) return;
  const rejections = sql`(select * from ${unnestRows(rejected, [
    ['deal_id', 'text', ({ dealId }) => dealId],
    ['reason', 'text', ({ problem }) => formatReason(problem)],
    ['is_gone', 'boolean', ({ problem }) => String(problem?.kind === 'gone')],
  ])})`;
  // A deal that is deleted here and in the CRM has nothing to show. One that the settings exclude is there, and shows 0.
  await sql`
    delete from deal_write_backs w using ${rejections} as g, deals d
    where w.workspace_id = ${tx.workspaceId} and w.deal_id = g.deal_id and g.is_gone
      and d.workspace_id = w.workspace_id and d.deal_id = w.deal_id and d.deleted_at is not null`.execute(tx.db);
  await sql`
    update deal_write_backs w set sent_at = null, attempts = attempts + 1, error = g.reason, failed_at = now(),
      due_at = now() + least(interval '1 day', interval '1 minute' * 2 ^ least(attempts, 20))
    from ${rejections} as g
    where w.workspace_id = ${tx.workspaceId} and w.deal_id = g.deal_id`.execute(tx.db);
  const survivors = rejected.flatMap(({ problem }) => (problem?.kind === 'gone' ? (problem.survivor ?? []) : []));
  if (survivors.length > 0)
    await sql`
      update deal_write_backs set written = null, due_at = now()
      where workspace_id = ${tx.workspaceId} and deal_id = any(${survivors}::text[])`.execute(tx.db);
}

function formatReason(problem: WriteResult['problem']): string {
  return problem?.kind === 'failed' ? problem.reason : 'the CRM has no such deal';
}

/** Deals that the CRM has certainly not received are as they were before. */
export async function releaseDeals(tx: Transaction, released: readonly ClaimedDeal[]): Promise<void> {
  const dealIds = released.filter(({ isUncertain }) => !isUncertain).map(({ dealId }) => dealId);
  if (dealIds.length === 0) return;
  await sql`
    update deal_write_backs set sent_at = null
    where workspace_id = ${tx.workspaceId} and deal_id = any(${dealIds}::text[])`.execute(tx.db);
}
