import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { isPublic } from '#src/platform/operations/operation.js';
import { forAgents } from '#test/agents/access/oauth-fixture.js';
import { Service } from '#test/support/service.js';
import { ExampleWorld } from './example-world.js';

const reads = operations.filter((operation) => operation.method === 'get' && !isPublic(operation));
/** Every request is counted, and files that leave the service are recorded. */
const written = ['tokens', 'rate_windows', 'audit_entries'];

describe('links of other sites', () => {
  const service = Service.duringSuite({ ...forAgents, worker: false });
  let world: ExampleWorld;
  before(async () => {
    world = await ExampleWorld.create(service);
  });

  async function open(operation: (typeof reads)[number], caller: 'admin' | 'rep', site: string | null) {
    const { params = {}, query = {} } = world.fill(operation.example);
    const path = operation.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
    const cookie = { Cookie: `session=${world.tokens[caller]}` };
    const headers = site === null ? cookie : { ...cookie, 'Sec-Fetch-Site': site };
    const search = new URLSearchParams(query as Record<string, string>);
    const response = await fetch(`${service.url}${path}?${search}`, { headers, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  }

  /** The rows of the workspace, by table. */
  async function contents(): Promise<Record<string, string>> {
    const tables = await service.sql<{ name: string }>(
      `select c.table_name as name from information_schema.columns c join pg_tables t on t.tablename = c.table_name
       where c.table_schema = 'public' and t.schemaname = 'public' and c.column_name = 'workspace_id'`,
    );
    const found: Record<string, string> = {};
    for (const { name } of tables.filter((table) => !written.includes(table.name))) {
      const [row] = await service.sql<{ rows: string }>(
        `select coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as rows from ${name} t where workspace_id = $1`,
        world.workspaceId,
      );
      found[name] = row?.rows ?? '';
    }
    return found;
  }

  it('change nothing and start no work in any operation', async () => {
    const before = await contents();
    const statuses: Record<string, number> = {};
    for (const operation of reads)
      for (const caller of operation.access === 'rep' ? (['admin', 'rep'] as const) : (['admin'] as const))
        statuses[`${operation.id} as ${caller}`] = await open(operation, caller, 'cross-site');
    expect(await contents()).to.deep.equal(before);
    const failed = Object.entries(statuses).filter(([, status]) => status >= 500);
    expect(failed).to.deep.equal([]);
    const rejected = reads.filter(({ startsWork }) => startsWork === true).map(({ id }) => statuses[`${id} as admin`]);
    expect(new Set(rejected)).to.deep.equal(new Set([403]));
  });

  it('are distinguished from pages of the service and from what the person entered', async () => {
    const connect = reads.find(({ id }) => id === 'beginCrmbConnect') as (typeof reads)[number];
    expect(await open(connect, 'admin', 'same-site')).to.equal(403);
    const statuses = [];
    for (const site of ['same-origin', 'none', null]) statuses.push(await open(connect, 'admin', site));
    expect(statuses).to.not.include(403);
  });
});
