import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { ledgerRows, query } from '#test/support/ledger-checks.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { runCommand } from '#test/support/run-command.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase, testServer } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };

describe('the move of a workspace to another database', () => {
  let [here, there]: (ServiceProcesses | undefined)[] = [];
  let moving: { api: ApiClient; apiKey: string; workspaceId: string };
  let staying: { api: ApiClient; workspaceId: string };

  before(async () => {
    const [from, to] = [
      await createTestDatabase({ migrate: migrateTestDatabase }),
      await createTestDatabase({ migrate: migrateTestDatabase }),
    ];
    const { superuserUrl } = await testServer();
    const owner = new URL(from.ownerUrl).username;
    await query(superuserUrl, `grant set on parameter session_replication_role to ${owner}`);
    here = await ServiceProcesses.start({ processes: ['api', 'worker'], database: from });
    there = await ServiceProcesses.start({ processes: ['api', 'worker'], database: to });
    [moving, staying] = [await here.workspace(), await here.workspace()];
    for (const { api } of [moving, staying]) await saveSimpleTerms(api, ['ann']);
    for (const { api } of [moving, staying]) await api.expect(201, 'PUT', '/v1/deals/D-0', deal);
    await there.workspace();
  });
  after(async () => {
    await here?.stop();
    await there?.stop();
  });

  const databases = () => {
    const [from, to] = [here?.environment, there?.environment];
    return { ...from, TARGET_DATABASE_OWNER_URL: to?.['DATABASE_OWNER_URL'] } as Record<string, string>;
  };
  const move = (...options: readonly string[]) =>
    runCommand(['workspace', 'move', moving.workspaceId, ...options], databases());

  it('refuses what is not possible, and changes nothing', async () => {
    expect(await move('--finish'))
      .to.include({ code: 2 })
      .and.property('stderr')
      .match(/does not have the workspace/);
    const unknown = ['workspace', 'move', '00000000-0000-4000-8000-000000000000'];
    expect((await runCommand(unknown, databases())).stderr).to.match(/there is no workspace/);
    await moving.api.expect(201, 'PUT', '/v1/deals/D-1', deal);
  });

  it('loses no acknowledged write, and delays no other workspace', async () => {
    const [acknowledged, others]: string[][] = [[], []];
    let stopping = false;
    const writeTo = async (api: ApiClient, to: string[] | undefined, allowed: readonly number[]) => {
      for (let n = 0; !stopping; n += 1) {
        const { status } = await api.put(`/v1/deals/W-${n}`, deal);
        expect([201, ...allowed]).to.include(status);
        if (status === 201) to?.push(`W-${n}`);
        await new Promise((resolve) => setTimeout(resolve, status === 201 ? 5 : 50));
      }
    };
    const writing = [writeTo(moving.api, acknowledged, [503]), writeTo(staying.api, others, [])];
    await until(async () => (acknowledged?.length ?? 0) > 30 && (others?.length ?? 0) > 0);
    const copied = await move('--json');
    const othersBefore = others?.length ?? 0;
    expect(copied.code, copied.stderr).to.equal(0);
    const { rows } = JSON.parse(copied.stdout);
    await new Promise((resolve) => setTimeout(resolve, 300));
    stopping = true;
    await Promise.all(writing);
    expect(others?.length).to.be.above(othersBefore);
    expect(acknowledged?.length).to.be.above(30);
    expect(rows.deals).to.equal((acknowledged?.length ?? 0) + 2);

    const { status } = await moving.api.put('/v1/deals/D-2', deal);
    expect(status).to.equal(503);
    const { deals } = await moving.api.expect(200, 'GET', '/v1/deals?limit=1');
    expect(deals).to.have.length(1);
    expect(await move()).to.include({ code: 2 });

    const again = there?.client(moving.apiKey) as ApiClient;
    await again.expect(201, 'PUT', '/v1/deals/D-2', deal);
    await there?.waitForCalculations(moving.workspaceId);
    const ids = (await query(there?.database.ownerUrl ?? '', 'select deal_id from deals')).map((row) => row['deal_id']);
    expect(ids).to.include.members([...(acknowledged ?? []), 'D-0', 'D-1', 'D-2']);
    expect(await ledgerRows(there?.database.ownerUrl ?? '', moving.workspaceId)).to.have.length(
      (acknowledged?.length ?? 0) + 3,
    );
    await there?.expectSoundLedger(moving.workspaceId);
  });

  it('ends with its deletion where it was, and with nothing left of the move', async () => {
    expect(await move('--cancel')).to.include({ code: 2 });
    const finished = await move('--finish');
    expect(finished.code, finished.stderr).to.equal(0);
    expect((await moving.api.get('/v1/deals')).status).to.equal(401);
    const left = await query(
      here?.database.ownerUrl ?? '',
      `select tgname as name from pg_trigger where tgname like 'moving%'
       union all select proname from pg_proc where proname like '%moving%'
       union all select 'deal' from deals where workspace_id = $1`,
      [moving.workspaceId],
    );
    expect(left).to.deep.equal([]);
    await staying.api.expect(201, 'PUT', '/v1/deals/last', deal);
    await here?.waitForCalculations(staying.workspaceId);
    await here?.expectSoundLedger(staying.workspaceId);
    const chain = await runCommand(['audit', 'verify'], there?.environment as Record<string, string>);
    expect(chain.code, chain.stdout).to.equal(0);
  });
});
