import { expect } from 'chai';
import { sql } from 'kysely';
import { insertWorkspaceKey } from '#src/access/workspaces/workspace-store.js';
import { copyToSandbox, resetSandbox } from '#src/app/sandboxes.js';
import { countWorkspace } from '#src/app/workspace-move.js';
import { type Database, withDatabase } from '#src/platform/database/pool.js';
import { PayWorkspace } from '#test/pay/payables/pay-service.js';
import { createDemoDatabase } from '#test/support/demo-database.js';
import { EventReceiver } from '#test/support/event-receiver.js';
import { runCommand } from '#test/support/run-command.js';
import { Service } from '#test/support/service.js';
import { Workspace } from '#test/support/workspace.js';

describe('commissions workspace copy and reset', () => {
  let service: Service;

  before(async () => {
    service = await Service.start({ database: createDemoDatabase() });
  });
  after(() => service.stop());

  const asOwner = <T>(work: (owner: Database) => Promise<T>) =>
    withDatabase({ url: service.database.ownerUrl, asOwner: true }, work);
  const count = (workspaceId: string) => asOwner((owner) => countWorkspace(owner, workspaceId));

  async function copyOf(workspaceId: string): Promise<Workspace> {
    const copied = await asOwner((owner) => copyToSandbox(owner, workspaceId, undefined));
    const { unitOfWork } = service.running.service;
    const key = await unitOfWork.write({ workspaceId: copied.workspaceId }, (tx) => insertWorkspaceKey(tx, null));
    return new Workspace(service, copied.workspaceId, key, service.client(key));
  }

  /** Rows of the workspace that refer to rows that it does not have, by foreign key. */
  const dangling = (workspaceId: string) =>
    asOwner(async (owner) => {
      const { rows: keys } = await sql<{ name: string; child: string; parent: string; from: string[]; to: string[] }>`
        select k.conname as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
          array(select attname::text from unnest(k.conkey) with ordinality c (num, n)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.num order by n) as from,
          array(select attname::text from unnest(k.confkey) with ordinality c (num, n)
            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.num order by n) as to
        from pg_constraint k where k.contype = 'f' and k.conparentid = 0`.execute(owner);
      const found: string[] = [];
      for (const { name, child, parent, from, to } of keys.filter(({ from: columns }) =>
        columns.includes('workspace_id'),
      )) {
        const match = sql.join(
          from.map((column, index) => sql`p.${sql.ref(to[index] as string)} = c.${sql.ref(column)}`),
          sql` and `,
        );
        const given = sql.join(
          from.map((column) => sql`c.${sql.ref(column)} is not null`),
          sql` and `,
        );
        const { rows } = await sql`select from ${sql.table(child)} c where c.workspace_id = ${workspaceId} and ${given}
          and not exists (select from ${sql.table(parent)} p where ${match}) limit 1`.execute(owner);
        if (rows.length > 0) found.push(name);
      }
      return found;
    });

  it('copies the demo with the same amounts and ids, and nothing that signs in or reaches another system', async () => {
    const [{ workspace_id: demo }] = await service.sql('select workspace_id from workspaces where is_demo');
    await service.waitForChecks(demo);
    const before = await count(demo);
    const copy = await copyOf(demo);
    expect(await count(demo)).to.deep.equal(before);
    expect(await dangling(copy.workspaceId)).to.deep.equal([]);
    const copied = await count(copy.workspaceId);
    for (const table of ['reps', 'deals', 'plan_versions', 'quotas', 'commission_events', 'statements', 'disputes'])
      expect(copied[table], table).to.equal(before[table]);
    expect(copied).to.include({
      tokens: 1,
      crm_connections: 0,
      webhook_endpoints: 0,
      audit_entries: 0,
      agent_grants: 0,
    });
    const sums = (workspaceId: string) =>
      service.sql(
        'select event_id, amount, status from commission_events where workspace_id = $1 order by 1',
        workspaceId,
      );
    expect(await sums(copy.workspaceId)).to.deep.equal(await sums(demo));
    await copy.calculated();
    await copy.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    expect(await sums(copy.workspaceId)).to.deep.equal(await sums(demo));
    expect(await copy.api.expect(200, 'GET', '/v1/workspaces')).to.include({
      isSandbox: true,
      name: 'Demo: made-up people and deals (sandbox)',
    });
    await service.expectSoundLedger(copy.workspaceId);
  });

  it('keeps both apart: a change of the copy changes nothing in the original', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    const copy = await copyOf(work.workspaceId);
    const before = await count(work.workspaceId);
    await copy.api.putDeal('D', { amount: 10, closeDate: '2026-01-15', ownerId: 'ben' });
    await copy.calculated();
    const total = async ({ api }: Pick<Workspace, 'api'>) =>
      (await api.expect(200, 'GET', '/v1/commissions?dealId=D')).total;
    expect([await total(copy), await total(work)]).to.deep.equal([0.8, 4800]);
    expect(await count(work.workspaceId)).to.deep.equal(before);
  });

  it('copies no webhook endpoint, so that a change of the copy is not sent to receivers of the original', async () => {
    const receiver = await EventReceiver.start();
    try {
      const work = await PayWorkspace.create(service);
      await work.api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url });
      const copy = await copyOf(work.workspaceId);
      await copy.api.putDeal('D', { amount: 10, closeDate: '2026-01-15', ownerId: 'ben' });
      await copy.calculated();
      expect(
        await service.sql('select from webhook_deliveries where workspace_id = $1', copy.workspaceId),
      ).to.deep.equal([]);
    } finally {
      await receiver.stop();
    }
  });

  it('leaves out every table with a secret', async () => {
    const work = await PayWorkspace.create(service);
    const copy = await copyOf(work.workspaceId);
    const secrets = await service.sql(`select distinct table_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea' and table_name not in ('payout_batches', 'tokens')`);
    const copied = await count(copy.workspaceId);
    const { rows } = await asOwner((owner) => copyToSandbox(owner, work.workspaceId, 'Second'));
    for (const { name } of secrets) expect([name, rows[name], copied[name] ?? 0]).to.deep.equal([name, undefined, 0]);
  });

  it('empties a sandbox except its admins, keys and settings, and it can be used again', async () => {
    const [{ workspace_id: demo }] = await service.sql('select workspace_id from workspaces where is_demo');
    const copy = await copyOf(demo);
    await copy.api.expect(200, 'PATCH', '/v1/workspaces', { testDay: '2031-04-01' });
    await copy.calculated();
    await asOwner((owner) => resetSandbox(owner, copy.workspaceId));
    expect(await dangling(copy.workspaceId)).to.deep.equal([]);
    expect(await count(copy.workspaceId)).to.include({
      deals: 0,
      plans: 0,
      commission_events: 0,
      statements: 0,
      tokens: 1,
    });
    const { reps } = await copy.api.expect(200, 'GET', '/v1/reps');
    expect([...new Set(reps.map(({ role }: { role: string }) => role))]).to.deep.equal(['admin']);
    expect(await copy.api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('testDay');
    const [ann = ''] = await copy.api.saveReps({ email: 'ann@reset.test', name: 'Ann', crmMemberId: 'ann' });
    await copy.api.createPlan(
      {
        name: 'AE',
        config: { rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
      },
      [ann],
    );
    await copy.api.putDeal('N', { amount: 100, closeDate: '2026-01-15', ownerId: 'ann' });
    await copy.calculated();
    expect((await copy.api.expect(200, 'GET', '/v1/commissions?dealId=N')).total).to.equal(10);
    await service.expectSoundLedger(copy.workspaceId);
  });

  it('works on the command line: copies, prints the key, counts before it empties', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    const { DATABASE_OWNER_URL = service.database.ownerUrl, ...rest } = service.database.environment;
    const run = (...args: string[]) => runCommand(['workspace', ...args, '--json'], { ...rest, DATABASE_OWNER_URL });
    const copied = await run('copy', work.workspaceId, '--name', 'Try');
    expect(copied.code, copied.stderr).to.equal(0);
    const { workspaceId, apiKey } = JSON.parse(copied.stdout);
    expect(await service.client(apiKey).expect(200, 'GET', '/v1/workspaces')).to.include({ workspaceId, name: 'Try' });
    expect(JSON.parse((await run('reset', workspaceId)).stdout)).to.include({ reset: false });
    expect(await count(workspaceId)).to.include({ deals: 1 });
    expect(JSON.parse((await run('reset', workspaceId, '--yes')).stdout)).to.include({ reset: true });
    expect(await count(workspaceId)).to.include({ deals: 0 });
    expect(await run('reset', work.workspaceId, '--yes')).to.include({ code: 2 });
  });

  it('resets no other workspace', async () => {
    const work = await PayWorkspace.create(service);
    const before = await count(work.workspaceId);
    const failed = await asOwner((owner) => resetSandbox(owner, work.workspaceId)).catch((error: Error) => error);
    expect(failed).to.have.property('message', 'the workspace is no sandbox, so it is not reset');
    expect(await count(work.workspaceId)).to.deep.equal(before);
  });
});
