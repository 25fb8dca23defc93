import { expect } from 'chai';
import { DealExplainer } from '#src/commissions/deal-explainer.js';
import { type ExceptionReport, ExceptionReports, type PendingReport } from '#src/commissions/exception-reports.js';
import { simulationThreads } from '#src/commissions/simulation-limits.js';
import { type Caller } from '#src/kernel/caller.js';
import { Leases } from '#src/platform/jobs/leases.js';
import { createLog } from '#src/platform/log.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { ExceptionJobs } from '#workers/exception-jobs.js';
import { LeasedJobRunner } from '#workers/leased-job-runner.js';

const limits = { threads: 1, heapMb: 192, seconds: 120 };
const period = '2026-01';
const page = { period, accepted: false, limit: 100, skip: 0 };

type Groups = Pick<ExceptionReport, 'deals' | 'groups' | 'names'>;

describe('exceptions of a large workspace', () => {
  const threads = simulationThreads(limits);
  let workspace: OfflineWorkspace;
  let explainer: DealExplainer;
  let manager: string;
  let planId: string;

  after(() => threads.close());

  /** 240 people, of whom a hundred are calculated together, with deals that fail for several reasons. */
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    const { db, insert, workspaceId } = workspace;
    explainer = new DealExplainer(db.unitOfWork, threads, limits);
    const conditions = [{ field: 'amount', fieldType: 'currency', operator: 'gte', value: 100 }];
    planId = await insert.plan('AE', { rules: [flatRule('Large', 0.1, { conditions })] });
    await db.sql(
      `insert into reps (workspace_id, rep_id, email, name, role)
       select $1, gen_random_uuid(), n || '@x.io', 'Rep ' || n, 'rep' from generate_series(1, 240) n`,
      workspaceId,
    );
    await db.sql(
      'insert into lanes (workspace_id, rep_id) select workspace_id, rep_id from reps where workspace_id = $1',
      workspaceId,
    );
    const people = await db.sql<{ rep_id: string }>(
      'select rep_id from reps where workspace_id = $1 order by rep_id',
      workspaceId,
    );
    for (const [index, { rep_id: repId }] of people.entries()) {
      if (index % 3 > 0) await insert.assignment(repId, planId);
      const currency = index % 5 === 0 ? 'EUR' : 'USD';
      await insert.deal(`D${index}`, repId, { amount: index % 90, currency, closeDate: '2026-01-10' });
    }
    manager = await insert.rep('Max', { role: 'manager' });
    await insert.reportingLines(manager, ...people.slice(50, 170).map(({ rep_id }) => rep_id));
    await insert.deal('Undated', people[0]?.rep_id as string, { closeDate: null });
  });

  const reports = (maxAwaited: number) =>
    new ExceptionReports(workspace.db.unitOfWork, explainer, { add: async () => {} }, workspace.db.clock, maxAwaited);
  const started = async (caller: Caller = workspace.admin) => (await reports(0).list(caller, page)) as PendingReport;
  const stored = async (more: object = {}, caller: Caller = workspace.admin) =>
    comparable((await reports(0).list(caller, { ...page, ...more })) as ExceptionReport);
  const complete = async (more: object = {}, caller: Caller = workspace.admin) =>
    comparable((await reports(1_000_000).list(caller, { ...page, ...more })) as ExceptionReport);
  const comparable = ({ deals, groups, names }: Groups) => ({ deals, groups, names });

  const run = (jobId: string, jobs: ExceptionJobs = working(explainer), stopping = new AbortController().signal) => {
    const { unitOfWork } = workspace.db;
    const runner = new LeasedJobRunner(unitOfWork, new Leases(unitOfWork), jobs, createLog('silent'));
    return runner.run(workspace.workspaceId, jobId, stopping);
  };
  const working = (withExplainer: DealExplainer) =>
    new ExceptionJobs(workspace.db.unitOfWork, withExplainer, workspace.db.clock);

  it('are those of the complete answer, on every page, for admins and for managers of a team', async () => {
    const below = await workspace.db.sql<{ rep_id: string }>(
      'select rep_id from reporting_lines where manager_id = $1',
      manager,
    );
    const team = new Set([manager, ...below.map(({ rep_id }) => rep_id)]);
    for (const caller of [workspace.admin, { ...workspace.caller('manager', manager), team }]) {
      if (caller.repId !== null)
        await workspace.db.sql(
          "update workspaces set manager_scope = 'reports' where workspace_id = $1",
          workspace.workspaceId,
        );
      const { job } = await started(caller);
      expect(job.progress.done).to.equal(0);
      await run(job.jobId);
      const all = await complete({}, caller);
      expect(all.groups.length).to.be.greaterThan(1);
      expect(await stored({}, caller)).to.deep.equal(all);
      expect(await stored({ limit: 7, skip: 14 }, caller)).to.deep.equal(
        await complete({ limit: 7, skip: 14 }, caller),
      );
      const ids = below.slice(0, 40).map(({ rep_id }) => rep_id);
      expect(await stored({ limit: 1, ids }, caller)).to.deep.equal(await complete({ limit: 1, ids }, caller));
      expect(await stored({ reason: 'no_assignment' }, caller)).to.deep.equal(
        await complete({ reason: 'no_assignment' }, caller),
      );
    }
  });

  it('leave out what an admin has accepted since', async () => {
    const { job } = await started();
    await run(job.jobId);
    const { insert } = workspace;
    const accepted = { note: 'Expected', accepted_by: 'api-key' };
    const [one, other] = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'];
    const none = { plan_id: null, rule_name: null };
    await insert.row('accepted_exceptions', {
      ...accepted,
      ...none,
      acceptance_id: one,
      reason: 'no_assignment',
      deal_id: 'D0',
    });
    await insert.row('accepted_exceptions', {
      ...accepted,
      acceptance_id: other,
      reason: 'rule_condition_failed',
      deal_id: null,
      plan_id: planId,
      rule_name: 'Large',
    });
    for (const more of [{ accepted: false }, { accepted: true }])
      expect(await stored(more)).to.deep.equal(await complete(more));
    expect((await stored({ accepted: true })).groups).to.have.length(2);
  });

  it('are complete after workers that stop, that die in a part, and that run twice', async () => {
    const { job } = await started();
    const stopping = new AbortController();
    const stopped = Object.create(explainer) as DealExplainer;
    stopped.measureReps = (...given) => {
      stopping.abort();
      return explainer.measureReps(...given);
    };
    await run(job.jobId, working(stopped), stopping.signal);
    const { job: half } = (await reports(0).list(workspace.admin, page)) as PendingReport;
    expect(half).to.deep.include({ jobId: job.jobId, status: 'running', progress: { done: 100, total: 240 } });
    const dying = Object.create(explainer) as DealExplainer;
    dying.measureReps = () => Promise.reject(new Error('killed'));
    await run(job.jobId, working(dying));
    await workspace.db.sql('update stored_jobs set not_before = now() where job_id = $1', job.jobId);
    await run(job.jobId);
    await run(job.jobId);
    expect(await stored()).to.deep.equal(await complete());
  });

  it('are calculated once for all who see the same people, and again when something has changed', async () => {
    const { job } = await started();
    expect((await started()).job.jobId).to.equal(job.jobId);
    await run(job.jobId);
    const sql = (text: string) => workspace.db.sql(text, workspace.workspaceId);
    await sql("update stored_jobs set finished_at = now() - interval '3 minutes' where workspace_id = $1");
    expect(await stored()).to.deep.equal(await complete());
    await sql('update workspaces set configuration_revision = gen_random_uuid() where workspace_id = $1');
    const { job: next } = await started();
    expect(next.jobId).not.to.equal(job.jobId);
  });

  it('end with a reason when who requested them sees other people by then', async () => {
    const caller = { ...workspace.caller('manager', manager), team: new Set([manager]) };
    await workspace.insert.deal('Own', manager, { closeDate: '2026-01-10' });
    const { job } = await started(caller);
    await run(job.jobId);
    const { job: failed } = await started(caller);
    expect(failed).to.include({ jobId: job.jobId, status: 'failed' });
    expect(failed.error).to.include('other people');
  });
});
