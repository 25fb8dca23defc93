import { expect } from 'chai';
import { FetchClient, seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { ApiClient } from '#test/support/api-client.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';

const config = (rate: number) => ({
  rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate }] }],
});

describe('an approved change by an agent whose process is killed', () => {
  const service = Service.duringSuite();

  for (const [failpoint, status, versions] of [
    ['change.beforeCommit', 'pending', 1],
    ['change.afterCommit', 'done', 2],
  ] as const)
    it(`at ${failpoint} is ${status}, and takes effect once`, async () => {
      const { workspaceId, api, apiKey, ada } = await seededWorkspace(service);
      const { planId } = await api.expect(201, 'POST', '/v1/plans', { name: 'AE', config: config(0.1) });
      await api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
      const change = { planRef: planId, config: config(0.2), effectiveStart: 'always' };
      const { structuredContent } = await new FetchClient(service.url, apiKey).call('update_plan', change);
      const id = structuredContent.details.changeRequestId;
      const session = await service.token(workspaceId, 'sess', ada);
      const decide = (url: string) =>
        new ApiClient(url, session).post(`/v1/change-requests/${id}/decide`, { decision: 'approve' });
      const read = async () => (await api.expect(200, 'GET', '/v1/change-requests')).changeRequests[0];
      const countVersions = async () => (await api.expect(200, 'GET', `/v1/plans/${planId}/history`)).length;

      const process = await service.startProcess('api', { NODE_ENV: 'test', FAILPOINTS: `${failpoint}@1=kill` });
      await decide(process.url).catch(() => undefined);
      expect(await process.ended()).to.equal(null);
      expect(await read()).to.include({ status: 'running' });

      const owner = service.database.ownerUrl;
      await query(owner, `update change_requests set decided_at = decided_at - interval '3 minutes'`);
      await query(owner, 'select end_lost_change_requests()');
      expect(await read()).to.include({ status });
      expect(await countVersions()).to.equal(versions);
      expect((await decide(service.url)).status).to.equal(status === 'pending' ? 200 : 409);
      expect(await countVersions()).to.equal(2);
    });
});
