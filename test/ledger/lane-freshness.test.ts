import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { commissionPlan, D1, D2, D3, TeamExample } from './team-example.js';

/** The tables that calculations read. Each has a change below. */
const inputs = [
  'absences',
  'assignments',
  'commission_events',
  'deal_lines',
  'deal_participations',
  'deal_refunds',
  'deals',
  'fiscal_year_history',
  'fiscal_years',
  // Written with the approval of a statement.
  'frozen_deal_amounts',
  'fx_rates',
  'person_values',
  'plan_overrides',
  'plan_rules',
  'plan_versions',
  'plans',
  'quotas',
  'ramps',
  'rate_table_rows',
  'rate_tables',
  'reporting_lines',
  'reps',
  'statement_periods',
  'trued_up_rows',
  'workspaces',
];

describe('a recalculation of a workspace without pending requests', () => {
  // Without workers, so that requests stay visible.
  const service = Service.duringSuite({ worker: false });
  let example: TeamExample;

  beforeEach(async () => {
    example = await TeamExample.create(service);
    await example.put(D1, D2, { ...D3, rep: 'bob' });
    await recalculated();
    expect(await requestedReps(), 'no rep before the change').to.deep.equal([]);
  });

  const endedJob = (jobId: string) => example.api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);

  async function recalculated() {
    const jobId = await example.startRecalculation();
    await example.drain();
    return (await endedJob(jobId)).result;
  }

  /** The reps that a recalculation of the workspace requests. */
  async function requestedReps(): Promise<string[]> {
    const jobId = await example.startRecalculation();
    const rows = await service.sql<{ name: string }>(
      `select distinct r.name from calculation_requests q join reps r on r.workspace_id = q.workspace_id and r.rep_id = q.rep_id
      where q.workspace_id = $1 and q.job_id = $2 order by r.name`,
      example.workspaceId,
      jobId,
    );
    await example.drain();
    return rows.map(({ name }) => name);
  }

  const sql = (text: string) => service.sql(text);
  const ruleId = async () => (await example.api.expect(200, 'GET', `/v1/plans/${example.planId}`)).rules[0].id;
  const versionId = async () => (await example.api.expect(200, 'GET', `/v1/plans/${example.planId}`)).planVersionId;
  const setOverride = async () =>
    example.api.expect(200, 'PUT', `/v1/plans/${await versionId()}/overrides/${example.repIds.ann}`, {
      rules: [{ ruleId: await ruleId(), tiers: [{ tierIndex: 0, rate: 0.2 }] }],
    });
  const approve = async () => {
    await example.api.generate(example.repIds.ann, '2026-01');
    await example.api.approve(example.repIds.ann, '2026-01');
  };
  const trueUp = async () => {
    await approve();
    await example.put({ ...D1, amount: 20_000 });
    await recalculated();
    const path = `/v1/statements/${example.repIds.ann}/true-up`;
    await example.api.expect(200, 'POST', path, { period: '2026-01', force: true });
  };
  const setRate = (rate: number) =>
    example.api.expect(200, 'PUT', '/v1/rate-tables/Products', {
      keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
      columns: [{ name: 'rate' }],
      rows: [{ keys: { family: '*' }, values: { rate } }],
    });
  const everyone = ['ann', 'bob', 'max'];

  /**
   * Each change with the reps that must be calculated after it. The manager is requested after a lane below has
   * changed.
   */
  const changes: readonly (readonly [what: string, change: () => Promise<unknown>, requested: readonly string[]])[] = [
    ['a new deal', () => example.put({ ...D1, dealId: 'D9' }), ['ann']],
    ['a corrected deal', () => example.put({ ...D1, amount: 20_000 }), ['ann']],
    ['a deal that gets another owner', () => example.put({ ...D1, rep: 'bob' }), ['ann', 'bob']],
    [
      'other credit lines of a deal',
      () =>
        example.api.expect(200, 'PUT', '/v1/deals/D1/credits', {
          credits: [example.repIds.ann, example.repIds.bob].map((repId) => ({ repId, percent: 50 })),
        }),
      ['ann', 'bob'],
    ],
    [
      'a refund',
      () => example.api.expect(200, 'PUT', '/v1/deals/D1/refunds/R1', { day: '2026-01-20', cause: 'refund' }),
      ['ann'],
    ],
    [
      'the lines of a deal',
      async () => {
        const rules = [flatRule('Products', 0.1, { measure: 'line.amount', lines: {} })];
        await example.api.createPlan({ name: 'Products', config: { rules } }, [example.repIds.ann]);
        await recalculated();
        await example.api.expect(200, 'PUT', '/v1/deals/D1/lines', { lines: [{ lineId: '1', amount: 5 }] });
      },
      ['ann'],
    ],
    [
      'a rate table',
      async () => {
        const tiers = [{ tierIndex: 0, minThreshold: 0, table: 'Products' }];
        const rules = [{ name: 'Products', measure: 'line.amount', lines: {}, tiers }];
        await setRate(0.1);
        await example.api.createPlan({ name: 'Products', config: { rules } }, [example.repIds.ann]);
        await recalculated();
        await setRate(0.2);
      },
      ['ann'],
    ],
    ['a deal file', () => example.import({ ...D1, amount: 1 }), ['ann']],
    [
      'a new version of the plan',
      () => example.api.expect(200, 'PATCH', `/v1/plans/${example.planId}`, { config: commissionPlan(0.1, 0.2, 0.3) }),
      everyone,
    ],
    [
      'another currency of the plan',
      () => example.api.expect(200, 'PATCH', `/v1/plans/${example.planId}`, { currency: 'EUR' }),
      everyone,
    ],
    [
      'a plan that is archived',
      () => example.api.expect(200, 'PATCH', `/v1/plans/${example.planId}/status`, { status: 'archived' }),
      everyone,
    ],
    ['an override', setOverride, everyone],
    ['a quota', () => example.api.setQuota([example.repIds.ann], 'Commission', '2026-Q1', 5), everyone],
    [
      'an assignment that ends',
      () =>
        example.api.expect(200, 'PATCH', `/v1/assignments/${example.assignmentIds[1]}`, {
          effectiveEnd: '2026-02-01',
        }),
      everyone,
    ],
    [
      'an assignment that is removed',
      () => example.api.expect(200, 'DELETE', `/v1/assignments/${example.assignmentIds[1]}`),
      everyone,
    ],
    [
      'another manager',
      () => example.api.expect(200, 'PATCH', `/v1/reps/${example.repIds.bob}`, { managerId: null }),
      everyone,
    ],
    [
      'a dated value of a person',
      () =>
        example.api.expect(200, 'PUT', `/v1/reps/${example.repIds.bob}/fields/title`, { values: [{ value: 'AE' }] }),
      everyone,
    ],
    [
      'an absence',
      () =>
        example.api.expect(201, 'POST', '/v1/absences', {
          repId: example.repIds.bob,
          from: '2026-01-05',
          to: '2026-01-09',
        }),
      everyone,
    ],
    [
      'a ramp of an assignment',
      async () => {
        const steps = [{ months: 1, quotaPercent: 50 }];
        const { rampId } = await example.api.expect(201, 'POST', '/v1/ramps', { name: 'Ramp', steps });
        await example.api.expect(200, 'PATCH', `/v1/assignments/${example.assignmentIds[1]}`, { rampId });
      },
      everyone,
    ],
    [
      'the minimum of prorated quotas',
      () => example.api.expect(200, 'PATCH', '/v1/workspaces', { minQuotaPercent: 50 }),
      everyone,
    ],
    [
      'a fiscal year',
      () =>
        example.api.expect(200, 'PUT', '/v1/fiscal-years', [{ year: 2026, start: '2026-02-01', pattern: 'months' }]),
      everyone,
    ],
    [
      'a last working day',
      () => example.api.expect(200, 'PATCH', `/v1/reps/${example.repIds.bob}`, { endDate: '2026-12-31' }),
      everyone,
    ],
    [
      'the currency of the workspace',
      () => example.api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'EUR' }),
      everyone,
    ],
    ['its time zone', () => example.api.expect(200, 'PATCH', '/v1/workspaces', { timezone: 'Asia/Tokyo' }), everyone],
    [
      'its field mapping',
      () => example.api.expect(201, 'POST', '/v1/fields/save', { standard: {}, measures: { acv: 'acv' } }),
      everyone,
    ],
    ['an approval', approve, ['ann']],
    ['a true-up', trueUp, ['ann', 'max']],
    ['a reset', () => example.api.expect(200, 'POST', '/v1/commissions/reset', {}), everyone],
    ['a quota changed by the owner of the tables', () => sql('update quotas set target = 7'), everyone],
    ['a plan changed by the owner of the tables', () => sql(`update plan_versions set status = 'draft'`), everyone],
    [
      'a rule changed by the owner of the tables',
      () => sql(`update plan_rules set definition = definition || '{"cap": 1}'`),
      everyone,
    ],
  ];
  for (const [what, change, requested] of changes) {
    it(`calculates again after ${what}`, async () => {
      await change();
      expect(await requestedReps()).to.include.members([...requested]);
    });
  }

  it('calculates again after the deletion of a deal', async () => {
    await example.api.expect(200, 'DELETE', '/v1/deals/D1');
    expect(await requestedReps()).to.include('ann');
  });

  it('calculates the manager again after a lane below has changed', async () => {
    await example.put({ ...D1, amount: 20_000 });
    await service.running.service.parts.resolve(LaneRunner).run(example.workspaceId, [example.repIds.ann]);
    expect(await requestedReps()).to.include.members(['ann', 'max']);
  });

  it('calculates again when only some days of a change were calculated', async () => {
    await example.put({ ...D1, amount: 20_000 });
    await example.drain();
    expect(await requestedReps()).to.deep.equal(['ann']);
  });

  it('calculates again after the calculation code has changed', async () => {
    await sql(`update lanes set fresh_code = gen_random_uuid() where fresh_code is not null`);
    expect(await requestedReps()).to.deep.equal(everyone);
  });

  it('calculates periodic rules again after the end of the day', async () => {
    const tiers = [{ tierIndex: 0, minThreshold: 0, flatAmount: 100 }];
    const rules = [{ name: 'MBO', measure: 'amount', executionPhase: 'periodic', payoutBase: '1', tiers }];
    await example.api.createPlan({ name: 'Objectives', config: { rules } }, [example.repIds.bob]);
    await recalculated();
    expect(await requestedReps(), 'on the same day').to.deep.equal([]);
    await sql('update lanes set fresh_until = fresh_until - 1 where fresh_until is not null');
    expect(await requestedReps(), 'on the next').to.deep.equal(['bob']);
  });

  it('calculates again if an approved period blocked a change', async () => {
    await approve();
    await example.put({ ...D1, amount: 20_000 });
    expect(await recalculated()).to.include({ statementLocked: true });
    expect(await recalculated()).to.include({ statementLocked: true });
  });

  it('reports the same figures for skipped reps and writes an audit row', async () => {
    await example.put({ ...D1, dealId: 'D8', stage: 'Open' });
    const looked = await recalculated();
    const jobId = await example.startRecalculation();
    const job = await endedJob(jobId);
    expect(job.status).to.equal('completed');
    expect(job.result).to.deep.equal({ ...looked, eventsWritten: 0, eventsReversed: 0 });
    expect(job.result).to.include({ count: 4, skipped: 1 });
    const audit = await service.sql(
      `select r.outcome, r.scope, r.deals, r.details from audit_runs r join audit_run_jobs j using (workspace_id, run_id)
      where j.workspace_id = $1 and j.job_id = $2`,
      example.workspaceId,
      jobId,
    );
    expect(audit).to.deep.equal([{ outcome: 'no_change', scope: 'workspace', deals: 4, details: { freshReps: 3 } }]);
  });

  it('always calculates a rep that is requested by id', async () => {
    const jobId = await example.startRecalculation({ repId: example.repIds.ann });
    expect((await endedJob(jobId)).status).to.equal('running');
    await example.drain();
  });

  it('covers every table that a calculation reads', () => {
    const read = inputFiles().flatMap((text) =>
      [...text.matchAll(/(?:selectFrom\('|[jJ]oin\('|from |join |sql`)([a-z_]+)\b/g)].map(
        ([, table]) => table as string,
      ),
    );
    const tables = namedTables().filter((table) => read.includes(table));
    expect(tables).to.have.members(inputs);
  });
});

/** The text of `rep-input.ts` and of all files of the ledger that it imports, which read the input of a calculation. */
function inputFiles(): string[] {
  const ledger = new URL('../../../src/ledger/', import.meta.url);
  const texts = new Map<string, string>();
  const read = (file: URL) => {
    if (!file.href.startsWith(ledger.href) || texts.has(file.href)) return;
    const text = readFileSync(file, 'utf8');
    texts.set(file.href, text);
    for (const [, imported] of text.matchAll(/from '(\.[^']+)\.js'/g)) read(new URL(`${imported}.ts`, file));
  };
  read(new URL('input/rep-input.ts', ledger));
  return [...texts.values()];
}

/** The names of the tables in docs/reference/schema.sql. */
function namedTables(): string[] {
  const schema = readFileSync(fileURLToPath(new URL('../../../docs/reference/schema.sql', import.meta.url)), 'utf8');
  return [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE ([a-z_]+)/gm)].map(([, name]) => name as string);
}
