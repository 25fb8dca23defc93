import { expect } from 'chai';
import { Browser } from '#test/support/browser.js';
import { AdminWalk } from './admin-walk.js';

/** Clicks and typed fields of an earlier release up to the saved draft, by what the plan pays. */
const earlier = { ramp: 5, manager: 7, objectives: 9, meetings: 20, products: 29 } as const;

/** Each plan is built from a template or a blank plan and activated; the amounts are computed by hand. */
describe('the plans of an admin in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const people = new Map<string, string>();
  let walk: AdminWalk;
  let problems: string[];

  before(async () => {
    const { api } = browser.workspace;
    const names = ['Mia', 'Nia', 'Bob', 'Sam', 'Pat'];
    const ids = await api.saveReps(...names);
    names.forEach((name, index) => void people.set(name, ids[index] as string));
    await api.expect(200, 'PATCH', `/v1/reps/${people.get('Nia')}`, { managerId: people.get('Mia') });
    const opened = await browser.openPage('admin', '/plans');
    problems = opened.problems;
    walk = new AdminWalk(browser, opened.page);
  });

  const deal = (dealId: string, owner: string, closeDate: string, more: object) =>
    browser.workspace.api.putDeal(dealId, {
      name: dealId,
      stage: 'Closed Won',
      closeDate,
      repId: people.get(owner),
      ...more,
    });

  const start = (task: string, template: string, name: string) => walk.startPlan(task, template, name);
  const saveDraft = () => walk.saveDraft();
  const activate = (name: string, ...assigned: readonly string[]) =>
    walk.activate(
      name,
      assigned.map((person) => people.get(person)),
    );

  const setQuota = (person: string, measure: string, period: string, more: object) =>
    browser.workspace.api.expect(201, 'POST', '/v1/quotas', { repIds: [people.get(person)], measure, period, ...more });

  it('a ramp: the quota of a new person grows month by month', async () => {
    await start('ramp', 'New-hire ramp', 'New hires');
    await saveDraft();
    await walk.begin('rampSteps', '/ramps');
    await walk.clicks.press('New ramp');
    await walk.clicks.write('Name', 'Two months');
    await walk.clicks.write('Target, %, step 1', '25');
    await walk.clicks.press('Add step');
    await walk.clicks.write('Target, %, step 2', '50');
    await walk.clicks.press('Save');
    await walk.dialogCloses();
    await activate('New hires', 'Nia');
    const { api } = browser.workspace;
    const { ramps } = await api.expect(200, 'GET', '/v1/ramps');
    expect(ramps[0].steps.map(({ quotaPercent }: { quotaPercent: number }) => quotaPercent)).to.deep.equal([25, 50]);
    const assignments = await api.expect(200, 'GET', '/v1/assignments');
    await api.expect(200, 'PATCH', `/v1/assignments/${assignments[0].assignmentId}`, {
      effectiveStart: '2026-01-01',
      rampId: ramps[0].rampId,
    });
    for (const period of ['2026-01', '2026-02', '2026-03'])
      await setQuota('Nia', 'New business', period, { target: 40_000 });
    for (const month of ['01', '02', '03']) await deal(`ramp-${month}`, 'Nia', `2026-${month}-20`, { amount: 20_000 });
    // 20,000 reaches a quota of 10,000 and of 20,000, and not one of 40,000.
    expect((await walk.earned('2026-01')).get('Nia')).to.equal((20_000 * 12) / 100);
    expect((await walk.earned('2026-02')).get('Nia')).to.equal((20_000 * 12) / 100);
    expect((await walk.earned('2026-03')).get('Nia')).to.equal((20_000 * 8) / 100);
  });

  it('a manager: 2 % of what the team earns', async () => {
    await start('manager', 'Blank plan', 'Managers');
    await walk.clicks.choose('Whom the rule pays', 'managers');
    await walk.clicks.write('Rate of tier 1', '2');
    await saveDraft();
    await activate('Managers', 'Mia');
    expect((await walk.earned('2026-01')).get('Mia')).to.equal((2400 * 2) / 100);
    expect((await walk.earned('2026-03')).get('Mia')).to.equal((1600 * 2) / 100);
  });

  it('objectives: a part of the variable target by the score of the quarter', async () => {
    await start('objectives', 'MBO bonus', 'Objectives');
    await saveDraft();
    await activate('Objectives', 'Bob');
    await setQuota('Bob', 'MBO bonus', '2026-Q1', { target: 100, variableTarget: 5000 });
    await setQuota('Bob', 'MBO bonus', '2026-Q2', { target: 100, variableTarget: 5000 });
    await walk.begin('scores', '/scores?year=2026');
    await walk.clicks.write('Bob, Q1', '85');
    await walk.clicks.write('Bob, Q2', '100');
    await walk.clicks.press('Save 2 scores');
    await walk.confirm();
    expect((await walk.earned('2026-Q1')).get('Bob')).to.equal((5000 * 80) / 100);
    expect((await walk.earned('2026-Q2')).get('Bob')).to.equal(5000);
  });

  it('meetings: an amount for each that was held, and a bonus for the goal of the month', async () => {
    await deal('meeting-0', 'Sam', '2025-12-01', { fields: { meeting_status: 'Held' } });
    await start('meetings', 'SDR meeting bonus', 'Meetings');
    await walk.clicks.write('Amount of tier 1', '50');
    await walk.clicks.pressPart('Monthly milestone');
    await walk.clicks.write('Amount of tier 1', '400');
    await saveDraft();
    await activate('Meetings', 'Sam');
    await setQuota('Sam', 'Monthly milestone', '2026-03', { target: 4 });
    const statuses = ['Held', 'Held', 'No show', 'Held', 'Held', 'Held'];
    for (const [index, status] of statuses.entries())
      await deal(`meeting-${index + 1}`, 'Sam', `2026-03-0${index + 1}`, { fields: { meeting_status: status } });
    expect((await walk.earned('2026-03')).get('Sam')).to.equal(5 * 50 + 400);
  });

  it('several products: three rates, and renewals count half towards the quota they share', async () => {
    const families = [
      ['License', 10, 60_000],
      ['Services', 4, 20_000],
      ['Renewal', 2, 30_000],
    ] as const;
    for (const [family, , amount] of families)
      await deal(family, 'Pat', '2026-02-10', { amount, fields: { product_family: family } });
    await start('products', 'Blank plan', 'Products');
    await walk.clicks.write('Name of the rule', 'License');
    await walk.clicks.write('Rate of tier 1', '10');
    await walk.clicks.press('Add condition');
    await walk.clicks.choose('Field', 'Product family');
    await walk.clicks.write('Value', 'License');
    await walk.clicks.openMore();
    await walk.clicks.write('Quota group', 'Bookings');
    for (const [family, rate] of families.slice(1)) {
      await walk.clicks.press(family === 'Services' ? 'Copy License' : 'Copy Services');
      await walk.clicks.write('Name of the rule', family);
      await walk.clicks.write('Rate of tier 1', String(rate));
      await walk.clicks.write('Value', family);
    }
    await walk.clicks.choose('What counts towards the quota', 'several fields, or a part');
    await walk.clicks.write('Factor of Amount', '0.5');
    await saveDraft();
    await activate('Products', 'Pat');
    await setQuota('Pat', 'License', '2026-Q1', { target: 100_000 });
    const paid = families.reduce((sum, [, rate, amount]) => sum + (amount * rate) / 100, 0);
    expect((await walk.earned('2026-02')).get('Pat')).to.equal(paid);
    const pat = `/v1/commissions?period=2026-02&repId=${people.get('Pat')}`;
    const { attainment } = await browser.workspace.api.expect(200, 'GET', pat);
    expect(attainment[0]).to.include({ measure: 'Bookings', credit: 60_000 + 20_000 + 30_000 / 2 });
  });

  it('a bonus for the first three of a month, whose places begin at 1', async () => {
    await walk.startTopThree();
    const sellers = ['Mia', 'Nia', 'Bob', 'Sam'];
    for (const [index, seller] of sellers.entries())
      await deal(`rank-${seller}`, seller, '2026-05-10', { amount: 9000 - 1000 * index });
    await activate('Top three', ...sellers);
    const earned = await walk.earned('2026-05');
    const plan = (await browser.workspace.api.expect(200, 'GET', '/v1/plans')).find(
      ({ name }: { name: string }) => name === 'Top three',
    );
    expect(plan.rules[0].tiers.map(({ minThreshold }: { minThreshold: number }) => minThreshold)).to.deep.equal([
      1, 2, 3, 4,
    ]);
    expect(['Mia', 'Bob', 'Sam'].map((name) => earned.get(name))).to.deep.equal([1000, 300, 0]);
  });

  it('a score that people enter, in a plan that was not made from the template', async () => {
    await walk.startPoints();
    await activate('Service', 'Pat');
    await walk.begin('scores', '/scores?year=2026');
    await walk.clicks.choose('Rule', 'Service: Commission');
    await walk.clicks.write('Pat, Q2', '80');
    await walk.clicks.press('Save 1 score');
    await walk.confirm();
    expect((await walk.earned('2026-Q2')).get('Pat')).to.equal(80 * 10);
  });

  it('takes at most two thirds of the clicks of an earlier release', () => {
    const { now, then } = walk.compare(earlier);
    for (const task of ['rampSteps', 'scores', 'activation', 'ranks', 'score'])
      console.log(`      ${task}: ${walk.clicks.of(task)}, not in the sum`);
    expect(now).to.be.at.most((then * 2) / 3);
    expect(problems).to.deep.equal([]);
  });
});
