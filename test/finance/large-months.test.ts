import { expect } from 'chai';
import pg from 'pg';
import sinon from 'sinon';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import {
  cancelAccountingPreparation,
  closeAccountingMonth,
  prepareAccountingMonth,
} from '#src/finance/commands/change-month.js';
import { approvePolicy, proposePolicy } from '#src/finance/commands/change-policy.js';
import { putEntity } from '#src/finance/commands/put-entity.js';
import { setRepEntities } from '#src/finance/commands/set-rep-entities.js';
import { loadHandoverMovements } from '#src/finance/handover-movements.js';
import { linesOfMonth } from '#src/finance/journal-line.js';
import { loadBooks, type MonthBooks } from '#src/finance/load-books.js';
import { MonthReports } from '#src/finance/month-reports.js';
import { getAccountingMonth } from '#src/finance/queries/get-accounting-month.js';
import { getContractCosts } from '#src/finance/queries/get-contract-costs.js';
import { getLiability } from '#src/finance/queries/get-liability.js';
import { listJournalLines } from '#src/finance/queries/list-journal-lines.js';
import { type Caller } from '#src/kernel/caller.js';
import { type Failure } from '#src/kernel/failure.js';
import { newId } from '#src/kernel/ids.js';
import { type Transaction, withTransactionHooks } from '#src/platform/database/unit-of-work.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { rowsRead } from '#test/support/rows-read.js';
import { flatRule } from '#test/support/terms.js';
import { runPreparation } from './run-preparation.js';

describe('the books of a large month', () => {
  let workspace: OfflineWorkspace;
  let ann: Caller;
  let ned: Caller;
  let cid: string;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-05T12:00:00Z' });
    const { insert } = workspace;
    const plan = await insert.plan('AE', { rules: [flatRule('New business', 0.08)] });
    for (const [index, name] of ['Cid', 'Bea', 'Dan', 'Cid'].entries()) {
      const repId = await insert.rep(name);
      if (index === 0) cid = repId;
      await insert.assignment(repId, plan);
      await insert.deals(repId, 3 + index, { amount: 1000 * (1 + index), days: 60 });
    }
    await insert.deal('Euro', cid, { currency: 'EUR' });
    await workspace.recalculate();
    await workspace.run(updateWorkspace, { body: { accounting: { enabled: true, from: '2026-01' } } });
    const uk = { name: 'UK', currency: 'GBP', payrollTax: [], accounts: {} };
    await workspace.run(putEntity, { params: { code: 'uk' }, body: uk });
    const entities = [{ from: '2026-02-01', entity: 'uk' }];
    await workspace.run(setRepEntities, { params: { repId: cid }, body: { entities } });
    [ann, ned] = [await admin('Ann'), await admin('Ned')];
    const body = { from: '2026-01', position: 1, match: {}, treatment: 'capitalise', period: { months: 36 } };
    const { version } = await workspace.run(proposePolicy, { params: { name: 'All' }, body }, ann);
    await workspace.run(approvePolicy, { params: { name: 'All', version: String(version) } }, ned);
  });

  const admin = async (name: string) => workspace.caller('admin', await workspace.insert.rep(name, { role: 'admin' }));

  const january = { params: { month: '2026-01' } };
  const largest = (maxLines: number | undefined) => {
    workspace.db.maxBookLines = maxLines;
  };
  const run = (operation: AnyOperation, request: object = january, caller = ann) =>
    workspace.run(operation, request, caller);
  const prepare = () => workspace.respond(prepareAccountingMonth, january, ann);
  const work = async (jobId: string) =>
    runPreparation(workspace, jobId, new MonthReports(workspace.db.unitOfWork, workspace.db.clock, 0));
  const jobOf = async (jobId: string) =>
    (
      await workspace.db.sql('select status, done, total, error_code, result from stored_jobs where job_id = $1', jobId)
    )[0];

  const journalFilters = [
    {},
    { entity: 'uk' },
    { kind: 'earned' },
    { account: 'contract_cost', kind: 'amortisation' },
    { dealId: 'Euro' },
    { dealId: 'none' },
  ];

  /** All that the pages of a month contain. */
  async function readPages(): Promise<unknown[]> {
    const read: unknown[] = [];
    for (const month of [undefined, '2026-01']) {
      const query = month === undefined ? {} : { month };
      read.push(await run(getAccountingMonth, { params: { month: month ?? '2026-03' } }));
      for (const entity of [{}, { entity: 'uk' }]) {
        for (const groupBy of ['currency', 'person'])
          for (const page of [{ limit: '2', offset: '1' }, { offset: '900' }])
            read.push(await run(getLiability, { query: { ...query, ...entity, groupBy, ...page } }));
        for (const groupBy of ['total', 'person', 'deal'])
          for (const page of [{}, { limit: '3', offset: '2' }])
            read.push(await run(getContractCosts, { query: { ...query, ...entity, groupBy, ...page } }));
      }
      for (const filter of journalFilters)
        for (const page of [{ limit: '7', offset: '3' }, { limit: '1000' }, { offset: '900' }])
          read.push(await run(listJournalLines, { query: { ...query, ...filter, ...page } }));
      read.push(await run(getLiability, { query: { ...query, repId: cid, groupBy: 'person' } }));
      read.push(await run(getContractCosts, { query: { ...query, repId: cid, groupBy: 'deal' } }));
    }
    return read;
  }

  it('say on every page what those of a small month say, also of months that are closed', async () => {
    const { hash } = (await prepare()).body;
    await run(closeAccountingMonth, { ...january, body: { hash } }, ned);
    await workspace.insert.deal('Late', cid, { closeDate: '2026-01-20' });
    await workspace.recalculate();
    largest(undefined);
    const small = await readPages();
    largest(0);
    expect(await readPages()).to.deep.equal(small);
    expect(await readPages()).to.deep.equal(small);
    // The sums of both months, and the journal of the open one: that of the closed month is stored line by line.
    expect((await workspace.db.sql("select from stored_jobs where kind = 'books'")).length).to.equal(3);
    for (const operation of [getLiability, listJournalLines])
      await workspace.expectError('entity_not_found', 404, operation, { query: { entity: 'none' } }, ann);
  });

  it('are computed again after a change, and not before', async () => {
    largest(0);
    const closing = async () => (await run(getLiability, { query: { month: '2026-01' } })).liability[0].closing;
    const lines = async () => (await run(listJournalLines, { query: { month: '2026-01', limit: '1' } })).count;
    const [before, linesBefore] = [await closing(), await lines()];
    const stored = () => workspace.db.sql("select job_id from stored_jobs where kind = 'books' order by started_at");
    const first = await stored();
    expect(first).to.have.length(2);
    await closing();
    await lines();
    expect(await stored()).to.deep.equal(first);
    await workspace.insert.deal('New', cid, { amount: 5000, closeDate: '2026-01-20' });
    await workspace.recalculate();
    expect(await closing()).to.equal(before + 400);
    expect(await lines()).to.be.above(linesBefore);
    expect(await stored()).to.have.length(4);
  });

  it('read of hand-overs only what they contain for the people who are calculated together', async () => {
    const [first, second] = [newId(), newId()];
    const amounts = [first, second].map((repId) => ({ repId, currency: 'USD', summary: { netPayout: 100 } }));
    const file = { period: '2026-01', layout: 'generic', filename: 'a.csv', sha256: '', bytes: 0, row_count: 2 };
    const none = { totals: '[]', missing_payroll_ids: '[]', changed_payroll_ids: '[]', actor: 'api-key' };
    const handover = { handover_id: newId(), scope: 'full' as const, amounts: JSON.stringify(amounts) };
    await workspace.insert.row('payroll_handovers', { ...file, ...none, ...handover });
    const movements = await workspace.db.unitOfWork.read(ann, (tx) => loadHandoverMovements(tx, [second]));
    expect([...movements.keys()]).to.deep.equal([second]);
    expect(movements.get(second)?.map(({ amount }) => amount.toNumber())).to.deep.equal([-100]);
  });

  it('have the journal of a closed month without the lines of earlier ones', async () => {
    for (const month of ['2026-01', '2026-02']) {
      const { hash } = await run(prepareAccountingMonth, { params: { month } });
      await run(closeAccountingMonth, { params: { month }, body: { hash } }, ned);
    }
    const february = { month: '2026-02', repIds: null, entity: null, today: '2026-03-05' };
    const [all, own] = await workspace.db.unitOfWork.read(ann, async (tx) => [
      await loadBooks(tx, february),
      await loadBooks(tx, { ...february, isAlone: true }),
    ]);
    expect(all?.lines.some(({ month }) => month === '2026-01')).to.equal(true);
    expect(own?.lines).to.deep.equal(all?.lines.filter(({ month }) => month === '2026-02'));
    const journal = await linesOfMonth(all as MonthBooks);
    for (const filter of [...journalFilters, { repId: cid }]) {
      const matching = journal.filter((line) =>
        Object.entries(filter).every(([name, value]) => line[name as keyof typeof line] === value),
      );
      for (const [limit, offset] of [
        [1000, 0],
        [5, 3],
        [5, 900],
      ] as const) {
        const query = { month: '2026-02', ...filter, limit: `${limit}`, offset: `${offset}` };
        const { lines, count } = await run(listJournalLines, { query });
        const ids = matching.slice(offset, offset + limit).map(({ lineId }) => lineId);
        expect(lines.map(({ lineId }: { readonly lineId: string }) => lineId)).to.deep.equal(ids);
        expect(count).to.equal(matching.length);
      }
    }
  });

  it('are prepared by a job, with the hash of a small month', async () => {
    const { hash } = (await prepare()).body;
    await run(cancelAccountingPreparation);
    largest(0);
    const { status, body } = await prepare();
    expect([status, body.status, body.job.status]).to.deep.equal([202, 'open', 'running']);
    expect(body.job).to.deep.include({ kind: 'preparation', period: '2026-01', progress: { done: 0, total: 4 } });
    expect((await prepare()).body.job.jobId).to.equal(body.job.jobId);
    expect((await run(getAccountingMonth)).job).to.deep.equal(body.job);
    await work(body.job.jobId);
    expect(await jobOf(body.job.jobId)).to.deep.equal({
      status: 'completed',
      done: 4,
      total: 4,
      error_code: null,
      result: { hash },
    });
    const prepared = await run(getAccountingMonth);
    expect(prepared).to.include({ status: 'prepared', hash, preparedBy: ann.actor });
    expect(prepared).not.to.have.property('job');
    const closed = await run(closeAccountingMonth, { ...january, body: { hash } }, ned);
    expect(closed).to.include({ status: 'closed', hash });
  });

  describe('are computed before the lock of the workspace is taken', () => {
    /** The rows of the ledger that a closing has read under the lock, after what `meanwhile` does there first. */
    async function closeWith(meanwhile: () => Promise<unknown>) {
      const { hash } = (await prepare()).body;
      let [before, after] = [0, 0];
      const hooks = {
        afterBegin: async (tx: Transaction) => {
          await meanwhile();
          before = await rowsRead(tx, 'commission_events');
        },
        beforeCommit: async (tx: Transaction) => {
          after = await rowsRead(tx, 'commission_events');
        },
      };
      const request = { ...january, body: { hash } };
      expect(await run(closeAccountingMonth, request, withTransactionHooks(ned, hooks))).to.include({
        status: 'closed',
        hash,
      });
      return after - before;
    }

    it('when they are closed', async () => {
      expect(await closeWith(async () => {})).to.equal(0);
    });

    it('and again under it if anything has changed since', async () => {
      const { insert } = workspace;
      expect(await closeWith(() => insert.adjustment(cid, 5, '2026-03-02'))).to.be.above(0);
    });

    it('and do not close with what they were before a change', async () => {
      const late = () => workspace.insert.adjustment(cid, 5, '2026-01-20');
      const failure = await closeWith(late).catch((error: unknown) => error);
      expect((failure as Failure).code).to.equal('books_changed');
      expect(await run(getAccountingMonth)).to.include({ status: 'prepared' });
    });

    it('when the effect of a policy is compared with them', async () => {
      const query = sinon.spy(pg.Client.prototype, 'query');
      const body = { from: '2026-01', position: 2, match: {}, treatment: 'capitalise', period: { months: 24 } };
      await run(proposePolicy, { params: { name: 'Other' }, query: { dryRun: 'true' }, body }).finally(() =>
        query.restore(),
      );
      const texts = query.getCalls().map(({ args: [text] }) => String(text));
      const lock = texts.findIndex((text) => text.includes('pg_advisory_xact_lock'));
      const reads = (some: readonly string[]) => some.filter((text) => text.includes('from commission_events')).length;
      expect(reads(texts.slice(0, lock))).to.be.above(0);
      expect(reads(texts.slice(lock))).to.equal(reads(texts.slice(0, lock)));
    });
  });

  it('are prepared at once if they are computed already', async () => {
    largest(0);
    await run(getLiability, { query: { month: '2026-01' } });
    const { status, body } = await prepare();
    expect([status, body.status, body.job]).to.deep.equal([200, 'prepared', undefined]);
  });

  it('are prepared once by a job that runs twice', async () => {
    largest(0);
    const { jobId } = (await prepare()).body.job;
    await work(jobId);
    await work(jobId);
    const runs = () => workspace.db.sql("select from audit_runs where trigger = 'accounting_month_prepared'");
    expect(await runs()).to.have.length(1);
    // As if the worker had died before the end of the job.
    await workspace.db.sql("update stored_jobs set status = 'running', finished_at = null where job_id = $1", jobId);
    await run(cancelAccountingPreparation);
    await work(jobId);
    expect(await jobOf(jobId)).to.include({ status: 'completed' });
    expect(await run(getAccountingMonth)).to.include({ status: 'prepared' });
  });

  it('are not prepared if something stops the closing, or if who requested it may no longer do it', async () => {
    largest(0);
    await workspace.expectError('close_in_order', 409, prepareAccountingMonth, { params: { month: '2026-02' } }, ann);
    const inPounds = [{ from: '2026-01-01', entity: 'uk' }];
    await run(setRepEntities, { params: { repId: cid }, body: { entities: inPounds } });
    const { jobId } = (await prepare()).body.job;
    await work(jobId);
    expect(await jobOf(jobId)).to.include({ status: 'failed', error_code: 'fx_rate_missing' });
    expect(await run(getAccountingMonth)).to.include({ status: 'open' });
    await run(setRepEntities, { params: { repId: cid }, body: { entities: [] } });
    const again = (await prepare()).body.job.jobId;
    await workspace.db.sql("update reps set role = 'rep' where rep_id = $1", ann.repId);
    await work(again);
    expect(await jobOf(again)).to.include({ status: 'failed', error_code: 'forbidden' });
  });
});
