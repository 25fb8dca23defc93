import { expect } from 'chai';
import { id18 } from '#src/kernel/opportunity-id.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

type Content = 'day' | 'amount' | 'percent' | 'number' | 'flag';

/** Files of every import with one row; the cell is that of the column with the content. */
const imports: Readonly<Record<string, Partial<Record<Content, (cell: string) => string>>>> = {
  '/v1/deals/import': {
    day: (cell) => `id,close_date\nN,${cell}\n`,
    amount: (cell) => `id,amount\nN,${cell}\n`,
    number: (cell) => `id,amount,Points\nN,,${cell}\n`,
  },
  '/v1/deals/credits/import': {
    percent: (cell) => `dealId,rep,percent,kind\nD,ann@x.io,${cell},overlay\n`,
  },
  '/v1/deals/lines/import': {
    day: (cell) => `dealId,lineId,amount,startDate\nD,1,5,${cell}\n`,
    amount: (cell) => `dealId,lineId,amount\nD,1,${cell}\n`,
    number: (cell) => `dealId,lineId,amount,quantity\nD,1,5,${cell}\n`,
  },
  '/v1/rate-tables/Rates/import': {
    day: (cell) => `family,base,fee,effectiveEnd\na,1,1,${cell}\n`,
    amount: (cell) => `family,base,fee\na,1,${cell}\n`,
  },
  '/v1/reps/import': {
    day: (cell) => `email,hireDate\nann@x.io,${cell}\n`,
    number: (cell) => `email,score\nann@x.io,${cell}\n`,
    flag: (cell) => `email,active\nann@x.io,${cell}\n`,
  },
  '/v1/assignments/import': { day: (cell) => `email,plan,effectiveEnd\nbob@x.io,Plan,${cell}\n` },
  '/v1/quotas/import': {
    amount: (cell) => `email,plan,period,target\nann@x.io,Plan,2026-01,${cell}\n`,
    flag: (cell) => `email,plan,period,target,prorate\nann@x.io,Plan,2026-01,5,${cell}\n`,
  },
  '/v1/absences/import': {
    day: (cell) => `email,from,to\nann@x.io,2026-01-01,${cell}\n`,
    percent: (cell) => `email,from,to,relief\nann@x.io,2026-01-01,2026-01-31,${cell}\n`,
  },
  '/v1/holidays/import': { day: (cell) => `day,name\n${cell},Holiday\n` },
  '/v1/accounting/contracts/import': {
    day: (cell) => `dealId,start\nD,${cell}\n`,
    amount: (cell) => `dealId,value\nD,${cell}\n`,
  },
  '/v1/accounting/lots/import': {
    day: (cell) => `lotId,dealId,email,cost,amortisedTo,months,start\nL,D,ann@x.io,5,2027-12-31,36,${cell}\n`,
    amount: (cell) =>
      `lotId,dealId,email,cost,amortisedTo,start,months\nL,D,ann@x.io,${cell},2025-12-31,2025-01-01,36\n`,
  },
  '/v1/accounting/write-offs/import': {
    amount: (cell) => `email,currency,day,reason,amount\nann@x.io,USD,2026-01-20,Left,${cell}\n`,
  },
  '/v1/accounting/estimates/import': {
    amount: (cell) =>
      `month,email,plan,rule,period,currency,method,pay\n2026-01,ann@x.io,Plan,New,2026-Q1,USD,forecast,${cell}\n`,
  },
  '/v1/draws/import': {
    day: (cell) => `email,kind,recoverable,amount,from,to\nann@x.io,guarantee,yes,5,2026-01-01,${cell}\n`,
    amount: (cell) => `email,kind,recoverable,amount,from\nann@x.io,guarantee,yes,${cell},2026-01-01\n`,
    percent: (cell) => `email,kind,recoverable,amount,from,maxPercent\nann@x.io,guarantee,yes,5,2026-01-01,${cell}\n`,
    flag: (cell) => `email,kind,recoverable,amount,from\nann@x.io,guarantee,${cell},5,2026-01-01\n`,
  },
  '/v1/invoices/import': {
    day: (cell) => `dealId,invoiceId,amount,issuedOn\nD,I,5,${cell}\n`,
    amount: (cell) => `dealId,invoiceId,amount,issuedOn\nD,I,${cell},2026-01-31\n`,
  },
  '/v1/refunds/import': {
    day: (cell) => `dealId,refundId,day,amount\nD,R,${cell},5\n`,
    amount: (cell) => `dealId,refundId,day,amount\nD,R,2026-06-30,${cell}\n`,
  },
  '/v1/fx-rates/import': {
    day: (cell) => `from,to,day,rate\nEUR,USD,${cell},2\n`,
    number: (cell) => `from,to,day,rate\nEUR,USD,2026-01-01,${cell}\n`,
  },
};

const read = 'read';
const ambiguous = (cell: string) =>
  `${cell} can be read with a thousands separator and with a decimal separator; give numberFormat=en (1,234.50) or numberFormat=eu (1.234,50)`;

/** What every import answers for a cell: it is read, or the same message after the name of the column. */
const expected: readonly (readonly [content: Content, query: string, cell: string, answer: string])[] = [
  ['day', '', '2026-12-31', read],
  ['day', '', '2026-12-31T10:00:00', read],
  ['day', '', '31.12.2026', '31.12.2026 is not a date in the format ISO'],
  ['day', '', '01/02/2026', '01/02/2026 is not a date in the format ISO'],
  ['day', '&dateFormat=DMY', '31.12.2026', read],
  ['day', '&dateFormat=DMY', '31.12.26', read],
  ['day', '&dateFormat=DMY', '12/31/2026', '12/31/2026 is not a date in the format DMY'],
  ['day', '&dateFormat=MDY', '12/31/2026', read],
  ['day', '', '1.250,00', '1.250,00 is not a date in the format ISO'],
  ['day', '', 'Dec-26', 'Dec-26 is not a date in the format ISO'],
  ['day', '&dateFormat=MDY', 'Dec-26', 'Dec-26 is not a date in the format MDY'],
  ['amount', '', '1.250,00', read],
  ['amount', '', '0,25', read],
  ['amount', '', '1\u00a0250,00 $', read],
  ['amount', '', 'USD 300', read],
  ['amount', '', '1.250', ambiguous('1.250')],
  ['amount', '&numberFormat=eu', '1.250', read],
  ['amount', '&numberFormat=en', '1.250', read],
  ['amount', '&numberFormat=en', '1.250,00', '1.250,00 is not a number in the format en'],
  ['amount', '', '12,5 %', '12,5 % is a percentage, not an amount'],
  ['amount', '', '12.5%', '12.5% is a percentage, not an amount'],
  ['amount', '', 'Dec-26', 'Dec-26 is not a number'],
  ['amount', '', '31.12.2026', '31.12.2026 is not a number'],
  ['percent', '', '12,5 %', read],
  ['percent', '', '12.5%', read],
  ['percent', '', '0,125', read],
  ['percent', '', '33.333', read],
  ['percent', '', 'Dec-26', 'Dec-26 is not a percentage'],
  ['percent', '', '€ 5', '€ 5 is not a percentage'],
  ['number', '&numberFormat=eu', '12,5 %', read],
  ['number', '&numberFormat=eu', '1.250,00', read],
  ['number', '', '12.5', read],
  ['number', '', '0,125', read],
  ['number', '', '1.250', ambiguous('1.250')],
  ['number', '&numberFormat=eu', 'Dec-26', 'Dec-26 is not a number in the format eu'],
  ['flag', '', 'yes', read],
  ['flag', '', 'FALSE', read],
  ['flag', '', '0', read],
  ['flag', '', 'maybe', 'maybe must be true or false'],
];

describe('every import reads a cell in the same way', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;

  before(async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-01' } });
    const [ann] = await api.saveReps('Ann', 'Bob');
    const terms = { attainmentPeriod: 'monthly', quotaMeasure: 'Points' };
    await api.createPlan({ name: 'Plan', config: { rules: [flatRule('New', 0.1, terms)] } }, [ann as string]);
    await api.expect(200, 'PUT', '/v1/rate-tables/Rates', {
      keys: [{ name: 'family', field: 'family', match: 'exact' }],
      columns: [{ name: 'base' }, { name: 'fee', kind: 'amount' }],
      rows: [{ values: { base: 0.1, fee: 1 } }],
      currency: 'USD',
    });
    await api.putDeal('D', { amount: 1_000_000, closeDate: '2026-01-10', repId: ann });
    const fields = [{ slug: 'score', label: 'Score', type: 'number' }];
    await api.expect(200, 'PUT', '/v1/person-fields', { fields });
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      payouts: { enabled: true, from: '2026-01-01', period: 'monthly' },
    });
  });

  async function answerOf(path: string, query: string, file: string | Uint8Array): Promise<string> {
    const headers = { 'content-type': 'text/csv' };
    const answer = await workspace.api.expect(200, 'POST', `${path}?dryRun=true${query}`, file, headers);
    const [reason] = [...(answer.results ?? []), ...(Array.isArray(answer.rejected) ? answer.rejected : [])].flatMap(
      (row: { reason?: string }) => row.reason ?? [],
    );
    return reason === undefined ? read : reason.replace(/^[\w.]+: /, '');
  }

  for (const [content, query, cell, answer] of expected)
    it(`${content} “${cell}”${query === '' ? '' : ` with ${query.slice(1)}`}: ${answer.slice(0, 60)}`, async () => {
      const answers: Record<string, string> = {};
      for (const [path, files] of Object.entries(imports)) {
        const file = files[content]?.(`"${cell}"`);
        if (file !== undefined) answers[path] = await answerOf(path, query, file);
      }
      expect(Object.keys(answers)).to.have.length.greaterThan(1);
      expect(answers).to.deep.equal(Object.fromEntries(Object.keys(answers).map((path) => [path, answer])));
    });

  it('an empty cell is empty, whether the column needs a value or not', async () => {
    const answers: [string, string][] = [];
    for (const [path, files] of Object.entries(imports))
      for (const file of Object.values(files)) answers.push([path, await answerOf(path, '', file('" "'))]);
    expect(new Set(answers.map(([, answer]) => answer))).to.deep.equal(new Set([read, 'is empty']));
  });

  it('a deal of Salesforce is named by its id of 15 or 18 characters', async () => {
    const short = '006Dn00000AbCdE';
    const amount = { amount: 1_000_000, closeDate: '2026-01-10', ownerId: 'ann' };
    await workspace.api.putDeal(id18(short), amount);
    const answers: Record<string, string> = {};
    for (const [path, files] of Object.entries(imports)) {
      const text = files.amount?.('5') ?? files.percent?.('50') ?? '';
      if (!text.startsWith('dealId')) continue;
      for (const id of [short, id18(short)])
        answers[`${path} ${id}`] = await answerOf(path, '', text.replace('\nD,', `\n${id},`));
    }
    expect(Object.keys(answers)).to.have.length.greaterThan(4);
    expect(new Set(Object.values(answers))).to.deep.equal(new Set([read]));
  });

  it('the currency beside an amount must be that of the column, of the deal, or of the plan', async () => {
    const stated: Readonly<Record<string, (cell: string) => string>> = {
      '/v1/deals/import': (cell) => `id,amount,currency\nN,${cell},USD\n`,
      '/v1/invoices/import': (cell) => `dealId,invoiceId,amount,issuedOn,currency\nD,I,${cell},2026-01-31,USD\n`,
      '/v1/draws/import': (cell) =>
        `email,kind,recoverable,amount,from,currency\nann@x.io,guarantee,yes,${cell},2026-01-01,USD\n`,
      '/v1/quotas/import': imports['/v1/quotas/import']?.amount as (cell: string) => string,
      '/v1/refunds/import': imports['/v1/refunds/import']?.amount as (cell: string) => string,
      '/v1/rate-tables/Rates/import': imports['/v1/rate-tables/Rates/import']?.amount as (cell: string) => string,
      '/v1/deals/lines/import': (cell) => `dealId,lineId,amount,currency\nD,1,${cell},USD\n`,
    };
    for (const [path, file] of Object.entries(stated)) {
      for (const cell of ['$300', 'US$ 300', '300 USD', '300'])
        expect(await answerOf(path, '', file(cell))).to.equal(read);
      for (const cell of ['€300', '£ 300', '300 CAD', 'ABC 300'])
        expect(await answerOf(path, '', file(cell)), path).to.match(/^is in (€|£|CAD|ABC), and/);
    }
  });

  it('an amount in parentheses is negative: it is read, or rejected because it is', async () => {
    for (const [path, files] of Object.entries(imports)) {
      if (files.amount === undefined) continue;
      const [parentheses, minus] = [
        await answerOf(path, '', files.amount('(300)')),
        await answerOf(path, '', files.amount('-300')),
      ];
      expect(parentheses, path).to.equal(minus);
    }
  });

  it('empty columns at the end and rows without values are no part of a file, which Excel may write as it likes', async () => {
    for (const [path, files] of Object.entries(imports))
      for (const file of Object.values(files)) {
        const cell = { day: '2026-12-31', amount: '300', percent: '50', number: '12', flag: 'yes' }[
          Object.entries(files).find(([, each]) => each === file)?.[0] as Content
        ];
        const text = file(cell);
        const lines = text.trimEnd().split('\n');
        const commas = lines[0]?.replace(/[^,]/g, '') ?? '';
        const padded = [`${lines[0]},,`, `${commas},,`, `${lines[1]},,`, ',', `${commas}`].join('\r\n');
        expect(await answerOf(path, '', padded), padded).to.equal(read);
        const semicolons = `sep=;\r\n${text.replaceAll(',', ';')}`;
        expect(await answerOf(path, '', semicolons), semicolons).to.equal(read);
        const unicode = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
        expect(await answerOf(path, '', unicode), path).to.equal(read);
      }
  });

  it('is listed with what became of its rows', async () => {
    const cells: Record<Content, string> = {
      day: '2026-12-31',
      amount: '300',
      percent: '50',
      number: '12',
      flag: 'yes',
    };
    for (const [path, files] of Object.entries(imports)) {
      const [content, file] = Object.entries(files)[0] as [Content, (cell: string) => string];
      const text = file(cells[content]);
      await workspace.api.expect(200, 'POST', `${path}?fileName=f.csv`, text, { 'content-type': 'text/csv' });
      const [newest] = (await workspace.api.expect(200, 'GET', '/v1/imports?limit=1')).imports;
      expect(newest.counts, `${path} ${newest.kind}`).to.include.keys('created', 'changed', 'unchanged', 'rejected');
      const counted = Object.values(newest.counts as Record<string, number>).reduce((sum, count) => sum + count);
      expect(counted, path).to.equal(1);
    }
  });
});
