import { expect } from 'chai';
import { type Absence, type Ramp } from '#web/api/people-queries.js';
import { type Assignment, type Quota } from '#web/api/set-up-queries.js';
import { readAbsence, toEnteredAbsence } from '#web/features/people/entered-absence.js';
import { firstStep, readSteps, toEntered } from '#web/features/people/ramp-steps.js';
import {
  drawTimeline,
  explainTarget,
  isProrated,
  listReasons,
  type WorkingFacts,
} from '#web/features/people/working-time.js';
import { prorationWords } from '#web/features/plans/attainment.js';

const leave: Absence = {
  absenceId: 'leave',
  repId: 'ben',
  from: '2026-02-10',
  to: '2026-03-11',
  quotaRelief: 100,
  variableRelief: 100,
  note: null,
};
const step = (quotaPercent: number) => ({ months: 1, quotaPercent, variablePercent: 100, ratePercent: 100 });
const ramp: Ramp = { rampId: 'ramp', name: 'Two months', steps: [step(25), step(50)], assignments: 1 };
const assignment = {
  assignmentId: 'ben on AE',
  planName: 'AE',
  effectiveStart: null,
  effectiveEnd: null,
} as Assignment;
const quota = { quotaId: 'q1', planId: 'ae', measure: 'New business', period: '2026-Q1', target: 90_000 } as Quota;
const prorated: Quota = {
  ...quota,
  effectiveTarget: 60_000,
  explanation: '90,000 × 60 of 90 days',
  factors: [
    { from: '2026-01-01', to: '2026-02-09', weight: 1, variableWeight: 1, because: 'full' },
    { from: '2026-02-10', to: '2026-03-11', weight: 0, variableWeight: 0, because: 'absence' },
    { from: '2026-03-12', to: '2026-03-31', weight: 1, variableWeight: 1, because: 'full' },
  ],
};
const facts: WorkingFacts = {
  person: { hireDate: null, endDate: null },
  absences: [],
  assignments: [],
  ramps: [],
  quotas: [],
};

describe('the time axis of a person', () => {
  const draw = (part: Partial<WorkingFacts>, year = 2026) =>
    drawTimeline({ ...facts, ...part }, year).map(({ name, stretches }) => ({
      name,
      stretches: stretches.map(({ left, width, label, days }) => [Math.round(left), Math.round(width), label, days]),
    }));

  it('has the days of employment within the year, and only them without other facts', () => {
    expect(draw({})).to.deep.equal([{ name: 'Employed', stretches: [[0, 100, '', '1 Jan to 31 Dec']] }]);
    const person = { hireDate: '2025-05-01', endDate: '2026-06-30' };
    expect(draw({ person })[0]?.stretches).to.deep.equal([[0, 50, '', '1 Jan to 30 Jun']]);
    expect(draw({ person }, 2027)).to.deep.equal([{ name: 'Employed', stretches: [] }]);
  });

  it('has the absences with what their days still count', () => {
    expect(draw({ absences: [leave] })[1]).to.deep.equal({
      name: 'Absent',
      stretches: [[11, 8, '0 %', '10 Feb to 11 Mar']],
    });
    expect(draw({ absences: [leave] }, 2027)).to.have.length(1);
  });

  it('has the steps of a ramp from its first day, otherwise from that of the assignment or of the employment', () => {
    const steps = (part: Partial<Assignment>, hireDate: string | null = null) =>
      draw({
        person: { hireDate, endDate: null },
        ramps: [ramp],
        assignments: [{ ...assignment, rampId: 'ramp', ...part }],
      })[1]?.stretches.map(([, , label, days]) => `${label} ${days}`);
    expect(steps({ rampFrom: '2026-01-31' })).to.deep.equal(['25 % 31 Jan to 27 Feb', '50 % 28 Feb to 30 Mar']);
    expect(steps({ effectiveStart: '2026-03-01' }, '2026-01-01')?.[0]).to.equal('25 % 1 Mar to 31 Mar');
    expect(steps({}, '2026-01-01')?.[0]).to.equal('25 % 1 Jan to 31 Jan');
    expect(steps({ rampFrom: '2026-01-01', effectiveEnd: '2026-01-10' })).to.deep.equal(['25 % 1 Jan to 10 Jan']);
    expect(steps({})).to.equal(undefined);
  });

  it('has the target that counts in each period', () => {
    const [, row] = drawTimeline(
      { ...facts, quotas: [prorated, { ...quota, quotaId: 'q2', period: '2026-Q2' }] },
      2026,
    );
    expect(row).to.include({ name: 'Target, New business', kind: 'target' });
    expect(row?.stretches.map(({ label, days, isProrated: isLower }) => [label, days, isLower])).to.deep.equal([
      ['60,000', 'Q1 2026', true],
      ['90,000', 'Q2 2026', false],
    ]);
  });
});

describe('the explanation of a target', () => {
  it('names the days that count less, and why', () => {
    expect(listReasons(prorated)).to.deep.equal(['10 Feb to 11 Mar, 30\u00a0days: absence, count 0\u00a0%']);
    expect(
      listReasons({
        factors: [
          { from: '2026-01-01', to: '2026-01-01', weight: 0, variableWeight: 0, because: 'not_employed' },
          { from: '2026-01-02', to: '2026-01-31', weight: 0.25, variableWeight: 1, because: 'ramp' },
        ],
      }),
    ).to.deep.equal([
      '1 Jan, 1\u00a0day: not employed, do not count',
      '2 Jan to 31 Jan, 30\u00a0days: ramp, count 25\u00a0%',
    ]);
    expect(explainTarget(prorated)).to.equal(
      '90,000 × 60 of 90 days\n10 Feb to 11 Mar, 30\u00a0days: absence, count 0\u00a0%',
    );
  });

  it('distinguishes fixed, full and prorated targets', () => {
    expect(explainTarget({ ...quota, prorate: false })).to.equal('Fixed: working time does not change it.');
    expect(explainTarget(quota)).to.equal('All days count.');
    expect([isProrated(quota), isProrated({ ...quota, effectiveTarget: 90_000 }), isProrated(prorated)]).to.deep.equal([
      false,
      false,
      true,
    ]);
  });
});

describe('a prorated target in words', () => {
  const proration = { target: 120_000, weight: 34.5, size: 90, unit: 'days' } as const;

  it('is the quota times the days that count, or times the minimum', () => {
    expect(prorationWords({ proration })).to.equal('prorated: 120,000 × 34.5 of 90 days');
    expect(
      prorationWords({ proration: { ...proration, weight: 0, because: 'quota_minimum', minPercent: 25 } }),
    ).to.equal('prorated: 120,000 × 25 % (the minimum)');
  });

  it('is not mentioned where all of it counts', () => {
    expect(prorationWords({})).to.equal(null);
    expect(prorationWords({ proration: { ...proration, weight: 90 } })).to.equal(null);
  });
});

describe('what is entered about working time', () => {
  it('is an absence once its days are in order and its percentages are from 0 to 100', () => {
    const entered = toEnteredAbsence(leave);
    const { absenceId, repId, ...terms } = leave;
    expect(readAbsence(entered)).to.deep.equal(terms);
    expect(readAbsence({ ...entered, quotaRelief: '33.5', note: ' parental ' })).to.include({
      quotaRelief: 33.5,
      note: 'parental',
    });
    for (const wrong of [{ to: '' }, { to: '2026-02-09' }, { quotaRelief: '101' }, { variableRelief: 'x' }])
      expect(readAbsence({ ...entered, ...wrong })).to.equal(null);
  });

  it('is a ramp once every step has whole months and percentages', () => {
    expect(readSteps(ramp.steps.map(toEntered))).to.deep.equal(ramp.steps);
    for (const wrong of [{ months: '0' }, { months: '1.5' }, { months: '' }, { quotaPercent: 'x' }])
      expect(readSteps([firstStep, { ...firstStep, ...wrong }])).to.equal(null);
  });
});
