import { expect } from 'chai';
import { sql } from 'kysely';
import { upsertReps } from '#src/reps/commands/upsert-reps.js';
import { duringSuite } from '#test/support/during-suite.js';
import { callerAs, SliceFixture } from '#test/support/slice-fixture.js';

describe('a lane whose calculation fails', () => {
  const slice = duringSuite(() => SliceFixture.create());
  let workspaceId: string;
  let repId: string;

  before(async () => {
    await sql`create table fault (state text not null)`.execute(slice.owner);
    await sql`grant select on fault to public`.execute(slice.owner);
    await sql`
      create function fail_run() returns trigger language plpgsql as $$
      declare given text;
      begin
        for given in select state from fault loop raise exception 'injected fault' using errcode = given; end loop;
        return new;
      end $$`.execute(slice.owner);
    await sql`create trigger fail_run before insert on audit_runs for each row
      when (new.outcome <> 'failed') execute function fail_run()`.execute(slice.owner);
  });

  beforeEach(async () => {
    await sql`delete from fault`.execute(slice.owner);
    workspaceId = await slice.workspace();
    const { reps } = await slice.run(upsertReps, callerAs('admin', workspaceId), {
      body: { reps: [{ email: 'ben@x.io', name: 'Ben' }] },
    });
    repId = reps[0].id;
    await slice.request(workspaceId, [repId]);
  });

  const failWith = (state: string) => sql`insert into fault values (${state})`.execute(slice.owner);
  const run = () =>
    slice
      .laneRunner()
      .run(workspaceId, [repId])
      .catch(() => undefined);
  const lane = async () => (await slice.sql('select attempts, parked_at from lanes where rep_id = $1', repId))[0];

  it('is parked after eight failures and keeps its requests', async () => {
    await failWith('22012');
    for (let time = 1; time <= 7; time += 1) await run();
    expect(await lane()).to.deep.equal({ attempts: 7, parked_at: null });
    await run();
    expect(await lane()).to.deep.equal({ attempts: 8, parked_at: slice.now });
    expect(await slice.requests(workspaceId)).not.to.deep.equal([]);
  });

  for (const [state, what] of [
    ['57P01', 'is shut down'],
    ['08006', 'is cut off'],
  ] as const)
    it(`is retried without a limit when PostgreSQL ${what}`, async () => {
      await failWith(state);
      for (let time = 1; time <= 9; time += 1) await run();
      expect((await lane()) ?? { attempts: 0, parked_at: null }).to.deep.equal({ attempts: 0, parked_at: null });
      await sql`delete from fault`.execute(slice.owner);
      await run();
      expect(await slice.requests(workspaceId)).to.deep.equal([]);
    });
});
