import { expect } from 'chai';
import { type Plan } from '#web/api/queries.js';
import { noSavedColumns, type SavedColumns, withShape } from '#web/features/imports/file-shapes.js';
import { invoiceImport } from '#web/features/imports/invoices.js';
import { type ImportKey, type ImportKind, keepColumn, skipColumn } from '#web/features/imports/kind.js';
import { importKinds, isImportKey } from '#web/features/imports/kinds.js';
import { peopleImport } from '#web/features/imports/people.js';
import { matchColumns, suggestColumns } from '#web/features/imports/suggest.js';
import { readTable } from '#web/features/imports/table.js';
import { person } from './samples.js';

const context = {
  people: [person('Ana Gomez'), person('Bob')],
  plans: [{ name: 'AE' } as Plan],
  standard: {},
};

function suggested(kind: ImportKey, text: string): string[] {
  return suggestColumns(importKinds[kind], readTable(text)).map(
    ({ target, isGuess }) => `${target}${isGuess ? '?' : ''}`,
  );
}

describe('the suggested targets of columns', () => {
  for (const [title, kind, text, targets] of [
    [
      'names without regard to case, spaces and punctuation',
      'deals',
      'OPPORTUNITY ID,Close_Value,stage name,Close Date',
      ['dealId', 'dealAmount', 'dealStage', 'closeDate'],
    ],
    [
      'fields of Salesforce',
      'deals',
      'Id,Amount__c,StageName,CurrencyIsoCode',
      ['dealId', 'dealAmount', 'dealStage', 'currency'],
    ],
    ['likeness is a guess', 'deals', 'Opp ID,Deal revenue,Pipeline stage', ['dealId?', 'dealAmount?', 'dealStage?']],
    [
      'names of booking sheets',
      'deals',
      'Opp #,Booking Amt (USD),Booked by,Held on',
      ['dealId', 'dealAmount?', 'ownerId?', 'closeDate?'],
    ],
    ['exact names come before likeness', 'deals', 'Account ID,Deal ID', ['dealName?', 'dealId']],
    ['no target twice', 'deals', 'Amount,Total amount,Amount', ['dealAmount', keepColumn, keepColumn]],
    ['columns of deals without a target are kept', 'deals', 'Deal ID,Region', ['dealId', keepColumn]],
    ['columns of people without a target are left out', 'people', 'Name,Region', ['name', skipColumn]],
    ['owners who are addresses', 'deals', 'Deal ID,Owner\nD1,ana@halden.test\nD2,', ['dealId', 'ownerEmail']],
    ['owners who are names', 'deals', 'Deal ID,Owner\nD1,ana@halden.test\nD2,Ana', ['dealId', 'ownerId']],
    ['owners without a value', 'deals', 'Deal ID,Owner\nD1,', ['dealId', 'ownerId']],
    [
      'periods are columns of quotas',
      'quotas',
      'Rep,Q1 2026,Sep-26,FY2026,Note',
      ['person', 'period:2026-Q1', 'period:2026-09', 'period:2026', skipColumn],
    ],
    ['other names with a year are no periods', 'quotas', 'Rep,Marketing 2026', ['person', skipColumn]],
    [
      'a file of people',
      'people',
      'Full name,E-mail,Reports to,Employee ID',
      ['name', 'email', 'manager', 'payrollId'],
    ],
    [
      'a file of assignments',
      'assignments',
      'Rep,Plan name,Start,End',
      ['person', 'plan', 'effectiveStart', 'effectiveEnd'],
    ],
    ['no names at all', 'deals', ',,\nD1,5,6', [keepColumn, keepColumn, keepColumn]],
    ['an empty file', 'deals', '', []],
  ] as const)
    it(`${title}`, () => {
      expect(suggested(kind, text)).to.deep.equal(targets);
    });

  it('match the example of each kind of import completely', () => {
    for (const { key, example } of Object.values(importKinds)) {
      const text = example.map((row) => row.map((cell) => `"${cell}"`).join(',')).join('\n');
      expect(suggested(key, text).filter((target) => target === keepColumn || target === skipColumn)).to.deep.equal([]);
    }
  });

  it('have each target once', () => {
    for (const { key, targets } of Object.values(importKinds)) {
      const names = targets.flatMap((target) => [target.key, ...target.names]).join(',');
      const used = suggested(key, names).filter(
        (target) => !target.startsWith(keepColumn) && !target.startsWith(skipColumn),
      );
      expect(new Set(used).size).to.equal(used.length);
    }
  });

  it('are those of the kinds in the address', () => {
    expect(isImportKey('people')).to.equal(true);
    for (const value of ['toString', 'constructor', '', undefined, 5]) expect(isImportKey(value)).to.equal(false);
  });
});

describe('the targets of the columns of a file', () => {
  it('are those of earlier files, and suggestions for new columns whose target no other column has', () => {
    const table = readTable('Ref,Booked,Close Date,Amount\n1,2,2026-01-01,3\n');
    const byName = new Map([
      ['ref', 'dealId'],
      ['booked', 'dealAmount'],
    ]);
    expect(
      matchColumns(importKinds.deals, table, { byName, shapes: [] }, context).map(({ target }) => target),
    ).to.deep.equal(['dealId', 'dealAmount', 'closeDate', keepColumn]);
  });

  const byShape = (header: string, shapes: SavedColumns['shapes'], byName: Record<string, string> = {}) =>
    matchColumns(
      importKinds.deals,
      readTable(`${header}\n`),
      { byName: new Map(Object.entries(byName)), shapes },
      context,
    ).map(({ target }) => target);

  it('are those of the last file of the same shape, in any order and with one column more or less', () => {
    const bookings = withShape([], ['Ref', 'Value', 'Won', 'By'], ['dealId', 'dealAmount', 'closeDate', 'ownerId']);
    const shapes = withShape(bookings, ['Ref', 'Value', 'Note'], ['dealId', keepColumn, skipColumn]);
    expect(byShape('By,Ref,Won,Value', shapes)).to.deep.equal(['ownerId', 'dealId', 'closeDate', 'dealAmount']);
    expect(byShape('Ref,Value,Note', shapes)).to.deep.equal(['dealId', keepColumn, skipColumn]);
    expect(byShape('Ref,Value,Won,By,Region', shapes)).to.deep.equal([
      'dealId',
      'dealAmount',
      'closeDate',
      'ownerId',
      keepColumn,
    ]);
    expect(byShape('Ref,Value,Won', shapes, { value: keepColumn })).to.deep.equal([
      'dealId',
      'dealAmount',
      'closeDate',
    ]);
    expect(byShape('Ref,Region,Team,Size', shapes)).to.deep.equal([keepColumn, keepColumn, keepColumn, keepColumn]);
  });

  it('are used once where a file has a name twice', () => {
    const shapes = withShape([], ['Ref', 'Value', 'Value'], ['dealId', 'dealAmount', keepColumn]);
    expect(byShape('Ref,Value,Value', shapes)).to.deep.equal(['dealId', 'dealAmount', keepColumn]);
    expect(byShape('Ref,Value,Value', [], { value: 'dealAmount' })).to.deep.equal([
      keepColumn,
      'dealAmount',
      keepColumn,
    ]);
  });

  const byValues = (kind: ImportKey, text: string) =>
    matchColumns(importKinds[kind], readTable(text), noSavedColumns, context).map(
      ({ target, isGuess }) => `${target}${isGuess ? '?' : ''}`,
    );

  it('are guessed from values where the names say nothing', () => {
    const rows = [
      'X-1,18000.00,Ana Gomez,2026-01-05,2026-03-01,0.2',
      'X-2,250.50,bob@halden.test,2026-02-01,2026-02-09,0.1',
    ];
    expect(byValues('deals', ['A,B,C,D,E,F', ...rows].join('\n'))).to.deep.equal([
      'dealId?',
      'dealAmount?',
      'ownerId?',
      keepColumn,
      'closeDate?',
      keepColumn,
    ]);
    const addresses = 'A,B\n1001,ana-gomez@halden.test\n1002,bob@halden.test\n';
    expect(byValues('deals', addresses)).to.deep.equal(['dealId?', 'ownerEmail?']);
    expect(byValues('quotas', 'A,B,C,D\nAna Gomez,Q1 2026,"$280,000",AE\nBob,Q2 2026,"90,000",AE\n')).to.deep.equal([
      'person?',
      'period?',
      'target?',
      'plan?',
    ]);
    expect(byValues('people', 'A,B\nAna,ana@x.io\nBob,bob@x.io\n')).to.deep.equal([skipColumn, 'email?']);
  });

  it('are not guessed where the values are of no kind, or a name says otherwise', () => {
    expect(byValues('deals', 'A,B\nred,5\nred,7\n')).to.deep.equal([keepColumn, keepColumn]);
    expect(byValues('deals', 'Deal ID,Code,Amount,Cost\nD1,X1,5,900\nD2,X2,7,800\n')).to.deep.equal([
      'dealId',
      keepColumn,
      'dealAmount',
      keepColumn,
    ]);
    expect(byValues('deals', 'A\n')).to.deep.equal([keepColumn]);
  });
});

describe('German columns', () => {
  const targetsOf = (kind: ImportKind, text: string) =>
    matchColumns(kind, readTable(text), noSavedColumns, { people: [], plans: [], standard: {} }).map(
      ({ target }) => target,
    );

  it('of people are found by their names, and a date with another name is not guessed', () => {
    const text =
      'Name;Vorgesetzte/r;Abteilung;Standort;Eintrittsdatum;Probezeit bis\nAna;Bo;Sales;Berlin;01.02.2024;01.08.2024\n';
    expect(targetsOf(peopleImport, text)).to.deep.equal([
      'name',
      'manager',
      'team',
      'location',
      'hireDate',
      skipColumn,
    ]);
  });

  it('of invoices are found by their names, and an amount with another name is not guessed', () => {
    const text =
      'Deal;Belegnr;Netto;Gezahlt;Zahldatum;Skonto\nD-1;R-1;1.000,00;500,00;01.02.2026;120,00\nD-2;R-2;1.000,00;500,00;01.02.2026;120,00\n';
    expect(targetsOf(invoiceImport, text)).to.deep.equal([
      'dealId',
      'invoiceId',
      'amount',
      'paidAmount',
      'paidOn',
      skipColumn,
    ]);
  });
});
