import { download, unzipped } from '../../support/downloads.js';
import { byKey } from '../../support/engine-world.js';
import { earnedRows, expectSoundLedger, query } from '../../support/ledger-checks.js';
import { cleanLedger } from '../../support/oracle/clean-ledger.js';
import { liveRows, totalOf } from '../../support/oracle/true-up.js';
import type { LedgerRow } from '../../support/oracle/world.js';
import { ApiClient } from '../../support/test-service.js';
import { Violation } from './episode-log.js';
import { type Delivery, type EpisodeWorld } from './episode-world.js';
import { type Fleet } from './fleet.js';

/** What must hold of one workspace when nothing is in flight; throws the first thing that does not. */
export async function assertInvariants(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  const { ownerUrl } = fleet.postgres;
  await assertDealsArrived(ownerUrl, world);
  await assertLedgerIsClean(ownerUrl, world);
  await assertSound(ownerUrl, world.workspaceId);
  await assertEmpty(ownerUrl, world.workspaceId);
  await assertAdjustedOnce(ownerUrl, world);
  await assertJobsEnded(fleet, world);
  await assertExportsMade(fleet, world);
  await assertAnswersAreCurrent(fleet, world);
  await assertRecalculationWritesNothing(fleet, world);
  await assertTrueUpsSettle(fleet, world);
  await assertSound(ownerUrl, world.workspaceId);
  await assertEmpty(ownerUrl, world.workspaceId);
}

/** I6, I23: what was answered is there, in its newest version, however it was shuffled. */
async function assertDealsArrived(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const rows = await query<{
    dealId: string;
    amount: string;
    closeDate: string | null;
    repId: string | null;
    at: Date;
    deleted: boolean;
  }>(
    ownerUrl,
    `select deal_id as "dealId", amount, close_date as "closeDate", rep_id as "repId", source_updated_at as at,
      deleted_at is not null as deleted from deals where workspace_id = $1`,
    [world.workspaceId],
  );
  const stored = new Map(rows.map((row) => [row.dealId, row]));
  const says = (row: (typeof rows)[number], { amount, closeDate, ownerId }: Omit<Delivery, 'sourceUpdatedAt'>) =>
    Number(row.amount) === amount && row.closeDate === closeDate && row.repId === world.repIds[ownerId];
  for (const deal of world.latest()) {
    const { dealId, sourceUpdatedAt } = deal;
    const row = stored.get(dealId);
    const deletion = world.deletions.get(dealId) ?? (world.deletions.has(dealId) ? null : false);
    if (row === undefined) throw new Violation('I6', `${dealId} was accepted and is not there`);
    if (deletion !== null && row.deleted !== deletion)
      throw new Violation('I23', `${dealId} is ${row.deleted ? '' : 'not '}deleted`);
    if (row.deleted) continue;
    if (!says(row, deal) || row.at.toISOString() !== sourceUpdatedAt)
      throw new Violation('I23', `${dealId} is ${JSON.stringify(row)} and not of ${sourceUpdatedAt}`);
  }
  for (const deal of world.crm?.live ?? []) {
    const row = stored.get(deal.dealId);
    if (row === undefined || row.deleted || !says(row, deal))
      throw new Violation('I6', `the CRM told of ${JSON.stringify(deal)}, and here is ${JSON.stringify(row)}`);
  }
  for (const dealId of world.crm?.deleted ?? [])
    if (stored.get(dealId)?.deleted === false)
      throw new Violation('I23', `${dealId} was deleted in the CRM and lives on here`);
}

/** I1, I10, I17: the rows are those of a calculation from nothing. */
async function assertLedgerIsClean(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const standing = (await earnedRows(ownerUrl, world.workspaceId)).toSorted(byKey);
  const clean = cleanLedger({ ...(await world.picture(ownerUrl)), standing }).toSorted(byKey);
  const difference = differenceOf(standing, clean);
  if (difference.length > 0)
    throw new Violation('I1', `the ledger is not what its inputs give:\n${difference.join('\n')}`);
}

function differenceOf(standing: readonly LedgerRow[], clean: readonly LedgerRow[]): string[] {
  const [is, shouldBe] = [standing, clean].map((rows) => new Set(rows.map((row) => JSON.stringify(sorted(row)))));
  return [
    ...[...(is as Set<string>)].filter((row) => !shouldBe?.has(row)).map((row) => `  is        ${row}`),
    ...[...(shouldBe as Set<string>)].filter((row) => !is?.has(row)).map((row) => `  should be ${row}`),
  ];
}

function sorted(row: LedgerRow): object {
  return Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** I2, I3: history, counters and monthly totals. */
export async function assertSound(ownerUrl: string, workspaceId: string): Promise<void> {
  await expectSoundLedger(ownerUrl, workspaceId).catch((error: Error) => {
    throw new Violation('I2/I3', error.message);
  });
}

/** Queries that must find nothing. */
const findings: readonly (readonly [invariant: string, told: string, text: string])[] = [
  [
    'I7',
    'a job tells of other figures than its runs, or ended before the last of them',
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
    'two rows under one natural key',
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
    'an audit row tells other numbers than its run has written',
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
    'something was written without an audit row',
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
    'news were given up or ignored',
    `select subject, outcome, attempts, error from inbox where workspace_id = $1 and outcome not in ('fetched', 'delivered')`,
  ],
  ['I24', 'a lane is parked', 'select rep_id, last_error from lanes where workspace_id = $1 and parked_at is not null'],
];

async function assertEmpty(ownerUrl: string, workspaceId: string): Promise<void> {
  for (const [invariant, told, text] of findings) {
    const rows = await query(ownerUrl, text, [workspaceId]);
    if (rows.length > 0) throw new Violation(invariant, `${told}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
}

/** I9: a sum that was sent with a key is paid once, however often it was sent. */
async function assertAdjustedOnce(ownerUrl: string, world: EpisodeWorld): Promise<void> {
  const rows = await query<{ reason: string; count: number }>(
    ownerUrl,
    `select reason, count(*)::int as count from commission_events where workspace_id = $1 and kind = 'adjustment' group by 1`,
    [world.workspaceId],
  );
  const counts = new Map(rows.map(({ reason, count }) => [reason, count]));
  for (const [reason, { least, most }] of world.adjustments) {
    const count = counts.get(reason) ?? 0;
    if (count < least || count > most)
      throw new Violation('I9', `the adjustment "${reason}" stands ${count} times, not ${least} to ${most} times`);
  }
}

/** I7: every job that was accepted has ended, and each API process says the same of it. */
async function assertJobsEnded(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  for (const jobId of world.jobIds) {
    const answers = await Promise.all(
      fleet.apis.map(({ url }) =>
        new ApiClient(url, world.apiKey).expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`),
      ),
    );
    for (const job of answers) {
      if (job.status !== 'completed' || job.progress.done !== job.progress.total)
        throw new Violation('I7', `a job that was accepted is ${JSON.stringify(job)}`);
    }
    if (JSON.stringify(answers[0]) !== JSON.stringify(answers[1]))
      throw new Violation('I7', `the API processes tell two stories: ${JSON.stringify(answers)}`);
  }
}

const endOfZip = Buffer.from('PK\u0005\u0006', 'latin1');

/** I7: every file that was ordered is there, whole, from each API process. */
async function assertExportsMade(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  for (const jobId of world.exportIds)
    for (const { url } of fleet.apis) {
      const api = new ApiClient(url, world.apiKey);
      const job = await api.expect(200, 'GET', `/v1/statements/export/jobs/${jobId}`);
      if (job.status !== 'completed')
        throw new Violation('I7', `an export that was accepted is ${JSON.stringify(job)}`);
      const { bytes } = await download(api, job.file.path);
      // What two makers have left one behind the other is a ZIP file as well, with two ends.
      const hasOneEnd = bytes.indexOf(endOfZip) === bytes.lastIndexOf(endOfZip);
      if (bytes.length !== job.file.bytes || !hasOneEnd || !unzipped(bytes).has('xl/workbook.xml'))
        throw new Violation('I7', `${bytes.length} bytes were made of ${JSON.stringify(job)}`);
    }
}

/** What people look at; the process remembers it. */
export async function lookUp(url: string, { apiKey, repIds }: Pick<EpisodeWorld, 'apiKey' | 'repIds'>) {
  const get = (path: string) => new ApiClient(url, apiKey).expect(200, 'GET', `/v1/${path}`);
  const ofRep = (repId: string) => get(`commissions?period=2026&repId=${repId}`);
  const [list, overview, dashboards] = await Promise.all([
    get('deals'),
    get('commissions?period=2026'),
    Promise.all(Object.values(repIds).map(ofRep)),
  ]);
  return { list, overview, dashboards };
}

/** I25: what each API process tells of the year, remembered or read, is what stands. */
async function assertAnswersAreCurrent(fleet: Fleet, { workspaceId, apiKey, repIds }: EpisodeWorld): Promise<void> {
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
    const { list, overview, dashboards } = await lookUp(url, { apiKey, repIds });
    if (list.count !== deals?.count)
      throw new Violation('I25', `${url} tells of ${list.count} deals of ${deals?.count}`);
    for (const [index, repId] of Object.values(repIds).entries()) {
      const total = totals.get(repId) ?? 0;
      const row = overview.reps.find((rep: { repId: string }) => rep.repId === repId);
      for (const { earnings } of [dashboards[index], row])
        if (earnings.total !== total)
          throw new Violation(
            'I25',
            `${url} tells that ${repId} earned ${JSON.stringify(earnings)}, and ${total} stands`,
          );
    }
  }
}

/** I8: twice, since the first could repair what the second would find. */
async function assertRecalculationWritesNothing(fleet: Fleet, { workspaceId, apiKey }: EpisodeWorld): Promise<void> {
  const { ownerUrl } = fleet.postgres;
  const before = await ledgerDigest(ownerUrl, workspaceId);
  for (const { url } of fleet.apis) {
    const job = await new ApiClient(url, apiKey).expect(200, 'POST', '/v1/commissions/recalculate', {});
    if (job.status !== 'completed' || job.eventsWritten !== 0 || job.eventsReversed !== 0)
      throw new Violation('I8', `a recalculation of what had settled came to ${JSON.stringify(job)}`);
  }
  const after = await ledgerDigest(ownerUrl, workspaceId);
  if (after !== before) throw new Violation('I8', `a recalculation without news has changed ${before} to ${after}`);
}

/** Of every row that a calculation may write, with when it was written. */
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

/** I13: after a true-up the approved total is what the period would come to, and a second one finds nothing. */
async function assertTrueUpsSettle(fleet: Fleet, world: EpisodeWorld): Promise<void> {
  const { ownerUrl } = fleet.postgres;
  const picture = await world.picture(ownerUrl);
  const api = new ApiClient(fleet.apis[0]?.url as string, world.apiKey);
  for (const { repId, period } of picture.frozen) {
    await api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    const again = await api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    if (again.action !== 'none') throw new Violation('I13', `a second true-up came to ${JSON.stringify(again)}`);
    const [head] = await query<{ total: number }>(
      ownerUrl,
      `select approved_total::float8 as total from statement_periods where workspace_id = $1 and rep_id = $2 and period = $3`,
      [world.workspaceId, repId, period],
    );
    const wanted = await liveTotal(ownerUrl, world, repId, period);
    if (Math.abs((head?.total as number) - wanted) > 0.004)
      throw new Violation('I13', `${repId} ${period}: trued up to ${head?.total}, not to ${wanted}`);
  }
}

async function liveTotal(ownerUrl: string, world: EpisodeWorld, repId: string, period: string): Promise<number> {
  const picture = await world.picture(ownerUrl);
  const standing = await earnedRows(ownerUrl, world.workspaceId);
  const earned = Number(totalOf(liveRows({ ...picture, standing }, repId, period), 'USD'));
  const [added] = await query<{ total: number }>(
    ownerUrl,
    `select coalesce(sum(amount), 0)::float8 as total from commission_events where workspace_id = $1 and rep_id = $2
      and kind in ('adjustment', 'clawback') and status = 'earned' and to_char(earned_on, 'YYYY-MM') = $3`,
    [world.workspaceId, repId, period],
  );
  return earned + (added?.total as number);
}
