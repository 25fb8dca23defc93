import { expect } from 'chai';
import { Browser, sees, texts, typeDay } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';

describe('people in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let ann: string;

  before(async () => {
    [ann = ''] = await browser.workspace.api.saveReps(
      { email: 'ann@acme.test', name: 'Ann', team: 'North' },
      { email: 'bob@acme.test', name: 'Bob', team: 'North' },
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
    );
  });

  it('a field is defined, filled in on the page of a person, and lists are filtered by it', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/person-fields');
    await pointer.press(page, 'button', 'Add field');
    await pointer.write(page, 'Name of the field', 'Region');
    await pointer.choose(page, 'Type of Region', 'Choice');
    await pointer.write(page, 'Choices of Region', 'DACH\nNordics');
    await pointer.press(page, 'button', 'Save fields');
    await sees(page, 'The fields of people were saved.');
    await browser.visit(page, `/members/${ann}`);
    await pointer.choose(page, 'Region', 'Nordics');
    await pointer.press(page, 'button', 'Save profile');
    await sees(page, 'The profile of Ann was saved.');
    await browser.visit(page, '/members?fields=region%3DNordics');
    await sees(page, '1 of');
    const [table = ''] = await texts(page, 'main table');
    expect(table).to.include('Ann').and.include('Nordics').and.not.include('Bob');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a person is added with the hire date and the fields of the workspace', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/members');
    await pointer.press(page, 'button', 'Add person');
    await pointer.write(page, 'Name', 'Zoe');
    await pointer.write(page, 'E-mail', 'zoe@acme.test');
    await pointer.write(page, 'Title', 'AE');
    await typeDay(page, '02012026');
    await pointer.choose(page, 'Region', 'DACH');
    await pointer.press(page, 'button', 'Add');
    await sees(page, 'Zoe was saved.');
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/reps');
    const zoe = reps.find(({ name }: { name: string }) => name === 'Zoe');
    expect(zoe).to.deep.include({ title: 'AE', hireDate: '2026-02-01', fields: { region: 'DACH' } });
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a column of a file becomes a field of people, with the type of its values', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/imports/people');
    const area = await page.waitForSelector('textarea');
    await area?.focus();
    await page.keyboard.sendCharacter(
      'Name\tE-Mail\tKostenstelle\nIda\tida@acme.test\t4.711,5\nJan\tjan@acme.test\t12,5',
    );
    await pointer.press(page, 'button', 'Use pasted cells');
    await pointer.press(page, 'button', 'Make a field of Kostenstelle');
    await pointer.press(page, 'button', 'Import 2 people');
    await sees(page, 'Import another file');
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/reps');
    const found = reps.filter(({ name }: { name: string }) => name === 'Ida' || name === 'Jan');
    expect(found.map(({ fields }: { fields: object }) => fields)).to.deep.equal([
      { kostenstelle: 4711.5 },
      { kostenstelle: 12.5 },
    ]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('many people get another team, with what changes for each before it does', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/members');
    await pointer.press(page, 'checkbox', 'Ann');
    await pointer.press(page, 'checkbox', 'Bob');
    await pointer.press(page, 'button', 'Change');
    const action = '[role=dialog] button[type=submit]';
    await page.waitForSelector(action);
    expect(await page.$eval(action, (button) => button.textContent)).to.equal('Change');
    expect(await page.$eval(action, (button) => button.matches(':disabled'))).to.equal(true);
    await pointer.choose(page, 'What', 'Team');
    expect(await page.$eval(action, (button) => button.matches(':disabled'))).to.equal(true);
    await pointer.press(page, 'checkbox', 'Remove what they have');
    await sees(page, 'North → none');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await pointer.press(page, 'checkbox', 'Remove what they have');
    await pointer.write(page, 'Team', 'West');
    await sees(page, 'North → West');
    await pointer.press(page, 'button', 'Change 2 people');
    await sees(page, '2 people changed.');
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/reps?team=West');
    expect(reps.map(({ name }: { name: string }) => name)).to.deep.equal(['Ann', 'Bob']);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a filter is kept for a plan, and one press assigns who matches', async () => {
    const { api } = browser.workspace;
    await api.put('/v1/deals/D-1', { ownerId: 'ann@acme.test', amount: 1000, stage: 'Won', closeDate: '2026-01-10' });
    await api.createPlan({ name: 'AE 2026', config: { rules: [flatRule('New business', 0.1)] } });
    const { page, problems, close } = await browser.openPage('admin', '/assignments?team=West');
    await pointer.press(page, 'button', 'Suggest who matches later …');
    await pointer.press(page, 'button', 'Keep filter');
    await sees(page, '2 people match the filter of AE 2026 and are not assigned');
    await pointer.press(page, 'button', 'Assign 2 people');
    await sees(page, 'Assign 2 people to AE 2026');
    await sees(page, '+$100.00 of commission');
    await pointer.press(page, 'button', 'Assign');
    await sees(page, 'Everyone who matches team West is on AE 2026.');
    await api.saveReps({ email: 'flo@acme.test', name: 'Flo', team: 'West' });
    await browser.visit(page, '/assignments');
    await sees(page, '1 person matches the filter of AE 2026 and is not assigned');
    await sees(page, 'team West: Flo');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('another manager is previewed in money, for many people and for one', async () => {
    const { api, calculated } = browser.workspace;
    const rule = { ...flatRule('Override', 0.05), executionPhase: 'cascade' };
    const [mia = ''] = await api.saveReps({ email: 'mia@acme.test', name: 'Mia', role: 'manager' });
    await api.createPlan({ name: 'Managers', config: { rules: [rule] } }, [mia]);
    await calculated.call(browser.workspace);
    const { page, problems, close } = await browser.openPage('admin', '/members');
    await pointer.press(page, 'checkbox', 'Ann');
    await pointer.press(page, 'checkbox', 'Bob');
    await pointer.press(page, 'button', 'Change');
    await pointer.choose(page, 'What', 'Manager');
    await pointer.choose(page, 'Manager', 'Mia');
    await sees(page, '+$5.00 of commission');
    await pointer.press(page, 'button', 'Cancel');
    await pointer.press(page, 'button', 'Discard');
    await pointer.press(page, 'button', 'Bob');
    await pointer.choose(page, 'Manager', 'Mia');
    await sees(page, 'Commission stays as it is.');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a view is saved, opened with one press, and removed', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/members?team=West');
    await pointer.press(page, 'button', 'Save this view');
    await pointer.write(page, 'Name of the view', 'The West');
    await pointer.press(page, 'button', 'Save the view');
    await page.waitForSelector('::-p-aria([name="Remove the view The West"])');
    await browser.visit(page, '/members');
    await pointer.press(page, 'button', 'The West');
    await page.waitForFunction('location.search === "?team=West"');
    await pointer.press(page, 'button', 'Remove the view The West');
    await sees(page, 'Save this view');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
