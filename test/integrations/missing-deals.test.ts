import { expect } from 'chai';
import { sql } from 'kysely';
import { countMissing, findMissing, type Listing } from '#src/crm/sync/sync-run-store.js';
import { newId } from '#src/kernel/ids.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { rowsRead } from '#test/support/rows-read.js';

const deals = 5000;
/** Every deal with such a number is missing. */
const interval = 20;
const pageSize = 500;
const idOf = (number: number) => `D-${10_000 + number}`;

describe('deals that the listing of a CRM did not contain', () => {
  let workspace: OfflineWorkspace;
  let listing: Listing;

  /** Only an earlier listing of the same sync contained every second of the missing deals. */
  before(async () => {
    workspace = await OfflineWorkspace.create();
    listing = { syncRunId: newId(), provider: 'crma', startedAt: new Date(), restarts: 1 };
    await sql`
      insert into deals (workspace_id, deal_id, provider, is_closed, is_won, fields, given, content_hash, snapshot_at)
      select ${workspace.workspaceId}::uuid, 'D-' || 10000 + n, 'crma', false, false, '{}', '{}', gen_random_uuid(),
        now() - interval '1 hour'
      from generate_series(1, ${deals}::int) n`.execute(workspace.db.owner);
    await sql`
      insert into crm_sync_runs (workspace_id, sync_run_id, provider, kind, actor, restarts)
      values (${workspace.workspaceId}::uuid, ${listing.syncRunId}::uuid, 'crma', 'sync', 'test', 1)`.execute(
      workspace.db.owner,
    );
    await sql`
      insert into crm_sync_run_deals (workspace_id, sync_run_id, deal_id, outcome, is_skipped, listing)
      select ${workspace.workspaceId}::uuid, ${listing.syncRunId}::uuid, 'D-' || 10000 + n, 'unchanged', false, (n % ${interval} <> 0)::int
      from generate_series(1, ${deals}::int) n where n % ${2 * interval} <> 0`.execute(workspace.db.owner);
    await sql`analyze`.execute(workspace.db.owner);
  });

  const read = <T>(work: (tx: Transaction) => Promise<T>) =>
    workspace.db.unitOfWork.run({ workspaceId: workspace.workspaceId }, { lock: 'none', access: 'read' }, work);

  const pageAfter = (after: string) => (tx: Transaction) => findMissing(tx, listing, { after, atMost: pageSize });

  it('are counted and listed page by page, each once', async () => {
    const missing = Array.from({ length: deals / interval }, (_, index) => idOf((index + 1) * interval));
    expect(await read((tx) => countMissing(tx, listing))).to.deep.equal({
      live: deals,
      missing: missing.length,
    });
    const found: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof findMissing>> = await read(pageAfter(after));
      found.push(...page.missing);
      after = page.last;
    }
    expect(found).to.deep.equal(missing);
  });

  it('are found by looking for each deal by its key, from where the last page ended', async () => {
    const ofSecondPage = await read(async (tx) => {
      const before = await rowsRead(tx, 'crm_sync_run_deals');
      await pageAfter(idOf(pageSize))(tx);
      return (await rowsRead(tx, 'crm_sync_run_deals')) - before;
    });
    expect(ofSecondPage).to.be.within(1, pageSize);
  });

  it('are not those that were created or changed since the sync began', async () => {
    const later = sql`now() + interval '1 hour'`;
    await sql`update deals set snapshot_at = ${later} where deal_id = ${idOf(interval)}`.execute(workspace.db.owner);
    await sql`update deals set source_updated_at = ${later} where deal_id = ${idOf(2 * interval)}`.execute(
      workspace.db.owner,
    );
    const { missing } = await read((tx) => countMissing(tx, listing));
    expect(missing).to.equal(deals / interval - 2);
  });
});
