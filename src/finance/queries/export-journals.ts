import { z } from 'zod';
import { fileHash } from '../../exports/payroll-csv.js';
import { Failure } from '../../kernel/failure.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { asOfQuery, flag, text, wholeNumber } from '../../platform/operations/schemas.js';
import { loadClosingContent } from '../closing-views.js';
import { entityCode } from '../entity.js';
import { details, toFileLines } from '../journal-entries.js';
import { type JournalLayout, journalLayouts, writeJournals } from '../journal-layouts.js';
import { type JournalLine, linesOfMonth } from '../journal-line.js';
import { type EntityLabel, type Labels, loadLabels } from '../labels.js';
import { type MonthBooks } from '../load-books.js';
import { mainEntity, type StoredEntity } from '../settings-views.js';
import { monthParams } from './get-accounting-month.js';
import { readBooks } from './get-liability.js';

const query = z.strictObject({
  layout: z.enum(journalLayouts).default('generic').describe('Layout of the file: generic, or that of a system'),
  detail: z
    .enum(details)
    .default('line')
    .describe('line: every line; person: sums by person, kind and account; summary: sums by kind and account'),
  draft: flag.default(false).describe('true: also of a month that is open; its file may change'),
  taxRate: text(50).default('Tax Exempt').describe('Tax rate of the lines; only in the layout xero'),
  consultant: wholeNumber(1, 9_999_999)
    .default(1001)
    .describe('Number of the tax consultant; only in the layout datev'),
  client: wholeNumber(1, 99_999).default(1).describe('Number of the client; only in the layout datev'),
  entity: entityCode.default(mainEntity).describe('The entity whose journals it has, by code'),
  asOf: asOfQuery,
});

interface JournalFile {
  readonly books: MonthBooks;
  readonly lines: readonly JournalLine[];
  readonly entity: StoredEntity;
  readonly labels: Labels;
  readonly accounts: EntityLabel['accounts'];
}

async function loadFile(tx: Transaction, books: MonthBooks, isDraft: boolean): Promise<JournalFile> {
  const { closing, month } = books;
  if (closing === null && !isDraft)
    throw new Failure('month_open', `${month} is open. Close it first, or export it with draft=true.`, { month });
  const [entity] = books.entities as [StoredEntity];
  const lines = await linesOfMonth(books);
  const labels =
    closing === null ? await loadLabels(tx, books.entities, lines) : (await loadClosingContent(tx, closing)).labels;
  // Accounts that were entered after the closing count, or a month without them could not be exported.
  const accounts = { ...entity.accounts, ...labels.entities[entity.code]?.accounts };
  const own = { name: entity.name, ...labels.entities[entity.code], accounts };
  return { books, lines, entity, labels: { ...labels, entities: { [entity.code]: own } }, accounts };
}

function assertAccounts({ lines, accounts }: JournalFile, layout: JournalLayout): void {
  const used = new Set(lines.map(({ account }) => account));
  const roles = [...used].filter((role) => accounts[role] === undefined).sort();
  if (layout === 'datev' && accounts.datev_clearing === undefined) roles.push('datev_clearing');
  if (roles.length > 0)
    throw new Failure('account_missing', `These roles have no account: ${roles.join(', ')}.`, { roles });
}

export const exportJournals = operation({
  id: 'exportJournals',
  summary: 'The journals of a month as a file for an accounting system. The same month gives the same bytes',
  method: 'get',
  path: '/v1/accounting/journals/:month/export',
  access: 'admin',
  payroll: true,
  stepUp: 'always',
  params: monthParams,
  query,
  response: z.string(),
  files: ['text/csv'],
  failures: { accounting_off: 409, month_not_found: 404, month_open: 409, account_missing: 409, entity_not_found: 404 },
  example: { params: { month: '2026-02' }, query: { layout: 'netsuite', detail: 'summary' } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { month }, query: request }, caller, parts): Promise<Download> {
    const { layout, detail, draft, taxRate, consultant, client } = request;
    const file = await readBooks(caller, parts, { ...request, month, isAlone: true }, (tx, books) =>
      loadFile(tx, books, draft),
    );
    assertAccounts(file, layout);
    const { books, entity, labels, accounts } = file;
    const version = books.closing?.version ?? null;
    const days = books.calendar.range(month);
    const content = await writeJournals(layout, toFileLines(file.lines, { month, days, version, labels, detail }), {
      month,
      days,
      entity: labels.entities[entity.code]?.name ?? entity.name,
      entityCode: entity.code,
      currency: entity.currency,
      taxRate,
      datev: { consultant, client, clearing: accounts.datev_clearing?.number ?? '' },
    });
    const charset = layout === 'datev' ? 'windows-1252' : 'utf-8';
    const name = `journals-${entity.code}-${month}-${layout}${version === null ? '-draft' : ''}.csv`;
    return new Download(`text/csv; charset=${charset}`, name, content, { 'X-Content-SHA256': fileHash(content) });
  },
});
