import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { dayInZone } from '#src/kernel/day.js';
import { previousPeriod, toPeriod } from '#src/kernel/period.js';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { until } from '#test/support/until.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

describe('a chain of approval in the web app', () => {
  const browser = Browser.duringSuite();
  const period = previousPeriod(toPeriod(dayInZone(new Date(), 'UTC'), 'monthly'));
  let finance: Person;
  let deputy: Person;
  let sellers: Person[];

  const button = (page: Page, text: string) => page.locator(`::-p-xpath(//button[contains(., "${text}")])`);
  const statementOf = ({ id }: Person) =>
    browser.workspace.api.expect(200, 'GET', `/v1/statements?repId=${id}&period=${period}`);
  /** Signs the step on the page of the statement, and waits until the chain displays it. */
  const sign = async (who: string, seller: Person, step: string, result: string) => {
    const { page, problems, close } = await browser.openPage(who, `/statements/${seller.id}?period=${period}`);
    await button(page, `Sign ${step}`).click();
    await sees(page, result);
    expect(problems).to.deep.equal([]);
    await close();
  };

  before(async () => {
    const { api } = browser.workspace;
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const maya = browser.repId('manager');
    const below = reps.filter(
      ({ managerId, role }: { managerId: string; role: string }) => managerId === maya && role === 'rep',
    );
    expect(below.length, 'people below the manager of the demo').to.be.greaterThan(4);
    [finance, ...sellers] = below as [Person, ...Person[]];
    sellers = sellers.slice(0, 3);
    // No plan pays the deputy, whose own statement would otherwise be signed in the name of the person.
    deputy = reps.find(({ id }: Person) => id === browser.repId('payroll'));
    for (const { id } of [finance, deputy]) await api.expect(200, 'PATCH', `/v1/reps/${id}`, { role: 'manager' });
    for (const { id } of sellers) await api.generate(id, period);
  });

  it('is set up with a sentence that says what will happen', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/workspace');
    const kinds = ['manager_of_rep', 'people', 'admin'];
    for (const [index, name] of ['Manager', 'Finance', 'Admin'].entries()) {
      await button(page, 'Add a step').click();
      const step = `fieldset[aria-label="Step ${index + 1}"]`;
      await page.type(`${step} input`, name);
      await page.select(`${step} select`, kinds[index] as string);
    }
    const choice = await page.waitForSelector(
      `::-p-xpath(//fieldset[@aria-label="Step 2"]//label[contains(., "${finance.name}")])`,
    );
    // It may be behind the header, where a click on its middle does not reach it.
    await choice?.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await choice?.click();
    await sees(page, 'Every statement needs 3 signatures');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await button(page, 'Save chain').click();
    await sees(page, 'The chain of approval was saved.');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('shows the manager what waits, and they sign three statements', async () => {
    const { page, problems, close } = await browser.openPage('manager', `/approvals?period=${period}`);
    await sees(page, 'Waits for you');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    for (let left = sellers.length; left > 0; left -= 1) {
      await page.waitForFunction(`document.querySelectorAll('main li button').length === ${left}`);
      await button(page, 'Sign Manager').click();
    }
    await page.waitForFunction(`!document.body.textContent.includes('Waits for you')`);
    // Someone who is about to leave names a delegate also while nothing waits.
    await button(page, 'Delegate').click();
    await sees(page, 'Let someone sign for you');
    await page.keyboard.press('Escape');
    expect(problems).to.deep.equal([]);
    await close();
    for (const seller of sellers) expect((await statementOf(seller)).approval).to.include({ done: 1, of: 3 });
  });

  it('begins again for the statement that changed, with the change first', async () => {
    const [, changed] = sellers as [Person, Person, Person];
    const { api } = browser.workspace;
    await api.adjust(changed.id, period, 500, 'Contest');
    await api.generate(changed.id, period);
    const { page, close } = await browser.openPage('manager', `/approvals?period=${period}`);
    const [row = ''] = await texts(page, 'section:has(h2) li');
    expect(row).to.match(/^\+\$500\.00 since version \d+/);
    await close();
    await sign('manager', changed, 'Manager', '1 of 3');
  });

  it('is signed by a delegate, whose name stands beside that of the person', async () => {
    const [first, second, third] = sellers as [Person, Person, Person];
    const { page, close } = await browser.openPage(finance.name, `/approvals?period=${period}`);
    await button(page, 'Delegate').click();
    // The choices of people are loaded after the dialog.
    await page.waitForSelector(`[role=dialog] option[value="${deputy.id}"]`);
    await page.select('[role=dialog] select', deputy.id);
    await page.click('[role=dialog] [type=submit]');
    await sees(page, 'can sign for you');
    await waitUntilLoaded(page);
    await close();
    await sign(deputy.name, first, 'Finance', `${deputy.name} for ${finance.name}`);
    await sign(finance.name, second, 'Finance', '2 of 3');
    const bulk = await browser.openPage(finance.name, `/approvals?period=${period}`);
    await pointer.press(bulk.page, 'checkbox', `Select ${third.name}`);
    await button(bulk.page, 'Sign 1').click();
    await sees(bulk.page, 'Sign 1 statement');
    await sees(bulk.page, '1 statement then waits for the next step.');
    await bulk.page.click('[role=dialog] [type=submit]');
    await sees(bulk.page, 'signed');
    await bulk.close();
    await until(async () => (await statementOf(third)).approval.done === 2, { what: 'the second signature' });
  });

  it('approves with the last signature', async () => {
    for (const seller of sellers) {
      await sign('admin', seller, 'Admin', '3 of 3');
      expect(await statementOf(seller)).to.include({ status: 'approved' });
    }
  });
});
