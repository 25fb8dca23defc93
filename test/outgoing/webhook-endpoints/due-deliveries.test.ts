import { expect } from 'chai';
import { sql } from 'kysely';
import { newId } from '#src/kernel/ids.js';
import { claimDue } from '#src/outgoing/events/delivery-store.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { rowsRead } from '#test/support/rows-read.js';

const sequences = 40;
const ofEach = 50;

describe('the deliveries that are due while a receiver rejects events', () => {
  let workspace: OfflineWorkspace;
  let endpointId: string;

  /** The first delivery of each sequence waits for its next attempt; those after it have had none. */
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    endpointId = newId();
    const endpoint = { endpoint_id: endpointId, url: 'https://hooks.example.com/', secret: Buffer.alloc(1) };
    await workspace.insert.row('webhook_endpoints', endpoint);
    await workspace.db.sql(
      `insert into webhook_deliveries (workspace_id, endpoint_id, delivery_id, sequence_id, event_type, data, not_before)
       select $1, $2, gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad(s::text, 12, '0'))::uuid, 'webhook.test', '{}',
         case n when 1 then now() + interval '1 hour' else now() end
       from generate_series(1, ${ofEach}) n, generate_series(1, ${sequences}) s order by n, s`,
      workspace.workspaceId,
      endpointId,
    );
  });

  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) => workspace.db.unitOfWork.write(workspace, work);

  async function find(tx: Transaction): Promise<unknown[]> {
    return (await sql`select endpoint_id from due_webhook_endpoints(12, 2)`.execute(tx.db)).rows;
  }

  const endAttempt = (where: string) =>
    workspace.db.sql(`update webhook_deliveries set not_before = now() where ${where}`);

  it('are found by reading the first of each sequence', async () => {
    for (const search of [find, (tx: Transaction) => claimDue(tx, endpointId)])
      await inTransaction(async (tx) => {
        const before = await rowsRead(tx, 'webhook_deliveries');
        expect(await search(tx)).to.deep.equal([]);
        expect((await rowsRead(tx, 'webhook_deliveries')) - before).to.equal(sequences);
      });
  });

  it('are the first of their sequence whose pause has ended, the oldest before the others', async () => {
    await endAttempt('position in (select position from webhook_deliveries order by position limit 12)');
    expect(await inTransaction(find)).to.deep.equal([{ endpoint_id: endpointId }]);
    const first = await workspace.db.sql('select delivery_id as id from webhook_deliveries order by position limit 8');
    const claimed = await inTransaction((tx) => claimDue(tx, endpointId));
    expect(claimed.map(({ deliveryId }) => deliveryId)).to.deep.equal(first.map(({ id }) => id));
  });

  it('are found in the last sequence too', async () => {
    await endAttempt(`position = (select max(position) from (
      select position from webhook_deliveries order by position limit ${sequences}) heads)`);
    expect(await inTransaction(find)).to.deep.equal([{ endpoint_id: endpointId }]);
    expect(await inTransaction((tx) => claimDue(tx, endpointId))).to.have.length(1);
  });
});
