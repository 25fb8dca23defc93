import { expect } from 'chai';
import { elapsedShare, paceWords } from '#web/pages/team/pace.js';

describe('pace', () => {
  const quota = (period: string, attainment: number, through = '2026-12-31') => ({ period, attainment, through });
  const share = (period: string, today: string, through = '2026-12-31') => elapsedShare({ period, through }, today);

  it('is the share of the days of a running period that are over, today included', () => {
    expect(share('2026-11', '2026-11-15')).to.equal(0.5);
    expect(share('2026-Q4', '2026-10-01')).to.equal(1 / 92);
    expect(share('2026-Q4', '2026-12-31')).to.equal(1);
  });

  it('does not exist before the period begins and after it ends', () => {
    expect(share('2026-11', '2026-10-31')).to.equal(null);
    expect(share('2026-11', '2026-12-01')).to.equal(null);
    expect(paceWords([quota('2026-Q3', 0.8)], '2026-11-15')).to.equal(null);
  });

  it('is that of the last counted day in an earlier month of the period', () => {
    expect(share('2026-Q4', '2026-11-27', '2026-10-31')).to.equal(31 / 92);
    expect(
      paceWords([quota('2026-Q4', 0.3, '2026-10-31'), quota('2026-Q4', 0.5, '2026-10-31')], '2026-11-27'),
    ).to.equal('By 31 Oct, 34 % of Q4 2026 was over, and 1 of 2 people had attained less of their quota.');
  });

  it('says how many people attained less than the share that is over', () => {
    expect(paceWords([quota('2026-Q4', 0.4), quota('2026-Q4', 0.5), quota('2026-Q4', 1.2)], '2026-11-15')).to.equal(
      '50 % of Q4 2026 is over. 1 of 3 people attained less of their quota.',
    );
  });

  it('compares each person with their own period', () => {
    expect(paceWords([quota('2026-Q4', 0.7), quota('2026-11', 0.9)], '2026-11-30')).to.equal(
      '1 of 2 people attained less of their quota than the share of its period that is over.',
    );
  });
});
