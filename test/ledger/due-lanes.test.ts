import { expect } from 'chai';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { addWaitingLanes } from './waiting-lanes.js';

/** The lanes with a due request, and their place in their workspace, found by reading everything that waits. */
const everyDueLane = `
  select q.workspace_id, q.rep_id, row_number() over (partition by q.workspace_id order by min(q.request_id)) as place
  from calculation_requests q
  left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
  where q.requested_at < now() - interval '5 seconds' and l.parked_at is null
    and not exists (select from crm_sync_runs p where p.workspace_id = q.workspace_id and p.sync_run_id = q.sync_run_id
      and p.failing_since is null)
    and (l.not_before is null or l.not_before <= now())
  group by q.workspace_id, q.rep_id`;

interface Lane {
  readonly workspace_id: string;
  readonly rep_id: string;
}

describe('the lanes that a sweep takes', () => {
  let db: OfflineDatabase;

  beforeEach(async () => {
    db = await OfflineDatabase.emptied();
  });

  const due = (most: number) =>
    db.sql<Lane>(`select workspace_id, rep_id from due_lanes('5 seconds', ${most})`).then((rows) => rows.map(name));

  it('are all that are due, and the first of every workspace before the second of any', async () => {
    await addWaitingLanes(db, [30, 1, 7, 60], 3);
    await db.sql(`insert into crm_sync_runs (workspace_id, sync_run_id, provider, kind, actor)
      select workspace_id, workspace_id, 'crma', 'sync', 'test' from workspaces order by workspace_id limit 2`);
    await db.sql(`update lanes set parked_at = now() where rep_id < '40000000-0000-0000-0000-000000000000'`);
    await db.sql(`update lanes set not_before = now() + interval '1 minute'
      where rep_id > 'e0000000-0000-0000-0000-000000000000'`);
    const every = await db.sql<Lane & { place: string }>(everyDueLane);
    expect(every.length).to.be.within(40, 90);
    expect(await due(1000)).to.have.members(every.map(name));
    for (const most of [1, 4, 10, 25, 40]) {
      const places = new Map(every.map((lane) => [name(lane), Number(lane.place)]));
      const found = (await due(most)).map((lane) => places.get(lane) ?? Number.NaN);
      const first = [...places.values()].sort((a, b) => a - b).slice(0, most);
      expect(found, `the first ${most}`).to.deep.equal(first);
    }
  });

  it('include none without requests', async () => {
    expect(await due(10)).to.deep.equal([]);
  });
});

function name({ workspace_id: workspaceId, rep_id: repId }: Lane): string {
  return `${workspaceId} ${repId}`;
}
