import { expect } from 'chai';
import { forAgents, register } from '#test/agents/access/oauth-fixture.js';
import { seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { freePort } from '#test/support/free-port.js';
import { Service } from '#test/support/service.js';
import { startBearerProxy } from './bearer-proxy.js';
import { type Check, runSuite } from './conformance-suite.js';
import { expectedFailures } from './expected-failures.js';

const versions = ['2025-11-25', '2026-07-28'] as const;

function failuresOf(checks: readonly Check[]): Check[] {
  return checks.filter(({ status }) => status === 'FAILURE');
}

describe('the conformance suite of the protocol', () => {
  const service = Service.duringSuite(forAgents);
  const results = new Map<string, ReadonlyMap<string, readonly Check[]>>();
  let person: ApiClient;

  before(async () => {
    const { workspaceId, mia, apiKey } = await seededWorkspace(service);
    person = await service.as(workspaceId, mia);
    const proxy = await startBearerProxy(service.url, apiKey);
    for (const version of versions)
      results.set(version, await runSuite(['server', '--url', `${proxy.url}/v1/mcp`, '--requirements', version]));
    await proxy.stop();
  });

  const scenarios = () => versions.flatMap((version) => [...(results.get(version) ?? [])]);

  for (const version of versions)
    it(`the server passes every scenario of ${version} that needs no fixture of the reference server`, () => {
      const ran = [...(results.get(version) ?? [])];
      expect(ran).to.have.length.greaterThan(30);
      const unexpected = ran.flatMap(([scenario, checks]) =>
        failuresOf(checks)
          .filter(({ errorMessage = '' }) => expectedFailures[scenario]?.message.test(errorMessage) !== true)
          .map(({ id, errorMessage }) => `${scenario}: ${id}: ${errorMessage}`),
      );
      expect(unexpected).to.deep.equal([]);
    });

  it('every scenario in the list of expected failures fails in each version in which it runs', () => {
    const isFailing = new Map(Object.keys(expectedFailures).map((scenario) => [scenario, false]));
    for (const [scenario, checks] of scenarios())
      if (isFailing.has(scenario)) {
        expect(failuresOf(checks), scenario).not.to.deep.equal([]);
        isFailing.set(scenario, true);
      }
    expect([...isFailing].filter(([, fails]) => !fails)).to.deep.equal([]);
  });

  it('no scenario has a warning, except those that expect sessions or fixtures', () => {
    const warned = scenarios().filter(([, checks]) => checks.some(({ status }) => status === 'WARNING'));
    expect(warned.map(([scenario]) => scenario)).to.have.members([
      'input-required-result-ignore-extra-params',
      'input-required-result-missing-input-response',
      'server-sse-multiple-streams',
      'server-sse-polling',
    ]);
  });

  for (const version of versions)
    it(`the authorization server passes every scenario of ${version}`, async () => {
      const port = await freePort();
      const { body } = await register(service.url, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
      const command = ['authorization', '--url', service.url, '--client-id', body.client_id, '--port', String(port)];
      const ran = await runSuite([...command, '--spec-version', version], (line) => {
        if (line.startsWith(`${service.url}/oauth/authorize?`)) void permit(line);
      });
      expect([...ran.keys()]).to.have.members(['authorization-server-metadata-endpoint', 'authorization-code-grant']);
      for (const [scenario, checks] of ran)
        for (const { id, status, errorMessage } of checks)
          expect(status, `${scenario}: ${id}: ${errorMessage}`).to.equal('SUCCESS');
    });

  /** What a browser and the consent page do when the person agrees. */
  async function permit(address: string): Promise<void> {
    const response = await fetch(address, { redirect: 'manual' });
    const request = new URL(response.headers.get('location') ?? '').searchParams.get('request');
    const { redirectTo } = await person.expect(200, 'POST', '/v1/agents/request', { request, decision: 'allow' });
    await fetch(redirectTo);
  }
});
