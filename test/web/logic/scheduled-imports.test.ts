import { expect } from 'chai';
import { type ScheduledFile, type ScheduledImport } from '#web/api/scheduled-import-queries.js';
import { noSavedColumns } from '#web/features/imports/file-shapes.js';
import { keepColumn, keepTextColumn, skipColumn, targetChoices } from '#web/features/imports/kind.js';
import {
  columnTargets,
  describeColumns,
  firstTargets,
  type ScheduledContext,
  toMatching,
} from '#web/features/imports/scheduled.js';

const context: ScheduledContext = {
  people: [],
  plans: [],
  standard: { dealAmount: 'acv' },
  dealFields: [{ slug: 'region', label: 'Region', type: 'text' }],
  personFields: [{ slug: 'grade', label: 'Grade of pay', type: 'text' }] as unknown as ScheduledContext['personFields'],
};
const fileOf = (header: readonly string[]) => ({ sample: { header, rows: [], count: 1 } }) as unknown as ScheduledFile;
const importOf = (subject: ScheduledImport['subject'], options: ScheduledImport['options'] = {}) => ({
  subject,
  options,
});

/** What is displayed for the options that are stored for these targets. */
function stored(subject: ScheduledImport['subject'], header: readonly string[], targets: readonly string[]) {
  const { problems, ...matching } = toMatching(importOf(subject), fileOf(header), targets, context);
  expect(problems).to.deep.equal([]);
  const options = matching as ScheduledImport['options'];
  return {
    options,
    targets: firstTargets(importOf(subject, options), fileOf(header), context, noSavedColumns),
    words: describeColumns(importOf(subject, options), fileOf(header), context),
  };
}

describe('the columns of a scheduled import', () => {
  const header = ['Nr', 'Wert', 'Gebiet', 'Art', 'Artikel', 'Note', 'Rest'];
  const targets = ['dealId', 'dealAmount', 'field:region', 'new:Type', keepTextColumn, keepColumn, skipColumn];

  it('of deals go to standard values, to fields, to new fields, stay under their names, or are left out', () => {
    expect(stored('deals', header, targets)).to.deep.equal({
      options: {
        columns: {
          Nr: 'deal_id',
          Wert: 'acv',
          Gebiet: 'region',
          Art: 'Type',
          Artikel: 'Artikel',
          Note: 'Note',
          Rest: null,
        },
        idColumn: 'deal_id',
        textColumns: 'Artikel',
      },
      targets,
      words:
        'Nr is Deal ID; Wert is Amount; Gebiet is Region; Art is Type; Artikel is kept; Note is kept; not imported: Rest',
    });
  });

  it('of people go to the fields of people too, which their names find', () => {
    const people = ['Mail', 'grade of pay', 'Team'];
    expect(firstTargets(importOf('people'), fileOf(people), context, noSavedColumns)).to.deep.equal([
      skipColumn,
      'grade',
      'team',
    ]);
    const { options, targets: read } = stored('people', people, ['email', 'grade', 'team']);
    expect(options.columns).to.deep.equal({ Mail: 'email', 'grade of pay': 'grade', Team: 'team' });
    expect(read).to.deep.equal(['email', 'grade', 'team']);
  });

  it('that are stored are offered, whatever the subject', () => {
    for (const [subject, header, targets] of [
      ['quotas', ['A', 'B', 'C'], ['email', 'period', 'target']],
      ['invoices', ['A', 'B', 'C', 'D'], ['dealId', 'invoiceId', 'amount', 'issuedOn']],
    ] as const) {
      expect(stored(subject, header, targets).targets).to.deep.equal(targets);
      const offered = targetChoices(columnTargets(subject, context)).map(([key]) => key);
      expect(offered).to.include.members([...targets]);
    }
  });

  it('that the options do not name are read under their own names', () => {
    const read = firstTargets(importOf('deals', { columns: {} }), fileOf(['acv', 'X']), context, noSavedColumns);
    expect(read).to.deep.equal(['dealAmount', keepColumn]);
  });
});
