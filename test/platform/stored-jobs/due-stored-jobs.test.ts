import { expect } from 'chai';
import { toStoredCaller } from '#src/kernel/stored-caller.js';
import { lifetimesMs, type StoredJobKind } from '#src/platform/stored-jobs/stored-job.js';
import { insertStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('stored jobs that are due', () => {
  let workspace: OfflineWorkspace;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
  });

  const sql = (statement: string, ...values: unknown[]) => workspace.db.sql(statement, ...values);

  /** A job that is due since so many seconds. */
  async function insert(kind: StoredJobKind, { total = 1, secondsAgo = 0 } = {}): Promise<string> {
    const job = { kind, period: '2026-01', subject: {}, caller: toStoredCaller(workspace.admin), total };
    const jobId = await workspace.db.unitOfWork.write(workspace.admin, (tx) => insertStoredJob(tx, job));
    await sql(
      'update stored_jobs set not_before = now() - make_interval(secs => $2) where job_id = $1',
      jobId,
      secondsAgo,
    );
    return jobId;
  }

  async function due(kind: StoredJobKind, maxOfWorkspace = 8): Promise<string[]> {
    const rows = await sql('select job_id from due_stored_jobs($1, 8, $2)', kind, maxOfWorkspace);
    return (rows as { job_id: string }[]).map(({ job_id }) => job_id);
  }

  const lease = (kind: StoredJobKind, jobId: string) =>
    sql(
      `insert into work_leases (workspace_id, work, lease_id, leased_until)
       values ($1, $2, gen_random_uuid(), now() + interval '1 minute')`,
      workspace.workspaceId,
      `${kind} ${jobId}`,
    );

  it('are those of the kind, jobs of many parts last, otherwise the one that waits longest first', async () => {
    const archive = await insert('export', { total: 20, secondsAgo: 30 });
    const second = await insert('export', { secondsAgo: 10 });
    const first = await insert('export', { secondsAgo: 20 });
    await insert('approval', { secondsAgo: 40 });
    await insert('export', { secondsAgo: -60 });
    expect(await due('export')).to.deep.equal([first, second, archive]);
  });

  it('are no more of a workspace than may run, with those that run', async () => {
    const first = await insert('preview', { secondsAgo: 20 });
    const second = await insert('preview', { secondsAgo: 10 });
    expect(await due('preview', 1)).to.deep.equal([first]);
    await lease('preview', first);
    expect(await due('preview', 1)).to.deep.equal([]);
    expect(await due('preview', 2)).to.deep.equal([second]);
  });

  it('are deleted with their parts when their time after the end is over, and files that no worker makes after a day', async () => {
    for (const kind of Object.keys(lifetimesMs) as StoredJobKind[]) {
      const [ended, kept, waiting] = [await insert(kind), await insert(kind), await insert(kind)];
      const end = `update stored_jobs set status = 'completed', finished_at = now() - make_interval(secs => $2) where job_id = $1`;
      await sql(end, ended, lifetimesMs[kind] / 1000 + 60);
      await sql(end, kept, lifetimesMs[kind] / 1000 - 60);
      await sql(`update stored_jobs set started_at = now() - interval '25 hours' where job_id = $1`, waiting);
      await sql('select delete_old_stored_jobs()');
      const rows = (await sql('select job_id from stored_jobs where kind = $1', kind)) as { job_id: string }[];
      const expires = kind === 'export' || kind === 'preview';
      expect(rows.map(({ job_id }) => job_id)).to.have.members(expires ? [kept] : [kept, waiting]);
    }
  });
});
