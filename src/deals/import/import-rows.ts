import { type DealLine } from '../../engine/deal-line.js';
import { type Caller } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { requestAsJob } from '../../ledger/requests/request-as-job.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type CellProblem } from '../../platform/files/cells.js';
import { type AffectedReps, affectedReps, merge } from '../affected-reps.js';
import { type CorrectionConflict } from '../apply-corrections.js';
import { affectedOfAll } from '../change-deal-facts.js';
import { type DealContent, type DealTerms, mergedContent, readContent } from '../deal.js';
import { DealOwners } from '../deal-owners.js';
import { type IncomingDeal } from '../incoming-deal.js';
import { OpportunityIds } from '../opportunity-ids.js';
import { type Completion, type DecidedDeals, decideDeals, type Outcome, writeDeals } from '../record-deals.js';
import { ControlTotals } from './control-totals.js';
import { type ImportPace } from './import-pace.js';
import { type ImportedDeal, type ImportRow, withDealId } from './import-row.js';
import { changeLinesInParts } from './lines-in-parts.js';
import { type ImportOwners, OwnerFindings } from './owner-findings.js';
import { RepeatedIds } from './repeated-ids.js';

const maxRows = 100_000;
const maxRejections = 1000;
const batchSize = 2000;

type ImportMode = 'merge' | 'replace';

interface RejectedRow extends CellProblem {
  readonly row: number;
}

/** One of the first rows as it would be stored. */
interface PreviewRow {
  readonly row: number;
  readonly dealId: string | null;
  readonly outcome: Exclude<Outcome, 'unknown_rep'> | 'rejected';
  readonly reason: string | null;
  readonly name: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly stage: string | null;
  readonly closeDate: string | null;
  readonly repId: string | null;
}

export type ImportResult = Readonly<Omit<Tally, 'owners' | 'lines'>> & ImportOwners;

interface Tally {
  accepted: number;
  created: number;
  changed: number;
  unchanged: number;
  stale: number;
  readonly rejected: RejectedRow[];
  readonly preview: PreviewRow[];
  readonly affected: AffectedReps;
  readonly owners: OwnerFindings;
  /** Of all rows that were not rejected and have no sum of a report. */
  readonly totals: ControlTotals;
  rowsWithoutCloseDate: number;
  rowsWithCloseDate: number;
  /** Rows without owner and close date with the sum of the rows above. */
  readonly totalRows: number[];
  /** Rows with a short id of an Opportunity that cannot be completed. */
  rowsWithShortId: number;
  /** Corrected values that the rows state otherwise. */
  readonly conflicts: CorrectionConflict[];
  /** The products that rows state, by the id of the deal. */
  readonly lines: Map<string, StatedLines>;
}

interface StatedLines {
  readonly lines: readonly DealLine[];
  /** Whether the row is counted as one that changes nothing. */
  readonly isUnchanged: boolean;
}

const maxPreviewRows = 20;

/** Stores the rows in batches. Nothing is calculated until {@link requestImported} requests it. */
export async function importRows(
  tx: Transaction,
  rows: AsyncIterable<readonly ImportRow[]>,
  {
    mode,
    terms,
    pace,
    corrections,
    caller,
  }: {
    readonly mode: ImportMode;
    readonly terms: DealTerms;
    readonly pace: ImportPace;
    readonly corrections?: IncomingDeal['corrections'];
    readonly caller: Caller;
  },
): Promise<ImportResult> {
  const tally: Tally = {
    accepted: 0,
    created: 0,
    changed: 0,
    unchanged: 0,
    stale: 0,
    rejected: [],
    preview: [],
    affected: new Map(),
    owners: new OwnerFindings(),
    totals: new ControlTotals(),
    rowsWithoutCloseDate: 0,
    rowsWithCloseDate: 0,
    totalRows: [],
    rowsWithShortId: 0,
    conflicts: [],
    lines: new Map(),
  };
  const owners = new DealOwners(tx);
  const opportunityIds = new OpportunityIds(tx);
  let decided: DecidedBatch | null = null;
  let writing = Promise.resolve();
  const completion: Completion | null =
    mode === 'replace'
      ? null
      : {
          complete: (deals, stored) => completed(deals, stored, terms),
          // A statement inside the savepoint of a failed insert would fail too.
          beforeNextRead: () => writing,
        };
  try {
    for await (const read of readBatches(rows, pace)) {
      await writing;
      const batch = await completeIds(read, opportunityIds, tally);
      if (decided !== null && sharesDeals(decided, batch)) {
        await writeBatch(tx, decided, tally);
        decided = null;
      }
      // Sent before the last batch is written: this batch is decided and the next one read while the server writes.
      const deciding = decideBatch(tx, batch, { owners, completion, corrections });
      if (decided !== null) writing = writeBatch(tx, decided, tally);
      // An await reports the failure, that of writing possibly after the next batch has been read; this prevents an
      // unhandled rejection.
      deciding.catch(() => undefined);
      writing.catch(() => undefined);
      decided = await deciding;
    }
  } finally {
    // An aborted upload must not end the transaction while a batch is being written.
    await writing.catch(() => undefined);
  }
  await writing;
  if (decided !== null) await writeBatch(tx, decided, tally);
  await writeLines(tx, caller, tally, pace);
  const { owners: findings, lines: _, ...counts } = tally;
  return { ...counts, ...findings.summary() };
}

/** Requests the calculation of every affected rep, as a job with progress. */
export async function requestImported(
  tx: Transaction,
  recalculate: Recalculate,
  caller: Caller,
  { affected, accepted }: Pick<ImportResult, 'affected' | 'accepted'>,
): Promise<string> {
  const requests = [...affected].map(([repId, days]) => ({ repId, days }));
  return requestAsJob(tx, recalculate, caller, { trigger: 'import', requests, deals: accepted });
}

/**
 * Completes the deals with stored values that are not in the file; a deal that occurs twice builds on its first row.
 */
function completed(
  deals: readonly IncomingDeal[],
  stored: ReadonlyMap<string, DealContent>,
  terms: DealTerms,
): readonly IncomingDeal[] {
  const counts = new Map<string, number>();
  for (const { dealId } of deals) counts.set(dealId, (counts.get(dealId) ?? 0) + 1);
  if (stored.size === 0 && counts.size === deals.length) return deals;
  const contents = new Map(stored);
  return (deals as readonly ImportedDeal[]).map((deal) => {
    const stored = contents.get(deal.dealId);
    const content = stored === undefined ? deal.sent : mergedContent(stored, deal.sent, terms);
    if (counts.get(deal.dealId) !== 1) contents.set(deal.dealId, content);
    return stored === undefined ? deal : { ...deal, ...readContent(content, terms) };
  });
}

async function* readBatches(parts: AsyncIterable<readonly ImportRow[]>, pace: ImportPace): AsyncGenerator<ImportRow[]> {
  let batch: ImportRow[] = [];
  const repeatedIds = new RepeatedIds();
  for await (const part of parts) {
    for (const row of part) {
      if (row.row > maxRows) throw invalid({ path: '', message: `holds more than ${maxRows} rows; send it in parts` });
      batch.push(repeatedIds.check(row));
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    await pace.pause();
  }
  if (batch.length > 0) yield batch;
}

async function completeIds(
  rows: readonly ImportRow[],
  opportunityIds: OpportunityIds,
  tally: Tally,
): Promise<readonly ImportRow[]> {
  const ids = rows.flatMap((row) => ('deal' in row ? [row.deal.dealId] : []));
  const { completed, unknown } = await opportunityIds.complete(ids);
  tally.rowsWithShortId += ids.filter((id) => unknown.has(id)).length;
  if (completed.size === 0) return rows;
  return rows.map((row) => withDealId(row, completed.get(row.dealId ?? '') ?? row.dealId ?? ''));
}

interface DecidedBatch {
  readonly rows: readonly ImportRow[];
  /** The valid rows as deals to store. */
  readonly incoming: readonly IncomingDeal[];
  readonly owners: DealOwners;
  readonly deals: DecidedDeals;
}

interface Deciding {
  readonly owners: DealOwners;
  readonly completion: Completion | null;
  readonly corrections: IncomingDeal['corrections'];
}

async function decideBatch(
  tx: Transaction,
  rows: readonly ImportRow[],
  { owners, completion, corrections }: Deciding,
): Promise<DecidedBatch> {
  const marks = corrections === undefined ? {} : { corrections };
  const toSent = (deal: ImportedDeal) => ({ ...deal, ...marks, ...(completion === null ? {} : { stated: deal.sent }) });
  const sent = rows.flatMap((row) => ('deal' in row ? [toSent(row.deal)] : []));
  const { incoming, ...deals } = await decideDeals(tx, sent, owners, completion);
  return { rows, incoming, owners, deals };
}

/** Whether both have deals in common; then the second can be decided only after the first is written. */
function sharesDeals({ deals }: DecidedBatch, rows: readonly ImportRow[]): boolean {
  const dealIds = new Set(deals.decisions.map((decision) => decision.dealId));
  return rows.some((row) => 'deal' in row && dealIds.has(row.deal.dealId));
}

async function writeBatch(tx: Transaction, batch: DecidedBatch, tally: Tally): Promise<void> {
  const { rows, deals, incoming, owners } = batch;
  const { outcomes, changes, conflicts } = await writeDeals(tx, deals);
  tally.conflicts.push(...conflicts);
  await failpoint('import.afterBatch');
  merge(tally.affected, await affectedReps(tx, changes));
  for (const change of changes) tally.owners.addChange(change);
  let position = 0;
  for (const row of rows) {
    const isDeal = 'deal' in row;
    const deal = isDeal ? incoming[position] : undefined;
    const outcome = isDeal ? (outcomes[position] ?? null) : null;
    if (isDeal) position += 1;
    if (deal !== undefined && outcome !== 'unknown_rep') addFindings(tally, row.row, deal, owners);
    if (tally.preview.length < maxPreviewRows) tally.preview.push(toPreview(row, deal, outcome, owners));
    countRow(tally, row, outcome);
    addLines(tally, row, outcome);
  }
}

function addLines({ lines }: Tally, row: ImportRow, outcome: Outcome | null): void {
  const { dealId, dealLines } = 'deal' in row ? row.deal : {};
  if (
    dealId === undefined ||
    dealLines === undefined ||
    outcome === null ||
    outcome === 'stale' ||
    outcome === 'unknown_rep'
  )
    return;
  lines.set(dealId, { lines: dealLines, isUnchanged: outcome === 'unchanged' });
}

/** Replaces the products that rows state, after all deals are stored. A row with other products changes its deal. */
async function writeLines(tx: Transaction, caller: Caller, tally: Tally, pace: ImportPace): Promise<void> {
  if (tally.lines.size === 0) return;
  const deals = new Map([...tally.lines].map(([dealId, { lines }]) => [dealId, lines]));
  const changed = await changeLinesInParts(tx, caller, deals, pace);
  merge(tally.affected, affectedOfAll(changed));
  const others = new Set([...changed.changed].filter((dealId) => tally.lines.get(dealId)?.isUnchanged === true));
  tally.unchanged -= others.size;
  tally.changed += others.size;
  tally.accepted += others.size;
  for (const [index, row] of tally.preview.entries())
    if (row.outcome === 'unchanged' && others.has(row.dealId ?? ''))
      tally.preview[index] = { ...row, outcome: 'changed' };
}

function addFindings(tally: Tally, row: number, { projection }: IncomingDeal, owners: DealOwners): void {
  const { ownerId, ownerEmail, givenRepId, closeDate } = projection;
  const isUnowned = ownerId === null && ownerEmail === null && givenRepId === null;
  const isTotal = isUnowned && closeDate === null && tally.rowsWithCloseDate > 0 && tally.totals.isTotal(projection);
  if (isTotal) tally.totalRows.push(row);
  else tally.totals.add(projection);
  tally.owners.addRow(projection, owners);
  if (closeDate === null) tally.rowsWithoutCloseDate += 1;
  else tally.rowsWithCloseDate += 1;
}

function countRow(tally: Tally, row: ImportRow, outcome: Outcome | null): void {
  if (outcome !== null && outcome !== 'unknown_rep') {
    tally[outcome] += 1;
    if (outcome === 'created' || outcome === 'changed') tally.accepted += 1;
  } else if (tally.rejected.length < maxRejections) {
    const { reason, code } = toProblem(row);
    tally.rejected.push({ row: row.row, reason, ...(code === undefined ? {} : { code }) });
  }
}

/** The problem of a rejected row. A valid row is rejected only if there is no such rep. */
function toProblem(row: ImportRow): CellProblem {
  return 'deal' in row ? { reason: `${row.deal.repIdName}: there is no such rep` } : row;
}

function toPreview(
  row: ImportRow,
  deal: IncomingDeal | undefined,
  outcome: Outcome | null,
  owners: DealOwners,
): PreviewRow {
  const isRejected = deal === undefined || outcome === null || outcome === 'unknown_rep';
  const { name = null, amount = null, currency = null, stage = null, closeDate = null } = deal?.projection ?? {};
  return {
    row: row.row,
    dealId: row.dealId ?? null,
    outcome: isRejected ? 'rejected' : outcome,
    reason: isRejected ? toProblem(row).reason : null,
    name,
    amount: amount === null ? null : Number(amount),
    currency,
    stage,
    closeDate,
    repId: deal === undefined ? null : (owners.resolve(deal.projection) ?? null),
  };
}
