import { expect } from 'chai';
import { sql } from 'kysely';
import { openTransaction } from '#test/support/open-transaction.js';
import { expectProportional, type StatementWork, statementWork } from '#test/support/statement-work.js';
import { DealWorkspace } from './deal-workspace.js';

const few = 2000;
const many = 4 * few;

describe('the statements of an import into a table that was analyzed before its first rows were committed', () => {
  let workspace: DealWorkspace;

  async function emptyWorldWithStatistics(): Promise<void> {
    workspace = await DealWorkspace.create();
    await sql`alter table deals set (autovacuum_enabled = off)`.execute(workspace.db.owner);
    const other = await openTransaction(
      workspace.db.ownerUrl,
      `insert into deals (workspace_id, deal_id, content_hash) select gen_random_uuid(), n, gen_random_uuid()
       from generate_series(1, 20000) n`,
    );
    await sql`analyze deals`.execute(workspace.db.owner);
    await other.rollback();
    const [statistics] = await workspace.db.sql<{ pages: number; rows: number }>(
      "select relpages as pages, reltuples as rows from pg_class where relname = 'deals'",
    );
    expect(statistics?.rows).to.equal(0);
    expect(statistics?.pages).to.be.above(100);
  }

  const csv = (deals: number, amount: number) =>
    `id,name,amount,close_date\n${Array.from({ length: deals }, (_, index) => `d${index},Deal,${amount},2026-02-01`).join('\n')}`;

  async function importsOf(deals: number): Promise<ReadonlyMap<string, StatementWork>> {
    await emptyWorldWithStatistics();
    const works = new Map<string, StatementWork>();
    for (const [name, amount, accepted] of [
      ['new deals', 100, deals],
      ['unchanged deals', 100, 0],
      ['changed deals', 200, deals],
    ] as const)
      works.set(
        name,
        await statementWork(async () => {
          expect(await workspace.importFile({ text: csv(deals, amount) })).to.include({ accepted });
        }),
      );
    return works;
  }

  it('process rows in proportion to the deals', async () => {
    const grown = expectProportional(await importsOf(few), await importsOf(many), 4000);
    expect(grown.filter(({ rows }) => rows >= many)).to.have.length.above(3);
  });
});
