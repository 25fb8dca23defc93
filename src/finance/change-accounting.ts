import { type Accounting } from '../access/workspaces/workspace.js';
import { type AccountingTerms } from '../access/workspaces/workspace-tables.js';
import { type Caller } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { Failure, invalid } from '../kernel/failure.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { loadBookCalendar } from './book-calendar.js';
import { insertClosing, markReopened } from './closing-store.js';
import { listClosed } from './closing-views.js';
import { saveEntity } from './entity-store.js';
import { hashLines } from './journal-line.js';
import { loadLabels } from './labels.js';
import { loadOpening } from './load-books.js';
import { isFiscal, type Month, previousMonth } from './month.js';
import { findAccounting, findEntity, listEntities, mainEntity } from './settings-views.js';

/** Turns accounting on or off, or changes its terms. Turning it on stores the balances before the first month. */
export async function changeAccounting(
  tx: Transaction,
  caller: Caller,
  requested: Accounting,
  { today, at }: { readonly today: Day; readonly at: Date },
): Promise<void> {
  const present = await findAccounting(tx);
  if (!requested.enabled) return turnOff(tx, caller, present, at);
  const from = requested.from ?? present?.from;
  if (from === undefined) throw invalid({ path: 'accounting.from', message: 'is required to turn accounting on' });
  if (isFiscal(from)) (await loadCalendar(tx)).range(from, 'accounting.from');
  const secondPerson = requested.secondPerson ?? present?.secondPerson ?? true;
  await saveAccounting(tx, { from, secondPerson });
  if (present?.from === from) return;
  await removeOpening(tx, caller, at);
  await createEntity(tx, at);
  await storeOpening(tx, caller, { from, today, at });
}

/** The first pay period decides which rows the books have, so they begin again when it changes. */
export async function beginBooksAgain(
  tx: Transaction,
  caller: Caller,
  now: { readonly today: Day; readonly at: Date },
): Promise<void> {
  const present = await findAccounting(tx);
  if (present === null) return;
  const { from } = present;
  await removeOpening(tx, caller, now.at);
  const { from: firstDay } = (await loadBookCalendar(tx, from)).range(from);
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods !== null && payPeriods.firstDay > firstDay)
    throw invalid({ path: 'payouts.from', message: `must be ${firstDay} at the latest, the first day of the books` });
  await storeOpening(tx, caller, { from, ...now });
}

async function turnOff(tx: Transaction, caller: Caller, present: AccountingTerms | null, at: Date): Promise<void> {
  if (present === null) return;
  await removeOpening(tx, caller, at);
  await saveAccounting(tx, null);
}

/** The books begin again only while no month is closed. */
async function removeOpening(tx: Transaction, caller: Caller, at: Date): Promise<void> {
  for (const { month, version, isOpening } of await listClosed(tx)) {
    if (!isOpening)
      throw new Failure('month_closed', `${month} is closed, so its books stay. Reopen it first.`, { month });
    await markReopened(tx, caller, { month, version, at });
  }
}

async function createEntity(tx: Transaction, at: Date): Promise<void> {
  if ((await findEntity(tx, mainEntity)) !== null) return;
  const { name, currency } = await tx.db
    .selectFrom('workspaces')
    .select(['name', 'currency'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  await saveEntity(tx, { code: mainEntity, name, currency, framework: 'us_gaap', payrollTax: [], accounts: {} }, at);
}

async function storeOpening(
  tx: Transaction,
  caller: Caller,
  { from, today, at }: { readonly from: Month; readonly today: Day; readonly at: Date },
): Promise<void> {
  const month = previousMonth(from);
  const lines = await loadOpening(tx, from, today);
  await insertClosing(tx, caller, {
    month,
    isOpening: true,
    hash: await hashLines(null, month, lines),
    content: {
      states: [],
      warnings: [],
      labels: await loadLabels(tx, await listEntities(tx), lines),
      future: {},
      onePerson: true,
    },
    preparedBy: caller.actor,
    at,
    lines,
    treatments: [],
  });
}

async function saveAccounting(tx: Transaction, terms: AccountingTerms | null): Promise<void> {
  await tx.db
    .updateTable('workspaces')
    .set({ accounting: terms === null ? null : JSON.stringify(terms) })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}
