import { setImmediate } from 'node:timers/promises';
import { type Caller } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { createJob, settleJob } from '../../ledger/calculation-jobs.js';
import { requestCalculation } from '../../ledger/calculation-requests.js';
import { type Wake } from '../../ledger/commission-changes.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { DealOwners } from '../deal-owners.js';
import { type DecidedDeals, decideDeals, writeDeals } from '../record-deals.js';
import { merge, type TouchedReps, touchedReps } from '../touched-reps.js';
import { type ImportRow } from './import-row.js';

const mostRows = 100_000;
const mostRejectionsTold = 1000;
const batchSize = 2000;

export interface ImportResult {
  readonly accepted: number;
  readonly unchanged: number;
  readonly stale: number;
  readonly rejected: readonly { readonly row: number; readonly reason: string }[];
  readonly jobId: string;
}

interface Tally {
  accepted: number;
  unchanged: number;
  stale: number;
  readonly rejected: { readonly row: number; readonly reason: string }[];
  readonly touched: TouchedReps;
}

/** Records the rows batch by batch, then asks once for every rep that they concern, as a job that can be watched. */
export async function importRows(
  trx: Work,
  caller: Caller,
  rows: AsyncIterable<readonly ImportRow[]>,
  wake: Wake,
): Promise<ImportResult> {
  const tally: Tally = { accepted: 0, unchanged: 0, stale: 0, rejected: [], touched: new Map() };
  const owners = new DealOwners(trx, caller.workspaceId);
  let decided: DecidedBatch | null = null;
  let writing = Promise.resolve();
  try {
    for await (const batch of batchesOf(rows)) {
      await writing;
      if (decided !== null && sharesDeals(decided, batch)) {
        await writeBatch(trx, decided, tally);
        decided = null;
      }
      // Sent ahead of what the last batch writes: while the server writes it this batch is decided and the next one read.
      const deciding = decideBatch(trx, caller.workspaceId, owners, batch);
      if (decided !== null) writing = writeBatch(trx, decided, tally);
      // Its failure is heard by the await above, though perhaps not before the next batch has been read.
      writing.catch(() => undefined);
      decided = await deciding;
    }
  } finally {
    // A file that breaks off must not end the transaction under a batch that is still being written.
    await Promise.allSettled([writing]);
  }
  await writing;
  if (decided !== null) await writeBatch(trx, decided, tally);
  const { touched, rejected, ...counts } = tally;
  const jobId = await requestAll(trx, caller, touched, counts.accepted);
  wake([...touched.keys()]);
  return { ...counts, rejected, jobId };
}

async function* batchesOf(parts: AsyncIterable<readonly ImportRow[]>): AsyncGenerator<ImportRow[]> {
  let batch: ImportRow[] = [];
  for await (const part of parts) {
    for (const row of part) {
      if (row.row > mostRows)
        throw invalid({ path: '', message: `holds more than ${mostRows} rows; send it in parts` });
      batch.push(row);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}

interface DecidedBatch {
  readonly rows: readonly ImportRow[];
  readonly deals: DecidedDeals;
}

async function decideBatch(
  trx: Work,
  workspaceId: string,
  owners: DealOwners,
  rows: readonly ImportRow[],
): Promise<DecidedBatch> {
  const deals = rows.flatMap((row) => ('deal' in row ? [row.deal] : []));
  return { rows, deals: await decideDeals(trx, workspaceId, deals, owners) };
}

/** Whether the second has deals of the first, with which they can only be compared when those are written. */
function sharesDeals({ deals }: DecidedBatch, rows: readonly ImportRow[]): boolean {
  const dealIds = new Set(deals.settled.map((one) => one.dealId));
  return rows.some((row) => 'deal' in row && dealIds.has(row.deal.dealId));
}

async function writeBatch(trx: Work, { rows, deals }: DecidedBatch, tally: Tally): Promise<void> {
  const { outcomes, changes } = await writeDeals(trx, deals);
  await failpoint('import.afterBatch');
  merge(tally.touched, await touchedReps(trx, deals.workspaceId, changes));
  let position = 0;
  for (const row of rows) {
    const outcome = 'deal' in row ? outcomes[position++] : null;
    if (outcome === 'unchanged' || outcome === 'stale') tally[outcome] += 1;
    else if (outcome === 'created' || outcome === 'changed') tally.accepted += 1;
    else if (tally.rejected.length < mostRejectionsTold) {
      tally.rejected.push({ row: row.row, reason: 'reason' in row ? row.reason : 'repId: there is no such rep' });
    }
  }
}

async function requestAll(
  trx: Work,
  { workspaceId, actor }: Caller,
  touched: TouchedReps,
  deals: number,
): Promise<string> {
  const scopeKey = `import:${newId()}`;
  const { jobId } = await createJob(trx, workspaceId, {
    kind: 'import',
    scope: { scope: 'workspace' },
    scopeKey,
    actor,
    total: touched.size,
    deals,
  });
  await requestCalculation(
    trx,
    workspaceId,
    [...touched].map(([repId, days]) => ({ repId, days, trigger: 'import', jobId })),
  );
  if (touched.size === 0) await settleJob(trx, workspaceId, jobId);
  return jobId;
}
