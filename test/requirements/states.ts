import { expect } from 'chai';
import { describePlanStates } from './plan-states.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { exampleDeals, expectError, unknownId, World } from './world.js';

/** Section 3 of the specification: states and transitions of events, invites, jobs and statements. */
export function describeStates(): void {
  describe('3: states and transitions', () => {
    describeEventState();
    describeInvites();
    describeJobs();
    describePlanStates();
    describeStatementStates();
    describeApprovedStatements();
  });
}

function describeEventState(): void {
  describe('an event', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
      await world.admin.expect(200, 'DELETE', '/v1/deals/D1');
      await world.waitForCalculations();
    });

    row(121, 'reversing the events of a deleted deal decrements quota.current_value', async () => {
      expect(await world.counter('ben')).to.equal(90_000);
    });

    row(122, 'an event of a deleted deal goes from earned to reversed in place', async () => {
      const rows = await service().sql(
        `select e.event_id, e.status, h.revisions, h.events from commission_events e,
           lateral (select count(*)::int as revisions, count(distinct event_id)::int as events from commission_event_history h
             where h.workspace_id = e.workspace_id and h.deal_key = e.deal_key) h
         where e.workspace_id = $1 and e.deal_key = 'D1'`,
        world.workspaceId,
      );
      expect(rows).to.have.length(1);
      expect(rows[0]).to.include({ status: 'reversed', revisions: 2, events: 1 });
      const { runs } = await world.get('/v1/workspaces/audit-logs?dealId=D1');
      const reversed = runs.filter((run: Json) => run.counters.eventsReversed > 0);
      expect(reversed).to.have.length(1);
      expect(reversed[0].counters.eventsReversed).to.equal(1);
    });
  });
}

function describeInvites(): void {
  describe('an invited rep', () => {
    let world: World;
    let email: string;

    const inviteStatus = async () => {
      const { reps } = await world.get(`/v1/reps?email=${encodeURIComponent(email)}`);
      return [reps[0].invite_status, reps[0].active];
    };

    before(async () => {
      world = await World.create();
      email = world.email('cat');
      await world.admin.expect(200, 'PATCH', `/v1/reps/${world.ids.cat}`, { active: false });
    });

    row(123, 'an invite makes the status invited and activates the rep', async () => {
      expect(await inviteStatus()).to.deep.equal([null, false]);
      const answer = await world.admin.expect(200, 'POST', `/v1/reps/${world.ids.cat}/invite`);
      expect(answer).to.deep.equal({ invited: true, email });
      expect(await inviteStatus()).to.deep.equal(['invited', true]);
    });

    row(124, 'the first sign-in makes an invited rep accepted', async () => {
      const code = await service().codeFor(email);
      const { rep } = await world.anyone.expect(200, 'POST', '/auth/otp/verify', { email, code });
      expect(rep).to.include({ email, invite_status: 'accepted' });
      expect(await inviteStatus()).to.deep.equal(['accepted', true]);
    });
  });
}

function describeJobs(): void {
  describe('a recalculation job', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    row(125, 'a job whose run errors ends as failed, with the error', async () => {
      const name = `fail_${world.workspaceId.replaceAll('-', '')}`;
      await service().sql(`create function ${name}() returns trigger language plpgsql as
        $$ begin raise exception 'the run cannot be stored'; end $$`);
      await service().sql(`create trigger ${name} before insert on audit_runs for each row
        when (new.workspace_id = '${world.workspaceId}' and new.outcome <> 'failed') execute function ${name}()`);
      try {
        // The last attempt before the lane is parked.
        await service().sql('update lanes set attempts = 7 where workspace_id = $1', world.workspaceId);
        const body = { repId: world.ids.ben, async: true };
        const { jobId } = await world.admin.expect(200, 'POST', '/v1/commissions/recalculate', body);
        const job = await world.jobEnd(jobId);
        expect(job).to.include({ jobId, status: 'failed', scope: 'rep' });
        expect(job.error).to.contain('the run cannot be stored');
        expect(job.finishedAt).to.be.a('string');
      } finally {
        await service().sql(`drop trigger ${name} on audit_runs`);
        await service().sql(`drop function ${name}`);
      }
    });

    row(126, 'a job is readable for six hours after its end; a later or unknown job is 404', async () => {
      const own = await World.create();
      const { jobId } = await own.admin.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
      await own.jobEnd(jobId);
      const age = (minutes: number) =>
        service().sql(
          `update jobs set finished_at = now() - make_interval(mins => $2) where job_id = $1`,
          jobId,
          minutes,
        );
      const path = `/v1/commissions/recalculate/jobs/${jobId}`;
      await age(355);
      expect(await own.get(path)).to.include({ jobId, status: 'completed' });
      await age(361);
      await expectError('404 job_not_found', own.admin.get(path));
      const unknown = `/v1/commissions/recalculate/jobs/${unknownId}`;
      await expectError('404 job_not_found', own.admin.get(unknown));
    });

    row(143, 'the answer to async: true has status running', async () => {
      const own = await World.create();
      const answer = await own.admin.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
      expect(answer).to.include({ triggered: true, async: true, status: 'running', scope: 'workspace' });
      expect(answer.jobId).to.be.a('string').and.not.equal('');
      expect(Date.parse(answer.startedAt)).to.be.closeTo(Date.now(), 1_800_000);
    });

    row(144, 'a running job becomes completed, with its result', async () => {
      const { world: own } = await World.example();
      const body = { repId: own.ids.ben, async: true };
      const { jobId } = await own.admin.expect(200, 'POST', '/v1/commissions/recalculate', body);
      const job = await own.jobEnd(jobId);
      expect(job).to.include({ jobId, status: 'completed', scope: 'rep' });
      expect(job.result).to.include({ count: 3, eventsWritten: 0, eventsReversed: 0, skipped: 0 });
      expect(job).to.not.have.property('error');
    });
  });
}

function describeStatementStates(): void {
  describe('a draft statement', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    const statement = () => world.get(`/v1/statements?repId=${world.ids.ben}&period=2026-Q1`);

    row(146, 'each generate makes a new version', async () => {
      const first = await world.generate('ben', '2026-Q1');
      const second = await world.generate('ben', '2026-Q1');
      expect([first.version, second.version]).to.deep.equal([1, 2]);
      expect(second.statementId).to.be.a('string').and.not.equal(first.statementId);
    });

    row(147, 'a draft shows the version that was generated last; generating again includes an adjustment', async () => {
      await world.adjust('ben', 250, '2026-Q1');
      const before = await statement();
      expect(before).to.deep.include({ version: 2, status: 'draft' });
      expect(before.summary).to.include({ totalAdjustments: 0, netPayout: 16_500 });
      await world.generate('ben', '2026-Q1');
      const after = await statement();
      expect(after.version).to.equal(3);
      expect(after.summary).to.include({ totalAdjustments: 250, netPayout: 16_750 });
    });

    row(145, 'approving moves the draft to approved', async () => {
      const path = `/v1/statements/${world.ids.ben}/approve`;
      await world.admin.expect(200, 'POST', path, { period: '2026-Q1', status: 'approved' });
      expect(await statement()).to.include({ status: 'approved', version: 3 });
      const status = await world.get(`/v1/statements/${world.ids.ben}/status?period=2026-Q1`);
      expect(status.status).to.equal('approved');
    });

    row(148, 'batch generation leaves an approved statement intact and reports already_approved', async () => {
      const answer = await world.admin.expect(200, 'POST', '/v1/statements/generate', {
        period: '2026-Q1',
        repIds: [world.ids.ben, world.ids.cat],
      });
      expect(answer).to.include({ period: '2026-Q1', generated: 1, skipped: 1, errors: 0 });
      expect(answer.skippedReps).to.deep.equal([{ repId: world.ids.ben, reason: 'already_approved' }]);
      expect(answer.statements.map((one: Json) => one.repId)).to.deep.equal([world.ids.cat]);
      expect(await statement()).to.include({ status: 'approved', version: 3 });
    });

    row(153, 'the approved total holds an adjustment that was added to the draft', async () => {
      const own = (await World.example()).world;
      await own.generate('ben', '2026-Q1');
      await own.adjust('ben', 100, '2026-Q1');
      const path = `/v1/statements/${own.ids.ben}/approve`;
      const answer = await own.admin.expect(200, 'POST', path, { period: '2026-Q1', status: 'approved' });
      expect(answer.summary).to.include({ totalAdjustments: 100, netPayout: 16_600 });
    });
  });
}

function describeApprovedStatements(): void {
  describe('an approved statement', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
      await world.adjust('ben', 40, '2026-Q1');
      await world.approve('ben', '2026-Q1');
    });

    row(149, 'it blocks every write of commission of its rep and period', async () => {
      await world.deal('D2', { ...exampleDeals[1], amount: 10_000 });
      await world.deal('D9', { amount: 1000, closeDate: '2026-02-20' });
      await world.waitForCalculations();
      const answer = await world.recalculate({ repId: world.ids.ben });
      expect(answer).to.include({ eventsWritten: 0, eventsReversed: 0 });
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    });

    row(154, 'the export of an approved statement holds the adjustment', async () => {
      const path = `/v1/statements/${world.ids.ben}/export?period=2026-Q1&format=json`;
      const { lineItems, summary } = await world.get(path);
      const adjustments = lineItems.filter((line: Json) => line.kind === 'adjustment');
      expect(adjustments).to.have.length(1);
      expect(adjustments[0]).to.include({ amount: 40, reason: 'correction' });
      expect(summary).to.include({ totalAdjustments: 40, netPayout: 16_540 });
    });

    row(150, 'a true-up inserts one true_up event and the statement stays approved', async () => {
      const path = `/v1/statements/${world.ids.ben}/true-up`;
      const answer = await world.admin.expect(200, 'POST', path, { period: '2026-Q1', force: true });
      // Live: 4,800; 10,000 and 1,000 at 8 %; 30,000 at 12 %, for 101,000 reaches the quota. Approved: 16,500.
      expect(answer).to.include({ action: 'trued_up', delta: 4800 + 800 + 80 + 3600 - 16_500 });
      const statement = await world.get(`/v1/statements?repId=${world.ids.ben}&period=2026-Q1`);
      expect(statement).to.include({ status: 'approved', version: answer.version });
      const rows = await service().sql(
        `select event_id, amount from commission_events where workspace_id = $1 and kind = 'true_up' and status = 'earned'`,
        world.workspaceId,
      );
      expect(rows.map((one) => [one.event_id, Number(one.amount)])).to.deep.equal([[answer.eventId, -7220]]);
    });

    row(151, 'approving with status draft unlocks it', async () => {
      const answer = await world.unlock('ben', '2026-Q1');
      expect(answer.status).to.equal('draft');
      const { status } = await world.get(`/v1/statements/${world.ids.ben}/status?period=2026-Q1`);
      expect(status).to.equal('draft');
    });

    row(152, 'after the unlock the correction is written', async () => {
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 800, D9: 80, D3: 3600 });
      expect(await world.counter('ben')).to.equal(101_000);
    });
  });
}
