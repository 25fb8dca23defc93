import { expect } from 'chai';
import { type z } from 'zod';
import { operations } from '#src/operations.js';
import { Service } from '#test/support/service.js';

/** With what the operation may need beside the id. */
const others = ['', '&period=2026-Q1', '&month=2026-01', '&since=2026-01-01T00:00:00Z'];

describe('ids in queries that are no UUID', () => {
  const service = Service.duringSuite();

  it('match nothing or are rejected, in every read', async () => {
    const { api } = await service.workspace();
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    const reads = operations.filter(({ method, path }) => method === 'get' && !path.includes(':'));
    const failed: string[] = [];
    for (const { path, query } of reads as readonly { path: string; query?: z.ZodObject }[])
      for (const name of Object.keys(query?.shape ?? {}).filter((each) => each.endsWith('Id')))
        for (const other of others) {
          const { status } = await api.get(`${path}?${name}=%24ref${other}`);
          if (status >= 500) failed.push(`${path}?${name}=$ref${other}`);
        }
    expect(failed).to.deep.equal([]);
  });
});
