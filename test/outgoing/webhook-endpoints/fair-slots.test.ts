import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { updateEndpoint } from '#src/outgoing/events/webhook-endpoint-store.js';
import { Leases } from '#src/platform/jobs/leases.js';
import { createLog } from '#src/platform/log.js';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { until } from '#test/support/until.js';
import { LeasedWorker } from '#workers/leased-worker.js';
import { deliveryWork } from '#workers/work-kinds.js';

/** Receivers that never respond: each occupies its slot until the test releases all of them. */
class HangingReceivers {
  /** The workspaces whose endpoints were contacted, in this order. */
  readonly contacted: string[] = [];
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.release = resolve;
  });
  private readonly leases: Leases;

  constructor({ unitOfWork }: OfflineDatabase) {
    this.leases = new Leases(unitOfWork);
  }

  async run(workspaceId: string, endpointId: string): Promise<boolean> {
    const held = await this.leases.hold(workspaceId, `webhook ${endpointId}`, async () => {
      this.contacted.push(workspaceId);
      await this.released;
      return true;
    });
    return held === true;
  }

  stop(): void {
    this.release();
  }
}

interface Endpoint {
  readonly workspace: OfflineWorkspace;
  readonly endpointId: string;
}

describe('the slots of outgoing events', () => {
  let db: OfflineDatabase;
  let receivers: HangingReceivers;
  let workers: LeasedWorker[];

  beforeEach(async () => {
    db = await OfflineDatabase.emptied();
    receivers = new HangingReceivers(db);
    workers = [];
  });

  afterEach(async () => {
    receivers.stop();
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  /** An endpoint with an event that is due. */
  async function addEndpoint({ insert }: OfflineWorkspace, attemptedAt: Date | null = null): Promise<string> {
    const endpoint_id = newId();
    await insert.row('webhook_endpoints', {
      endpoint_id,
      url: 'https://hooks.example.com/',
      secret: Buffer.alloc(1),
      attempted_at: attemptedAt,
    });
    const deliveryId = newId();
    await insert.row('webhook_deliveries', {
      endpoint_id,
      delivery_id: deliveryId,
      sequence_id: deliveryId,
      event_type: 'webhook.test',
      data: '{}',
    });
    return endpoint_id;
  }

  async function workspaceWith(endpoints: number): Promise<string> {
    const workspace = await OfflineWorkspace.in(db);
    for (let count = 0; count < endpoints; count += 1) await addEndpoint(workspace);
    return workspace.workspaceId;
  }

  function startWorker(): LeasedWorker {
    const worker = new LeasedWorker(db.app, deliveryWork, receivers, createLog('silent'));
    workers.push(worker);
    return worker;
  }

  const contactsOf = (workspaceId: string) => receivers.contacted.filter((one) => one === workspaceId).length;

  it('are divided by workspace: hanging receivers of one do not delay the events of another', async () => {
    const hanging = await workspaceWith(20);
    const worker = startWorker();
    worker.wake();
    await until(() => contactsOf(hanging) === 2);
    const other = await workspaceWith(1);
    worker.wake();
    await until(() => contactsOf(other) === 1);
    expect(contactsOf(hanging)).to.equal(2);
  });

  it('of all processes together are at most two for each workspace', async () => {
    const hanging = await workspaceWith(20);
    const [one, two] = [startWorker(), startWorker()];
    one.wake();
    await until(() => contactsOf(hanging) === 2);
    const other = await workspaceWith(1);
    two.wake();
    await until(() => contactsOf(other) === 1);
    expect(contactsOf(hanging)).to.equal(2);
  });

  it('go to every workspace once before one gets a second, also if its endpoints have waited longest', async () => {
    const eager = await OfflineWorkspace.in(db);
    for (let count = 0; count < 20; count += 1) await addEndpoint(eager, new Date('2026-01-01T00:00:00Z'));
    const others: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      const workspace = await OfflineWorkspace.in(db);
      await addEndpoint(workspace, new Date('2026-02-01T00:00:00Z'));
      others.push(workspace.workspaceId);
    }
    startWorker().wake();
    await until(() => receivers.contacted.length === 12);
    expect([...receivers.contacted].sort()).to.deep.equal([eager.workspaceId, ...others].sort());
  });

  it('are used again at once when a receiver has responded', async () => {
    const workspaceId = await workspaceWith(5);
    const contacted: string[] = [];
    const leases = new Leases(db.unitOfWork);
    const runner = {
      run: async (_workspaceId: string, endpointId: string) => {
        const held = await leases.hold(workspaceId, `webhook ${endpointId}`, async () => {
          // The search may have read the endpoint before its event was delivered.
          const due = await db.sql(
            `update webhook_deliveries set status = 'delivered'
             where endpoint_id = $1 and status <> 'delivered' returning 1`,
            endpointId,
          );
          if (due.length > 0) contacted.push(endpointId);
          return true;
        });
        return held === true;
      },
    };
    const worker = new LeasedWorker(db.app, deliveryWork, runner, createLog('silent'));
    workers.push(worker);
    worker.wake();
    await until(() => contacted.length === 5);
    expect(new Set(contacted).size).to.equal(5);
  });

  describe('and enabling an endpoint again', () => {
    async function unreachableEndpoint(enabled: boolean, lastAttempt: string): Promise<Endpoint> {
      const workspace = await OfflineWorkspace.in(db);
      const endpointId = await addEndpoint(workspace);
      await db.sql(
        `update webhook_endpoints set enabled = $2, failures = 4, attempted_at = now() - $3::interval,
           not_before = now() + interval '1 hour' where endpoint_id = $1`,
        endpointId,
        enabled,
        lastAttempt,
      );
      return { workspace, endpointId };
    }

    async function enable({ workspace: { admin }, endpointId }: Endpoint): Promise<void> {
      await db.unitOfWork.run(admin, { lock: 'exclusive', access: 'write' }, (tx) =>
        updateEndpoint(tx, admin, endpointId, { enabled: true }),
      );
    }

    const stateOf = async ({ endpointId }: Endpoint) =>
      (
        await db.sql<{ failures: number; isDue: boolean; waits: number }>(
          `select failures, not_before <= now() as "isDue",
             round(extract(epoch from not_before - attempted_at))::int as waits
           from webhook_endpoints where endpoint_id = $1`,
          endpointId,
        )
      )[0];

    for (const enabled of [true, false])
      it(`that ${enabled ? 'is' : 'is not'} enabled keeps its failures, and waits a minute after the last attempt`, async () => {
        const endpoint = await unreachableEndpoint(enabled, '10 seconds');
        await enable(endpoint);
        expect(await stateOf(endpoint)).to.deep.equal({ failures: 4, isDue: false, waits: 60 });
      });

    it('whose last attempt is longer ago makes its first event due at once', async () => {
      const endpoint = await unreachableEndpoint(false, '2 minutes');
      await enable(endpoint);
      expect(await stateOf(endpoint)).to.include({ failures: 4, isDue: true });
    });
  });
});
