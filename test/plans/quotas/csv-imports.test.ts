import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

describe('the import of quotas and assignments from CSV files', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let planId: string;

  beforeEach(async () => {
    ({ api } = await service.workspace());
    await api.saveReps('Ann', 'Bob');
    ({ planId } = await api.createPlan({ name: 'AE Plan', config: { rules: [flatRule('New', 0.1)] } }));
  });

  const send = (path: string, text: string, status = 200) =>
    api.expect(status, 'POST', path, text, { 'Content-Type': 'text/csv' });
  const outcomes = ({ results }: { results: { outcome: string; code?: string }[] }) =>
    results.map(({ outcome, code }) => code ?? outcome);
  const quotas = async () =>
    (await api.expect(200, 'GET', '/v1/quotas')).map((one: Record<string, unknown>) => [
      one['period'],
      one['target'],
      one['variableTarget'],
    ]);

  it('sets one target for each row, by e-mail and plan name in any case, and returns a result for each row', async () => {
    const text = [
      'E-Mail,Plan Name,Period,Target,Variable Target',
      'ANN@x.io,ae plan,2026-Q1,"$100,000.00",5000',
      'ann@x.io,AE Plan,2026-Q2,"120,000",',
      'nobody@x.io,AE Plan,2026-Q1,1,',
      'bob@x.io,Other,2026-Q1,1,',
      'bob@x.io,AE Plan,2026-03,1,',
      'bob@x.io,AE Plan,2026-Q1,x,',
      'ann@x.io,AE Plan,2026-Q1,7,',
    ].join('\n');
    const dry = await send('/v1/quotas/import?dryRun=true', text);
    expect(await quotas()).to.deep.equal([]);
    const answer = await send('/v1/quotas/import', text);
    expect(answer).to.deep.equal({ ...dry, dryRun: false });
    expect(answer).to.include({ accepted: 2, unchanged: 0, rejected: 5 });
    expect(outcomes(answer)).to.deep.equal([
      'created',
      'created',
      'rep_not_found',
      'plan_not_found',
      'period_mismatch',
      'VALIDATION_FAILED',
      'VALIDATION_FAILED',
    ]);
    expect(await quotas()).to.deep.equal([
      ['2026-Q1', 100_000, 5000],
      ['2026-Q2', 120_000, null],
    ]);
    const again = 'email,plan,period,target\nann@x.io,AE Plan,2026-Q1,100000\nann@x.io,AE Plan,2026-Q2,1\n';
    expect(outcomes(await send('/v1/quotas/import', again))).to.deep.equal(['unchanged', 'changed']);
    expect((await quotas())[0]).to.deep.equal(['2026-Q1', 100_000, 5000]);
  });

  it('rejects targets that can be read in two ways, unless the number format is given', async () => {
    const text = 'email,plan,period,target\nann@x.io,AE Plan,2026-Q1,1.234\n';
    expect(outcomes(await send('/v1/quotas/import', text))).to.deep.equal(['ambiguous_number']);
    expect(outcomes(await send('/v1/quotas/import?numberFormat=eu', text))).to.deep.equal(['created']);
    expect((await quotas())[0]).to.deep.equal(['2026-Q1', 1234, null]);
  });

  it('sets the target of the rule with the id in planRuleId, also of a draft, and rejects ids of no rule here', async () => {
    const config = (await api.expect(200, 'GET', `/v1/plans/${planId}`)).config;
    const rules = ['First', 'Second'].map((name) => ({ ...config.rules[0], name }));
    const draft = await api.expect(201, 'POST', '/v1/plans', { name: 'Next', status: 'draft', config: { rules } });
    const other = await service.workspace();
    const foreign = await other.api.expect(201, 'POST', '/v1/plans', { name: 'Other', config });
    const text = [
      'email,planRuleId,plan,measure,period,target',
      `ann@x.io,${draft.rules[1].id},,,2026-Q1,10`,
      `ann@x.io,${draft.rules[0].id},Next,First,2026-Q1,20`,
      `ann@x.io,${foreign.rules[0].id},,,2026-Q1,30`,
      'ann@x.io,Second,,,2026-Q1,40',
      `ann@x.io,${draft.rules[1].id},,First,2026-Q2,50`,
    ].join('\n');
    const answer = await send('/v1/quotas/import', text);
    expect(outcomes(answer)).to.deep.equal([
      'created',
      'created',
      'plan_rule_not_found',
      'VALIDATION_FAILED',
      'VALIDATION_FAILED',
    ]);
    expect(answer.results[4].reason).to.match(/measure: must be the name of the rule of planRuleId, Second/);
    const stored = await api.expect(200, 'GET', '/v1/quotas');
    expect(stored.map(({ planRuleId, target }: Record<string, unknown>) => [planRuleId, target])).to.have.deep.members([
      [draft.rules[1].id, 10],
      [draft.rules[0].id, 20],
    ]);
  });

  it('finds the only rule of the present version, without the rules of versions that it supersedes', async () => {
    const { config } = await api.expect(200, 'GET', `/v1/plans/${planId}`);
    const renamed = { ...config, rules: [{ ...config.rules[0], name: 'Newer' }] };
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { config: renamed });
    expect(
      outcomes(await send('/v1/quotas/import', 'email,plan,period,target\nann@x.io,AE Plan,2026-Q1,5\n')),
    ).to.deep.equal(['created']);
    expect((await api.expect(200, 'GET', '/v1/quotas'))[0]).to.include({ measure: 'Newer' });
  });

  it('assigns reps to plans once, also when the file is sent again', async () => {
    const text = [
      'email,plan,start,end',
      'ann@x.io,ae plan,1/1/26,6/30/26',
      'bob@x.io,AE Plan,2026-01-01,',
      'ann@x.io,AE Plan,6/1/2026,',
      'ann@x.io,AE Plan,1/1/2026,6/30/2026',
      'bob@x.io,AE Plan,x,',
      'bob@x.io,Nope,,',
    ].join('\n');
    const expected = ['created', 'created', 'assignment_overlap', 'unchanged', 'VALIDATION_FAILED', 'plan_not_found'];
    expect(outcomes(await send('/v1/assignments/import?dateFormat=MDY&dryRun=true', text))).to.deep.equal(expected);
    expect(await api.expect(200, 'GET', '/v1/assignments')).to.deep.equal([]);
    expect(outcomes(await send('/v1/assignments/import?dateFormat=MDY', text))).to.deep.equal(expected);
    const stored = await api.expect(200, 'GET', '/v1/assignments');
    const shown = stored.map((one: Record<string, unknown>) => [
      one['planId'],
      one['effectiveStart'],
      one['effectiveEnd'],
    ]);
    expect(shown).to.deep.equal([
      [planId, '2026-01-01', '2026-06-30'],
      [planId, '2026-01-01', null],
    ]);
    await send('/v1/quotas/import', 'email,period,target\nann@x.io,2026-Q1,5\n');
    expect(await quotas()).to.deep.equal([['2026-Q1', 5, null]]);
  });

  it('returns the names of unknown and missing columns', async () => {
    const unknown = await send('/v1/quotas/import', 'mail,goal\na,1\n', 400);
    expect(unknown.code).to.equal('no_known_columns');
    const missing = await send('/v1/quotas/import', 'email,period\na,1\n', 400);
    expect(missing.message).to.include('target');
    const extra = await send('/v1/assignments/import', 'email,plan,colour\na,b,c\n', 400);
    expect(extra.message).to.include('colour');
  });
});
