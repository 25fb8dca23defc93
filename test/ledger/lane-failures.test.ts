import { expect } from 'chai';
import { sql } from 'kysely';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('a lane whose calculation fails', () => {
  let workspace: OfflineWorkspace;
  let repId: string;

  before(async () => {
    const { owner } = (await OfflineWorkspace.create()).db;
    await sql`create table fault (state text not null)`.execute(owner);
    await sql`grant select on fault to public`.execute(owner);
    await sql`
      create function fail_run() returns trigger language plpgsql as $$
      declare given text;
      begin
        for given in select state from fault loop raise exception 'injected fault' using errcode = given; end loop;
        return new;
      end $$`.execute(owner);
    await sql`create trigger fail_run before insert on audit_runs for each row
      when (new.outcome <> 'failed') execute function fail_run()`.execute(owner);
  });

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    [repId] = await workspace.addReps('Ben');
    await workspace.request([repId]);
  });

  const failWith = (state: string) => sql`insert into fault values (${state})`.execute(workspace.db.owner);
  const run = () =>
    workspace
      .laneRunner()
      .run(workspace.workspaceId, [repId])
      .catch(() => undefined);
  const lane = async () =>
    (await workspace.db.sql('select attempts, parked_at from lanes where rep_id = $1', repId))[0];

  it('is parked after eight failures and keeps its requests', async () => {
    await failWith('22012');
    for (let time = 1; time <= 7; time += 1) await run();
    expect(await lane()).to.deep.equal({ attempts: 7, parked_at: null });
    await run();
    expect(await lane()).to.deep.equal({ attempts: 8, parked_at: workspace.db.now });
    expect(await workspace.requests()).not.to.deep.equal([]);
  });

  for (const [state, what] of [
    ['57P01', 'is shut down'],
    ['08006', 'is cut off'],
  ] as const)
    it(`is retried without a limit when PostgreSQL ${what}`, async () => {
      await failWith(state);
      for (let time = 1; time <= 9; time += 1) await run();
      expect((await lane()) ?? { attempts: 0, parked_at: null }).to.deep.equal({ attempts: 0, parked_at: null });
      await sql`delete from fault`.execute(workspace.db.owner);
      await run();
      expect(await workspace.requests()).to.deep.equal([]);
    });
});
