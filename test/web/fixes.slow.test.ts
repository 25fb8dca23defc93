import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { pointer } from './input-methods.js';

/** Each deal of October is not paid for another reason; the links of the page of exceptions open what removes it. */
describe('the fixes of exceptions in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  before(async () => {
    const { api } = browser.workspace;
    const [ann = '', bob = '', dan = ''] = await api.saveReps('Ann', 'Bob', 'Dan', 'Cid');
    const tiers = [
      { tierIndex: 0, minThreshold: 0, rate: 0.1 },
      { tierIndex: 1, minThreshold: 1, rate: 0.2 },
    ];
    await api.createPlan({ name: 'Quota plan', config: { rules: [flatRule('New business', 0.1, { tiers })] } }, [ann]);
    const seats = flatRule('Seats', 0.1, { measure: 'seats' });
    await api.createPlan({ name: 'Seat plan', config: { rules: [seats] } }, [bob]);
    const early = flatRule('Early', 0.1, { effectiveEnd: '2026-06-30' });
    await api.createPlan({ name: 'Early plan', config: { rules: [early] } }, [dan]);
    const deal = { amount: 1000, stage: 'Won', closeDate: '2026-10-05' };
    await api.put('/v1/deals/no-quota', { ...deal, ownerId: 'ann' });
    await api.put('/v1/deals/no-field', { ...deal, ownerId: 'bob' });
    await api.put('/v1/deals/no-plan', { ...deal, ownerId: 'cid' });
    await api.put('/v1/deals/no-rule', { ...deal, ownerId: 'dan' });
    await api.put('/v1/deals/no-owner', { ...deal, ownerId: 'gone@acme.test' });
    await api.put('/v1/deals/no-date', { amount: 1000, stage: 'Won', ownerId: 'ann' });
    await api.put('/v1/deals/other-currency', { ...deal, currency: 'EUR', ownerId: 'dan' });
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
  });

  const open = async (from: string, link: string) => {
    const { page, problems, close } = await browser.openPage('admin', from);
    await pointer.press(page, 'link', link);
    const focused = (label: string) =>
      page.waitForFunction(
        `document.activeElement.getAttribute('aria-label') === ${JSON.stringify(label)} ||
          document.activeElement.labels?.[0]?.textContent === ${JSON.stringify(label)}`,
      );
    return { page, problems, focused, close };
  };
  const exceptions = '/exceptions?period=2026-10';

  for (const [link, label, title] of [
    ['Set date: no-date', 'Close date', 'Edit no-date'],
    ['Choose person: no-owner', 'Person', 'Edit no-owner'],
    ['Fill in: no-field', 'Seats', 'Edit no-field'],
  ] as const)
    it(`${link.split(':')[0]} opens the form of the deal at ${label}`, async () => {
      const { page, problems, focused, close } = await open(exceptions, link);
      await sees(page, title);
      await focused(label);
      expect(problems).to.deep.equal([]);
      await close();
    });

  it('Set quota opens the cell of the person and the period', async () => {
    const { page, problems, close } = await open(exceptions, 'Set quota: no-quota');
    await page.waitForFunction(`/^Ann, (Oct|Q4)/.test(document.activeElement.getAttribute('aria-label') ?? '')`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('Assign opens the dialog with the person', async () => {
    const { page, problems, close } = await open(exceptions, 'Assign: no-plan');
    await sees(page, 'Assign 1 person');
    await pointer.choose(page, 'Plan', 'Quota plan');
    await pointer.press(page, 'button', 'Assign');
    await sees(page, 'The assignments were changed.');
    await page.waitForFunction(`!location.search.includes('assign')`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('Edit rule opens the rule in the form of its plan', async () => {
    const { page, problems, close } = await open(exceptions, 'Edit rule: no-rule');
    await page.waitForFunction(`[...document.querySelectorAll('input')].some((input) => input.value === 'Early')`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('Match owners opens the owners with a choice of people', async () => {
    const { page, problems, close } = await open('/overview?period=2026-10', 'Match owners');
    await sees(page, 'gone@acme.test');
    await pointer.choose(page, 'Person for gone@acme.test', 'Cid');
    await pointer.press(page, 'button', 'Match 1 owner');
    await sees(page, '1 deal got a person');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
