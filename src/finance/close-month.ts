import { recordAuditEntry } from '../audit/audit-entry.js';
import { type Caller, peopleBehind } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { recordEvent } from '../platform/outbound/outgoing-events.js';
import { type ComputeBooks } from './before-lock.js';
import { assertBookMonth, assertOpenMonth, type BookMonths, loadBookMonths } from './book-months.js';
import { type BookFindings, type Checklist, findInBooks, loadChecklist } from './checklist.js';
import { type Closing } from './closing.js';
import { insertClosing, markPosted, markReopened, requestReopening } from './closing-store.js';
import { hashLines, type JournalLine } from './journal-line.js';
import { loadLabels } from './labels.js';
import { loadBooks, type MonthBooks, toStoredStates } from './load-books.js';
import { toStoredFuture } from './lots-of-rep.js';
import { type Month, previousMonth } from './month.js';
import { deletePreparation, findPreparations, type Preparation, savePreparation, totalLines } from './preparation.js';
import { requireAccounting } from './settings-views.js';

/** The books of an open month as they would be closed now. */
export interface OpenMonth {
  readonly months: BookMonths;
  readonly books: MonthBooks;
  readonly checklist: Checklist;
  readonly lines: readonly JournalLine[];
}

interface Now {
  readonly today: Day;
  readonly at: Date;
}

export async function loadOpenMonth(tx: Transaction, month: Month, today: Day): Promise<OpenMonth> {
  const months = await requireOpen(tx, month, today);
  const books = await loadBooks(tx, { month, repIds: null, entity: null, today });
  const lines = books.lines.filter((line) => line.month === month);
  return { months, books, checklist: await loadChecklist(tx, months, month, findInBooks(books), today), lines };
}

export async function requireOpen(tx: Transaction, month: Month, today: Day): Promise<BookMonths> {
  const months = await loadBookMonths(tx, today);
  assertBookMonth(months, month);
  assertOpenMonth(months, month, `${month} is closed.`);
  return months;
}

/** The hash with which the month would be closed with these lines. */
export function hashOf({
  months,
  month,
  lines,
}: Pick<OpenMonth, 'months' | 'lines'> & { readonly month: Month }): Promise<string> {
  const before = months.closed.find((closing) => closing.month === previousMonth(month));
  return hashLines(before?.hash ?? null, month, lines);
}

export async function prepareMonth(tx: Transaction, caller: Caller, month: Month, now: Now): Promise<Checklist> {
  const { months, lines, checklist } = await loadOpenMonth(tx, month, now.today);
  assertNothingBlocks(month, checklist);
  const hash = await hashOf({ months, month, lines });
  await store(tx, caller, { month, hash, totals: totalLines(lines), at: now.at });
  return checklist;
}

/** Prepares the month with books that were computed before. Another person can only close it if they are still the same. */
export async function prepareComputed(
  tx: Transaction,
  caller: Caller,
  {
    month,
    hash,
    totals,
    findings,
  }: Pick<Preparation, 'month' | 'hash' | 'totals'> & { readonly findings: BookFindings },
  now: Now,
): Promise<Checklist> {
  const checklist = await assertMayPrepare(tx, month, findings, now.today);
  await store(tx, caller, { month, hash, totals, at: now.at });
  return checklist;
}

/** Throws if the month is closed, or if anything stops its closing, as far as the findings in its books are known. */
export async function assertMayPrepare(
  tx: Transaction,
  month: Month,
  findings: BookFindings,
  today: Day,
): Promise<Checklist> {
  const months = await requireOpen(tx, month, today);
  const checklist = await loadChecklist(tx, months, month, findings, today);
  assertNothingBlocks(month, checklist);
  return checklist;
}

async function store(
  tx: Transaction,
  caller: Caller,
  prepared: Pick<Preparation, 'month' | 'hash' | 'totals'> & { readonly at: Date },
): Promise<void> {
  const { month, hash, at } = prepared;
  await savePreparation(tx, caller, prepared);
  await recordEvent(tx, { type: 'accounting.month_prepared', doneBy: peopleBehind(caller), data: { month, hash } });
  await record(tx, caller, 'accounting_month_prepared', month, { hash }, at);
}

/** The books of the open month, and the hash with which it would be closed. */
export interface ClosableBooks {
  readonly books: MonthBooks;
  readonly lines: readonly JournalLine[];
  readonly hash: string;
}

/** The books with which the caller would close the month. Throws before they are computed if it is not theirs to close. */
export async function loadClosable(tx: Transaction, caller: Caller, month: Month, today: Day): Promise<ClosableBooks> {
  const { months } = await requirePrepared(tx, caller, month, today);
  const books = await loadBooks(tx, { month, repIds: null, entity: null, today });
  const lines = books.lines.filter((line) => line.month === month);
  return { books, lines, hash: await hashOf({ months, month, lines }) };
}

interface PreparedMonth {
  readonly months: BookMonths;
  readonly prepared: Preparation;
  readonly isSamePerson: boolean;
}

/** Throws unless the month is open and prepared, by another person where the workspace requires one. */
async function requirePrepared(tx: Transaction, caller: Caller, month: Month, today: Day): Promise<PreparedMonth> {
  assertPerson(caller);
  const { secondPerson } = await requireAccounting(tx);
  const months = await requireOpen(tx, month, today);
  const prepared = (await findPreparations(tx)).find((each) => each.month === month);
  if (prepared === undefined)
    throw new Failure('month_not_prepared', `${month} is not prepared. Prepare it, then another person closes it.`);
  const isSamePerson = prepared.authorId !== null && peopleBehind(caller).includes(prepared.authorId);
  if (secondPerson && isSamePerson) throw ownWork('You have prepared the month. Another person closes it.');
  return { months, prepared, isSamePerson };
}

export async function closeMonth(
  tx: Transaction,
  caller: Caller,
  {
    month,
    hash,
    compute,
  }: { readonly month: Month; readonly hash: string; readonly compute: ComputeBooks<ClosableBooks> },
  now: Now,
): Promise<void> {
  const { months, prepared, isSamePerson } = await requirePrepared(tx, caller, month, now.today);
  const { books, lines, hash: current } = await compute(tx, now.today);
  const { blocking, warnings } = await loadChecklist(tx, months, month, findInBooks(books), now.today);
  assertNothingBlocks(month, { blocking });
  if (current !== prepared.hash || current !== hash) throw booksChanged(prepared, current, lines);
  const version = await insertClosing(tx, caller, {
    month,
    isOpening: false,
    hash,
    content: {
      states: books.states.map(toStoredStates),
      warnings,
      labels: await loadLabels(tx, books.entities, lines),
      future: Object.fromEntries([...books.future].map(([code, future]) => [code, toStoredFuture(future)])),
      onePerson: isSamePerson,
    },
    preparedBy: prepared.actor,
    at: now.at,
    lines,
    treatments: books.treatments,
  });
  await deletePreparation(tx, month);
  const details = { hash, version, warnings, onePerson: isSamePerson };
  await recordEvent(tx, { type: 'accounting.month_closed', data: { month, hash, version } });
  await record(tx, caller, 'accounting_month_closed', month, details, now.at);
}

/** Reopens the latest closed month: one person requests it, another one does it. */
export async function reopenMonth(
  tx: Transaction,
  caller: Caller,
  { month, reason }: { readonly month: Month; readonly reason: string },
  now: Now,
): Promise<void> {
  assertPerson(caller);
  const { secondPerson } = await requireAccounting(tx);
  const { closing, latest } = await requireClosed(tx, month, now.today);
  if (closing.postedAt !== null)
    throw new Failure(
      'journals_posted',
      `The journals of ${month} are posted. Later changes are in the first open month.`,
    );
  if (latest.month !== month)
    throw new Failure('close_in_order', `${latest.month} was closed after it. Only the latest month can be reopened.`, {
      month: latest.month,
    });
  const { version, hash } = closing;
  if (secondPerson && closing.reopenRequestedBy === null) {
    await requestReopening(tx, caller, { month, version, reason, at: now.at });
    await recordEvent(tx, {
      type: 'accounting.reopening_requested',
      doneBy: peopleBehind(caller),
      data: { month, hash, version },
    });
    return record(tx, caller, 'accounting_reopening_requested', month, { version, reason }, now.at);
  }
  if (secondPerson && peopleBehind(caller).includes(closing.reopenRequestedById ?? ''))
    throw ownWork('You have requested to reopen the month. Another person does it.');
  if (!secondPerson) await requestReopening(tx, caller, { month, version, reason, at: now.at });
  await markReopened(tx, caller, { month, version, at: now.at });
  await recordEvent(tx, { type: 'accounting.month_reopened', data: { month, hash, version } });
  await record(tx, caller, 'accounting_month_reopened', month, { version, hash, reason }, now.at);
}

/** The closing of the month that counts, and that of the latest closed month. */
async function requireClosed(
  tx: Transaction,
  month: Month,
  today: Day,
): Promise<{ readonly closing: Closing; readonly latest: Closing }> {
  const months = await loadBookMonths(tx, today);
  assertBookMonth(months, month);
  const closing = months.closed.find((each) => each.month === month);
  if (closing === undefined) throw new Failure('month_open', `${month} is open. Close it first.`, { month });
  return { closing, latest: months.closed[0] as Closing };
}

function record(
  tx: Transaction,
  caller: Caller,
  trigger: string,
  period: Month,
  details: Readonly<Record<string, unknown>>,
  at: Date,
): Promise<void> {
  return recordAuditEntry(tx, caller, { trigger, scope: 'accounting', period, details, at });
}

function assertNothingBlocks(month: Month, { blocking }: Pick<Checklist, 'blocking'>): void {
  const [first] = blocking;
  if (first === undefined) return;
  const messages = {
    close_in_order: 'A month before it is open. Months are closed in their order.',
    month_not_over: 'The month has not ended.',
    no_fiscal_period: 'Its fiscal year is not defined. Define it first.',
    calculation_pending: 'Commission of its days is being calculated. Try again in a moment.',
    unassigned_lots: 'No policy decides about a row. Approve a policy that matches it.',
    policy_proposed: 'A policy waits for its approval. Approve or withdraw it first.',
    fx_rate_missing: 'A day has no exchange rate into the currency of the company. Enter one first.',
  } as const;
  throw new Failure(first.code, messages[first.code], { month, blocking });
}

function assertPerson({ repId }: Caller): void {
  if (repId === null)
    throw new Failure('forbidden', 'Only a person who is signed in closes and reopens months; keys do not.');
}

function ownWork(message: string): Failure {
  return new Failure('second_person_required', message);
}

function booksChanged(prepared: Preparation, hash: string, lines: readonly JournalLine[]): Failure {
  const keyed = (totals: Preparation['totals']) =>
    new Map(totals.map((total) => [`${total.entity} ${total.account} ${total.currency}`, total]));
  const [before, now] = [keyed(prepared.totals), keyed(totalLines(lines))];
  const changed = [...new Map([...before, ...now])]
    .filter(([key]) => before.get(key)?.amount !== now.get(key)?.amount)
    .map(([key, { entity, account, currency }]) => ({
      entity,
      account: `${account} ${currency}`,
      before: before.get(key)?.amount ?? '0',
      now: now.get(key)?.amount ?? '0',
    }));
  return new Failure('books_changed', 'The books have changed since the month was prepared. Prepare it again.', {
    hash,
    changed,
  });
}

/** Records that the journals of the month were posted. It stays closed after that. */
export async function postJournals(
  tx: Transaction,
  caller: Caller,
  { month, reference }: { readonly month: Month; readonly reference: string },
  now: Now,
): Promise<void> {
  const { version, postedAt } = (await requireClosed(tx, month, now.today)).closing;
  if (postedAt !== null) throw new Failure('journals_posted', `The journals of ${month} are posted already.`);
  await markPosted(tx, caller, { month, version, reference, at: now.at });
  await record(tx, caller, 'accounting_journals_posted', month, { version, reference }, now.at);
}
