import { expect } from 'chai';
import { approveStatement } from '#src/statements/commands/approve-statement.js';
import { generateStatement } from '#src/statements/commands/generate-statement.js';
import { generateStatements } from '#src/statements/commands/generate-statements.js';
import { openDispute } from '#src/statements/disputes/commands/open-dispute.js';
import { getStatements } from '#src/statements/queries/get-statements.js';
import { listRepStatements } from '#src/statements/queries/list-rep-statements.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';

describe('what prevents an approval', () => {
  let workspace: OfflineWorkspace;
  let ada: string;
  let ben: string;

  /** Ada's first quarter is approved, and a draft of her March is older than that. */
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-04-10T12:00:00Z' });
    ada = await workspace.insert.rep('Ada');
    ben = await workspace.insert.rep('Ben');
    const planId = await workspace.insert.plan('AE', { rules: [flatRule('New business', 0.1)] });
    for (const repId of [ada, ben]) {
      await workspace.insert.assignment(repId, planId);
      await workspace.insert.deal(`D ${repId}`, repId, { closeDate: '2026-03-05' });
    }
    await workspace.recalculate();
    await workspace.run(generateStatement, { params: { repId: ada }, body: { period: '2026-03' } });
    await workspace.run(generateStatement, { params: { repId: ada }, body: { period: '2026-Q1' } });
    await workspace.run(approveStatement, { params: { repId: ada }, body: { period: '2026-Q1', status: 'approved' } });
  });

  const team = async (period: string) => {
    const { statements } = await workspace.run(getStatements, { query: { period } });
    return new Map<string, { coveredBy: string[]; openDisputes: { period: string; description: string }[] }>(
      statements.map((one: { repId: string }) => [one.repId, one]),
    );
  };

  it('names the approved period that covers the days, in the team, the statement and the list of the rep', async () => {
    const march = await team('2026-03');
    expect(march.get(ada)?.coveredBy).to.deep.equal(['2026-Q1']);
    expect(march.get(ben)?.coveredBy).to.deep.equal([]);
    expect((await team('2026-Q1')).get(ada)?.coveredBy).to.deep.equal([]);
    expect((await team('2026-04')).get(ada)?.coveredBy ?? []).to.deep.equal([]);
    const statement = await workspace.run(getStatements, { query: { repId: ada, period: '2026-03' } });
    expect(statement.coveredBy).to.deep.equal(['2026-Q1']);
    const listed = await workspace.run(listRepStatements, { params: { repId: ada } });
    expect(
      listed.map(({ period, coveredBy }: { period: string; coveredBy: string[] }) => [period, coveredBy]),
    ).to.have.deep.members([
      ['2026-03', ['2026-Q1']],
      ['2026-Q1', []],
    ]);
  });

  it('generates no draft for days that another approved statement covers', async () => {
    const { statements, skippedReps } = await workspace.run(generateStatements, { body: { period: '2026-03' } });
    expect(statements.map(({ repId }: { repId: string }) => repId)).to.deep.equal([ben]);
    expect(skippedReps).to.deep.equal([{ repId: ada, reason: 'statement_overlap' }]);
  });

  it('lists open questions of every period that shares days', async () => {
    const body = { period: '2026-Q1', dealId: `D ${ben}`, type: 'wrong_amount', description: 'It is too low.' };
    await workspace.run(openDispute, { body }, workspace.caller('rep', ben));
    expect((await team('2026-03')).get(ben)?.openDisputes).to.have.length(1);
    expect((await team('2026-03')).get(ben)?.openDisputes[0]).to.include({
      period: '2026-Q1',
      type: 'wrong_amount',
      description: 'It is too low.',
      openedBy: 'Ben',
    });
    expect((await team('2026-03')).get(ada)?.openDisputes).to.deep.equal([]);
  });
});
