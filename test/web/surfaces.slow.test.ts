import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { features, shownPeriod } from '#test/support/surfaces/features.js';
import { SurfaceWorld } from '#test/support/surfaces/world.js';
import { violationsInBothSchemes } from './accessibility.js';
import { missingIn, rowOfPerson, rowsWith, textOf } from './page-figures.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

const inPeriod = `period=${shownPeriod}`;

/** Days of March, in which the world is, as the service writes them. */
const withPlainDays = (text: string) =>
  text.replace(/(\d{1,2}) Mar 2026/g, (_, day: string) => `2026-03-${day.padStart(2, '0')}`);

/** The pages of pay of each person and of those who work on it, with the figures of the oracle. */
describe('surfaces and features of pay in the web app', function () {
  this.timeout(900_000);
  const browser = Browser.duringSuite({ isEmpty: true });
  let world: SurfaceWorld;

  before(async () => {
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'USD' });
    world = await SurfaceWorld.within(browser.service, browser.workspace);
  });

  const people = Object.entries(features);
  for (const [person, { figures }] of people)
    it(`${person} reads what they earn and are paid on each page`, async () => {
      const { payable, earned, lines, waiting, held, paid, deal, status, steps = [] } = figures();
      const id = world.id(person);
      const wrong: string[] = [];
      const { page, problems, close } = await browser.openPage(id, `/me?${inPeriod}`);
      const own = await textOf(page);
      wrong.push(...missingIn('My pay', own, earned));
      await browser.visit(page, '/statements');
      const list = await rowsWith(page, 'March 2026');
      wrong.push(...missingIn('list of statements', list, [payable]));
      if (status === 'paid' || status === 'partly_paid') expect(list).to.match(/Paid on 5 Apr/);
      await browser.visit(page, `/statements/${id}?${inPeriod}`);
      const statement = await textOf(page);
      wrong.push(...missingIn('statement', statement, [payable, ...earned, ...Object.values(lines), waiting, held]));
      const { lineItems } = await world.api.expect(200, 'GET', `/v1/statements?repId=${id}&${inPeriod}`);
      // A correction of several deals names none.
      const ofDeals = lineItems.filter(({ dealId }: Loose) => dealId !== null);
      const line = ofDeals.find(({ refundId }: Loose) => refundId !== undefined) ?? ofDeals.at(-1);
      if (steps.length > 0) {
        await browser.visit(page, `/statements/${id}?${inPeriod}&trace=${line.eventId}`);
        await sees(page, 'Result');
        const trace = withPlainDays(await textOf(page, 'body'));
        const missing = steps.filter(({ source }) => !new RegExp(source, 'is').test(trace));
        wrong.push(...missing.map((step) => `trace: not ${step} in ${trace.slice(-2500)}`));
      }
      const ofDeal = line.dealId as string;
      await browser.visit(page, `/deals/${ofDeal}`);
      await sees(page, 'From the deal to the bank');
      const visible = await textOf(page);
      if (!visible.includes(deal ?? ofDeal)) wrong.push(`deal: not ${deal ?? ofDeal}`);
      if (paid !== undefined) wrong.push(...missingIn('deal', visible, [paid]));
      for (const [where, text] of Object.entries({ own, list, statement })) {
        if (/net payout/i.test(text)) wrong.push(`${where} says net payout`);
        if (earned.every((sum) => sum.startsWith('EUR')) && text.includes('$'))
          wrong.push(`${where} has dollars: ${text}`);
      }
      expect(wrong).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });

  it('an admin reads on Approvals and Team what each statement pays', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/approvals?${inPeriod}&tab=all`);
    const wrong: string[] = [];
    for (const address of [`/approvals?${inPeriod}&tab=all`, `/team?${inPeriod}`]) {
      await browser.visit(page, address);
      await page.waitForSelector('tbody tr');
      for (const [person, { figures }] of people)
        wrong.push(...missingIn(address, await rowOfPerson(page, person), [figures().payable]));
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    }
    expect(wrong).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('payroll reads what is paid and what is left to pay', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/payroll?${inPeriod}`);
    await sees(page, 'Left to pay');
    for (const [person, { figures }] of people) {
      const { status, payable, paid } = figures();
      if (status === 'payable') continue;
      const row = await rowOfPerson(page, person);
      expect(missingIn(`payroll, ${person}`, row, [payable, paid])).to.deep.equal([]);
    }
    const text = await textOf(page);
    expect(text).to.match(/Paid on 5 Apr 2026/);
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await browser.visit(page, '/hand-overs');
    expect(await textOf(page)).to.match(/5 Apr 2026/);
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
