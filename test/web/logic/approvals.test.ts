import { expect } from 'chai';
import { disputeCountsQuery, isWaiting, type Line, waitingDisputesQuery } from '#web/api/queries.js';
import { type Attainment, type Exceptions, type TeamStatements } from '#web/api/team-queries.js';
import { queryClient } from '#web/app/query-client.js';
import { netSums, sumWords } from '#web/features/statements/pay-sums.js';
import { approvedWords, rejections } from '#web/pages/team/approvals/approval-outcome.js';
import {
  type ApprovalRow,
  approvalRows,
  approvalVerb,
  countApproved,
  isBlockedBy,
  isClear,
  isCounted,
  isSelectable,
  isToReview,
  isUnready,
} from '#web/pages/team/approvals/approval-rows.js';
import { changedLines } from '#web/pages/team/approvals/changed-lines.js';
import { neighbours, nextOf } from '#web/pages/team/approvals/review-order.js';
import { isSeen, look, paidThenAndNow, type SeenStatement } from '#web/pages/team/approvals/seen-statements.js';
import { confirmableWith, undecidedBefore } from '#web/pages/team/approvals/undecided.js';
import { mainAttainment } from '#web/pages/team/attainment.js';
import { findBand } from '#web/pages/team/bands.js';
import { statement } from './samples.js';

type Person = { readonly repId: string };
type Change = Parameters<typeof statement>[1];

interface Given {
  readonly previous?: readonly ReturnType<typeof statement>[];
  readonly exceptions?: object;
  readonly seen?: SeenStatement;
}

function rowsFor(statements: readonly ReturnType<typeof statement>[], given: Given = {}): ApprovalRow[] {
  return approvalRows({
    period: '2026-06',
    ownRepId: 'maya',
    statements: { statements, missingPayrollIds: [] } as unknown as TeamStatements,
    overview: null,
    previous: given.previous === undefined ? null : ({ statements: given.previous } as unknown as TeamStatements),
    exceptions: given.exceptions as Exceptions | undefined,
    seenOf: () => given.seen,
  });
}

const question = { disputeId: 'Q', period: '2026-Q2', type: 'other', description: 'Why?', openedBy: 'Ana' } as const;
const draft: Change = { status: 'draft', version: 1, summary: { netPayout: 100, totalCommission: 100 } };
const seen = (change: Change = {}): SeenStatement =>
  look(statement('ana', { ...draft, ...change }), '2026-07-01T00:00:00Z');
const holdOf = (change: Change, given?: Given, repId = 'ana') => {
  const hold = rowsFor([statement(repId, { ...draft, ...change })], given)[0]?.hold ?? null;
  return hold === null ? null : 'reason' in hold ? `${hold.kind} ${hold.reason}` : hold.kind;
};
/** The deals are those of a page, which may be of other people. */
const withoutQuota = (reason: string) => ({
  exceptions: [{ reason, deals: [{ repId: 'ben' }, { repId: null }], repIds: ['ana', 'ben'] }],
});

describe('a signature of many statements', () => {
  const chain = (done: number) => ({ approval: { done, of: 3 } }) as Pick<ReturnType<typeof statement>, 'approval'>;

  it('approves those of which it is the last one', () => {
    expect([approvalVerb([{}]), countApproved([{}])]).to.deep.equal(['Approve', 1]);
    const signed = [chain(0), chain(1), chain(2)];
    expect([approvalVerb(signed), countApproved(signed)]).to.deep.equal(['Sign', 1]);
  });
});

describe('an approval of many statements', () => {
  const rejected = ['ana', 'ben', 'cem'].map((repId) => ({ repId, version: 2, code: 'x', message: `Not ${repId}.` }));

  it('lists why statements were not approved, until they are approved or have another version', () => {
    const statements = [
      { repId: 'ana', status: 'draft', version: 2 },
      { repId: 'ben', status: 'draft', version: 3 },
      { repId: 'cem', status: 'approved', version: 2 },
    ] as const;
    expect([...rejections({ rejected }, statements)]).to.deep.equal([['ana', 'Not ana.']]);
    expect([...rejections(undefined, statements)]).to.deep.equal([]);
  });

  it('says how it ended', () => {
    expect(approvedWords(1, 0)).to.match(/^1\sstatement approved\.$/);
    expect(approvedWords(1820, 2)).to.match(/^1,820\sstatements approved, 2 not\. The list says why\.$/);
  });
});

describe('the warning before an approval', () => {
  it('names what is undecided of earlier periods of the same people', () => {
    const difference = (repId: string, period: string) => ({
      ...{ discrepancyId: `${repId} ${period}`, repId, repName: repId, period, delta: 684, currency: 'USD' },
      otherCurrencies: [{ currency: 'EUR', delta: -5 }] as never,
    });
    const open = [difference('rosa', '2026-09'), difference('rosa', '2026-10'), difference('ben', '2026-09')];
    const words = undecidedBefore(open, '2026-10', new Set(['rosa'])).map((each) => each.words);
    expect(words.map((text) => text.replaceAll('\u00a0', ' '))).to.deep.equal([
      'rosa, September 2026: +USD 684.00 and −EUR 5.00',
    ]);
  });
});

describe('the action of an approval', () => {
  it('can be used once it is known what is undecided', () => {
    expect(confirmableWith({ data: undefined, error: null })).to.deep.equal({ isBusy: true, disabled: false });
    expect(confirmableWith({ data: undefined, error: new Error() })).to.deep.equal({ isBusy: false, disabled: true });
    expect(confirmableWith({ data: [], error: null })).to.deep.equal({ isBusy: false, disabled: false });
  });
});

describe('the people before and after a person in the review', () => {
  const people = ['ana', 'ben', 'cem'].map((repId) => ({ repId }));

  it('are those of the list', () => {
    expect(neighbours(people, 'ben')).to.deep.equal({
      position: 1,
      previous: { repId: 'ana' },
      next: { repId: 'cem' },
    });
    expect(neighbours(people, 'ana')).to.deep.equal({ position: 0, previous: null, next: { repId: 'ben' } });
    expect(neighbours(people, 'cem')).to.deep.equal({ position: 2, previous: { repId: 'ben' }, next: null });
    expect(neighbours(people, 'zoe')).to.deep.equal({ position: -1, previous: null, next: { repId: 'ana' } });
    expect(neighbours([], 'zoe').next).to.equal(null);
  });

  it('are followed by the next one who is to be approved', () => {
    const [ana, , cem] = people as [Person, Person, Person];
    expect(nextOf(people, [ana, cem], 'ana')).to.equal(cem);
    expect(nextOf(people, [ana, cem], 'cem')).to.equal(ana);
    expect(nextOf(people, [ana], 'ana')).to.equal(null);
    expect(nextOf(people, [cem], 'zoe')).to.equal(cem);
  });
});

describe('a draft whose days are paid with another period', () => {
  it('does not count in the sums of this one', () => {
    const rows = rowsFor([statement('a', draft), statement('b', { ...draft, coveredBy: ['2026-Q2'] }), statement('c')]);
    expect(
      rows
        .filter(isCounted)
        .map(({ repId }) => repId)
        .sort(),
    ).to.deep.equal(['a', 'c']);
  });
});

describe('a draft that waits for approval', () => {
  for (const [title, change, given, hold] of [
    ['nothing', {}, {}, null],
    ['approved', { status: 'approved' }, { exceptions: withoutQuota('quota_missing') }, null],
    ['no quota', {}, { exceptions: withoutQuota('quota_missing') }, 'blocked quota_missing'],
    ['no variable target', {}, { exceptions: withoutQuota('variable_target_missing') }, 'blocked quota_missing'],
    ['another exception', {}, { exceptions: withoutQuota('no_close_date') }, null],
    ['no draft', { status: 'none' }, {}, 'blocked no_draft'],
    ['a calculation', { pending: true, stale: true }, {}, 'blocked calculating'],
    ['older than its amounts', { stale: true }, {}, 'blocked stale'],
    ['seen with other amounts', {}, { seen: seen({ summary: { ...draft.summary, netPayout: 90 } }) }, 'review changed'],
    [
      'seen with other parts of the same amount',
      {},
      { seen: seen({ summary: { ...draft.summary, totalCommission: 90, totalBonuses: 10 } }) },
      'review changed',
    ],
    ['seen with the same amounts in another version', { version: 2 }, { seen: seen() }, null],
    [
      'checked in this version',
      { checks: [{ version: 1 }] },
      { seen: seen({ summary: { ...draft.summary, netPayout: 90 } }) },
      null,
    ],
    [
      'checked in another version',
      { version: 2, checks: [{ version: 1 }] },
      { seen: seen({ summary: { ...draft.summary, netPayout: 90 } }) },
      'review changed',
    ],
    ['usually high', { deviations: 3 }, {}, null],
    ['unusually high', { deviations: 3.1 }, {}, 'review unusual'],
    ['unusually low', { deviations: -3.1 }, {}, 'review unusual'],
    ['unusual and checked', { deviations: 9, checks: [{ version: 1 }] }, {}, null],
    ['an open question, also about another period with these days', { openDisputes: [question] }, {}, 'question'],
    [
      'changed and in question',
      { openDisputes: [question] },
      { seen: seen({ summary: { ...draft.summary, netPayout: 90 } }) },
      'review changed',
    ],
    ['paid with an approved quarter', { coveredBy: ['2026-Q2'] }, {}, 'blocked covered'],
    [
      'paid with an approved quarter, without a draft',
      { status: 'none', coveredBy: ['2026-Q2'] },
      {},
      'blocked covered',
    ],
  ] as readonly (readonly [string, Change, Given, string | null])[])
    it(`is held for ${hold ?? 'nothing'}: ${title}`, () => {
      expect(holdOf(change, given)).to.equal(hold);
    });

  it('is held from its own manager', () => {
    expect(holdOf({}, {}, 'maya')).to.equal('blocked own');
    expect(holdOf({ stale: true }, {}, 'maya')).to.equal('blocked own');
  });

  it('stands before what can be approved if it needs a review, and after it if it is blocked', () => {
    const rows = rowsFor([
      statement('e', { ...draft, status: 'none' }),
      statement('d', { ...draft, stale: true }),
      statement('c', { ...draft, deviations: 9 }),
      statement('b', draft),
      statement('a', draft),
    ]);
    expect(rows.map(({ repId }) => repId).join('')).to.equal('cbade');
  });

  it('has its change since the period before, in the same currency only', () => {
    const changeSince = (before?: Change) =>
      rowsFor([statement('ana', draft)], before === undefined ? {} : { previous: [statement('ana', before)] })[0]
        ?.change;
    expect(changeSince({ summary: { netPayout: 99.9 } })).to.equal('0.1');
    expect(changeSince({ summary: { netPayout: 99.9 }, currency: 'EUR' })).to.equal(null);
    expect(changeSince()).to.equal(null);
  });

  for (const [title, change, given, expected] of [
    ['free', {}, {}, [true, true, true, false]],
    ['in question', { openDisputes: [question] }, {}, [true, true, false, false]],
    ['paid with another period', { coveredBy: ['2026-Q2'] }, {}, [false, false, false, false]],
    ['to be looked at', { deviations: 9 }, {}, [true, false, false, false]],
    ['without a draft', { status: 'none' }, {}, [true, false, false, true]],
    ['older than its amounts', { stale: true }, {}, [true, false, false, false]],
    ['approved', { status: 'approved' }, {}, [false, false, false, false]],
  ] as readonly (readonly [string, Change, Given, readonly boolean[]])[])
    it(`is reviewed, selectable, clear, unready as ${expected.join(', ')}: ${title}`, () => {
      const [row] = rowsFor([statement('ana', { ...draft, ...change })], given);
      const tests = [isToReview, isSelectable, isClear, isUnready];
      expect(tests.map((test) => row !== undefined && test(row))).to.deep.equal(expected);
    });

  it('is blocked only by the named causes', () => {
    const [row] = rowsFor([statement('ana', { ...draft, stale: true })]) as [ApprovalRow];
    expect(isBlockedBy('stale')(row)).to.equal(true);
    expect(isBlockedBy('own', 'calculating')(row)).to.equal(false);
  });
});

describe('the sums of selected drafts', () => {
  const sums = (...statements: readonly ReturnType<typeof statement>[]) =>
    sumWords(netSums(statements, 'USD')).replaceAll('\u00a0', ' ');

  it('are exact, one for each currency', () => {
    expect(
      sums(
        statement('a', { ...draft, summary: { netPayout: 0.1 } }),
        statement('b', { ...draft, summary: { netPayout: 0.2 } }),
      ),
    ).to.equal('$0.30');
    expect(
      sums(
        statement('a', { ...draft, otherCurrencies: [{ currency: 'JPY', summary: { netPayout: 5 } }] }),
        statement('b', { ...draft, currency: 'KWD', summary: { netPayout: 1.5 } }),
      ),
    ).to.equal('USD 100.00 + JPY 5 + KWD 1.500');
  });
});

describe('the remarks on a statement', () => {
  const remarksOf = (change: Change, previous?: Change) =>
    rowsFor([statement('ana', { ...draft, ...change })], {
      ...(previous === undefined ? {} : { previous: [statement('ana', previous)] }),
    })[0]?.remarks.map((remark) => remark.replaceAll('\u00a0', ' '));
  const earned = (netPayout: number) => ({ summary: { netPayout } });
  const pays = (amount: number | null, owed: readonly object[] = []) =>
    ({ payslip: { pays: [{ currency: 'USD', amount }], owed } }) as unknown as Change;

  it('say what is unusual from the first period on', () => {
    expect(remarksOf(earned(98_378.55), earned(4974.09))).to.deep.equal(['20 × the period before']);
    expect(remarksOf(earned(32_244.56), earned(0))).to.deep.equal(['first amount since a period without one']);
    expect(remarksOf(earned(1000), earned(4000))).to.deep.equal(['less than a third of the period before']);
    expect(remarksOf(earned(500), earned(20))).to.deep.equal([]);
    expect(remarksOf(earned(4000), earned(3900))).to.deep.equal([]);
    expect(remarksOf(earned(-5))).to.deep.equal(['negative']);
  });

  it('say why a statement pays nothing', () => {
    const owed = [{ currency: 'USD', amount: 5899.54 }];
    expect(remarksOf({ ...earned(10), ...pays(0, owed) })).to.deep.equal(['pays 0, owes $5,899.54']);
    expect(remarksOf({ ...earned(7326.19), ...pays(0) })).to.deep.equal(['pays 0: waiting or held']);
    expect(remarksOf({ ...earned(10), ...pays(null) })).to.deep.equal(['exchange rate missing']);
    expect(remarksOf({ ...earned(10), ...pays(10) })).to.deep.equal([]);
  });
});

describe('what a manager has seen', () => {
  it('is the same while every figure is', () => {
    const now = statement('ana', { ...draft, version: 7 });
    expect(isSeen(seen(), now)).to.equal(true);
    const figures = ['netPayout', 'payable', 'totalCommission', 'totalBonuses', 'totalAdjustments'];
    for (const figure of figures)
      expect(isSeen(seen({ summary: { ...draft.summary, [figure]: 1 } }), now)).to.equal(false);
  });

  it('has changed with what is payable, also if as much is earned, and in each currency', () => {
    const pays = (payable: number, eur: number) => ({
      summary: { ...draft.summary, payable },
      otherCurrencies: [{ currency: 'EUR', summary: { netPayout: 50, payable: eur } }],
    });
    const before = seen(pays(80, 50));
    const held = statement('ana', { ...draft, ...pays(30, 50) });
    expect([isSeen(before, held), paidThenAndNow(before, held)]).to.deep.equal([
      false,
      { currency: 'USD', before: 80, now: 30 },
    ]);
    const waits = statement('ana', { ...draft, ...pays(80, 0) });
    expect([isSeen(before, waits), paidThenAndNow(before, waits)]).to.deep.equal([
      false,
      { currency: 'EUR', before: 50, now: 0 },
    ]);
  });
});

describe('the lines that changed between two versions', () => {
  const line = (change: Partial<Line>): Line =>
    ({
      eventId: 'E',
      dealId: 'D1',
      dealName: 'Northgate',
      ruleName: 'New business',
      kind: 'commission_earned',
      status: 'earned',
      currency: 'USD',
      amount: 5,
      ...change,
    }) as Line;

  it('are named once for each deal and rule, the largest change first', () => {
    const before = [
      line({ eventId: '1', amount: 0.1 }),
      line({ eventId: '2', amount: 0.2 }),
      line({ dealId: 'D2', dealName: null, amount: 50 }),
    ];
    const after = [line({ eventId: '3', amount: 0.5 }), line({ dealId: 'D3', dealName: 'Acme', amount: -9 })];
    expect(changedLines(before, after)).to.deep.equal([
      { name: 'D2', ruleName: 'New business', delta: '-50' },
      { name: 'Acme', ruleName: 'New business', delta: '-9' },
      { name: 'Northgate', ruleName: 'New business', delta: '0.2' },
    ]);
  });

  it('are none where the same amount has another event', () => {
    expect(changedLines([line({ eventId: '1' })], [line({ eventId: '2' })])).to.deep.equal([]);
  });

  it('include what is reversed and what a person entered', () => {
    const entered = line({
      eventId: 'A',
      kind: 'adjustment',
      ruleName: null,
      dealId: null,
      dealName: null,
      reason: 'Agreed',
      amount: 7,
    });
    expect(changedLines([line({})], [line({ status: 'reversed' }), entered])).to.deep.equal([
      { name: 'Agreed', ruleName: 'Adjustment', delta: '7' },
      { name: 'Northgate', ruleName: 'New business', delta: '-5' },
    ]);
  });

  it('are separate in each currency', () => {
    expect(
      changedLines([line({})], [line({ currency: 'EUR' })])
        .map(({ delta }) => delta)
        .sort(),
    ).to.deep.equal(['-5', '5']);
  });
});

describe('the attainment that stands for a person', () => {
  const quota = (period: string, target: number) =>
    ({ measure: `${period} ${target}`, period, target, credit: 0, attainment: 0 }) as unknown as Attainment;

  for (const [title, period, all, expected] of [
    ['none', '2026-06', [], null],
    ['the only one', '2026-06', [quota('2026-Q2', 5)], '2026-Q2 5'],
    ['the shortest that covers the period', '2026-06', [quota('2026', 99), quota('2026-Q2', 5)], '2026-Q2 5'],
    ['not one that is shorter than the period', '2026-Q2', [quota('2026-06', 99), quota('2026', 5)], '2026 5'],
    ['of several the largest target', '2026-06', [quota('2026-Q2', 5), quota('2026-Q2', 7)], '2026-Q2 7'],
    [
      'of equal targets the first',
      '2026-06',
      [quota('2026-Q2', 5), { ...quota('2026-Q2', 5), measure: 'other' }],
      '2026-Q2 5',
    ],
    ['none with a target of 0', '2026-06', [quota('2026-Q2', 0)], null],
    [
      'none that counts at the end of its period',
      '2026-06',
      [{ ...quota('2026-Q2', 7), countsAtEnd: 0, uncounted: 'variable_target_missing' }, quota('2026-Q2', 5)],
      '2026-Q2 5',
    ],
    ['none that is too short', '2026', [quota('2026-06', 5)], null],
  ] as const)
    it(`is ${expected ?? 'none'}: ${title}`, () => {
      expect(mainAttainment(all, period)?.measure ?? null).to.equal(expected);
    });
});

describe('a question', () => {
  it('waits until it is decided or withdrawn', () => {
    const statuses = ['open', 'in_review', 'accepted', 'rejected', 'withdrawn'] as const;
    expect(statuses.filter((status) => isWaiting({ status }))).to.deep.equal(['open', 'in_review']);
  });

  it('waits also if more recent ones than one request has are decided', async () => {
    const disputes = Array.from({ length: 1100 }, (_, index) => ({
      disputeId: `${index}`,
      status: index < 550 ? 'accepted' : index % 2 === 0 ? 'open' : 'in_review',
      openedAt: new Date(1e12 - index).toISOString(),
    }));
    const original = globalThis.fetch;
    globalThis.fetch = async (input) => {
      const { searchParams } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
      const [status, offset] = [searchParams.get('status'), Number(searchParams.get('offset') ?? 0)];
      const found = disputes.filter((dispute) => status === null || dispute.status === status);
      const page = found.slice(offset, offset + Number(searchParams.get('limit')));
      return Response.json({ disputes: page, count: found.length });
    };
    const counts = await queryClient.fetchQuery(disputeCountsQuery);
    const waiting = await queryClient.fetchQuery(waitingDisputesQuery);
    globalThis.fetch = original;
    queryClient.clear();
    expect(counts).to.deep.equal({ all: 1100, waiting: 550 });
    expect(waiting).to.deep.equal(disputes.slice(550));
  });
});

describe('bands of attainment', () => {
  for (const [attainment, band] of [
    [undefined, 'none'],
    [-0.2, 'under50'],
    [0.4999, 'under50'],
    [0.5, '50to75'],
    [0.75, '75to100'],
    [1, '100to125'],
    [1.25, 'from125'],
    [7, 'from125'],
  ] as const)
    it(`have ${attainment ?? 'no quota'} in ${band}`, () => {
      expect(findBand(attainment)).to.equal(band);
    });
});
