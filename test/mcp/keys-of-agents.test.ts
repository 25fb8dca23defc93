import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { isPublic } from '#src/platform/operations/operation.js';
import { findScope, isChange } from '#src/platform/operations/operation-scope.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';
import { done, FetchClient, rejected } from './mcp-fixture.js';

const scopes = ['read', 'deals', 'plans', 'payroll'];
/** Without those that make files, which takes seconds. */
const permitted = operations.filter(
  (operation) => !isPublic(operation) && findScope(operation) !== null && operation.files === undefined,
);

describe('an integration key of an agent', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let keys: Record<'agent' | 'other', string>;

  before(async () => {
    workspace = await service.workspace();
    const create = async (body: object) =>
      (await workspace.api.expect(201, 'POST', '/v1/workspaces/integration-keys', { scopes, ...body })).key;
    keys = { agent: await create({ name: 'Agent', agent: true }), other: await create({ name: 'Other' }) };
  });

  /** The status and message of an empty request with the key. */
  async function responseTo({ method, path }: (typeof operations)[number], key: string): Promise<string> {
    const address = path.replace(/:[A-Za-z]+/g, 'x');
    const { status, body } = await service.client(key).send(method.toUpperCase(), address);
    return `${status} ${body?.message ?? ''}`;
  }

  it('is rejected by every operation that changes something over REST, and by no other', async () => {
    const wrong: string[] = [];
    for (const operation of permitted) {
      const isRejected = /^403 This key belongs to an agent/.test(await responseTo(operation, keys.agent));
      if (isRejected !== isChange(operation)) wrong.push(operation.id);
    }
    expect(permitted.filter(isChange).length).to.be.at.least(30);
    expect(wrong).to.deep.equal([]);
    const other = permitted.find(({ id }) => id === 'createPlan') as (typeof operations)[number];
    expect(await responseTo(other, keys.other)).to.match(/^400 /);
  });

  it('changes something by tools only as the workspace permits agents', async () => {
    const { api } = workspace;
    const [ben] = await api.saveReps('Ben');
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.1)] } }, [ben]);
    const target = { repIds: [ben], measure: 'New business', period: '2026-Q1', target: 1000 };
    const agent = new FetchClient(service.url, keys.agent);
    await api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
    expect(JSON.stringify(await agent.call('set_quota', target))).to.contain('approval_required');
    await api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'deny' });
    expect((await rejected(agent, 'set_quota', target)).code).to.equal('forbidden');
    expect(await workspace.sql('select 1 from quotas where workspace_id = $1')).to.deep.equal([]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'allow' });
    await done(agent, 'set_quota', target);
  });

  it('is listed as one', async () => {
    const { keys: listed } = await workspace.api.expect(200, 'GET', '/v1/workspaces/integration-keys');
    expect(listed.map(({ name, agent }: { name: string; agent: boolean }) => [name, agent])).to.deep.equal([
      ['Other', false],
      ['Agent', true],
    ]);
  });
});
