import { expect } from 'chai';
import { sql } from 'kysely';
import { FailedSignIns } from '#src/access/auth/failed-sign-ins.js';
import { acceptWrites, listTables, rejectWrites } from '#src/app/workspace-move.js';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { MonthReports } from '#src/finance/month-reports.js';
import { newId } from '#src/kernel/ids.js';
import { CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { ApprovalReminders } from '#src/outgoing/notifications/approval-reminders.js';
import { WeeklyDigest } from '#src/outgoing/notifications/weekly-digest.js';
import { readSqlState } from '#src/platform/database/database-errors.js';
import { Inbox } from '#src/platform/inbox/inbox.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';
import { createLog } from '#src/platform/log.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { BillingSweep } from '#workers/billing-sweep.js';
import { CorrectionSearch } from '#workers/correction-search.js';
import { CrmSweep } from '#workers/crm-sweep.js';
import { DiscrepancySweep } from '#workers/discrepancy-sweep.js';
import { LaneSweep } from '#workers/lane-sweep.js';
import { requestPeriodEnds } from '#workers/period-ends.js';

const log = createLog('silent');
const monday = '2026-05-18T12:00:00Z';
const secrets = new Secrets(Buffer.alloc(32));
const never = new AbortController().signal;

describe('the background work of other workspaces, while one rejects writes', () => {
  let db: OfflineDatabase;
  let unwritable: OfflineWorkspace;
  let other: OfflineWorkspace;
  let queued: { readonly job: string; readonly workspaceId: string }[];

  const both = async (add: (workspace: OfflineWorkspace) => Promise<unknown>) => {
    for (const workspace of [unwritable, other]) await add(workspace);
  };
  const queue = {
    waiting: async () => 0,
    add: async ({ name }: { name: string }, ...work: { workspaceId: string }[]) =>
      void queued.push(...work.map(({ workspaceId }) => ({ job: name, workspaceId }))),
  } as unknown as JobQueue;

  beforeEach(async () => {
    db = await OfflineDatabase.emptied();
    db.now = new Date(monday);
    unwritable = await OfflineWorkspace.in(db);
    other = await OfflineWorkspace.in(db);
    queued = [];
  });
  afterEach(() => db.sql('drop function if exists reject_write() cascade'));

  it('is calculated, and its jobs are completed', async () => {
    await both(async (workspace) => {
      const rep = await workspace.insert.rep('Ann');
      await workspace.insert.assignment(rep, await workspace.insert.plan('AE', { rules: [flatRule('New', 0.1)] }));
      await workspace.request([rep]);
      await workspace.insert.row('jobs', {
        job_id: newId(),
        kind: 'import',
        scope: '{}' as never,
        scope_key: 'a',
        status: 'running',
        actor: 'api-key',
        started_at: new Date(0),
      });
    });
    await reject();
    await new LaneSweep(db.app, db.unitOfWork, other.laneRunner(), queue, log).run(never);
    expect(await other.requests()).to.deep.equal([]);
    expect(await unwritable.requests()).to.have.length(1);
    expect(await done("select workspace_id from jobs where status = 'completed'")).to.deep.equal([other.workspaceId]);
  });

  it('is read from its CRM and written to it', async () => {
    await both(async ({ insert }) => {
      const connected = { connected_at: new Date(), credentials: Buffer.alloc(1), account_id: 'a' };
      for (const provider of ['crma', 'crmb'] as const) await insert.row('crm_connections', { provider, ...connected });
      await insert.row('crm_sync_runs', { sync_run_id: newId(), provider: 'crmb', kind: 'poll', actor: 'poll' });
    });
    await reject();
    await new CrmSweep(db.app, db.unitOfWork, queue, log).run(never);
    expect(queued.filter(({ workspaceId }) => workspaceId === other.workspaceId)).to.have.length(2);
    expect(queued).to.have.length(3);
  });

  it('has its ends of periods', async () => {
    await both(({ insert }) => insert.plan('AE', { rules: [flatRule('Bonus', 0.1)] }, { fx: { date: 'period_end' } }));
    await reject();
    const changes = new CommissionChanges(db.unitOfWork, db.wake, other.laneRunner(), db.clock);
    await requestPeriodEnds({ unitOfWork: db.unitOfWork, changes, clock: db.clock, log }, never);
    expect(await done('select workspace_id from workspaces where periodic_through is not null')).to.deep.equal([
      other.workspaceId,
    ]);
  });

  it('has its weekly digests', async () => {
    await both(({ insert }) => insert.rep('Ann', { role: 'manager' }));
    await reject();
    const notifications = { isEnabled: async () => true, post: async () => undefined };
    await new WeeklyDigest(db.unitOfWork, notifications, db.clock, log).run();
    expect(await done('select workspace_id from workspaces where digest_of is not null')).to.deep.equal([
      other.workspaceId,
    ]);
  });

  it('has its reminders of signers', async () => {
    await db.sql(`update workspaces set approval_steps = '[]'`);
    await reject();
    await new ApprovalReminders(db.unitOfWork, { post: async () => undefined }, db.clock, async () => {}, log).run();
    expect(await done('select workspace_id from workspaces where signers_reminded_on is not null')).to.deep.equal([
      other.workspaceId,
    ]);
  });

  it('has its searches for corrections', async () => {
    await both(async ({ insert }) =>
      insert.row('webhook_endpoints', { endpoint_id: newId(), url: 'https://a.test/', secret: Buffer.alloc(1) }),
    );
    await db.sql(`update workspaces set accounting = '{"from": "2026-06"}'`);
    await reject();
    const { unitOfWork, clock } = db;
    await new CorrectionSearch(unitOfWork, new MonthReports(unitOfWork, clock), clock, log).run();
    expect(await done('select workspace_id from workspaces where corrections_found is not null')).to.deep.equal([
      other.workspaceId,
    ]);
  });

  it('has its period checks', async () => {
    await both(async ({ insert }) =>
      insert.row('period_checks', {
        rep_id: await insert.rep('Ann'),
        period: '2026-05',
        causes: '[]' as never,
        not_before: new Date(0),
      }),
    );
    await reject();
    const deleteChecks = (workspaceId: string) =>
      db.unitOfWork.write({ workspaceId }, (tx) =>
        tx.db.deleteFrom('period_checks').where('workspace_id', '=', workspaceId).execute(),
      );
    const checker = { run: deleteChecks, postpone: deleteChecks };
    await new DiscrepancySweep(db.app, db.unitOfWork, checker as never, log).run(never);
    expect(await done('select workspace_id from period_checks')).to.deep.equal([unwritable.workspaceId]);
  });

  it('has its checks and events of the billing provider, of which those that were not stored are read again', async () => {
    await both(({ insert }) => insert.row('billing_customers', { customer_id: newId(), check_at: new Date(0) }));
    await db.sql('insert into billing_recovery default values');
    const owners = await db.sql('select workspace_id, customer_id from billing_customers');
    const stored: string[] = [];
    const store = async (customer: string) => {
      const workspaceId = owners.find((row) => row.customer_id === customer)?.workspace_id;
      await db.unitOfWork.write({ workspaceId }, (tx) =>
        tx.db.updateTable('workspaces').set({ name: 'Paid' }).where('workspace_id', '=', workspaceId).execute(),
      );
      stored.push(workspaceId);
      return true;
    };
    const events = owners.map(({ workspace_id: workspaceId, customer_id: customerId }) => ({
      workspaceId,
      customerId,
    }));
    const provider = { eventsSince: async () => events.toReversed() };
    const intake = { check: store, take: ({ customerId }: { customerId: string }) => store(customerId) };
    await reject();
    await new BillingSweep(db.unitOfWork, provider as never, intake as never, db.clock, log).run();
    expect(stored).to.deep.equal([other.workspaceId, other.workspaceId]);
    expect(await db.sql('select from billing_recovery where recovered_through is not null')).to.deep.equal([]);
  });

  describe('by the functions of the database, which know that it is moved', () => {
    const id = 'gen_random_uuid()';
    const old = "now() - interval '1 year'";
    /** A row of each workspace that is old enough to be deleted. */
    const deletions: readonly (readonly [name: string, table: string, columns: string, values: string])[] = [
      [
        'delete_old_request_data',
        'idempotency_keys',
        'key_hash, lease_id, leased_until, created_at',
        `sha256('a'), ${id}, ${old}, ${old}`,
      ],
      ['delete_old_uses', 'limited_uses', 'use_id, kind, subject, used_at', `${id}, 'a', 'a', ${old}`],
      [
        'delete_old_messages',
        'inbox',
        'source, message_key, subject, payload, processed_at',
        `'a', ${id}, 'a', '{}', ${old}`,
      ],
      ['delete_old_messages', 'work_leases', 'work, lease_id, leased_until', `'a', ${id}, ${old}`],
      [
        'delete_old_sign_ins',
        'mail_outbox',
        'mail_id, recipient, subject, created_at, sent_at',
        `${id}, 'a', 'a', ${old}, ${old}`,
      ],
      [
        'delete_old_syncs',
        'crm_syncs',
        'sync_id, provider, kind, actor, status, deals, counts, skipped_deals, started_at, ended_at',
        `${id}, 'crma', 'poll', 'a', 'completed', 0, '{}', '[]', ${old}, ${old}`,
      ],
      [
        'delete_old_stored_jobs',
        'stored_jobs',
        'job_id, kind, period, subject, caller, status, total, lifetime, finished_at',
        `${id}, 'export', '2026-05', '{}', '{}', 'completed', 1, '1 day', ${old}`,
      ],
      [
        'delete_old_change_requests',
        'change_requests',
        'request_id, caller, tool, title, input, basis, status, created_at, expires_at',
        `${id}, '{}', 'a', 'a', '{}', '{}', 'pending', ${old}, ${old}`,
      ],
    ];

    const tables = () => listTables(db.owner);
    afterEach(async () => acceptWrites(db.owner, unwritable.workspaceId, await tables()));

    const addToBoth = (table: string, columns: string, values: string) =>
      db.sql(`insert into ${table} (workspace_id, ${columns}) select workspace_id, ${values} from workspaces`);
    const move = async () => rejectWrites(db.owner, unwritable.workspaceId, await tables());
    const left = (table: string) => done(`select workspace_id from ${table}`);
    const call = (name: string) => sql`select ${sql.raw(name)}`.execute(db.app);

    for (const [name, table, columns, values] of deletions)
      it(`has its old rows of ${table} deleted`, async () => {
        await addToBoth(table, columns, values);
        await move();
        await call(`${name}()`);
        expect(await left(table)).to.deep.equal([unwritable.workspaceId]);
        await acceptWrites(db.owner, unwritable.workspaceId, await tables());
        await call(`${name}()`);
        expect(await left(table)).to.deep.equal([]);
      });

    it('has its audit log sealed', async () => {
      await addToBoth('audit_entries', 'entry_id, content', `${id}, '{}'`);
      const columns = 'caller, operation, code, minute, repeats, entry_id, head';
      await addToBoth('rejected_calls', columns, `'a', 'a', 'a', ${old}, 2, ${id}, '{}'`);
      await move();
      await sealAuditEntries(db.unitOfWork);
      const sealed = 'select workspace_id from audit_entries where position is not null';
      expect(await done(sealed)).to.deep.equal([other.workspaceId, other.workspaceId]);
      expect(await left('rejected_calls')).to.deep.equal([unwritable.workspaceId]);
      expect((await sql`select from audit_work()`.execute(db.app)).rows).to.deep.equal([]);
    });

    it('is the only one with due work', async () => {
      await both(async (workspace) => workspace.request([await workspace.insert.rep('Ann')]));
      await addToBoth('inbox', 'source, message_key, subject, payload', `'a', ${id}, 'a', '{}'`);
      const job = 'job_id, kind, period, subject, caller, total, lifetime';
      await addToBoth('stored_jobs', job, `${id}, 'export', '2026-05', '{}', '{}', 1, '1 day'`);
      await move();
      for (const due of ["due_lanes('0 seconds', 10)", "due_inboxes('0 seconds')", "due_stored_jobs('export', 10, 8)"])
        expect(await left(due), due).to.deep.equal([other.workspaceId]);
    });

    it('does not fail the sign-in of a person of both: it is counted, and the other workspace records it', async () => {
      await both(({ insert }) => insert.rep('Ann', { email: 'ann@acme.test' }));
      await move();
      const counted: string[] = [];
      const limits = { countFailure: async (address: string) => void counted.push(address) };
      const failedSignIns = new FailedSignIns(db.unitOfWork, secrets, limits as never, log);
      await failedSignIns.record({ ...other.admin, address: '192.0.2.1' }, 'otp', 'ann@acme.test');
      expect(counted).to.deep.equal(['192.0.2.1']);
      expect(await done(`select workspace_id from audit_runs where trigger = 'login'`)).to.deep.equal([
        other.workspaceId,
      ]);
    });

    it('cannot lose a message: those of the workspace that is moved are not received', async () => {
      await addToBoth('inbound_routes', 'source, route', `'crma', 'a' || workspace_id`);
      await move();
      const receive = ({ workspaceId }: OfflineWorkspace) =>
        call(`receive_messages(array['crma'], array['a${workspaceId}'], array[${id}], array['a'], array['{}'])`);
      await receive(other);
      expect(await receive(unwritable).catch(readSqlState)).to.equal('57P03');
    });
  });

  it('has its messages stored, also in one statement with those of the workspace that is moved', async () => {
    await both(({ insert, workspaceId }) =>
      insert.row('inbound_routes', { source: 'crma', route: `route ${workspaceId}` }),
    );
    await reject();
    const inbox = new Inbox(db.app, secrets, { schedule: () => undefined } as never);
    const messageFor = ({ workspaceId }: OfflineWorkspace) => ({
      ...({ source: 'crma', route: `route ${workspaceId}`, key: newId(), subject: 'a', payload: {} } as const),
    });
    const [moved, stored, mixed] = await Promise.allSettled([
      inbox.receive([messageFor(unwritable)]),
      inbox.receive([messageFor(other)]),
      inbox.receive([messageFor(unwritable), messageFor(other)]),
    ]);
    expect([moved.status, stored.status, mixed.status]).to.deep.equal(['rejected', 'fulfilled', 'rejected']);
    expect(await done('select workspace_id from inbox')).to.deep.equal([other.workspaceId, other.workspaceId]);
  });

  it('ends if the database is not available to any', async () => {
    await db.sql(`update workspaces set approval_steps = '[]'`);
    const lost = Object.assign(new Error('the server is starting'), { code: '57P03' });
    let tries = 0;
    const unitOfWork = {
      withoutWorkspace: (work: never) => (tries === 0 ? db.unitOfWork.withoutWorkspace(work) : Promise.reject(lost)),
    };
    const pass = () => {
      tries += 1;
      return Promise.reject(lost);
    };
    const reminders = new ApprovalReminders(unitOfWork as never, { post: async () => undefined }, db.clock, pass, log);
    expect(await reminders.run().catch((error: unknown) => error)).to.equal(lost);
    expect(tries).to.equal(1);
  });

  /** As in a move, but under another name than that of the triggers of a move, which the functions of due work know. */
  async function reject(): Promise<void> {
    await db.sql(`
      create function reject_write() returns trigger language plpgsql as $$
      begin
        if coalesce(new.workspace_id, old.workspace_id) = tg_argv[0]::uuid then
          raise exception 'the workspace is being moved to another database' using errcode = 'cannot_connect_now';
        end if;
        return coalesce(new, old);
      end $$`);
    await db.sql(`
      do $do$ declare name text; begin
        for name in select table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
          where table_schema = 'public' and column_name = 'workspace_id' and table_type = 'BASE TABLE'
        loop
          execute format('create trigger reject_write before insert or update or delete on %I for each row
            execute function reject_write(%L)', name, '${unwritable.workspaceId}');
        end loop;
      end $do$`);
  }

  async function done(query: string): Promise<string[]> {
    return (await db.sql<{ workspace_id: string }>(query)).map((row) => row.workspace_id);
  }
});
