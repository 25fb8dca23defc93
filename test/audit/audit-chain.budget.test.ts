import { expect } from 'chai';
import { sql } from 'kysely';
import { Service } from '#test/support/service.js';

describe('the audit log', () => {
  const service = Service.duringSuite();

  it('counts the changes of two thousand rows in less than four times the time of the changes', async () => {
    const { workspaceId, api } = await service.workspace();
    const reps = Array.from({ length: 2000 }, (_, index) => ({ name: `Rep ${index}`, email: `rep${index}@x.io` }));
    await api.expect(200, 'PUT', '/v1/reps', { reps });
    await service.running.service.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, async (tx) => {
      const updated = async (recorded: 'on' | 'off') => {
        await sql`select set_config('app.records_changes', ${recorded}, true)`.execute(tx.db);
        const startedAt = performance.now();
        await sql`update reps set name = name || 'x' where workspace_id = ${workspaceId}`.execute(tx.db);
        return performance.now() - startedAt;
      };
      await updated('on');
      const [counted, plain] = [await updated('on'), await updated('off')];
      expect(counted).to.be.below(4 * plain);
    });
  });
});
