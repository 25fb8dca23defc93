import { expect } from 'chai';
import { type Breakdown, type Explanation, type Line } from '#web/api/queries.js';
import { comparedRules, ofRep } from '#web/features/disputes/compared.js';
import { isCorrected, lateSentence } from '#web/features/lines/late-amounts.js';
import { lineTitle, ruleWords } from '#web/features/lines/words.js';
import { buildSteps, describeTitle, formatExplanation, headWords } from '#web/features/trace/steps.js';
import { lateWords } from '#web/pages/deals/reasons.js';
import { describeCause } from '#web/pages/team/causes.js';

const correction = {
  eventId: 'E1',
  repId: 'dana',
  repName: 'Dana',
  planId: 'P1',
  ruleName: 'New business',
  period: '2026-Q3',
  paidIn: '2026-Q3',
  approved: 0,
  live: 1730.47,
  delta: 1730.47,
  currency: 'USD',
  at: '2026-10-03T10:00:00Z',
} as const;
const carried = { ...correction, eventId: 'E2', paidIn: '2026-11', approved: 1730.47, live: 2010.47, delta: 280 };
const open = { ...correction, discrepancyId: 'X', status: 'open', delta: 280 } as const;
const breakdown = {
  events: [],
  corrections: [correction, carried, { ...correction, repId: 'mia', delta: 138.44 }],
  openDifferences: [],
  outcomes: [
    { repId: 'dana', planId: 'P1', ruleName: 'New business', paid: true, amount: 2010.47, reason: null },
    { repId: 'dana', planId: 'P1', ruleName: 'Large deal', paid: false, amount: 0, reason: 'rule_condition_failed' },
  ],
} as unknown as Breakdown;

describe('amounts that came after an approval', () => {
  it('are one sentence: what was paid when, and what is open', () => {
    expect(lateSentence([], [])).to.equal(null);
    expect(lateSentence([correction, carried], [])).to.equal(
      'Added $1,730.47 to the statement of Q3 2026, $280.00 to November 2026 as a correction of Q3 2026.',
    );
    expect(lateSentence([], [open])).to.equal('+$280.00 for Q3 2026 is not decided yet.');
    expect(lateSentence([], [{ ...open, status: 'dismissed' }])).to.equal('+$280.00 for Q3 2026 was not paid.');
  });

  it('of several rules in one statement are added', () => {
    const other = { ...correction, ruleName: 'Large deal', delta: 0.1 };
    expect(lateSentence([correction, other], [])).to.include('$1,730.57');
  });

  it('keep a rule out of those that paid nothing', () => {
    const [paid, unpaid] = breakdown.outcomes;
    expect(isCorrected(paid as Breakdown['outcomes'][number], breakdown)).to.equal(true);
    expect(isCorrected(unpaid as Breakdown['outcomes'][number], breakdown)).to.equal(false);
  });

  it('are in the list of deals', () => {
    const closed = { corrected: 0, openDifference: 0, commissionCurrency: 'USD' };
    expect(lateWords(closed)).to.equal(null);
    expect(lateWords({ ...closed, corrected: 1730.47, openDifference: 280 })).to.equal(
      '+$1,730.47 paid as a correction, +$280.00 not paid yet',
    );
  });

  it('of a question are compared then and now, of the person only', () => {
    const before = ofRep({ ...breakdown, corrections: [correction] }, 'dana');
    expect(comparedRules(before, ofRep(breakdown, 'dana'))).to.deep.equal([
      { name: 'New business', before: '$1,730.47', now: '$2,010.47' },
      {
        name: 'Large deal',
        before: 'The deal does not meet the conditions of the rule.',
        now: 'The deal does not meet the conditions of the rule.',
      },
    ]);
  });
});

describe('lines of true-ups', () => {
  const lines = [
    { dealId: 'D1', dealName: 'Harbour Media', ruleName: 'New business', approved: 0, live: 80, delta: 80 },
  ];
  const line = {
    kind: 'true_up',
    dealId: null,
    dealName: null,
    ruleName: null,
    period: '2026-Q3',
    lines,
  } as unknown as Line;

  it('name the deal and the period that they correct', () => {
    expect(lineTitle(line)).to.equal('Harbour Media, correction of Q3 2026');
    expect(ruleWords(line)).to.equal('Correction');
    const later = { ...line, period: '2026-11', sourcePeriod: '2026-Q3' };
    expect(lineTitle(later)).to.equal('Harbour Media, correction of Q3 2026');
    expect(ruleWords(later)).to.equal('Correction of an earlier period');
    const two = { ...line, lines: [...lines, { ...lines[0], dealId: 'D2', dealName: null }] } as unknown as Line;
    expect(lineTitle(two)).to.equal('Harbour Media and 1 more, correction of Q3 2026');
  });

  it('are explained by the approved statement and each difference', () => {
    const event = {
      eventId: 'E',
      repId: 'dana',
      kind: 'true_up',
      amount: 80,
      currency: 'USD',
      period: '2026-11',
      earnedOn: '2026-11-01',
      base: null,
    };
    const trueUp = { period: '2026-Q3', paidIn: '2026-11', lines };
    const explanation = { event, deal: null, rule: null, trueUp, steps: [] } as unknown as Explanation;
    const steps = buildSteps(explanation, { repId: 'dana', role: 'rep' });
    expect(steps.map(({ title, figure }) => [title, figure])).to.deep.equal([
      ['Statement of Q3 2026', 'approved'],
      ['Harbour Media, New business', '+$80.00'],
      ['Result', '$80.00'],
    ]);
    expect(steps[1]?.words).to.deep.equal(['$80.00 instead of $0.00.']);
    expect(steps[1]?.source?.to).to.equal('/deals/D1');
    expect(steps[0]?.source?.to).to.equal('/statements/dana?period=2026-Q3');
    expect(describeTitle(explanation)).to.equal('Harbour Media, correction of Q3 2026');
    expect(formatExplanation(explanation, steps)).to.include(
      'Harbour Media, correction of Q3 2026: $80.00 (Correction',
    );
    expect(headWords(explanation)).to.match(/^correction, on /);
  });
});

describe('the cause of a difference', () => {
  for (const [kind, what, text, dealId] of [
    ['deal_change', 'Deal D-1', 'A deal changed', 'D-1'],
    ['quota_change', 'Quotas', 'Quotas changed', null],
    [
      'rank',
      'Credit of other reps of the plan',
      'The credit of other people of the plan, which decides the rank, changed',
      null,
    ],
    ['a_new_kind', 'A new calculation', 'A new calculation', null],
    [
      'deal_change',
      'Deal D-1, of 2026-09, which is not decided',
      'A deal changed, of September 2026, which is not decided',
      'D-1',
    ],
  ] as const)
    it(`${kind} is in words`, () => {
      expect(describeCause({ kind, what })).to.deep.equal({ text, dealId });
    });
});
