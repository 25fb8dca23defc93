import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, type OpenedApp, sees, typeDay } from '#test/support/browser.js';
import { ExpectedPay, months, Northwind, nameOf, sellers, teams } from '#test/support/surfaces/northwind.js';
import { until } from '#test/support/until.js';
import { violations } from './accessibility.js';
import { pointer, submitDialog } from './input-methods.js';
import { missingIn, rowOfPerson, rowsWith, textOf } from './page-figures.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** The day of payment of each month as it is typed and as it is read. */
const payDays = [
  ['09062026', '6 Sep 2026'],
  ['10062026', '6 Oct 2026'],
  ['11062026', '6 Nov 2026'],
] as const;
const monthNames = ['August 2026', 'September 2026', 'October 2026'] as const;

/** The pay of a company as its reps, their managers and payroll see and make it, with figures of own arithmetic. */
describe('three months of a company with payouts in the web app', function () {
  this.timeout(600_000);
  // Each month needs those before it.
  this.bail(true);
  const browser = Browser.duringSuite({ isEmpty: true });
  const pay = new Map<string, ExpectedPay>();
  const opened = new Map<string, OpenedApp>();
  /** Who has a statement of the month. */
  const withStatement = new Map<string, readonly string[]>();
  let world: Northwind;

  before(async () => {
    world = await Northwind.within(browser.workspace);
    for (const person of sellers) pay.set(person, new ExpectedPay(person, world.events(person)));
  });
  afterEach(() => {
    for (const { problems } of opened.values()) expect(problems).to.deep.equal([]);
  });

  const expected = (person: string) => pay.get(person) as ExpectedPay;

  /** The page of the person, who stays signed in. */
  async function pageOf(person: string, address: string): Promise<Page> {
    const app = opened.get(person) ?? (await browser.openPage(world.id(person), '/account'));
    opened.set(person, app);
    await browser.visit(app.page, address);
    return app.page;
  }

  async function confirm(page: Page): Promise<void> {
    await page.waitForSelector('[role=dialog]');
    expect(await violations(page)).to.deep.equal([]);
    await submitDialog(page);
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
  }

  for (const [month, name] of monthNames.entries()) {
    const { name: period } = months[month] as (typeof months)[number];
    it(`managers generate and approve ${name}, and read what each statement pays`, async () => {
      for (const [manager, reports] of Object.entries(teams)) {
        const page = await pageOf(manager, `/approvals?period=${period}`);
        await pointer.press(page, 'button', 'Generate');
        await sees(page, 'statements generated.');
        await page.waitForSelector('thead input[type=checkbox]:not(:disabled)');
        const drafts = await inStatus(period, reports, 'draft');
        // Everyone with an amount has a draft.
        const paid = reports.filter((person) => !expected(person).payable(month).endsWith(' 0.00'));
        expect(drafts).to.include.members(paid);
        for (const person of drafts) {
          const row = await rowOfPerson(page, nameOf(person));
          expect(missingIn(nameOf(person), row, [expected(person).payable(month)])).to.deep.equal([]);
        }
        expect(await violations(page)).to.deep.equal([]);
        await page.locator('thead input[type=checkbox]').click();
        await sees(page, `${drafts.length} selected`);
        await page.locator('[aria-label="Selection"] button:last-child').click();
        await confirm(page);
        await until(async () => (await inStatus(period, drafts, 'draft')).length === 0 || null, {
          what: `the approval of ${drafts.length} statements`,
        });
        for (const person of reports) expected(person).approve(month);
        withStatement.set(period, [...(withStatement.get(period) ?? []), ...drafts]);
        await browser.visit(page, `/team?period=${period}`);
        await page.waitForSelector('tbody tr');
        for (const person of drafts) {
          const row = await rowOfPerson(page, nameOf(person));
          expect(missingIn(nameOf(person), row, [expected(person).payable(month)])).to.deep.equal([]);
        }
      }
    });

    it(`payroll pays ${name} in each currency`, async () => {
      await payAll(month);
    });

    it(`reps read what ${name} has paid them`, async () => {
      const all = withStatement.get(period) ?? [];
      for (const person of teams.mara.filter((each) => all.includes(each))) await readsPay(person, month);
    });
  }

  it('a deal that changes after its payment is corrected, and only the difference is paid', async () => {
    // 27,000 and then 30,000 euros at 1.084, of which 8 % are paid: both are below the quota.
    const [paid, difference, all] = ['USD 2341.44', 'USD 260.16', 'USD 2601.60'];
    await world.api.putDeal('LI-SEP', {
      ...{ name: 'Lagan Systems', amount: 30_000, currency: 'EUR', closeDate: '2026-09-14' },
      ...{ ownerId: 'liam', stage: 'Closed Won', fields: {} },
    });
    await world.api.expect(200, 'PUT', '/v1/deals/LI-SEP/invoices/INV-1', {
      ...{ amount: 30_000, issuedOn: '2026-09-14' },
      payments: [{ paymentId: 'P0', amount: 30_000, paidOn: '2026-09-26' }],
    });
    await world.calculated();
    const [discrepancy] = await until(
      async () => {
        const query = `repId=${world.id('liam')}&status=open`;
        const { discrepancies } = await world.api.expect(200, 'GET', `/v1/discrepancies?${query}`);
        return discrepancies.length === 0 ? null : (discrepancies as Loose[]);
      },
      { what: 'the difference' },
    );
    const manager = await pageOf('mara', `/discrepancies?open=${discrepancy.discrepancyId}`);
    await pointer.press(manager, 'button', 'Pay in the same period');
    await pointer.write(manager, 'Reason', 'The order was larger.');
    await confirm(manager);
    await world.calculated();

    await reads('liam', '/statements/liam?period=2026-09', [all]);
    await reads('liam', '/me?period=2026-09', [paid, difference]);
    await reads('liam', '/deals/LI-SEP', [all, paid, difference], ['Paid on 6 Oct 2026', 'Corrected', 'Approved']);
    await reads('mara', '/team?period=2026-09', [], ['Liam Byrne']);
    expect(
      missingIn('team', await rowOfPerson(await pageOf('mara', '/team?period=2026-09'), nameOf('liam')), [all]),
    ).to.deep.equal([]);

    const payroll = await pageOf('joan', '/payroll?period=2026-09');
    await sees(payroll, 'Left to pay');
    expect(
      missingIn('payroll', await textOf(payroll, '[aria-label="Sums of the period"]'), [difference]),
    ).to.deep.equal([]);
    await payBatch(payroll, '11102026');
    const { batches } = await world.api.expect(200, 'GET', '/v1/payout-batches?period=2026-09');
    const newest = batches.find((batch: Loose) => batch.paidOn === '2026-11-10');
    expect([newest.people, newest.totals]).to.deep.equal([1, [{ currency: 'USD', payable: 260.16 }]]);
    await reads('liam', '/me?period=2026-09', [all]);
    await reads('liam', '/deals/LI-SEP', [paid, difference], ['Paid on 6 Oct 2026', 'Paid on 10 Nov 2026']);
    expect(await textOf(await pageOf('liam', '/deals/LI-SEP'))).to.not.include('ahead');
  });

  it('a refund after the payment is taken back, and what was paid stays paid', async () => {
    // A quarter of 8 % of 80,000, of which 120 of 180 days are left.
    const [earned, taken] = ['USD 6400.00', 'USD -1066.67'];
    await world.api.expect(200, 'PUT', '/v1/deals/NI-SEP/refunds/RF-9', {
      ...{ amount: 20_000, day: '2026-11-10', cause: 'cancellation', reason: 'Fewer seats' },
    });
    await world.calculated();
    await reads('nina', '/deals/NI-SEP', [earned, taken], ['Refunded', 'To be taken back', 'Paid on 6 Oct 2026']);
    await reads('nina', '/statements/nina?period=2026-11', [taken, 'USD 0.00'], ['Taken back']);
    await reads('nina', '/statements/nina?period=2026-09', [earned]);
    await reads('mara', '/statements/nina?period=2026-11', [taken, 'USD 0.00'], ['Taken back']);
  });

  /** Opens the page of the person, on which these amounts and words are. */
  async function reads(
    person: string,
    address: string,
    amounts: readonly string[],
    words: readonly string[] = [],
  ): Promise<void> {
    const [, of] = /^\/statements\/(\w+)/.exec(address) ?? [];
    const page = await pageOf(person, of === undefined ? address : address.replace(of, world.id(of)));
    for (const each of words) await sees(page, each);
    expect(missingIn(`${person}, ${address}`, await textOf(page), amounts)).to.deep.equal([]);
    expect(await violations(page)).to.deep.equal([]);
  }

  /** Pays what is approved and not paid, currency by currency, and reads that nothing is left. */
  async function payAll(month: number): Promise<void> {
    const { name: period } = months[month] as (typeof months)[number];
    const page = await pageOf('joan', `/payroll?period=${period}`);
    await sees(page, 'Left to pay');
    for (let batches = 0; batches < 4; batches += 1) {
      await page.waitForNetworkIdle();
      if ((await page.$(`::-p-aria([name="Create batch"][role="button"])`)) === null) break;
      await payBatch(page, payDays[month]?.[0] ?? '');
    }
    expect(await page.$(`::-p-aria([name="Create batch"][role="button"])`)).to.equal(null);
    const strip = await textOf(page, '[aria-label="Sums of the period"]');
    expect(strip)
      .to.include(`Paid on ${payDays[month]?.[1]}`)
      .and.to.match(/Left to pay\$0\.00/);
    const sums = new Map<string, number>();
    for (const person of sellers) {
      const [currency = '', amount] = expected(person).payable(month).split(' ');
      sums.set(currency, (sums.get(currency) ?? 0) + Math.round(Number(amount) * 100));
    }
    const paid = [...sums]
      .filter(([, cents]) => cents > 0)
      .map(([currency, cents]) => `${currency} ${(cents / 100).toFixed(2)}`);
    expect(missingIn('payroll', strip, paid)).to.deep.equal([]);
    expect(await violations(page)).to.deep.equal([]);
  }

  async function payBatch(page: Page, day: string): Promise<void> {
    await pointer.press(page, 'button', 'Create batch');
    await confirm(page);
    await pointer.press(page, 'button', 'Mark as paid');
    await typeDay(page, day);
    // The page loads what is left to pay together with the batches.
    const refreshed = page.waitForResponse(
      async (response) =>
        response.request().method() === 'GET' &&
        response.url().includes('/v1/payout-batches?') &&
        (await response.json()).batches.every(({ status }: Loose) => status !== 'open'),
    );
    await confirm(page);
    await refreshed;
  }

  /** The pages of a rep after the month was paid. */
  async function readsPay(person: string, month: number): Promise<void> {
    const { name: period } = months[month] as (typeof months)[number];
    const payable = expected(person).payable(month);
    const page = await pageOf(person, '/statements');
    const row = await rowsWith(page, monthNames[month] as string);
    const wrong = missingIn(`${person}, list of statements`, row, [payable]);
    const isPaid = !payable.endsWith(' 0.00');
    if (isPaid && !row.includes(`Paid on ${payDays[month]?.[1].slice(0, 5)}`))
      wrong.push(`${person}: not paid in ${row}`);
    await browser.visit(page, `/statements/${world.id(person)}?period=${period}`);
    wrong.push(...missingIn(`${person}, statement`, await textOf(page), [payable]));
    await browser.visit(page, `/me?period=${period}`);
    if (/net payout/i.test(await textOf(page))) wrong.push(`${person}: net payout`);
    expect(wrong).to.deep.equal([]);
  }

  async function inStatus(period: string, people: readonly string[], status: string): Promise<string[]> {
    const { statements } = await world.api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const ids = new Set(statements.filter((each: Loose) => each.status === status).map(({ repId }: Loose) => repId));
    return people.filter((person) => ids.has(world.id(person)));
  }
});
