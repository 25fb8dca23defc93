import { expect } from 'chai';
import { reasonTexts } from '#src/client.js';
import { eventTypes } from '#src/outgoing/events/event-types.js';
import { disputeTypes as storedTypes } from '#src/statements/dispute-types.js';
import { disputeStatuses } from '#src/statements/disputes/dispute.js';
import { type Breakdown, type Line } from '#web/api/queries.js';
import { disputeKey, disputeTitle, disputeTypes, statusWords, typeWords } from '#web/features/disputes/words.js';
import { describeBase, kindWords, lineTitle, rateWords } from '#web/features/lines/words.js';
import { adjustmentKey, changeKey } from '#web/features/statements/adjustment-keys.js';
import { mainReason, outcomeWords } from '#web/pages/deals/reasons.js';
import { eventWords } from '#web/pages/settings/event-words.js';
import { operationName, operationWords } from '#web/shared/format/operations.js';

describe('the words for an operation', () => {
  it('are read as they are shown, and as the name of the operation', () => {
    expect(operationWords('setPlanOverride')).to.equal('Set plan override');
    expect(operationWords('connectCrmb')).to.equal('Connect HubSpot');
    expect(operationName('Connect HubSpot')).to.equal('connectCrmb');
    expect(['Set plan override', ' set plan  Override ', 'setPlanOverride', ''].map(operationName)).to.deep.equal([
      'setPlanOverride',
      'setPlanOverride',
      'setPlanOverride',
      '',
    ]);
  });
});

describe('a question in words', () => {
  it('has a type and a status that the service has', () => {
    expect(disputeTypes.map(([type]) => type)).to.have.members([...storedTypes]);
    expect(Object.keys(statusWords)).to.have.members([...disputeStatuses]);
    expect(typeWords('wrong_amount')).to.equal('The amount is wrong');
    expect(typeWords('unknown')).to.equal('unknown');
  });

  for (const [dealName, dealId, title] of [
    ['Northgate', 'D1', 'Northgate: a deal is missing'],
    [null, 'D1', 'D1: a deal is missing'],
    [null, null, 'A deal is missing'],
  ] as const)
    it(`is called ${title}`, () => {
      expect(disputeTitle({ dealName, dealId, type: 'missing_deal' })).to.equal(title);
    });

  it('and other entries are kept separately for each amount and each period', () => {
    const line = { eventId: 'E1' } as Line;
    const keys = [
      disputeKey('2026-06', null),
      disputeKey('2026-06', 'E1'),
      adjustmentKey('ana', '2026-06'),
      changeKey(line),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
    expect(disputeKey('2026-06', 'E1')).to.equal(disputeKey('2026-07', 'E1'));
  });
});

describe('a line in words', () => {
  const line = (change: Partial<Line>): Line =>
    ({
      kind: 'commission_earned',
      rate: null,
      tierName: null,
      base: 24_000,
      amount: 5,
      dealName: null,
      dealId: null,
      ruleName: null,
      ...change,
    }) as Line;

  const described: readonly (readonly [change: Partial<Line>, words: string])[] = [
    [{ rate: 0.0825 }, '8.25 %'],
    [{ rate: 0 }, '0 %'],
    [{ tierName: 'Quota' }, 'several rates, Quota'],
    [{ tierName: 'Quota', rates: [0.08, 0.12] }, '8 % + 12 %'],
    [{ tierName: 'Quota', rates: [0.01, 0.02, 0.03, 0.04] }, 'several rates, Quota'],
    [{ tierName: 'Quota', base: 0.6 }, 'Quota'],
    [{}, 'fixed'],
    [{ amount: 0 }, 'no tier'],
    [{ amount: 0, tierName: 'Base' }, 'Base'],
    [{ base: null, tierName: 'Base' }, 'fixed'],
    [{ kind: 'true_up', rate: 0.08 }, 'correction'],
    [{ kind: 'adjustment' }, 'adjustment'],
    [{ kind: 'clawback' }, 'clawback'],
    [{ rate: 0.1, refundId: 'R-1' }, 'clawback'],
  ];
  for (const [change, words] of described)
    it(`has its rate or its kind: ${words}`, () => {
      expect(rateWords(line(change)).replaceAll('\u00a0', ' ')).to.equal(words);
    });

  it('has no base where a fixed amount was paid', () => {
    expect(describeBase(line({ rate: null, base: 1 }))).to.equal(null);
    expect(describeBase(line({ rate: null, base: 0.6 }))).to.equal(null);
    expect(describeBase(line({ rate: 0.1, base: 1 }))).to.equal(1);
    expect(describeBase(line({ rate: null, base: 0 }))).to.equal(0);
  });

  it('is called as its deal, its rule or its kind', () => {
    expect(lineTitle(line({ dealName: 'Northgate', dealId: 'D1' }))).to.equal('Northgate');
    expect(lineTitle(line({ dealId: 'D1', ruleName: 'New' }))).to.equal('D1');
    expect(lineTitle(line({ ruleName: 'New' }))).to.equal('New');
    expect(lineTitle(line({ kind: 'adjustment' }))).to.equal(kindWords.adjustment);
    expect(lineTitle(line({ dealName: 'Northgate', refundId: 'R-1' }))).to.equal('Northgate, refund R-1');
  });
});

describe('why a deal paid nothing', () => {
  const outcome = (change: object) =>
    ({ paid: false, reason: null, missing: [], ...change }) as unknown as Breakdown['outcomes'][number];

  it('is what says more than that a rule does not apply', () => {
    const outcomes = [
      outcome({ reason: 'rule_condition_failed' }),
      outcome({ reason: 'deal_condition_failed' }),
      outcome({ reason: 'quota_missing' }),
      outcome({ paid: true, reason: 'statement_locked' }),
    ];
    expect(mainReason(outcomes)).to.equal('You have no quota for this period.');
    expect(mainReason(outcomes.slice(0, 2))).to.equal('The deal does not meet the conditions of the rule.');
    expect(mainReason(outcomes.slice(3))).to.equal('No rule applies to it.');
    expect(mainReason([])).to.equal('No rule applies to it.');
  });

  it('names what is missing', () => {
    expect(outcomeWords(outcome({ reason: 'field_missing', missing: ['contract_months', 'arr'] }))).to.equal(
      'The deal lacks a field that the rule reads. Missing: Contract months, Arr.',
    );
    expect(outcomeWords(outcome({}))).to.equal('The tier that was reached pays nothing.');
  });

  it('has few words too', () => {
    for (const { label } of Object.values(reasonTexts)) expect(label.length).to.be.within(5, 40);
  });
});

describe('the events that can be sent', () => {
  it('are those of the service, each in words', () => {
    expect(Object.keys(eventWords)).to.have.members(Object.keys(eventTypes));
  });
});
