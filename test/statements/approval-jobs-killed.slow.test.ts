import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

describe('an approval of many statements whose worker is killed', () => {
  const service = Service.duringSuite({ worker: false });

  it('is continued by another worker: each statement is approved once, and recorded once in the audit log', async () => {
    const { api, workspaceId } = await service.workspace();
    const names = ['Ann', 'Ben', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus'];
    const repIds = await api.saveReps(...names);
    for (const repId of repIds) await api.generate(repId, '2026-01');
    const statements = repIds.map((repId) => ({ repId, version: 1 }));
    const { job } = await api.expect(202, 'POST', '/v1/statements/approve', {
      period: '2026-01',
      statements,
      async: true,
    });
    const read = () => api.expect(200, 'GET', `/v1/statements/approve/jobs/${job.jobId}`);
    const dying = await service.startProcess('worker', {
      NODE_ENV: 'test',
      FAILPOINTS: 'approve.beforeCommit@6=kill',
    });
    expect(await dying.ended()).to.equal(null);
    const between = await read();
    expect(between).to.include({ status: 'running' });
    expect(between.approved).to.be.within(1, 6);
    await service.startProcess('worker');
    const done = await until(async () => {
      const found = await read();
      return found.status !== 'running' && found;
    });
    expect(done).to.deep.include({ status: 'completed', approved: 7, rejected: [], progress: { done: 7, total: 7 } });
    const rows = await service.sql(
      `select rep_id, count(*)::int as approvals from audit_runs
       where workspace_id = $1 and trigger = 'statement_approved' group by rep_id`,
      workspaceId,
    );
    expect(rows.map(({ approvals }) => approvals)).to.deep.equal(names.map(() => 1));
  });
});
