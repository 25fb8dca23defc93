import { expect } from 'chai';
import { DealExplainer } from '#src/commissions/deal-explainer.js';
import { type ExceptionReport, ExceptionReports, type PendingReport } from '#src/commissions/exception-reports.js';
import { type Caller } from '#src/kernel/caller.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

const period = '2026-01';
const withTerms = 300;
const everyone = 450;

describe('the job of many people whose worker is killed', () => {
  const service = Service.duringSuite({ worker: false, isAlone: true });
  let workspace: Workspace;

  /** People on a plan, whose smaller deals pay nothing, and people without one. Each has a deal. */
  beforeEach(async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    const names = Array.from({ length: everyone }, (_, index) => `Rep${index}`);
    const repIds = await api.saveReps(...names);
    const conditions = [{ field: 'amount', fieldType: 'currency', operator: 'gte', value: 100 }];
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('Large', 0.1, { conditions })] } }, [
      ...repIds.slice(0, withTerms),
    ]);
    const deals = names.map((name, index) => ({
      dealId: `D${index}`,
      amount: index,
      closeDate: '2026-01-10',
      ownerId: name.toLowerCase(),
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    // People who are still being calculated are not generated in a batch.
    const calculating = await service.startProcess('worker');
    await workspace.calculated();
    await calculating.end();
  });

  afterEach(() => Promise.all(service.processes.map((process) => process.end('SIGKILL'))));

  it('generates each statement once, and records each batch once in the audit log', async () => {
    const { api, workspaceId } = workspace;
    const { job } = await api.expect(202, 'POST', '/v1/statements/generate', { period, async: true });
    const read = () => api.expect(200, 'GET', `/v1/statements/generate/jobs/${job.jobId}`);
    const dying = await service.startProcess('worker', {
      NODE_ENV: 'test',
      // Two batches of a hundred people run at a time, so the fourth begins after the first two are stored.
      FAILPOINTS: 'generate.afterVersion@4=kill',
    });
    expect(await dying.ended(), dying.output).to.equal(null);
    const between = await read();
    expect(between).to.include({ status: 'running' });
    expect(between.progress.done).to.be.within(200, 300);
    expect(between.generated).to.equal(between.progress.done);

    await service.startProcess('worker');
    const done = await until(async () => {
      const found = await read();
      return found.status !== 'running' && found;
    });
    expect(done).to.deep.include({ status: 'completed', progress: { done: everyone, total: everyone } });
    expect(done).to.deep.include({ generated: everyone, skipped: 0, errors: 0, errorReps: [] });
    const statements = await service.sql(
      `select count(*)::int as statements, count(distinct rep_id)::int as people, max(version) as version
       from statements where workspace_id = $1 and period = $2`,
      workspaceId,
      period,
    );
    expect(statements).to.deep.equal([{ statements: everyone, people: everyone, version: 1 }]);
    // The request, and five batches of at most a hundred people. A worker adds the entries to the log after the commit.
    await until(async () => (await service.sql(unsealedEntries, workspaceId)).length === 0);
    const { entries } = await api.expect(200, 'GET', '/v1/audit?action=generateStatements');
    expect(entries, JSON.stringify(entries)).to.have.length(6);
    expect(new Set(entries.map(({ requestId }: { requestId: string }) => requestId))).to.have.length(1);
    await workspace.expectSoundLedger();
  });

  it('lists each exception once, as the complete answer does', async () => {
    const { workspaceId } = workspace;
    const { unitOfWork, parts, clock } = service.running.service;
    const { ownerUrl } = service.database;
    const caller: Caller = { workspaceId, accessLevel: 'admin', repId: null, actor: 'api-key', requestId: 'test' };
    const page = { period, accepted: false, limit: 1000, skip: 0 } as const;
    const list = (maxAwaited: number) =>
      new ExceptionReports(unitOfWork, parts.resolve(DealExplainer), { add: async () => {} }, clock, maxAwaited).list(
        caller,
        page,
      );
    const byJob = () => list(0);
    const { job } = (await byJob()) as PendingReport;
    const rows = () =>
      service.sql<{ done: number; status: string }>(
        'select done, status from stored_jobs where workspace_id = $1 and job_id = $2',
        workspaceId,
        job.jobId,
      );

    // The third part waits, with the first two stored, for the deals whose rows the trigger keeps from being written.
    await service.sql(stopAtThirdPart);
    const blocker = await openTransaction(ownerUrl, 'select pg_advisory_xact_lock(1)');
    const dying = await service.startProcess('worker');
    await untilBlocked(ownerUrl, 'exception_job_rows');
    expect(await dying.end('SIGKILL')).to.equal(null);
    await blocker.rollback();
    await service.sql('drop trigger stop_at_third_part on exception_job_rows');
    expect(await rows()).to.deep.equal([{ done: 200, status: 'running' }]);

    await service.startProcess('worker');
    await until(async () => (await rows())[0]?.status !== 'running');
    expect(await rows()).to.deep.equal([{ done: everyone, status: 'completed' }]);
    const { deals, groups, names } = (await byJob()) as ExceptionReport;
    const complete = (await list(everyone)) as ExceptionReport;
    expect(groups.map(({ reason, count }) => [reason, count])).to.deep.include.members([
      ['no_assignment', everyone - withTerms],
      ['rule_condition_failed', 100],
    ]);
    expect({ deals, groups, names }).to.deep.equal({
      deals: complete.deals,
      groups: complete.groups,
      names: complete.names,
    });
  });
});

const unsealedEntries = 'select from audit_entries where workspace_id = $1 and position is null limit 1';

/** Rows of the third hundred people wait for the lock. */
const stopAtThirdPart = `
  create function stop_at_third_part() returns trigger language plpgsql as $$
  begin
    if (select done from stored_jobs where workspace_id = new.workspace_id and job_id = new.job_id) = 200 then
      perform pg_advisory_xact_lock(1);
    end if;
    return new;
  end $$;
  create trigger stop_at_third_part before insert on exception_job_rows
    for each row execute function stop_at_third_part();`;
