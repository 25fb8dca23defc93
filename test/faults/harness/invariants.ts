import { ApiClient } from '#test/support/api-client.js';
import { download, unzipped } from '#test/support/downloads.js';
import { byKey, comparableRows } from '#test/support/engine-world.js';
import { earnedRows, expectSoundLedger, query } from '#test/support/ledger-checks.js';
import { cleanLedger } from '#test/support/oracle/clean-ledger.js';
import { liveRows, sumAmounts } from '#test/support/oracle/true-up.js';
import type { LedgerRow } from '#test/support/oracle/world.js';
import { Violation } from './episode-log.js';
import { type Delivery, type EpisodeReceiver, type EpisodeWorld } from './episode-world.js';
import { type Fleet } from './fleet.js';

/** Checks one workspace after quiescence; throws the first violated invariant. */
export async function assertInvariants(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  const { ownerUrl } = fleet.postgres;
  await assertDealsArrived(ownerUrl, world);
  await assertLedgerIsClean(ownerUrl, world);
  await assertConsistent(ownerUrl, world.workspaceId);
  await assertNoFindings(ownerUrl, world.workspaceId);
  await assertEventsDelivered(ownerUrl, world);
  await assertWrittenBack(ownerUrl, world);
  await assertAdjustedOnce(ownerUrl, world);
  await assertJobsEnded(fleet, world);
  await assertExportsMade(fleet, world);
  await assertPreviewsMade(fleet, world);
  await assertViewsAreCurrent(fleet, world);
  await assertRecalculationWritesNothing(fleet, world);
  await assertUnchangedPlanMovesNothing(fleet, world);
  await assertDiscrepanciesAreListed(ownerUrl, world);
  await assertTrueUpsAreComplete(fleet, world);
  await assertConsistent(ownerUrl, world.workspaceId);
  await assertNoFindings(ownerUrl, world.workspaceId);
}

interface StoredDeal {
  readonly dealId: string;
  readonly amount: string;
  readonly closeDate: string | null;
  readonly repId: string | null;
  readonly at: Date;
  readonly deleted: boolean;
}

/** I28: every deal of the CRM shows what its owner earns on it, and nothing or 0 if it pays nothing. */
async function assertWrittenBack(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const rows = await query<{ dealId: string; commission: string }>(
    ownerUrl,
    `select d.deal_id as "dealId", sum(e.amount)::text as commission
    from deals d join commission_events e on e.workspace_id = d.workspace_id and e.rep_id = d.rep_id and e.deal_key = d.deal_id
    where d.workspace_id = $1 and e.status = 'earned' and e.kind = 'commission_earned' group by d.deal_id`,
    [world.workspaceId],
  );
  const earned = new Map(rows.map(({ dealId, commission }) => [dealId, Number(commission)]));
  for (const { dealId } of world.crm?.live ?? []) {
    const [shown, expected] = [world.crm?.commissionOf(dealId) ?? 0, earned.get(dealId) ?? 0];
    if (shown !== expected) throw new Violation('I28', `${dealId} shows ${shown} in the CRM, and pays ${expected}`);
  }
}

/** I6, I23: every acknowledged deal is stored in its newest version, whatever the order of the requests. */
async function assertDealsArrived(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const rows = await query<StoredDeal>(
    ownerUrl,
    `select deal_id as "dealId", amount, close_date as "closeDate", rep_id as "repId", source_updated_at as at,
      deleted_at is not null as deleted from deals where workspace_id = $1`,
    [world.workspaceId],
  );
  const stored = new Map(rows.map((row) => [row.dealId, row]));
  for (const deal of world.latest()) assertLatestStored(world, deal, stored.get(deal.dealId));
  for (const deal of world.crm?.live ?? []) {
    const row = stored.get(deal.dealId);
    if (row === undefined || row.deleted || !isContentOf(world, row, deal))
      throw new Violation('I6', `the CRM has ${JSON.stringify(deal)}, but the database has ${JSON.stringify(row)}`);
  }
  for (const dealId of world.crm?.deleted ?? [])
    if (stored.get(dealId)?.deleted === false)
      throw new Violation('I23', `${dealId} was deleted in the CRM but is stored`);
}

function assertLatestStored(world: EpisodeWorld, deal: Delivery, row: StoredDeal | undefined): void {
  const { dealId, sourceUpdatedAt } = deal;
  const deletion = world.deletions.get(dealId) ?? (world.deletions.has(dealId) ? null : false);
  if (row === undefined) throw new Violation('I6', `${dealId} was acknowledged but is not stored`);
  if (deletion !== null && row.deleted !== deletion)
    throw new Violation('I23', `${dealId} is ${row.deleted ? '' : 'not '}deleted`);
  if (row.deleted) return;
  if (!isContentOf(world, row, deal) || row.at.toISOString() !== sourceUpdatedAt)
    throw new Violation('I23', `${dealId} is ${JSON.stringify(row)}, expected the version of ${sourceUpdatedAt}`);
}

function isContentOf(
  world: EpisodeWorld,
  row: StoredDeal,
  { amount, closeDate, ownerId }: Omit<Delivery, 'sourceUpdatedAt'>,
): boolean {
  return Number(row.amount) === amount && row.closeDate === closeDate && row.repId === world.repIds[ownerId];
}

/** I1, I10, I17: the ledger equals a calculation from scratch. */
async function assertLedgerIsClean(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const storedRows = (await earnedRows(ownerUrl, world.workspaceId)).toSorted(byKey);
  const clean = cleanLedger({ ...(await world.picture(ownerUrl)), storedRows }).toSorted(byKey);
  const difference = differenceOf(comparableRows(storedRows), comparableRows(clean));
  if (difference.length > 0)
    throw new Violation('I1', `the ledger differs from a calculation from scratch:\n${difference.join('\n')}`);
}

function differenceOf(storedRows: readonly LedgerRow[], clean: readonly LedgerRow[]): string[] {
  const [is, shouldBe] = [storedRows, clean].map((rows) => new Set(rows.map((row) => JSON.stringify(sorted(row)))));
  return [
    ...[...(is as Set<string>)].filter((row) => !shouldBe?.has(row)).map((row) => `  is        ${row}`),
    ...[...(shouldBe as Set<string>)].filter((row) => !is?.has(row)).map((row) => `  should be ${row}`),
  ];
}

function sorted(row: LedgerRow): object {
  return Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** I2, I3: history, counters and monthly totals. */
async function assertConsistent(ownerUrl: string, workspaceId: string): Promise<void> {
  await expectSoundLedger(ownerUrl, workspaceId).catch((error: Error) => {
    throw new Violation('I2/I3', error.message);
  });
}

/** Queries that must return no rows. */
const findings: readonly (readonly [invariant: string, description: string, text: string])[] = [
  [
    'I7',
    'the figures of a job differ from those of its runs, or it ended before its last run',
    `select j.job_id, j.scope, j.result, j.finished_at, r.* from jobs j
    cross join lateral (select coalesce(sum(a.events_written), 0) as written, coalesce(sum(a.events_reversed), 0) as reversed,
        max(a.started_at) as last_run
      from audit_run_jobs o join audit_runs a on a.workspace_id = o.workspace_id and a.run_id = o.run_id
      where o.workspace_id = j.workspace_id and o.job_id = j.job_id) r
    where j.workspace_id = $1 and j.status = 'completed' and (r.last_run > j.finished_at
      or (j.result->>'eventsWritten')::int <> r.written or (j.result->>'eventsReversed')::int <> r.reversed)`,
  ],
  [
    'I4',
    'an approved total is not the sum of its events',
    `select p.rep_id, p.period, p.approved_total, s.total from statement_periods p
    cross join lateral (select coalesce(sum(amount), 0) as total from commission_events e
      where e.workspace_id = p.workspace_id and e.rep_id = p.rep_id and e.status = 'earned' and e.currency = p.currency
        and e.earned_on between p.from_day and p.to_day) s
    where p.workspace_id = $1 and p.status = 'approved' and p.approved_total <> s.total`,
  ],
  [
    'I9',
    'two rows have the same natural key',
    `select rep_id, deal_key, plan_id, rule_name from commission_events
    where workspace_id = $1 and kind = 'commission_earned' group by 1, 2, 3, 4 having count(*) > 1`,
  ],
  [
    'I11',
    'a statement does not add up',
    `select rep_id, period, version, summary from statements
    where workspace_id = $1 and ((summary->>'netPayout')::numeric <> (summary->>'totalCommission')::numeric
        + (summary->>'totalBonuses')::numeric + (summary->>'totalAdjustments')::numeric
      or (summary->>'netPayout')::numeric <> (select coalesce(sum((l->>'amount')::numeric), 0)
        from jsonb_array_elements(line_items) l where l->>'currency' = currency))`,
  ],
  [
    'I12',
    'versions are not 1 to n',
    `select p.rep_id, p.period, p.current_version, count(s.version) from statement_periods p
    left join statements s using (workspace_id, rep_id, period)
    where p.workspace_id = $1 group by p.workspace_id, p.rep_id, p.period
    having count(s.version) <> p.current_version or (p.current_version > 0 and max(s.version) <> p.current_version)`,
  ],
  [
    'I22',
    'the numbers of an audit row differ from what its run wrote',
    `select a.run_id, a.trigger, a.outcome, a.events_written, a.events_reversed, h.written, h.reversed from audit_runs a
    cross join lateral (select count(*) filter (where change <> 'reversed') as written,
        count(*) filter (where change = 'reversed') as reversed
      from commission_event_history h where h.workspace_id = a.workspace_id and h.run_id = a.run_id) h
    where a.workspace_id = $1 and a.trigger not in ('reset', 'cleanup') and (a.events_written <> h.written or a.events_reversed <> h.reversed)`,
  ],
  [
    'I22',
    'a rep was calculated twice at the same time',
    `select a.rep_id, a.run_id, b.run_id as other, a.started_at, a.duration_ms, b.started_at as other_started from audit_runs a
    join audit_runs b on b.workspace_id = a.workspace_id and b.rep_id = a.rep_id and b.run_id <> a.run_id
      and b.started_at >= a.started_at and b.started_at < a.started_at + (a.duration_ms - 2) * interval '1 millisecond'
    where a.workspace_id = $1 and a.details ? 'planVersionIds' and b.details ? 'planVersionIds'`,
  ],
  [
    'I22',
    'a history row has no audit row',
    `select h.run_id, h.rep_id, h.change, h.kind from commission_event_history h
    where h.workspace_id = $1 and not exists (select from audit_runs a where a.workspace_id = h.workspace_id and a.run_id = h.run_id)`,
  ],
  [
    'I23',
    'a deal was replaced by an older one',
    `select deal_id from (select deal_id, source_updated_at,
        lag(source_updated_at) over (partition by deal_id order by snapshot_id) as before from deal_versions where workspace_id = $1 and provider is null) s
    where source_updated_at < before`,
  ],
  [
    'I6',
    'an inbox message was dead-lettered or ignored',
    `select subject, outcome, attempts, error from inbox where workspace_id = $1 and outcome not in ('fetched', 'delivered')`,
  ],
  ['I24', 'a lane is parked', 'select rep_id, last_error from lanes where workspace_id = $1 and parked_at is not null'],
];

/** I30: every change of an amount has one message id for each endpoint and run. */
async function assertEventsDelivered(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const wrong = await query(
    ownerUrl,
    `with paid as (
      select rep_id, event_id, revision, run_id, currency, period, earned_on,
        case when status = 'earned' and change <> 'deleted' then amount else 0 end as amount
      from commission_event_history where workspace_id = $1
    ), changes as (
      select distinct p.rep_id, p.run_id from paid p
      left join paid b on b.rep_id = p.rep_id and b.event_id = p.event_id and b.revision = p.revision - 1
      where p.amount <> coalesce(b.amount, 0) or (p.amount <> 0
        and (p.currency, p.period, p.earned_on) is distinct from (b.currency, b.period, b.earned_on))
    )
    select e.endpoint_id, c.rep_id, c.run_id, count(d.delivery_id) as deliveries
    from changes c cross join unnest($2::uuid[]) e (endpoint_id)
    left join webhook_deliveries d on d.workspace_id = $1 and d.endpoint_id = e.endpoint_id
      and d.sequence_id = c.rep_id and d.run_id = c.run_id
    group by 1, 2, 3 having count(d.delivery_id) <> 1`,
    [world.workspaceId, world.receivers.map(({ endpointId }) => endpointId)],
  );
  if (wrong.length > 0)
    throw new Violation('I30', `changes without one delivery: ${JSON.stringify(wrong.slice(0, 3))}`);
  for (const one of world.receivers) await assertReceived(ownerUrl, world, one);
}

/**
 * I30: the receiver accepted each event at least once, whatever it responded before, and got the events about one rep in
 * their order, each after it had accepted the one before. Redirects were not followed.
 */
async function assertReceived(
  ownerUrl: string,
  { workspaceId }: EpisodeWorld,
  { endpointId, receiver }: EpisodeReceiver,
): Promise<void> {
  const deliveries = await query<{ id: string; status: string; sequence: string }>(
    ownerUrl,
    `select delivery_id as id, status, sequence_id as sequence from webhook_deliveries
     where workspace_id = $1 and endpoint_id = $2 order by position`,
    [workspaceId, endpointId],
  );
  const firsts = { arrived: new Map<string, number>(), accepted: new Map<string, number>() };
  for (const [place, { id, what }] of receiver.history.entries())
    if (!firsts[what].has(id)) firsts[what].set(id, place);
  const acceptedBefore = new Map<string, number>();
  for (const { id, status, sequence } of deliveries) {
    const [arrived, accepted] = [firsts.arrived.get(id), firsts.accepted.get(id)];
    if (status !== 'delivered' || arrived === undefined || accepted === undefined)
      throw new Violation('I30', `event ${id} is ${status}, but the receiver did not accept it`);
    if (arrived < (acceptedBefore.get(sequence) ?? -1))
      throw new Violation('I30', `event ${id} arrived before an earlier one of ${sequence} was accepted`);
    if (sequence !== workspaceId) acceptedBefore.set(sequence, accepted);
  }
  const unknown = [...firsts.arrived.keys()].filter((id) => !deliveries.some((delivery) => delivery.id === id));
  if (unknown.length > 0) throw new Violation('I30', `received, but not stored: ${unknown.slice(0, 3).join()}`);
  if (receiver.redirected > 0) throw new Violation('I30', `${receiver.redirected} redirects were followed`);
}

async function assertNoFindings(ownerUrl: string, workspaceId: string): Promise<void> {
  for (const [invariant, description, text] of findings) {
    const rows = await query(ownerUrl, text, [workspaceId]);
    if (rows.length > 0) throw new Violation(invariant, `${description}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
}

/** I9: an adjustment with an idempotency key is stored once, however often it was sent. */
async function assertAdjustedOnce(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const rows = await query<{ reason: string; count: number }>(
    ownerUrl,
    `select reason, count(*)::int as count from commission_events where workspace_id = $1 and kind = 'adjustment' group by 1`,
    [world.workspaceId],
  );
  const counts = new Map(rows.map(({ reason, count }) => [reason, count]));
  for (const [reason, { min, max }] of world.adjustments) {
    const count = counts.get(reason) ?? 0;
    if (count < min || count > max)
      throw new Violation('I9', `the adjustment "${reason}" is stored ${count} times, expected ${min} to ${max} times`);
  }
}

/** I7: every accepted job has completed, and both API processes report it equally. */
async function assertJobsEnded(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  for (const jobId of world.jobIds) {
    const responses = await Promise.all(
      fleet.apis.map(({ url }) =>
        new ApiClient(url, world.apiKey).expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`),
      ),
    );
    for (const job of responses) {
      if (job.status !== 'completed' || job.progress.done !== job.progress.total)
        throw new Violation('I7', `an accepted job is ${JSON.stringify(job)}`);
    }
    if (JSON.stringify(responses[0]) !== JSON.stringify(responses[1]))
      throw new Violation('I7', `the API processes report the job differently: ${JSON.stringify(responses)}`);
  }
}

const endOfZip = Buffer.from('PK\u0005\u0006', 'latin1');

/** I7: every accepted export is complete, from each API process. */
async function assertExportsMade(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  for (const jobId of world.exportIds)
    for (const { url } of fleet.apis) {
      const api = new ApiClient(url, world.apiKey);
      const job = await api.expect(200, 'GET', `/v1/statements/export/jobs/${jobId}`);
      if (job.status !== 'completed') throw new Violation('I7', `an accepted export is ${JSON.stringify(job)}`);
      const { bytes } = await download(api, job.file.path);
      // Two workers that wrote one after the other leave a file with two end records.
      const hasOneEnd = bytes.indexOf(endOfZip) === bytes.lastIndexOf(endOfZip);
      if (bytes.length !== job.file.bytes || !hasOneEnd || !unzipped(bytes).has('xl/workbook.xml'))
        throw new Violation(
          'I7',
          `the file of ${bytes.length} bytes is not the complete workbook of ${JSON.stringify(job)}`,
        );
    }
}

/** I7: every accepted preview has figures, and both API processes report them equally. */
async function assertPreviewsMade(fleet: Fleet, { apiKey, planIds, previewIds }: EpisodeWorld): Promise<void> {
  for (const jobId of previewIds) {
    const path = `/v1/plans/${planIds.sales}/preview/jobs/${jobId}`;
    const responses = await Promise.all(
      fleet.apis.map(({ url }) => new ApiClient(url, apiKey).expect(200, 'GET', path)),
    );
    for (const preview of responses)
      if (preview.status !== 'completed' || preview.delta === undefined)
        throw new Violation('I7', `an accepted preview is ${JSON.stringify(preview)}`);
    if (JSON.stringify(responses[0]) !== JSON.stringify(responses[1]))
      throw new Violation('I7', `the API processes report the preview differently: ${JSON.stringify(responses)}`);
  }
}

/** I31: the preview of the present config moves nothing and has the total of the ledger in open periods. */
async function assertUnchangedPlanMovesNothing(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  const { workspaceId, apiKey, planIds } = world;
  const [open] = await query<{ total: number }>(
    fleet.postgres.ownerUrl,
    `select coalesce(sum(amount), 0)::float8 as total from commission_events e
     where workspace_id = $1 and plan_id = $2 and status = 'earned' and not exists (
       select from statement_periods s where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id
         and s.status = 'approved' and e.earned_on between s.from_day and s.to_day)`,
    [workspaceId, planIds.sales],
  );
  const api = new ApiClient(fleet.apis[0]?.url as string, apiKey);
  const { config } = await api.expect(200, 'GET', `/v1/plans/${planIds.sales}`);
  const preview = await api.expect(200, 'POST', `/v1/plans/${planIds.sales}/preview`, { config, period: '2026' });
  if (preview.delta !== 0 || preview.count !== 0 || preview.locked.length > 0 || preview.before !== open?.total)
    throw new Violation('I31', `a preview without a change of ${open?.total} is ${JSON.stringify(preview)}`);
}

/** Reads the cached views, which also fills the caches of the process. */
export async function readViews(url: string, { apiKey, repIds }: Pick<EpisodeWorld, 'apiKey' | 'repIds'>) {
  const get = (path: string) => new ApiClient(url, apiKey).expect(200, 'GET', `/v1/${path}`);
  const ofRep = (repId: string) => get(`commissions?period=2026&repId=${repId}`);
  const [list, overview, dashboards] = await Promise.all([
    get('deals'),
    get('commissions?period=2026'),
    Promise.all(Object.values(repIds).map(ofRep)),
  ]);
  return { list, overview, dashboards };
}

/** I25: the views of each API process, cached or not, equal the ledger. */
async function assertViewsAreCurrent(fleet: Fleet, { workspaceId, apiKey, repIds }: EpisodeWorld): Promise<void> {
  const [deals] = await query<{ count: number }>(
    fleet.postgres.ownerUrl,
    'select count(*)::int as count from deals where workspace_id = $1 and deleted_at is null',
    [workspaceId],
  );
  const earned = await query<{ repId: string; total: number }>(
    fleet.postgres.ownerUrl,
    `select rep_id as "repId", sum(amount)::float8 as total from commission_events join workspaces using (workspace_id, currency)
     where workspace_id = $1 and status = 'earned' and earned_on between '2026-01-01' and '2026-12-31' group by rep_id`,
    [workspaceId],
  );
  const totals = new Map(earned.map(({ repId, total }) => [repId, total]));
  for (const { url } of fleet.apis) {
    const { list, overview, dashboards } = await readViews(url, { apiKey, repIds });
    if (list.count !== deals?.count)
      throw new Violation('I25', `${url} reports ${list.count} deals, expected ${deals?.count}`);
    for (const [index, repId] of Object.values(repIds).entries()) {
      const total = totals.get(repId) ?? 0;
      const row = overview.reps.find((rep: { repId: string }) => rep.repId === repId);
      for (const { earnings } of [dashboards[index], row])
        if (earnings.total !== total)
          throw new Violation(
            'I25',
            `${url} reports that ${repId} earned ${JSON.stringify(earnings)}, expected ${total}`,
          );
    }
  }
}

/** I8: runs twice, since the first recalculation could repair what the second one would find. */
async function assertRecalculationWritesNothing(fleet: Fleet, { workspaceId, apiKey }: EpisodeWorld): Promise<void> {
  const { ownerUrl } = fleet.postgres;
  const before = await ledgerDigest(ownerUrl, workspaceId);
  for (const { url } of fleet.apis) {
    const job = await new ApiClient(url, apiKey).expect(200, 'POST', '/v1/commissions/recalculate', {});
    if (job.status !== 'completed' || job.eventsWritten !== 0 || job.eventsReversed !== 0)
      throw new Violation('I8', `a recalculation after quiescence returned ${JSON.stringify(job)}`);
  }
  const after = await ledgerDigest(ownerUrl, workspaceId);
  if (after !== before) throw new Violation('I8', `a recalculation without changes turned ${before} into ${after}`);
}

/** A digest of every row that a calculation may write, with its time of writing. */
async function ledgerDigest(ownerUrl: string, workspaceId: string): Promise<string> {
  const [row] = await query<{ digest: string }>(
    ownerUrl,
    `select (select concat(count(*), ' events ', md5(string_agg(e::text, '' order by rep_id, event_id))) from commission_events e where workspace_id = $1)
      || (select concat(', ', count(*), ' in history') from commission_event_history where workspace_id = $1)
      || (select concat(', quotas ', md5(string_agg(q::text, '' order by quota_id))) from quotas q where workspace_id = $1) as digest`,
    [workspaceId],
  );
  return row?.digest as string;
}

/**
 * I27: the open discrepancies are exactly the approved periods whose delta is neither 0 nor dismissed. A dismissed one has
 * the delta that was dismissed, so that a period with another delta must be open.
 */
async function assertDiscrepanciesAreListed(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const listed = await query<{ key: string; delta: number }>(
    ownerUrl,
    `select concat_ws(' ', rep_id, period) as key, delta::float8 as delta from discrepancies
     where workspace_id = $1 and status <> 'resolved'`,
    [world.workspaceId],
  );
  const deltas = new Map(listed.map(({ key, delta }) => [key, delta]));
  for (const { repId, period, approved, live } of await approvedPeriods(ownerUrl, world)) {
    const owed = live - approved;
    const key = `${repId} ${period}`;
    if (Math.abs(owed - (deltas.get(key) ?? 0)) > 0.004 || (deltas.has(key) && Math.abs(owed) < 0.004))
      throw new Violation('I27', `${key} owes ${owed}, but the list has ${deltas.get(key) ?? 'nothing'}`);
    deltas.delete(key);
  }
  if (deltas.size > 0) throw new Violation('I27', `listed, but not approved: ${[...deltas.keys()].join()}`);
}

/** I13: after a true-up the approved total equals the live total, and a second true-up has nothing to pay. */
async function assertTrueUpsAreComplete(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  const { ownerUrl } = fleet.postgres;
  const api = new ApiClient(fleet.apis[0]?.url as string, world.apiKey);
  for (const { repId, period } of await approvedPeriods(ownerUrl, world)) {
    await api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    const again = await api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    if (again.action !== 'none') throw new Violation('I13', `a second true-up returned ${JSON.stringify(again)}`);
  }
  for (const { repId, period, approved, live } of await approvedPeriods(ownerUrl, world))
    if (Math.abs(approved - live) > 0.004)
      throw new Violation('I13', `${repId} ${period}: trued up to ${approved}, expected ${live}`);
}

interface ApprovedPeriod {
  readonly repId: string;
  readonly period: string;
  readonly approved: number;
  /** What the statement must amount to: the live total without what later periods have paid for this one. */
  readonly live: number;
}

async function approvedPeriods(ownerUrl: string, world: EpisodeWorld): Promise<ApprovedPeriod[]> {
  const picture = await world.picture(ownerUrl);
  const storedRows = await earnedRows(ownerUrl, world.workspaceId);
  const periods = await query<{ repId: string; period: string; approved: number; added: number }>(
    ownerUrl,
    `select p.rep_id as "repId", p.period, p.approved_total::float8 as approved, coalesce(sum(
        case when t.period = p.period and e.period <> p.period then -e.amount
          when to_char(e.earned_on, 'YYYY-MM') = p.period and t.period is distinct from p.period then e.amount end), 0)::float8 as added
      from statement_periods p
      left join commission_events e on e.workspace_id = p.workspace_id and e.rep_id = p.rep_id
        and e.kind <> 'commission_earned' and e.status = 'earned'
      left join true_ups t on t.workspace_id = e.workspace_id and t.event_id = e.event_id
      where p.workspace_id = $1 and p.status = 'approved' group by p.rep_id, p.period, p.approved_total`,
    [world.workspaceId],
  );
  return periods.map(({ repId, period, approved, added }) => {
    const earned = Number(sumAmounts(liveRows({ ...picture, storedRows }, repId, period), 'USD'));
    return { repId, period, approved, live: earned + added };
  });
}
