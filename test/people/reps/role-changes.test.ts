import { expect } from 'chai';
import { sql } from 'kysely';
import { lockPeople } from '#src/people/reps/lock-people.js';
import { type Transaction, type WorkspaceLock } from '#src/platform/database/unit-of-work.js';
import { type ApiClient } from '#test/support/api-client.js';
import { untilBlocked } from '#test/support/blocked.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

describe('changes of role and active', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    [ann] = await api.saveReps({ name: 'Ann', role: 'manager', payrollId: 'P1' });
  });

  /** Runs `work` while another transaction holds the lock, as a calculation holds the shared one. */
  async function whileHeld<T>(
    lock: WorkspaceLock,
    hold: (tx: Transaction) => Promise<unknown>,
    work: () => Promise<T>,
  ): Promise<T> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      started = resolve;
    });
    const holder = service.running.service.unitOfWork.run({ workspaceId }, { lock, access: 'write' }, async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx.db);
      await hold(tx);
      started();
      await released;
    });
    await isHeld;
    try {
      return await work();
    } finally {
      release();
      await holder;
    }
  }
  const calculating = <T>(work: () => Promise<T>) =>
    whileHeld('shared', (tx) => sql`select from lanes where rep_id = ${ann} for update`.execute(tx.db), work);

  const changes: Record<string, () => Promise<unknown>> = {
    'of the role': () => api.expect(200, 'PATCH', `/v1/reps/${ann}`, { role: 'rep' }),
    'of active': () => api.expect(200, 'PATCH', `/v1/reps/${ann}`, { active: false }),
    'of the role together with a manager who stays': () =>
      api.expect(200, 'PATCH', `/v1/reps/${ann}`, { role: 'rep', managerId: null }),
    'of the role by PUT': () => api.saveReps({ email: 'ann@x.io', name: 'Ann', role: 'rep', managerEmail: null }),
    'by an invitation': () => api.expect(200, 'POST', `/v1/reps/${ann}/invite`),
    'by several invitations': () => api.expect(200, 'POST', '/v1/reps/bulk-invite', { repIds: [ann] }),
  };
  for (const [name, change] of Object.entries(changes))
    it(`a change ${name} does not wait for a calculation`, async () => {
      // A change that waited would be rejected at its time limit: the lane is released after it.
      await calculating(change);
    });

  it('a role is changed before the change of the manager waits for a calculation', async () => {
    const [managerId] = await api.saveReps('Max');
    const stored = () => api.expect(200, 'GET', `/v1/reps/${ann}`);
    let waiting: Promise<unknown> = Promise.resolve();
    await calculating(async () => {
      waiting = api.expect(200, 'PATCH', `/v1/reps/${ann}`, { role: 'rep', managerId });
      await until(async () => (await stored()).role === 'rep');
      expect((await stored()).managerId).to.equal(null);
    });
    await waiting;
    expect((await stored()).managerId).to.equal(managerId);
  });

  it('does not change the role if the manager is rejected', async () => {
    const [managerId] = await api.saveReps({ name: 'Max', managerEmail: 'ann@x.io' });
    await api.expect(400, 'PATCH', `/v1/reps/${ann}`, { role: 'rep', managerId });
    expect((await api.expect(200, 'GET', `/v1/reps/${ann}`)).role).to.equal('manager');
  });

  it('does not revert a change that was committed while another change of people waited', async () => {
    const role = async () => (await api.expect(200, 'GET', `/v1/reps/${ann}`)).role;
    let waiting: Promise<unknown> = Promise.resolve();
    const demote = async (tx: Transaction) => {
      await lockPeople(tx);
      await sql`update reps set role = 'rep' where workspace_id = ${workspaceId} and rep_id = ${ann}`.execute(tx.db);
    };
    await whileHeld('none', demote, async () => {
      waiting = api.saveReps({ email: 'ann@x.io', name: 'Ann B', payrollId: 'P2' });
      await untilBlocked(service.database.ownerUrl);
    });
    await waiting;
    expect(await role()).to.equal('rep');
  });
});
