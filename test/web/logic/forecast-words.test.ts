import { expect } from 'chai';
import { goalWords, paceWords } from '#web/features/forecast/words.js';

describe('the words of a forecast', () => {
  it('compare a quota with the working days that have passed', () => {
    const pace = { planId: 'P', measure: 'New business', period: '2026-Q1', credit: 60_000, target: 100_000 };
    const words = paceWords({ ...pace, workingDays: 64, elapsedDays: 32, pace: 1.2 });
    expect(words?.replaceAll('\u00a0', ' ')).to.equal(
      'New business, Q1 2026: 60 % of the target after 32 of 64 working days, 120 % of the pace that reaches it.',
    );
    expect(paceWords({ ...pace, workingDays: 64, elapsedDays: 0, pace: null })).to.equal(null);
  });

  it('name the deals that reach a goal, or what is missing', () => {
    const forecast = {
      currency: 'USD',
      deals: [
        { dealId: 'A', name: 'Acme' },
        { dealId: 'B', name: null },
      ],
    };
    const goal = { amount: 1000, reached: true, dealIds: ['A', 'B'], pay: 1200, missing: 0, exact: true };
    const words = (change: object) => goalWords({ ...goal, ...change }, forecast as never);
    expect(words({})).to.equal('Win Acme and B to reach it: $1,200.00.');
    expect(words({ dealIds: [] })).to.equal('You reach it with $1,200.00 already.');
    expect(words({ reached: false, pay: 900, missing: 100 })).to.equal(
      'Open deals do not reach it: with all of them $900.00, and $100.00 are missing.',
    );
  });
});
