import { sql } from 'kysely';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { chunk } from '../kernel/chunk.js';
import { type Clock } from '../kernel/clock.js';
import { currentDay, type DayRange } from '../kernel/day.js';
import { type Period, toPeriod } from '../kernel/period.js';
import { toStoredCaller } from '../kernel/stored-caller.js';
import { calendarOf, loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type FilteredPeople, filteredReps } from '../people/reps/filtered-people.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import { type JobQueue } from '../platform/jobs/job-queue.js';
import { type StoredJob, wakeOf } from '../platform/stored-jobs/stored-job.js';
import { insertStoredJob, lockStoredJobs } from '../platform/stored-jobs/stored-job-store.js';
import { findStoredJobs } from '../platform/stored-jobs/stored-job-views.js';
import { type Acceptances, loadAcceptances } from './acceptance.js';
import { type DealExplainer } from './deal-explainer.js';
import { type ExceptionGroup, type ExceptionPage, groupByReason, toGroup } from './exception-groups.js';
import { type ExceptionSubject, hashVisible } from './exception-jobs/exception-job.js';
import { readExceptionGroups } from './exception-jobs/exception-job-views.js';
import {
  findDealsWithOtherLines,
  findExceedingDeals,
  findNames,
  findRefundsWithoutLine,
  findRefundsWithoutPolicy,
  findUndatedDeals,
  findUnownedDeals,
  listRepsToExplain,
  type UnreadDeals,
} from './exception-views.js';
import { type Exception, type ExceptionReason, exceptionReasons } from './exceptions.js';
import { findExceptionsOf, repsPerTransaction } from './find-exceptions.js';
import { type ExplainedRep } from './rep-exceptions.js';

/** More people than this are calculated by a worker: 1,000 take 0.4 s. */
const maxAwaitedReps = 2000;
/** How long a list is shown although something has changed: a workspace of this size changes all the time. */
const reuseMs = 2 * 60_000;
/** How long a failure is reported before the next request starts again. */
const reportFailureMs = 10_000;

const readOnly = { lock: 'none', access: 'read', replica: true } as const;

interface ExceptionRequest extends ExceptionPage, FilteredPeople {
  /** Undefined for the current month. */
  readonly period?: Period | undefined;
  readonly accepted: boolean;
  /** Undefined for all reasons. */
  readonly reason?: ExceptionReason | undefined;
}

/** What did not pay. */
export interface ExceptionReport {
  readonly period: Period;
  readonly currency: string;
  /** Distinct deals of all groups. */
  readonly deals: number;
  /** When a worker began to calculate the list; null if it is that of now. */
  readonly calculatedAt: Date | null;
  readonly groups: readonly ExceptionGroup[];
  readonly names: ReadonlyMap<string, string>;
  readonly acceptances: Acceptances;
}

/** The worker that calculates the list. */
export interface PendingReport {
  readonly period: Period;
  readonly currency: string;
  readonly job: StoredJob<ExceptionSubject>;
}

interface Prepared {
  readonly scope: Omit<ExplainedRep, 'repId'>;
  readonly period: Period;
  readonly acceptances: Acceptances;
  /** The people who are meant; null for everyone. */
  readonly repIds: readonly string[] | null;
  readonly toExplain: readonly string[];
  readonly unread: readonly (readonly [ExceptionReason, UnreadDeals])[];
}

/**
 * Lists what did not pay. The people of a small workspace are calculated in memory; those of a large one by a worker,
 * whose list is used until something changes.
 */
export class ExceptionReports {
  private readonly parts: { readonly unitOfWork: UnitOfWork; readonly explainer: DealExplainer };

  constructor(
    private readonly unitOfWork: UnitOfWork,
    explainer: DealExplainer,
    private readonly queue: Pick<JobQueue, 'add'>,
    private readonly clock: Clock,
    private readonly maxAwaited = maxAwaitedReps,
  ) {
    this.parts = { unitOfWork, explainer };
  }

  async list(caller: Caller, request: ExceptionRequest): Promise<ExceptionReport | PendingReport> {
    const prepared = await this.unitOfWork.run(caller, readOnly, (tx) => this.prepare(tx, caller, request));
    const { scope, period, toExplain } = prepared;
    const { currency } = scope.workspace;
    if (toExplain.length <= this.maxAwaited) return this.calculate(caller, request, prepared);
    const job = await this.findOrStart(caller, period, scope.days);
    if (job.status !== 'completed') return { period, currency, job };
    const stored = await this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (tx) =>
      readExceptionGroups(tx, { reason: undefined, ...request, jobId: job.jobId, repIds: prepared.repIds }, currency),
    );
    return this.toReport(caller, prepared, stored.groups, stored.deals, job.startedAt);
  }

  private async prepare(tx: Transaction, caller: Caller, request: ExceptionRequest): Promise<Prepared> {
    const workspace = await loadWorkspaceTerms(tx);
    const today = currentDay(workspace, this.clock.now());
    const period = request.period ?? toPeriod(today, 'monthly');
    const days = calendarOf({ workspace }).range(period);
    const repIds = await filteredReps(tx, caller, today, request);
    return {
      scope: { workspace, today, days },
      repIds,
      period,
      acceptances: await loadAcceptances(tx),
      toExplain: await listRepsToExplain(tx, days, repIds),
      unread: await findUnread(tx, days, repIds, request),
    };
  }

  private async calculate(caller: Caller, request: ExceptionRequest, prepared: Prepared): Promise<ExceptionReport> {
    const { scope, toExplain, acceptances } = prepared;
    const all: Exception[] = [];
    for (const repIds of chunk(toExplain, repsPerTransaction))
      all.push(...(await findExceptionsOf(caller, scope, repIds, this.parts)));
    const found = all.filter(
      (exception) =>
        (acceptances.find(exception) !== undefined) === request.accepted &&
        (request.reason === undefined || exception.reason === request.reason),
    );
    const deals = new Set(found.map(({ dealId }) => dealId)).size;
    const groups = groupByReason(found, scope.workspace.currency, request);
    return this.toReport(caller, prepared, groups, deals, null);
  }

  private async toReport(
    caller: Caller,
    { scope, period, unread, acceptances }: Prepared,
    calculated: ReadonlyMap<ExceptionReason, ExceptionGroup>,
    calculatedDeals: number,
    calculatedAt: Date | null,
  ): Promise<ExceptionReport> {
    const { currency } = scope.workspace;
    const byReason = new Map(calculated);
    for (const [reason, deals] of unread) byReason.set(reason, toGroup(reason, deals, currency));
    const groups = exceptionReasons.flatMap((reason) => {
      const group = byReason.get(reason);
      return group === undefined || group.count === 0 ? [] : [group];
    });
    const names = await this.unitOfWork.run(caller, readOnly, (tx) => findNames(tx, idsIn(groups)));
    const deals = unread.reduce((sum, [, { count }]) => sum + count, calculatedDeals);
    return { period, currency, deals, calculatedAt, groups, names, acceptances };
  }

  /** The job whose list may be shown: that of everyone whom the caller may see, so that all filters share it. */
  private async findOrStart(caller: Caller, period: Period, days: DayRange): Promise<StoredJob<ExceptionSubject>> {
    const visible = hashVisible(caller);
    const existing = await this.unitOfWork.read(caller, (tx) => findUsable(tx, period, visible));
    if (existing !== undefined) return existing;
    const job = await this.unitOfWork.write(caller, async (tx) => {
      await lockStoredJobs(tx, 'exceptions');
      const started = await findUsable(tx, period, visible);
      if (started !== undefined) return started;
      const total = (await listRepsToExplain(tx, days, visibleReps(caller))).length;
      const subject: ExceptionSubject = { visible, basis: await readBasis(tx) };
      const stored = { kind: 'exceptions', period, subject, total, caller: toStoredCaller(caller) } as const;
      const jobId = await insertStoredJob(tx, stored);
      return (await findStoredJobs<ExceptionSubject>(tx, 'exceptions', { jobId }))[0] as StoredJob<ExceptionSubject>;
    });
    await this.queue.add(wakeOf('exceptions'), { workspaceId: caller.workspaceId });
    return job;
  }
}

/** Deals that no calculation reads. Those without an owner are nobody's whom a manager of a team may see. */
async function findUnread(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  { reason, ...list }: ExceptionRequest,
): Promise<Prepared['unread']> {
  const unread: (readonly [ExceptionReason, UnreadDeals])[] = [];
  const add = async (of: ExceptionReason, find: () => Promise<UnreadDeals>) => {
    if (reason === undefined || reason === of) unread.push([of, await find()]);
  };
  if (repIds === null) await add('owner_unresolved', () => findUnownedDeals(tx, days, list));
  await add('no_close_date', () => findUndatedDeals(tx, repIds, list));
  await add('split_rules_exceed_100', () => findExceedingDeals(tx, days, repIds, list));
  await add('lines_differ', () => findDealsWithOtherLines(tx, days, repIds, list));
  await add('refund_line_missing', () => findRefundsWithoutLine(tx, days, repIds, list));
  await add('refund_without_policy', () => findRefundsWithoutPolicy(tx, days, repIds, list));
  return unread;
}

async function findUsable(
  tx: Transaction,
  period: Period,
  visible: string,
): Promise<StoredJob<ExceptionSubject> | undefined> {
  const jobs = await findStoredJobs<ExceptionSubject>(tx, 'exceptions', { period, subject: { visible } });
  const basis = jobs.length === 0 ? '' : await readBasis(tx);
  return jobs.find(({ status, finishedAt, subject }) => {
    if (status === 'running') return true;
    const ageMs = Date.now() - (finishedAt?.getTime() ?? 0);
    return status === 'failed' ? ageMs < reportFailureMs : ageMs < reuseMs || subject.basis === basis;
  });
}

async function readBasis(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ basis: string }>`
    select configuration_revision || ' ' || cache_versions_of(workspace_id) as basis
    from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return (rows[0] as { basis: string }).basis;
}

function idsIn(groups: readonly ExceptionGroup[]): string[] {
  const listed = groups.flatMap((group) => group.listed);
  const ids = listed.flatMap(({ repId, rules }) => [repId, ...rules.map(({ planId }) => planId)]);
  return [...new Set(ids.filter((id) => id !== null))];
}
