import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { demoCorrection } from '#demo/corrections.js';
import { dayInZone } from '#src/kernel/day.js';
import { toPeriod } from '#src/kernel/period.js';
import { Browser, type OpenedApp, type PageOptions, texts, waitUntilLoaded } from '#test/support/browser.js';
import { until } from '#test/support/until.js';
import { violations } from './accessibility.js';
import { money, plain } from './amounts.js';
import { type InputMethod, keyboard } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** The month in words: June 2026. */
function monthName(period: string): string {
  return new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${period}-15T00:00:00Z`),
  );
}

export type FlowVariant = readonly [words: string, input: InputMethod, options: PageOptions];

/** One test for each variant. */
export function describePeriodFlow(variants: readonly FlowVariant[]): void {
  describe('a period in the web app, from a question about a deal to the payroll file', () => {
    const browser = Browser.duringSuite();
    const seller = 'Dana Whitfield';
    let paid: Loose;
    let period: string;

    before(async () => {
      const { api } = browser.workspace;
      // The deal may have closed in the quarter that the demo has approved for this person.
      const approved = demoCorrection(dayInZone(new Date(), 'UTC')).period;
      const manager = await browser.as('manager');
      const { disputes } = await api.expect(200, 'GET', `/v1/disputes?repId=${browser.repId(seller)}`);
      for (const { disputeId } of disputes)
        await manager.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'rejected', note: 'Not now' });
      await unlock(approved);
      await browser.workspace.calculated();
      paid = await (await browser.as('rep')).expect(200, 'GET', '/v1/commissions?dealId=D-0002');
      period = toPeriod(paid.deal.closeDate, 'monthly');
    });

    const unlock = (of: string) =>
      browser.workspace.api.expect(200, 'POST', `/v1/statements/${browser.repId(seller)}/approve`, {
        period: of,
        status: 'draft',
      });

    for (const [words, input, options] of variants)
      it(`is explained, disputed, answered, approved and handed over ${words}`, async () => {
        const question = `Is the attainment right? ${words}`;
        const [rep, manager, payroll] = [
          await signIn(input, seller, options),
          await signIn(input, 'Maya Ito', options),
          await signIn(input, 'Joan Pereira', options),
        ];
        await readAmounts(input, rep.page);
        await ask(input, rep.page, question);
        await answer(input, manager.page, question);
        await approve(input, manager.page);
        await handOver(input, payroll.page);
        for (const { problems, close } of [rep, manager, payroll]) {
          expect(problems.filter((one) => !one.includes('401'))).to.deep.equal([]);
          await close();
        }
        await unlock(period);
      });

    /** Signs in with the code of a mail. */
    async function signIn(input: InputMethod, name: string, options: PageOptions): Promise<OpenedApp> {
      const email = `${name.toLowerCase().replace(' ', '.')}@demo.example`;
      const opened = await browser.openPage(null, '/login', options);
      const { page } = opened;
      await input.write(page, 'E-mail address', email);
      await input.press(page, 'button', 'Send code');
      await page.waitForSelector('input[autocomplete=one-time-code]:focus');
      const code = await browser.service.lastCode(email);
      await Promise.all([page.waitForNavigation(), page.keyboard.type(code)]);
      await waitUntilLoaded(page);
      return opened;
    }

    async function openDeal(input: InputMethod, page: Page, dealId: string, { name }: Loose): Promise<string> {
      await input.goTo(page, dealId);
      await page.waitForFunction(`document.querySelector('main h1')?.textContent === '${name}'`);
      return (await texts(page, 'main')).join(' ');
    }

    async function explain(input: InputMethod, page: Page): Promise<Loose> {
      const [event] = paid.events.filter(({ amount }: Loose) => amount !== 0);
      await input.press(page, 'link', `${money(event.amount)}, explain ${event.ruleName}`);
      await page.waitForSelector('[aria-label^=How] h3');
      return event;
    }

    /** Why D-0002 paid its amount, and why D-0001 paid nothing. */
    async function readAmounts(input: InputMethod, page: Page): Promise<void> {
      expect(await openDeal(input, page, 'D-0002', paid.deal)).to.include(money(paid.total));
      const event = await explain(input, page);
      expect((await texts(page, '[aria-label^=How] h3 + span')).at(-1)).to.equal(money(event.amount));
      expect(await violations(page)).to.deep.equal([]);
      await input.close(page);
      await page.waitForFunction(`document.querySelector('[aria-label^="How"]') === null`);
      const focused = `${money(event.amount)}, explain ${event.ruleName}`;
      if (input === keyboard)
        expect(await page.$eval(':focus', (one) => one.getAttribute('aria-label'))).to.equal(focused);
      const lost = await browser.workspace.api.expect(200, 'GET', '/v1/commissions?dealId=D-0001');
      expect(lost.total).to.equal(0);
      expect(await openDeal(input, page, 'D-0001', lost.deal))
        .to.include('Stage is Closed Won')
        .and.include('it is Closed Lost');
    }

    async function ask(input: InputMethod, page: Page, question: string): Promise<void> {
      await openDeal(input, page, 'D-0002', paid.deal);
      const event = await explain(input, page);
      await input.press(page, 'button', 'Ask about this line');
      await input.write(page, 'Your explanation', question);
      await input.press(page, 'button', 'Send question');
      await page.waitForFunction(`document.querySelector('[role=dialog] textarea') === null`);
      const { disputes } = await browser.workspace.api.expect(
        200,
        'GET',
        `/v1/disputes?repId=${browser.repId(seller)}`,
      );
      const sent = disputes.find(({ description }: Loose) => description === question);
      expect(sent).to.include({ status: 'open', eventId: event.eventId });
    }

    async function answer(input: InputMethod, page: Page, question: string): Promise<void> {
      const disputes = async () => (await browser.workspace.api.expect(200, 'GET', '/v1/disputes?limit=500')).disputes;
      const dispute = (await disputes()).find(({ description }: Loose) => description === question);
      await input.navigate(page, 'Questions');
      await page.waitForFunction(`location.pathname.endsWith('/questions')`);
      await input.press(page, 'link', `${dispute.dealName}: the amount is wrong`);
      await page.waitForFunction(`location.pathname.endsWith('${dispute.disputeId}')`);
      await input.press(page, 'button', 'Accept');
      await input.write(page, `Message to ${seller} (optional)`, 'The attainment counts the deals before it.');
      await input.press(page, 'button', 'Accept');
      await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
      expect((await disputes()).find(({ disputeId }: Loose) => disputeId === dispute.disputeId).status).to.equal(
        'accepted',
      );
    }

    /** Chooses the month of the deal in the picker of the page. */
    async function choosePeriod(input: InputMethod, page: Page): Promise<void> {
      await page.waitForSelector('[aria-label^="Period: "]');
      const visible = (await page.$eval('[aria-label^="Period: "]', (one) => one.getAttribute('aria-label'))) ?? '';
      await input.press(page, 'button', visible);
      for (let year = Number(visible.slice(-4)); year > Number(period.slice(0, 4)); year -= 1)
        await input.press(page, 'button', `Year ${year - 1}`);
      await input.press(page, 'button', monthName(period));
      await page.waitForFunction(`location.search.includes('period=${period}')`);
      await waitUntilLoaded(page);
    }

    async function approve(input: InputMethod, page: Page): Promise<void> {
      await input.navigate(page, 'Approvals');
      await page.waitForFunction(`location.pathname.endsWith('/approvals')`);
      await waitUntilLoaded(page);
      await choosePeriod(input, page);
      await page.waitForSelector('tbody tr, main li');
      const generate = (await page.$(`::-p-aria([name="Generate again"][role="button"])`))
        ? 'Generate again'
        : 'Generate';
      await input.press(page, 'button', generate);
      await page.waitForFunction(`/statements? generated/.test(document.body.textContent)`);
      if (input === keyboard) await page.waitForSelector('::-p-aria([name="Generate again"][role="button"]):focus');
      await input.press(page, 'checkbox', `Select ${seller}`);
      const own = `/v1/statements?repId=${browser.repId(seller)}&period=${period}`;
      const { summary, version } = await browser.workspace.api.expect(200, 'GET', own);
      const rows = (await texts(page, 'tbody tr, main li')).filter((row) => row.includes(seller));
      expect(rows.join(' ')).to.include(plain(summary.netPayout));
      const bar = (page.viewport()?.width ?? 0) < 768 ? `Approve 1, ${money(summary.netPayout)}` : 'Approve 1';
      await input.press(page, 'button', bar);
      await page.waitForSelector('[role=dialog]');
      await page.waitForSelector('[role=dialog] [type=submit]:not([aria-busy]):focus');
      await page.keyboard.press('Enter');
      const stored = () => browser.workspace.api.expect(200, 'GET', own);
      await until(async () => (await stored()).status === 'approved');
      expect(await stored()).to.include({ status: 'approved', version });
    }

    async function handOver(input: InputMethod, page: Page): Promise<void> {
      await input.navigate(page, 'Pay periods');
      await choosePeriod(input, page);
      await input.press(page, 'button', 'Gusto');
      const recorded = async () =>
        (await browser.workspace.api.expect(200, 'GET', `/v1/payroll-handovers?period=${period}`)).handovers;
      const before = (await recorded()).length;
      if (before > 0) await input.press(page, 'button', 'Everyone');
      await page.waitForSelector('section[aria-label="First rows of the file"] tfoot td');
      await input.press(page, 'button', 'Download');
      await page.waitForFunction(`document.body.textContent.includes('Download again')`);
      const payroll = await browser.as('payroll');
      const { body } = await payroll.send('GET', `/v1/statements/export.csv?period=${period}&layout=gusto`);
      if (before > 0) return;
      await input.press(page, 'button', 'Mark as handed over');
      await page.waitForSelector('[role=dialog] input:focus');
      await page.keyboard.press('Enter');
      await page.waitForSelector('[aria-label="Recorded hand-overs"]');
      const sha256 = createHash('sha256').update(`\uFEFF${body}`).digest('hex');
      expect((await recorded())[0]).to.include({ layout: 'gusto', sha256 });
      const { summary } = await browser.workspace.api.expect(
        200,
        'GET',
        `/v1/statements?repId=${browser.repId(seller)}&period=${period}`,
      );
      expect((await recorded())[0].totals).to.deep.equal([{ currency: 'USD', netPayout: summary.netPayout }]);
    }
  });
}
