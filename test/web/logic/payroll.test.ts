import { expect } from 'chai';
import fc from 'fast-check';
import { finishedFile } from '#web/api/download.js';
import { nextBatchQuery, type PayoutBatch } from '#web/api/payout-queries.js';
import {
  type Handover,
  type Layout,
  type PayrollFile,
  type PayrollSums,
  payrollFileQuery,
} from '#web/api/payroll-queries.js';
import { type TeamStatement } from '#web/api/team-queries.js';
import { netSums, present } from '#web/features/statements/pay-sums.js';
import { findHandover, hasNothingNew } from '#web/pages/payroll/handover.js';
import { findObstacle, layoutNames, layouts, missingIds } from '#web/pages/payroll/layouts.js';
import { largestFirst, missingPeople } from '#web/pages/payroll/missing.js';
import { listPayPeriods } from '#web/pages/payroll/pay-periods.js';
import {
  areEqual,
  asInFile,
  fileContents,
  fileTotals,
  hasAmount,
  isApproved,
  lessHanded,
} from '#web/pages/payroll/sums.js';
import { formatSpan, zoneName } from '#web/shared/format/dates.js';
import { sumAmounts } from '#web/shared/format/exact.js';
import { person, statement } from './samples.js';

describe('net payouts by currency', () => {
  const eur = (netPayout: number) => ({ currency: 'EUR', summary: { netPayout } });
  const statements = [
    statement('ana', {
      summary: { netPayout: 0.1 },
      otherCurrencies: [eur(5), { currency: 'JPY', summary: { netPayout: 0 } }],
    }),
    statement('zoe', { summary: { netPayout: 0.2 }, otherCurrencies: [eur(-5)] }),
    statement('tom', { currency: 'CHF', summary: { netPayout: 7 } }),
  ];

  it('are exact, the currency of the workspace first, then the others by name', () => {
    expect(netSums(statements, 'USD')).to.deep.equal([
      { currency: 'USD', amount: '0.3' },
      { currency: 'CHF', amount: '7' },
      { currency: 'EUR', amount: '0' },
      { currency: 'JPY', amount: '0' },
    ]);
    expect(netSums([], 'USD')).to.deep.equal([{ currency: 'USD', amount: '0' }]);
  });

  it('are what is payable where statements pay less than is earned', () => {
    const payslip = { pays: [{ currency: 'GBP', amount: 40 }] } as unknown as TeamStatement['payslip'];
    const paid = statement('ana', { summary: { netPayout: 100 } });
    expect(present(netSums([{ ...paid, payslip }], 'USD'))).to.deep.equal([{ currency: 'GBP', amount: '40' }]);
  });

  it('are named only where they are not zero', () => {
    expect(present(netSums(statements, 'USD')).map(({ currency }) => currency)).to.deep.equal(['USD', 'CHF']);
  });

  it('are those of all people together, however they are divided', () => {
    const amounts = fc.array(fc.tuple(fc.constantFrom('USD', 'EUR'), fc.integer({ min: -1e9, max: 1e9 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(amounts, fc.nat(12), (all, at) => {
        const made = all.map(([currency, cents]) => statement('x', { currency, summary: { netPayout: cents / 100 } }));
        const [whole, first, rest] = [made, made.slice(0, at), made.slice(at)].map((part) => netSums(part, 'USD'));
        const amountIn = (sums = whole, currency: string) =>
          sums?.find((one) => one.currency === currency)?.amount ?? '0';
        for (const currency of ['USD', 'EUR'])
          expect(sumAmounts([amountIn(first, currency), amountIn(rest, currency)])).to.equal(amountIn(whole, currency));
      }),
      { seed: 37, numRuns: 200 },
    );
  });

  it('lose what was handed over, in every currency of either', () => {
    const handed = [
      { currency: 'USD', amount: 0.2 },
      { currency: 'JPY', amount: 5 },
    ];
    const sums = [
      { currency: 'USD', amount: '0.3' },
      { currency: 'EUR', amount: '1' },
    ];
    expect(lessHanded(sums, handed)).to.deep.equal([
      { currency: 'USD', amount: '0.1' },
      { currency: 'EUR', amount: '1' },
      { currency: 'JPY', amount: '-5' },
    ]);
  });

  it('are equal if they are equal in every currency', () => {
    const usd = { currency: 'USD', amount: '5.00' };
    expect(areEqual([usd], [{ currency: 'USD', amount: '5' }])).to.equal(true);
    expect(areEqual([usd, { currency: 'EUR', amount: '0' }], [usd])).to.equal(true);
    expect(areEqual([usd], [usd, { currency: 'EUR', amount: '0.01' }])).to.equal(false);
    expect(areEqual([usd], [])).to.equal(false);
    expect(areEqual([], [])).to.equal(true);
  });
});

describe('a statement', () => {
  for (const [title, change, expected] of [
    ['nothing', {}, false],
    ['a commission that an adjustment takes back', { summary: { totalCommission: 5, totalAdjustments: -5 } }, true],
    ['a bonus', { summary: { totalBonuses: 5 } }, true],
    [
      'an amount in another currency',
      {
        otherCurrencies: [
          { currency: 'EUR', summary: { netPayout: 5, totalCommission: 5, totalBonuses: 0, totalAdjustments: 0 } },
        ],
      },
      true,
    ],
  ] as const)
    it(`${expected ? 'has' : 'has no'} amount: ${title}`, () => {
      expect(hasAmount(statement('ana', change))).to.equal(expected);
    });

  it('is in the files of payroll once it is approved', () => {
    expect((['approved', 'draft', 'none'] as const).map((status) => isApproved({ status }))).to.deep.equal([
      true,
      false,
      false,
    ]);
  });
});

describe('the totals of a payroll file', () => {
  const file = (layout: Layout, header: readonly string[], ...rows: readonly (readonly string[])[]) =>
    ({ layout, header, rows, sha256: 'h' }) as unknown as PayrollFile;

  it('are the sums of its columns, which add up to what it pays', () => {
    const header = ['last_name', 'commission', 'bonus', 'correction_payment'];
    const [total] = fileTotals(file('gusto', header, ['A', '0.10', '', '-5.00'], ['B', '0.20', '7.00', '']), 'USD');
    expect([...(total?.columns ?? [])]).to.deep.equal([
      ['commission', '0.3'],
      ['bonus', '7'],
      ['correction_payment', '-5'],
    ]);
    expect([total?.currency, total?.amount]).to.deep.equal(['USD', '2.3']);
  });

  it('are separate for each currency of a file that names it', () => {
    const rows = [
      ['A', 'USD', '5.00'],
      ['B', 'EUR', '7.00'],
      ['C', 'USD', '1.50'],
    ];
    const totals = fileTotals(file('long', ['Name', 'Currency', 'Amount'], ...rows), 'USD');
    expect(totals.map(({ currency, amount }) => [currency, amount])).to.deep.equal([
      ['EUR', '7'],
      ['USD', '6.5'],
    ]);
  });

  it('count only the net payout of a layout whose columns overlap', () => {
    const header = ['Currency', 'Commissions', 'Bonuses', 'Adjustments', 'Net Payout'];
    expect(fileTotals(file('generic', header, ['USD', '5', '2', '-1', '6']), 'USD')[0]?.amount).to.equal('6');
  });

  it('count what a layout pays, by the name of its column with payouts', () => {
    const header = ['Commissions', 'Bonuses', 'Adjustments', 'Payable', 'Statement Status'];
    const [total] = fileTotals(file('generic', header, ['0.00', '0.00', '28.45', '28.45', 'approved']), 'USD');
    expect(total?.amount).to.equal('28.45');
  });

  it('are none for a file without rows', () => {
    expect(fileTotals(file('gusto', ['commission']), 'USD')).to.deep.equal([]);
  });

  for (const [sum, cells, text] of [
    ['2.3', ['1.10', '1.20'], '2.30'],
    ['2', ['1.00', '1.00'], '2.00'],
    ['5', ['2', '3'], '5'],
    ['1.234', ['1.234', ''], '1.234'],
    ['-0.5', ['-0.50'], '-0.50'],
    ['0', ['', ''], ''],
    ['0', [], ''],
  ] as const)
    it(`are written as the file writes amounts: ${sum} is ${text || 'blank'}`, () => {
      expect(asInFile(sum, cells)).to.equal(text);
    });

  it('know every column that they add up, in every layout', () => {
    expect(layoutNames).to.have.members(['gusto', 'adp', 'rippling', 'workday', 'long', 'generic']);
    for (const { amounts, net } of Object.values(layouts)) expect(amounts).to.include.members([...net]);
  });

  it('belong to the hand-over of exactly this file', () => {
    const handover = (layout: Layout, sha256: string) => ({ layout, sha256 }) as Handover;
    const all = [handover('gusto', 'x'), handover('long', 'h'), handover('gusto', 'h')];
    expect(findHandover(all, file('gusto', []))).to.equal(all[2]);
    expect(findHandover(all.slice(0, 2), file('gusto', []))).to.equal(null);
  });

  it('belong to the latest hand-over if nothing is new since', () => {
    const all = [
      { layout: 'long', sha256: 'x' },
      { layout: 'gusto', sha256: 'y' },
    ] as Handover[];
    const empty: PayrollFile = { ...file('gusto', []), scope: 'new' };
    const added: PayrollFile = { ...file('gusto', [], ['5']), scope: 'new' };
    expect([empty, added].map(hasNothingNew)).to.deep.equal([true, false]);
    expect(findHandover(all, empty)).to.equal(all[0]);
    expect(findHandover(all, added)).to.equal(null);
    expect(hasNothingNew({ ...file('gusto', []), scope: 'full' })).to.equal(false);
  });
});

describe('what prevents a payroll file', () => {
  const facts = { terms: { companyCode: 'C1' } as never, currencies: ['USD'], withoutId: { count: 0, people: [] } };

  for (const [title, layout, change, text, needsIds] of [
    ['nothing', 'adp', {}, null, false],
    [
      'several currencies',
      'gusto',
      { currencies: ['EUR', 'USD'] },
      'Gusto files have one currency, and there are approved amounts in EUR, USD. Choose the layout Long.',
      false,
    ],
    [
      'no company code',
      'adp',
      { terms: {} },
      'ADP needs the company code of the workspace, which an admin sets.',
      false,
    ],
    [
      'a missing id',
      'adp',
      { withoutId: { count: 1, people: [{ name: 'Ana' }] } },
      'ADP needs a payroll ID of everyone in the file. Ana has none.',
      true,
    ],
  ] as const)
    it(`is ${title}`, () => {
      const obstacle = findObstacle(layout, { ...facts, ...(change as object) });
      expect(obstacle?.text ?? null).to.equal(text);
      expect(obstacle?.needsIds ?? false).to.equal(needsIds);
    });

  it('is no number of currencies in a layout that names them, and no missing id elsewhere', () => {
    for (const layout of ['long', 'generic'] as const)
      expect(
        findObstacle(layout, {
          ...facts,
          currencies: ['EUR', 'USD'],
          withoutId: { count: 1, people: [{ name: 'Ana' }] },
        }),
      ).to.equal(null);
    expect(findObstacle('gusto', { ...facts, withoutId: { count: 1, people: [{ name: 'Ana' }] } })).to.equal(null);
  });

  for (const [count, text] of [
    [1, 'P1 has none.'],
    [2, 'P1 and P2 have none.'],
    [3, 'P1, P2, and P3 have none.'],
    [4, 'P1, P2, P3, and 1 other have none.'],
    [9, 'P1, P2, P3, and 6 others have none.'],
  ] as const)
    it(`names three people: ${text}`, () => {
      expect(
        missingIds({ count, people: Array.from({ length: Math.min(count, 5) }, (_, at) => ({ name: `P${at + 1}` })) }),
      ).to.equal(text);
    });
});

describe('the file that is compared with the ledger', () => {
  const sums = (change: object) =>
    ({ approved: { sums: [5] }, missing: 1, handedOver: 1, ...change }) as unknown as PayrollSums;
  const keyOf = (layout: Layout, scope: 'full' | 'new', change: object) =>
    JSON.stringify(
      payrollFileQuery({
        ...{ period: '2026-06', layout, scope, isLarge: true },
        sums: fileContents(sums(change), layout, scope),
      }).queryKey,
    );

  it('is another one after an approval elsewhere, and so is the next batch', () => {
    const approval = { approved: { sums: [9] } };
    expect(keyOf('gusto', 'full', approval)).not.to.equal(keyOf('gusto', 'full', {}));
    const batch = { period: '2026-06', layout: 'gusto', currency: null } as const;
    expect(nextBatchQuery({ ...batch, sums: sums(approval) }).queryKey).not.to.deep.equal(
      nextBatchQuery({ ...batch, sums: sums({}) }).queryKey,
    );
  });

  it('is the same one after a change of what it does not contain', () => {
    expect(keyOf('gusto', 'full', { missing: 2, handedOver: 2 })).to.equal(keyOf('gusto', 'full', {}));
    expect(keyOf('generic', 'full', { missing: 2 })).not.to.equal(keyOf('generic', 'full', {}));
    expect(keyOf('gusto', 'new', { handedOver: 2 })).not.to.equal(keyOf('gusto', 'new', {}));
  });

  it('is not waited for when its reader has left', async () => {
    const original = globalThis.fetch;
    const reader = new AbortController();
    let polls = 0;
    globalThis.fetch = async () => {
      polls += 1;
      return Response.json({ jobId: 'J', status: 'running', progress: { done: 0, total: 1 } });
    };
    const file = finishedFile({ jobId: 'J' }, { onProgress: () => reader.abort(), signal: reader.signal });
    const failure = await Promise.resolve(file).then(
      () => null,
      (error: unknown) => error,
    );
    globalThis.fetch = original;
    expect([polls, failure]).to.deep.equal([1, reader.signal.reason]);
  });
});

describe('people who are missing in the file', () => {
  const known = [person('Ana'), person('Zoe', { managerId: 'maya' }), person('Maya')];
  const people = new Map(known.map((each) => [each.id, each]));
  const question = {
    disputeId: 'Q1',
    period: '2026-Q2',
    type: 'wrong_amount',
    description: 'Low',
    openedBy: 'Zoe',
  } as const;

  it('have the largest amounts first, with their manager', () => {
    const missing = missingPeople(
      [
        statement('ana', { status: 'draft', summary: { netPayout: 5 } }),
        statement('zoe', { status: 'draft', summary: { netPayout: 9 } }),
        statement('maya', { status: 'approved' }),
      ],
      people,
    );
    expect(
      largestFirst(missing).map(({ statement: { repId }, manager }) => [repId, manager?.name ?? null]),
    ).to.deep.equal([
      ['zoe', 'Maya'],
      ['ana', null],
    ]);
  });

  for (const [title, change, reason, detail] of [
    [
      'a question',
      { status: 'draft', openDisputes: [question] },
      'Open question',
      'The amount is wrong, about Q2 2026',
    ],
    [
      'a calculation',
      { status: 'draft', pending: true },
      'Still calculating',
      'The calculation is outstanding or has failed',
    ],
    ['no amount', { status: 'none' }, 'No amount', 'Nothing was earned in this period so far'],
    ['no statement', { status: 'none', summary: { totalCommission: 5 } }, 'No statement', 'Maya has not generated it'],
    [
      'an old draft',
      { status: 'draft', stale: true, version: 2 },
      'Draft is out of date',
      'The amounts have changed since v2',
    ],
    [
      'an old draft with the amount of today',
      { status: 'draft', stale: true, version: 2, liveNetPayout: 0 },
      'Draft is out of date',
      'Now $0.00, changed since v2',
    ],
    [
      'an old draft with what it would pay today, of which less is payable than earned',
      { status: 'draft', stale: true, version: 2, liveNetPayout: 4800, livePayable: 2400 },
      'Draft is out of date',
      'Now $2,400.00, changed since v2',
    ],
    ['no approval', { status: 'draft', version: 3 }, 'Not approved', 'Maya has not approved v3'],
  ] as readonly (readonly [string, Parameters<typeof statement>[1], string, string])[])
    it(`have a reason: ${title}`, () => {
      const [missing] = missingPeople([statement('zoe', change)], people);
      expect([missing?.reason, missing?.detail, missing?.disputeId]).to.deep.equal([
        reason,
        detail,
        change?.openDisputes?.[0]?.disputeId ?? null,
      ]);
    });

  it('are not those whose days are paid with another approved statement', () => {
    const covered = statement('zoe', { status: 'draft', coveredBy: ['2026-Q2'], summary: { netPayout: 9 } });
    expect(missingPeople([covered], people)).to.deep.equal([]);
  });

  it('wait for an admin if they have no manager', () => {
    expect(missingPeople([statement('ana', { status: 'draft', version: 1 })], people)[0]?.detail).to.equal(
      'An admin has not approved v1',
    );
  });

  it('are everyone who is not approved, once', () => {
    const statuses = fc.array(fc.constantFrom<TeamStatement['status']>('approved', 'draft', 'none'), { maxLength: 10 });
    fc.assert(
      fc.property(statuses, (all) => {
        const made = all.map((status, at) => statement(`p${at}`, { status }));
        const ids = missingPeople(made, new Map()).map((one) => one.statement.repId);
        expect([...ids].sort()).to.deep.equal(
          made
            .filter((one) => !isApproved(one))
            .map(({ repId }) => repId)
            .sort(),
        );
      }),
      { seed: 37, numRuns: 100 },
    );
  });
});

describe('the days of a pay period', () => {
  for (const [period, words] of [
    ['2026-06', '1 to 30 June 2026'],
    ['2026-02', '1 to 28 February 2026'],
    ['2028-02', '1 to 29 February 2028'],
    ['2026-Q4', '1 Oct to 31 December 2026'],
    ['2026', '1 Jan to 31 December 2026'],
  ] as const)
    it(`${period} is ${words}`, () => {
      expect(formatSpan(period)).to.equal(words);
    });

  it('are those of a time zone, without its region', () => {
    expect(zoneName('America/New_York')).to.equal('New York time');
    expect(zoneName('America/Argentina/Buenos_Aires')).to.equal('Buenos Aires time');
    expect(zoneName('UTC')).to.equal('UTC time');
  });
});

describe('the list of pay periods', () => {
  const handover = (period: string, createdAt: string) => ({ period, createdAt, handoverId: createdAt }) as Handover;
  const list = (...handovers: readonly Handover[]) =>
    listPayPeriods({ handovers, waiting: [] }, '2026-11-26').map(
      ({ period, handover: file }) => `${period} ${file?.createdAt ?? 'waits'}`,
    );

  it('has every file, and the ended months since the first one that are in none, the latest first', () => {
    const files = [
      handover('2026-08', '2026-09-05'),
      handover('2026-08', '2026-09-20'),
      handover('2026-06', '2026-07-04'),
    ];
    expect(list(...files)).to.deep.equal([
      '2026-10 waits',
      '2026-09 waits',
      '2026-08 2026-09-20',
      '2026-08 2026-09-05',
      '2026-07 waits',
      '2026-06 2026-07-04',
    ]);
  });

  it('has each period with approved amounts that are in no file, before the files of the period', () => {
    const waits = (period: string, people: number) => ({ period, people, totals: [] });
    const rows = listPayPeriods(
      { handovers: [handover('2026-10', '2026-11-02')], waiting: [waits('2026-10', 1), waits('2026-Q3', 4)] },
      '2026-11-26',
    );
    expect(
      rows.map(({ period, handover: file, waiting }) => [period, file?.createdAt ?? waiting?.people]),
    ).to.deep.equal([
      ['2026-10', 1],
      ['2026-10', '2026-11-02'],
      ['2026-Q3', 4],
    ]);
  });

  it('has every payout batch, and no month as missing that a batch pays', () => {
    const batch = (period: string, status: string) => ({ period, status, createdAt: `${period}-28` }) as PayoutBatch;
    const batches = [batch('2026-10', 'cancelled'), batch('2026-09', 'paid'), batch('2026-09', 'open')];
    const rows = listPayPeriods({ handovers: [], waiting: [], batches }, '2026-11-26');
    expect(rows.map(({ period, batch: of }) => [period, of?.status ?? null])).to.deep.equal([
      ['2026-10', null],
      ['2026-10', 'cancelled'],
      ['2026-09', 'paid'],
      ['2026-09', 'open'],
    ]);
  });

  it('has no month of a quarter that was handed over', () => {
    expect(list(handover('2026-Q3', '2026-10-05'))).to.deep.equal(['2026-10 waits', '2026-Q3 2026-10-05']);
  });

  it('has the month that ended last without any file', () => {
    expect(list()).to.deep.equal(['2026-10 waits']);
  });

  it('has a file of a fiscal period whose days are not known, at the end', () => {
    expect(list(handover('FY2025-Q1', '2025-10-05'))).to.deep.equal(['2026-10 waits', 'FY2025-Q1 2025-10-05']);
  });
});
