import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const read = 'GET /auth/workspace/integrations';
const working = { broken: false, brokenReason: null, lastSyncAt: null, pollSeconds: null, permissions: [] };
const unconnected = (provider: string) => ({
  provider,
  connected: false,
  connectedAt: null,
  syncEnabled: true,
  canSignIn: false,
  ...working,
});

describe('CRM connection endpoints', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
  });

  /** The row that connecting a CRM inserts. */
  async function connect(provider: string, at: string, workspace = workspaceId): Promise<void> {
    await service.sql(
      `insert into crm_connections (workspace_id, provider, connected_at) values ($1, $2, $3)
      on conflict (workspace_id, provider) do update set connected_at = excluded.connected_at`,
      workspace,
      provider,
      at,
    );
  }

  const send = (request: string, body?: unknown, status = 200) => {
    const [method, path] = request.split(' ') as [string, string];
    return api.expect(status, method, path, body);
  };
  const connections = () => send(read).then(({ integrations }) => integrations);
  const crm = () => send('GET /v1/workspaces').then((workspace) => workspace.crm);
  const disconnections = async () => {
    const { runs } = await send('GET /v1/workspaces/audit-logs');
    return runs.filter((run: { trigger: string }) => run.trigger === 'crm_disconnected');
  };

  describe('GET /v1/workspaces/integrations', () => {
    it('returns which CRMs are connected and since when, and the workspace returns the first', async () => {
      await connect('crma', '2026-03-02T09:00:00.000Z');
      await connect('crmc', '2026-03-01T09:00:00.000Z');
      expect(await send(read)).to.deep.equal({
        crma: true,
        crmb: false,
        crmc: true,
        integrations: [
          { ...unconnected('crma'), connected: true, connectedAt: '2026-03-02T09:00:00.000Z' },
          unconnected('crmb'),
          { ...unconnected('crmc'), connected: true, connectedAt: '2026-03-01T09:00:00.000Z' },
        ],
      });
      expect(await crm()).to.deep.equal({ connected: true, provider: 'crmc' });
    });
  });

  describe('POST /auth/workspace/disconnect-…', () => {
    for (const provider of ['crma', 'crmb', 'crmc']) {
      const request = `POST /auth/workspace/disconnect-${provider}`;

      it(`disconnects ${provider}, and a second call returns disconnected: false`, async () => {
        for (const each of ['crma', 'crmb', 'crmc']) await connect(each, '2026-03-01T09:00:00Z');
        expect(await send(request)).to.deep.equal({ disconnected: true, provider });
        expect(await send(request)).to.deep.equal({ disconnected: false, provider });
        const left = (await connections()).filter((one: { connected: boolean }) => one.connected);
        expect(left.map((one: { provider: string }) => one.provider)).to.deep.equal(
          ['crma', 'crmb', 'crmc'].filter((each) => each !== provider),
        );
        expect(await disconnections()).to.have.length(1);
      });
    }

    it('writes an audit entry with the caller and the CRM', async () => {
      await connect('crmb', '2026-03-01T09:00:00Z');
      await send('POST /auth/workspace/disconnect-crmb');
      const [run] = await disconnections();
      expect(run).to.include({ scope: 'workspace', outcome: 'written' });
      const [row] = await service.sql<{ details: unknown }>(
        'select details from audit_runs where run_id = $1',
        run.runId,
      );
      expect(row?.details).to.deep.equal({ provider: 'crmb' });
    });

    it('deletes the connection and keeps the deals and reps that it imported', async () => {
      await send('PUT /v1/reps', { reps: [{ email: 'ada@x.io', name: 'Ada', crmMemberId: 'ada' }] });
      await send('PUT /v1/deals/D-1', { amount: 5, ownerId: 'ada' }, 201);
      await connect('crma', '2026-03-01T09:00:00Z');
      const before = [await send('GET /v1/reps'), await send('GET /v1/deals')];
      await send('POST /auth/workspace/disconnect-crma');
      expect([await send('GET /v1/reps'), await send('GET /v1/deals')]).to.deep.equal(before);
      const [row] = await service.sql('select * from crm_connections where workspace_id = $1', workspaceId);
      const { workspace_id: _, provider, settings, sync_enabled: syncs, ...rest } = row as Record<string, unknown>;
      expect([provider, settings, syncs]).to.deep.equal(['crma', {}, true]);
      expect(
        Object.values(rest).every((value) => value === null),
        JSON.stringify(rest),
      ).to.equal(true);
      expect(await crm()).to.deep.equal({ connected: false, provider: null });
    });

    it('leaves the connections of other workspaces unchanged', async () => {
      const other = await service.workspace();
      await connect('crma', '2026-03-01T09:00:00Z', other.workspaceId);
      expect(await send(read)).to.include({ crma: false });
      expect(await send('POST /auth/workspace/disconnect-crma')).to.include({ disconnected: false });
      expect((await other.api.get('/auth/workspace/integrations')).body).to.include({ crma: true });
    });
  });

  describe('the sync switch of crmc', () => {
    const request = 'POST /auth/workspace/crmc/sync-enabled';
    const crmc = async () => (await connections())[2];

    it('is stored without a connection and does not create one', async () => {
      expect(await send(request, { enabled: false })).to.deep.equal({ enabled: false });
      expect(await connections()).to.deep.equal([
        unconnected('crma'),
        unconnected('crmb'),
        { ...unconnected('crmc'), syncEnabled: false },
      ]);
      expect(await crm()).to.deep.equal({ connected: false, provider: null });
      expect(await send('POST /auth/workspace/disconnect-crmc')).to.include({ disconnected: false });
      expect(await crmc()).to.include({ syncEnabled: false });
      await connect('crmc', '2026-03-01T09:00:00Z');
      expect(await crmc()).to.include({ connected: true, syncEnabled: false });
    });

    it('turns off and on and leaves the connection unchanged', async () => {
      await connect('crmc', '2026-03-01T09:00:00.000Z');
      const connected = { ...unconnected('crmc'), connected: true, connectedAt: '2026-03-01T09:00:00.000Z' };
      for (const enabled of [false, false, true]) {
        expect(await send(request, { enabled })).to.deep.equal({ enabled });
        expect(await crmc()).to.deep.equal({ ...connected, syncEnabled: enabled });
      }
    });
  });

  describe('a sync from the CRM', () => {
    it('returns 400 no_crm_configured when only the switch is on', async () => {
      await send('POST /auth/workspace/crmc/sync-enabled', { enabled: true });
      expect(await send('POST /v1/commissions/sync', {}, 400)).to.include({ code: 'no_crm_configured' });
      expect(await send('POST /v1/reps/sync', undefined, 400)).to.include({ code: 'no_crm_configured' });
    });
  });
});
