import { expect } from 'chai';
import fc from 'fast-check';
import { absenceImport } from '#web/features/imports/absences.js';
import { assignmentImport } from '#web/features/imports/assignments.js';
import { dealImport, dealImportWith } from '#web/features/imports/deals.js';
import { invoiceImport } from '#web/features/imports/invoices.js';
import { bare, emailFinder, type ImportContext, keepColumn, skipColumn } from '#web/features/imports/kind.js';
import { importKinds } from '#web/features/imports/kinds.js';
import { peopleImport } from '#web/features/imports/people.js';
import { quotaImport, quotaRules } from '#web/features/imports/quotas.js';
import { describeReason, rejectedRows, toOutcome } from '#web/features/imports/results.js';
import { splitImport } from '#web/features/imports/splits.js';
import { suggestColumns } from '#web/features/imports/suggest.js';
import { readTable } from '#web/features/imports/table.js';
import { person, plan, prepared, rowsOf } from './samples.js';

const ana = person('Ana Silva', { email: 'ana@halden.test' });
const zoe = person('Zoë Brandt', { email: 'zoe@halden.test' });
const people = [ana, zoe];

describe('a name in a file', () => {
  for (const [one, other] of [
    ['Zoë Brandt', 'zoe brandt'],
    ['José  García', 'JOSE GARCIA'],
    ["O'Brien, Pat", 'obrien pat'],
    ['Ｊｏ', 'jo'],
  ] as const)
    it(`is the same without case, accents, spaces and punctuation: ${one}`, () => {
      expect(bare(one)).to.equal(bare(other));
    });

  it('keeps the letters of every script', () => {
    expect(bare('王伟')).to.equal('王伟');
    expect(bare('Łukasz Groß')).to.equal('łukaszgroß');
  });

  it('finds the address of exactly one person', () => {
    const find = emailFinder([
      ana,
      zoe,
      person('Sam Lee', { email: 'a@x.test' }),
      person('sam lee', { email: 'b@x.test' }),
    ]);
    expect(find('ANA SILVA')).to.equal('ana@halden.test');
    expect(find('someone@else.test')).to.equal('someone@else.test');
    expect(find('Sam Lee')).to.equal('Sam Lee');
    expect(find('Nobody')).to.equal('Nobody');
  });
});

describe('the rows of an import', () => {
  it('have the numbers of the rows of the file', () => {
    for (const kind of Object.values(importKinds)) {
      const { rows } = prepared(
        kind,
        'Email,Deal ID,Plan,Target,2026-Q1,2026-Q2\na@x.test,D1,P,1,2,3\nb@x.test,D2,P,4,,6',
      );
      const sources = rows.map(({ source }) => source);
      expect([...new Set(sources)]).to.deep.equal([1, 2]);
      expect(sources).to.deep.equal([...sources].sort());
    }
  });

  it('have one cell for each name of the header', () => {
    const cell = fc.constantFrom('', 'Ana Silva', 'a@x.test', '5', '2026-Q1', 'x,"y"');
    const names = [
      'Email',
      'Name',
      'Manager',
      'Deal ID',
      'Plan',
      'Rule',
      'Target',
      'Q1 2026',
      'Owner',
      'Start',
      '',
      'Amount',
    ];
    const file = fc.tuple(
      fc.subarray(names, { minLength: 1 }),
      fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 4 }),
    );
    fc.assert(
      fc.property(file, ([header, rows]) => {
        const text = [header, ...rows]
          .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))
          .join('\n');
        for (const kind of Object.values(importKinds)) {
          const result = prepared(kind, text, { context: { people } });
          for (const { cells } of result.rows) expect(cells.length).to.equal(result.header.length);
        }
      }),
      { seed: 37, numRuns: 100 },
    );
  });
});

describe('a file of people', () => {
  const rows = (text: string, options = {}, context = {}) => rowsOf(prepared(peopleImport, text, { options, context }));

  it('is sent with the addresses that it has', () => {
    expect(rows('Name,E-mail,Role\nAna Silva,ana@x.test,rep')).to.deep.equal([
      { email: 'ana@x.test', name: 'Ana Silva', role: 'rep' },
    ]);
  });

  for (const [name, address] of [
    ['Ana Silva', 'ana.silva'],
    ['Zoë Brandt', 'zoe.brandt'],
    ['Jürgen Großmann', 'jurgen.grossmann'],
    ['Łukasz Nowak', 'lukasz.nowak'],
    ['Søren Ærø', 'soren.aero'],
    ['Đorđe Þór', 'dorde.thor'],
    ['Işıl Yılmaz', 'isil.yilmaz'],
    ['Pat  O’Brien', 'pat.o.brien'],
    ['van Dijk, Peter', 'van.dijk.peter'],
    ['-Ana-', 'ana'],
  ] as const)
    it(`makes the address of a name without losing letters: ${name} is ${address}`, () => {
      expect(rows(`Name\n"${name}"`, { domain: 'halden.test' })).to.deep.equal([
        { email: `${address}@halden.test`, name, crmMemberId: name },
      ]);
    });

  it('makes no address of a name without Latin letters, or without a domain', () => {
    expect(rows('Name\n王伟', { domain: 'halden.test', namesAreOwners: '' })).to.deep.equal([{ name: '王伟' }]);
    expect(rows('Name\nAna Silva', { domain: '', namesAreOwners: '' })).to.deep.equal([{ name: 'Ana Silva' }]);
  });

  it('finds managers in the file, among the people, and by their address', () => {
    const text =
      'Name,E-mail,Manager\nTom Ray,tom@x.test,Zoe Brandt\nAna Silva,ana@x.test,Tom Ray\nSam Lee,sam@x.test,boss@x.test';
    expect(rows(text, {}, { people }).map(({ managerEmail }) => managerEmail)).to.deep.equal([
      'zoe@halden.test',
      'tom@x.test',
      'boss@x.test',
    ]);
  });

  it('reads roles from titles, and activity from a status; other words stay for the dry run to reject', () => {
    const text = 'E-mail,Name,Role,Active\n';
    const read = (role: string, active: string) =>
      rows(`${text}x@x.test,X,${role},${active}`).map((row) => [row['role'], row['active']]);
    expect(read('Sales Manager', 'Active')).to.deep.equal([['manager', 'true']]);
    expect(read('Account Executive', 'Terminated')).to.deep.equal([['rep', 'false']]);
    expect(read('Admin', 'no')).to.deep.equal([['admin', 'no']]);
    expect(read('Wizard', 'perhaps')).to.deep.equal([['Wizard', 'perhaps']]);
  });

  it('makes people with reports managers, unless it or the workspace says otherwise', () => {
    const text =
      'Name,E-mail,Role,Manager\nTom Ray,tom@x.test,,\nPia Fox,pia@x.test,admin,\nSam Lee,sam@x.test,,Tom Ray\nAl Orr,al@x.test,,Pia Fox\nJo Ek,jo@x.test,,Ana Silva\nAna Silva,ana@halden.test,,';
    const roles = Object.fromEntries(rows(text, {}, { people }).map(({ email = '', role }) => [email, role]));
    expect(roles['tom@x.test']).to.equal('manager');
    expect(roles['pia@x.test']).to.equal('admin');
    expect(roles['sam@x.test']).to.equal(undefined);
    expect(roles['ana@halden.test']).to.equal(undefined);
  });

  it('compares addresses without regard to case', () => {
    const text =
      'Name,E-mail,Manager\nTom Ray,Tom@X.test,\nSam Lee,sam@x.test,tom@x.test\nAna Silva,ANA@halden.test,\nJo Ek,jo@x.test,ana@halden.test';
    const found = rows(text, { addManagers: 'yes' }, { people });
    expect(found.map(({ email, role }) => [email, role])).to.deep.equal([
      ['Tom@X.test', 'manager'],
      ['sam@x.test', undefined],
      ['ANA@halden.test', undefined],
      ['jo@x.test', undefined],
    ]);
  });

  it('adds managers who have no row of their own, once, if the person chooses that', () => {
    const text = 'Name,E-mail,Manager\nSam Lee,sam@x.test,boss@x.test\nAl Orr,al@x.test,Boss@x.test';
    expect(rows(text, { addManagers: 'yes' })[0]).to.deep.equal({
      email: 'boss@x.test',
      name: 'boss',
      role: 'manager',
    });
    expect(rows(text, { addManagers: 'yes' }).length).to.equal(3);
    expect(rows(text, { addManagers: '' }).length).to.equal(2);
  });

  it('states no start of a manager where there is no manager', () => {
    const text =
      'Name,E-mail,Manager,Manager since\nSam Lee,sam@x.test,,2026-01-01\nAl Orr,al@x.test,Sam Lee,2026-01-01';
    expect(rows(text).map(({ managerFrom }) => managerFrom)).to.deep.equal([undefined, '2026-01-01']);
  });

  for (const [title, text, options, problem] of [
    ['names and addresses', 'Region\nEMEA', {}, 'Choose the column with the names or the e-mail addresses.'],
    ['a domain', 'Name\nAna', { domain: '' }, 'Enter the domain of the e-mail addresses, such as example.com.'],
    [
      'a domain with a dot',
      'Name\nAna',
      { domain: 'halden' },
      'Enter the domain of the e-mail addresses, such as example.com.',
    ],
  ] as const)
    it(`needs ${title}`, () => {
      expect(prepared(peopleImport, text, { options }).problems).to.deep.equal([problem]);
    });

  it('needs no domain where it has addresses, and takes one with its sign', () => {
    expect(prepared(peopleImport, 'E-mail\nana@x.test').problems).to.deep.equal([]);
    expect(prepared(peopleImport, 'Name\nAna', { options: { domain: '@halden.test' } }).problems).to.deep.equal([]);
    expect(rows('Name\nAna', { domain: '@halden.test', namesAreOwners: '' })[0]?.['email']).to.equal('ana@halden.test');
  });
});

describe('a file of quotas', () => {
  const plans = [
    plan('AE plan', [{ name: 'New business' }, { name: 'Renewals' }]),
    plan('SDR plan', [{ name: 'Meetings' }, { name: 'Team', executionPhase: 'cascade' }]),
    plan('Old plan', [{ name: 'New business' }], { planStatus: 'archived' }),
  ];
  const context = { people, plans };

  it('may have a rule for every quota, but not rules of managers or of archived plans', () => {
    expect(quotaRules(plans).map(([, label]) => label)).to.deep.equal([
      'AE plan: New business',
      'AE plan: Renewals',
      'SDR plan: Meetings',
    ]);
  });

  it('has a target for each filled column of a period', () => {
    const text = 'Rep,Q1 2026,Q2 2026,Q3 2026\nAna Silva,"250,000",,(5)\nZoe Brandt, ,1.234\u00a0,';
    expect(rowsOf(prepared(quotaImport, text, { context }))).to.deep.equal([
      { email: 'ana@halden.test', planRuleId: 'new business', period: '2026-Q1', target: '250,000' },
      { email: 'ana@halden.test', planRuleId: 'new business', period: '2026-Q3', target: '(5)' },
      { email: 'zoe@halden.test', planRuleId: 'new business', period: '2026-Q2', target: '1.234' },
    ]);
  });

  it('has periods in rows as people write them, or one for the whole file', () => {
    const text = 'Rep,Period,Target\nAna Silva,Q1 2026,5\nAna Silva,Sep-26,6\nAna Silva,soon,7\nAna Silva,,8';
    const periods = rowsOf(prepared(quotaImport, text, { context, options: { period: 'FY2027' } })).map(
      ({ period }) => period,
    );
    expect(periods).to.deep.equal(['2026-Q1', '2026-09', 'soon', '2027']);
  });

  for (const [title, cells, expected] of [
    ['plan and rule', 'AE plan,Renewals', { planRuleId: 'renewals' }],
    ['a rule that one plan has', ',Meetings', { planRuleId: 'meetings' }],
    ['neither', ',', { planRuleId: 'new business' }],
    ['a rule that two plans have', ',New business', { measure: 'New business' }],
    ['an unknown rule', 'AE plan,Upsell', { plan: 'AE plan', measure: 'Upsell' }],
    ['a plan with several rules', 'AE plan,', { plan: 'AE plan' }],
  ] as const)
    it(`names its rule by ${title}`, () => {
      const [row] = rowsOf(
        prepared(quotaImport, `Rep,Plan,Rule,Target,Period\nAna Silva,${cells},5,2026`, {
          context,
          options: { rule: 'new business' },
        }),
      );
      const { email: _, period: __, target: ___, ...names } = row ?? {};
      expect(names).to.deep.equal(expected);
    });

  for (const [title, text, given, problem] of [
    ['people', 'Target,Period\n5,2026', {}, 'Choose the column with the people.'],
    ['targets', 'Rep,Period\nAna,2026', {}, 'Choose the column with the targets.'],
    ['periods', 'Rep,Target\nAna,5', {}, 'Enter the period of the quotas, such as 2026-Q3.'],
    ['a rule', 'Rep,Target,Period\nAna,5,2026', { plans: [] }, 'There is no plan with a rule yet.'],
  ] as const)
    it(`needs ${title}`, () => {
      expect(prepared(quotaImport, text, { context: { ...context, ...given } }).problems).to.deep.equal([problem]);
    });
});

describe('the choices for a whole file', () => {
  const choices = (kind: keyof typeof importKinds, text: string, context: Partial<ImportContext> = {}) => {
    const table = readTable(text);
    const columns = suggestColumns(importKinds[kind], table).map(({ target }) => target);
    const options = importKinds[kind].options({
      table,
      columns,
      context: { people: [], plans: [], standard: {}, ...context },
    });
    return Object.fromEntries(options.map(({ key, initial }) => [key, initial]));
  };
  const plans = [plan('AE plan', [{ name: 'New business' }])];

  for (const [title, kind, text, expected] of [
    ['of quotas without rules and periods', 'quotas', 'Rep,Target', { rule: 'new business', period: '' }],
    ['of quotas with periods in columns', 'quotas', 'Rep,Q1 2026,Q2 2026', { rule: 'new business' }],
    ['of quotas with periods in rows', 'quotas', 'Rep,Period,Target', { rule: 'new business' }],
    ['of quotas with a plan and no rule', 'quotas', 'Rep,Plan,Period,Target', { rule: 'new business' }],
    ['of quotas with everything', 'quotas', 'Rep,Plan,Rule,Period,Target', {}],
    ['of people with addresses', 'people', 'Name,E-mail', { namesAreOwners: '' }],
    [
      'of people without addresses',
      'people',
      'Name,Manager',
      { domain: 'halden.test', namesAreOwners: 'yes', addManagers: 'yes' },
    ],
    ['of people with addresses, managers and ids', 'people', 'Name,E-mail,Manager,Owner ID', { addManagers: '' }],
    ['of assignments without plans', 'assignments', 'Rep', { plan: 'AE plan' }],
    ['of assignments with plans', 'assignments', 'Rep,Plan', {}],
    ['of deals', 'deals', 'Deal ID', {}],
  ] as const)
    it(`are requested only where the file does not have them: ${title}`, () => {
      expect(choices(kind, text, { people, plans })).to.deep.equal(expected);
    });

  it('have nothing to begin with in an empty workspace', () => {
    expect(choices('quotas', 'Rep,Target')).to.deep.equal({ rule: '', period: '' });
    expect(choices('people', 'Name')).to.deep.equal({ domain: '', namesAreOwners: 'yes' });
    expect(choices('assignments', 'Rep')).to.deep.equal({ plan: '' });
  });
});

describe('a file of deals', () => {
  const header = (text: string, standard = {}) => prepared(dealImport, text, { context: { standard } }).header;

  it('has the names under which the workspace reads the values', () => {
    expect(header('Deal ID,Amount,Stage,Close date,Owner')).to.deep.equal([
      'deal_id',
      'amount',
      'stage',
      'close_date',
      'owner_id',
    ]);
    expect(header('Deal ID,Amount', { dealId: 'hs_id', dealAmount: 'hs_arr' })).to.deep.equal(['hs_id', 'hs_arr']);
  });

  it('keeps other columns under their own names, except those without a name', () => {
    expect(header('Deal ID,Region,,Seats')).to.deep.equal(['deal_id', 'Region', 'Seats']);
  });

  it('has any column under the name of a field that exists, or of a new one', () => {
    const kind = dealImportWith([
      { slug: 'type', label: 'Type', type: 'text' },
      { slug: 'term_months', label: 'Term (months)', type: 'number' },
      { slug: 'amount', label: 'Amount', type: 'number' },
    ]);
    expect(kind.targets.slice(dealImport.targets.length).map(({ label }) => label)).to.deep.equal([
      'Type',
      'Term (months)',
    ]);
    const file = 'Nr,Art,Laufzeit (Monate),Presales\nD1,Neu,12,eva@acme.test';
    const columns = ['dealId', 'field:type', 'field:term_months', 'new: SE Email '];
    expect(prepared(kind, file, { columns })).to.deep.include({
      header: ['deal_id', 'type', 'term_months', 'SE Email'],
      problems: [],
    });
    const unnamed = prepared(kind, file, { columns: ['dealId', skipColumn, skipColumn, 'new:'] });
    expect(unnamed.problems).to.deep.equal(['Enter the name of the new field.']);
    const twice = prepared(kind, file, { columns: ['dealId', 'field:type', skipColumn, 'new:type'] });
    expect(twice.problems).to.deep.equal(['Two columns have the name type. Leave one of them out.']);
  });

  it('keeps a column beside the target that has the same name', () => {
    const columns = ['dealId', 'dealAmount', keepColumn];
    expect(prepared(dealImport, 'Deal ID,ACV,Amount\nD1,5,6', { columns }).header).to.deep.equal([
      'deal_id',
      'amount',
      'Amount_in_file',
    ]);
  });

  it('may not have a name twice', () => {
    const problems = (text: string) => prepared(dealImport, text).problems;
    expect(problems('Deal ID,Note,Region,Note')).to.deep.equal([
      'Two columns have the name Note. Leave one of them out.',
    ]);
    expect(problems('Deal ID,Note,note')).to.deep.equal([]);
  });

  it('leaves out columns, and fills short rows', () => {
    const { rows } = prepared(dealImport, 'Deal ID,Note,Amount\nD1\nD2,x,5,too much', {
      columns: ['dealId', skipColumn, 'dealAmount'],
    });
    expect(rows.map(({ cells }) => cells)).to.deep.equal([
      ['D1', ''],
      ['D2', '5'],
    ]);
  });

  it('needs the ids of the deals', () => {
    expect(prepared(dealImport, 'Amount\n5').problems).to.deep.equal(['Choose the column with the deal IDs.']);
    expect(prepared(dealImport, 'Deal ID\nD1').problems).to.deep.equal([]);
  });
});

describe('a file of absences', () => {
  it('names people by name or address, and leaves out what the file does not say', () => {
    const file = 'Rep,Start,End,Reason\nZoe Brandt,2026-02-10,2026-03-11,Leave\nx@y.test,2026-04-01,2026-04-02,';
    expect(rowsOf(prepared(absenceImport, file, { context: { people } }))).to.deep.equal([
      { email: 'zoe@halden.test', from: '2026-02-10', to: '2026-03-11', note: 'Leave' },
      { email: 'x@y.test', from: '2026-04-01', to: '2026-04-02' },
    ]);
  });

  it('needs people and days', () => {
    expect(prepared(absenceImport, 'Region\nEMEA').problems).to.deep.equal([
      'Choose the column with the people.',
      'Choose the columns with the first and last day.',
    ]);
  });
});

describe('a file of shares', () => {
  it('names people by name or address, and has shares as the file writes them', () => {
    const text = 'Deal;Person;Anteil;Typ\nD-1;Ana Silva;66,67 %;\nD-1;house;33,33 %;\n';
    expect(rowsOf(prepared(splitImport, text, { context: { people } }))).to.deep.equal([
      { dealId: 'D-1', rep: 'ana@halden.test', percent: '66,67 %' },
      { dealId: 'D-1', rep: 'house', percent: '33,33 %' },
    ]);
  });

  it('needs deals, people and shares', () => {
    expect(prepared(splitImport, 'Region\nEMEA').problems).to.have.length(3);
  });
});

describe('a file of invoices', () => {
  const head = 'Deal ID,Invoice,Net amount,Invoice date,Amount paid,Payment date';

  it('has a payment in each row, with an id where the file has none', () => {
    expect(
      rowsOf(prepared(invoiceImport, `${head}\nD-1,INV-1,60000,2026-01-31,20000,2026-02-15\nD-2,INV-2,5,2026-02-01,,`)),
    ).to.deep.equal([
      {
        ...{ dealId: 'D-1', invoiceId: 'INV-1', amount: '60000', issuedOn: '2026-01-31' },
        ...{ paymentId: 'row 1', paidAmount: '20000', paidOn: '2026-02-15' },
      },
      { dealId: 'D-2', invoiceId: 'INV-2', amount: '5', issuedOn: '2026-02-01' },
    ]);
  });

  it('keeps the ids of payments, and needs deals, invoices, amounts and days', () => {
    const named = prepared(invoiceImport, `${head},Payment ID\nD-1,INV-1,60000,2026-01-31,20000,2026-02-15,P-7`);
    expect(rowsOf(named)[0]?.['paymentId']).to.equal('P-7');
    expect(prepared(invoiceImport, 'Region\nEMEA').problems).to.have.length(4);
  });
});

describe('a file of assignments', () => {
  const plans = [plan('Old plan', [], { planStatus: 'archived' }), plan('AE plan', [])];
  const context = { people, plans };

  it('has people by name or address, and their plan', () => {
    expect(
      rowsOf(prepared(assignmentImport, 'Rep,Plan,Start\nZoe Brandt,AE plan,2026-01-01\nx@y.test,Other,', { context })),
    ).to.deep.equal([
      { email: 'zoe@halden.test', plan: 'AE plan', effectiveStart: '2026-01-01' },
      { email: 'x@y.test', plan: 'Other' },
    ]);
  });

  it('has one plan for everyone if no column names it: the first that is not archived', () => {
    expect(rowsOf(prepared(assignmentImport, 'Rep\nAna Silva', { context }))).to.deep.equal([
      { email: 'ana@halden.test', plan: 'AE plan' },
    ]);
  });

  it('needs no plan of the workspace where it names plans', () => {
    expect(prepared(assignmentImport, 'Rep,Plan\nAna Silva,AE plan').problems).to.deep.equal([]);
    expect(prepared(assignmentImport, 'Rep\nAna Silva', { context }).problems).to.deep.equal([]);
  });

  it('needs people and a plan', () => {
    expect(prepared(assignmentImport, 'Region\nEMEA').problems).to.deep.equal([
      'Choose the column with the people.',
      'There is no plan yet.',
    ]);
  });
});

describe('the outcome of an import', () => {
  const result = (row: number, outcome: string, reason?: string) => ({ row, outcome, reason });
  const response = {
    unchanged: 1,
    rejected: 2,
    results: [
      result(1, 'created'),
      result(2, 'changed'),
      result(3, 'rejected', 'email: is no address'),
      result(3, 'rejected', 'name: is required'),
      result(4, 'unchanged'),
    ],
  } as unknown as Parameters<typeof toOutcome>[0];

  it('counts what is new, changed, unchanged and rejected', () => {
    const { counts, accepted } = toOutcome(response);
    expect(counts).to.deep.equal([
      ['New', 1],
      ['Changed', 1],
      ['Unchanged', 1],
      ['Rejected', 2],
    ]);
    expect(accepted).to.equal(2);
  });

  it('names every reason, and every rejected row once', () => {
    expect(toOutcome(response).rejected.map(({ reason }) => reason)).to.deep.equal([
      'email: is no address',
      'name: is required',
    ]);
    expect(rejectedRows(toOutcome(response))).to.deep.equal([3]);
  });
});

describe('the reason of a rejected row', () => {
  it('has the names that columns have on the page', () => {
    const { targets: people } = peopleImport;
    const { targets: invoices } = invoiceImport;
    const { targets: deals } = dealImport;
    expect(describeReason('managerEmail: must be known', people)).to.equal('Manager: must be known');
    expect(describeReason('Region: 5 is not allowed', people)).to.equal('Region: 5 is not allowed');
    expect(describeReason('payments.0.amount: is required', invoices)).to.equal('Amount paid: is required');
    expect(describeReason('amount: "k.A." is not a number', invoices)).to.equal(
      'Amount without tax: "k.A." is not a number',
    );
    expect(describeReason('amount: "k.A." is not a number', deals)).to.equal('Amount: "k.A." is not a number');
    expect(describeReason('1.234; give numberFormat=en or eu', deals)).to.equal(
      '1.234; choose how numbers are written, above the columns',
    );
  });
});
