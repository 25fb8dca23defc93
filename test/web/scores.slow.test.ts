import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { pointer } from './input-methods.js';

const objectives = {
  name: 'Objectives',
  measure: 'mbo_points',
  attainmentPeriod: 'quarterly',
  executionPhase: 'periodic',
  payoutMode: 'rate_times_attainment',
  payoutBase: 'variable_target',
  conditions: [{ field: 'mbo_points', fieldType: 'number', operator: 'is_set' }],
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1 }],
};

describe('scores in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  it('are typed into a grid, with their effect before they are saved, and the save is undone', async () => {
    const { api } = browser.workspace;
    const [ann, bob] = await api.saveReps('Ann', 'Bob');
    const { page, problems, close } = await browser.openPage('admin', '/scores?year=2026');
    await sees(page, 'No plan reads a score');
    await api.createPlan({ name: 'MBO', config: { rules: [objectives] } }, [ann, bob]);
    const quota = { measure: 'Objectives', period: '2026-Q1', target: 100, variableTarget: 5000 };
    await api.expect(201, 'POST', '/v1/quotas', { repIds: [ann, bob], ...quota });
    await browser.visit(page, '/scores?year=2026');
    await pointer.write(page, 'Ann, Q1', '80');
    await pointer.write(page, 'Bob, Q1', 'many');
    await sees(page, 'Not a number: “many” of Bob in Q1');
    await pointer.write(page, 'Bob, Q1', '50');
    await pointer.press(page, 'button', 'Save 2 scores');
    await sees(page, '+$6,500.00 of commission');
    await pointer.press(page, 'button', 'Save');
    await sees(page, '2 scores saved.');
    const stored = async () =>
      (await api.expect(200, 'GET', '/v1/scores?field=mbo_points')).scores.map(
        ({ repName, score }: { repName: string; score: number }) => [repName, score],
      );
    expect(await stored()).to.deep.equal([
      ['Ann', 80],
      ['Bob', 50],
    ]);
    await pointer.press(page, 'button', 'Undo the last save');
    await sees(page, 'The last save was undone.');
    expect(await stored()).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
