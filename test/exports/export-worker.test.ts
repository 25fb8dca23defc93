import { expect } from 'chai';
import { type FinishedFile, type PartSink } from '#src/exports/documents/document-maker.js';
import { newId } from '#src/kernel/ids.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createLog } from '#src/platform/log.js';
import { duringSuite } from '#test/support/during-suite.js';
import { query } from '#test/support/ledger-checks.js';
import { SliceFixture } from '#test/support/slice-fixture.js';
import { ExportWorker } from '#workers/export-worker.js';

type Make = (sink: PartSink) => Promise<FinishedFile>;

const outage = () => Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
const outOfOrder = () => Promise.reject(new Error('out of order'));
const text: Make = async (sink) => {
  await sink.store(Buffer.from('paid'));
  return { contentType: 'text/plain', filename: 'paid.txt', headers: {} };
};

describe('the export worker', () => {
  const fixture = duringSuite(() => SliceFixture.create());
  let order: { workspaceId: string; documentId: string };
  beforeEach(async () => {
    order = { workspaceId: await fixture.workspace(), documentId: newId() };
    await rows(
      `insert into export_jobs (workspace_id, job_id, kind, period, actor) values ($1, $2, 'team.xlsx', '2026-01', 'api-key')`,
      order.workspaceId,
      order.documentId,
    );
  });
  afterEach(() => rows('delete from export_jobs'));

  function rows(statement: string, ...values: unknown[]) {
    return query<Record<string, unknown>>(fixture.ownerUrl, statement, values);
  }

  async function document() {
    const [row] = await rows('select status, attempts, error from export_jobs where job_id = $1', order.documentId);
    return row;
  }

  function desk(make: Make, unitOfWork: Pick<UnitOfWork, 'run'> = fixture.unitOfWork): ExportWorker {
    const maker = { make: (_workspaceId: string, _order: unknown, sink: PartSink) => make(sink) };
    return new ExportWorker(fixture.app, unitOfWork as UnitOfWork, maker, createLog('silent'));
  }

  /** Processes the export once, waiting for its next attempt if needed. */
  async function attend(make: Make): Promise<void> {
    await rows('update export_jobs set leased_until = now() where job_id = $1', order.documentId);
    const attending = desk(make);
    attending.wake();
    await attending.stop();
  }

  it('tries a failing export five times', async () => {
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await attend(outOfOrder);
      expect(await document()).to.include({ status: 'running', attempts: attempt });
    }
    await attend(outOfOrder);
    expect(await document()).to.include({ status: 'failed', error: 'The document could not be made.' });
  });

  it('fails an export after five workers were killed while making it', async () => {
    await rows('update export_jobs set attempts = 5 where job_id = $1', order.documentId);
    await attend(text);
    expect(await document()).to.include({ status: 'failed' });
  });

  it('does not count database outages as attempts', async () => {
    for (let attempt = 1; attempt <= 8; attempt += 1) await attend(() => Promise.reject(outage()));
    expect(await document()).to.include({ status: 'running', attempts: 0 });
    await attend(text);
    expect(await document()).to.include({ status: 'completed' });
  });

  it('retries the release of an export until the database is available', async () => {
    let failures = 0;
    let markReported = () => {};
    const givenBack = new Promise<void>((resolve) => {
      markReported = resolve;
    });
    // Unavailable from the moment in which the document is made, for one more statement.
    const flapping: Pick<UnitOfWork, 'run'> = {
      run: async (...terms) => {
        if (failures === 1) {
          failures = 2;
          throw outage();
        }
        const result = await fixture.unitOfWork.run(...terms);
        if (failures === 2) markReported();
        return result;
      },
    };
    const attending = desk(() => {
      failures = 1;
      return Promise.reject(outage());
    }, flapping);
    attending.wake();
    await givenBack;
    await attending.stop();
    expect(await document()).to.include({ status: 'running', attempts: 0 });
  });
});
