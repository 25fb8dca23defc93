import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { demoCorrection } from '#demo/corrections.js';
import { dayInZone } from '#src/kernel/day.js';
import { periodOf } from '#src/kernel/period.js';
import { duringSuite } from '#test/support/during-suite.js';
import { violations } from './accessibility.js';
import { money, plain } from './amounts.js';
import { type Hands, keyboard } from './hands.js';
import { type OpenedApp, type PageOptions, texts, WebWorld, waitUntilLoaded } from './web-world.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** The month in words: June 2026. */
function monthName(period: string): string {
  return new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${period}-15T00:00:00Z`),
  );
}

export type FlowVariant = readonly [words: string, hands: Hands, options: PageOptions];

/** One test for each variant. */
export function describePeriodFlow(variants: readonly FlowVariant[]): void {
  describe('a period in the web app, from a question about a deal to the payroll file', () => {
    const world = duringSuite(() => WebWorld.start());
    const seller = 'Dana Whitfield';
    let paid: Loose;
    let period: string;

    before(async () => {
      const { api } = world;
      // The deal may have closed in the quarter that the demo has approved for this person.
      const approved = demoCorrection(dayInZone(new Date(), 'UTC')).period;
      const manager = await world.clientOf('manager');
      const { disputes } = await api.expect(200, 'GET', `/v1/disputes?repId=${world.idOf(seller)}`);
      for (const { disputeId } of disputes)
        await manager.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'rejected', note: 'Not now' });
      await unlock(approved);
      await world.service.waitForCalculations(world.workspaceId);
      paid = await (await world.clientOf('rep')).expect(200, 'GET', '/v1/commissions?dealId=D-0002');
      period = periodOf(paid.deal.closeDate, 'monthly');
    });

    const unlock = (of: string) =>
      world.api.expect(200, 'POST', `/v1/statements/${world.idOf(seller)}/approve`, { period: of, status: 'draft' });

    for (const [words, hands, options] of variants)
      it(`is explained, disputed, answered, approved and handed over ${words}`, async () => {
        const question = `Is the attainment right? ${words}`;
        const [rep, manager, payroll] = [
          await signIn(hands, seller, options),
          await signIn(hands, 'Maya Ito', options),
          await signIn(hands, 'Joan Pereira', options),
        ];
        await readAmounts(hands, rep.page);
        await ask(hands, rep.page, question);
        await answer(hands, manager.page, question);
        await approve(hands, manager.page);
        await handOver(hands, payroll.page);
        for (const { problems, close } of [rep, manager, payroll]) {
          expect(problems.filter((one) => !one.includes('401'))).to.deep.equal([]);
          await close();
        }
        await unlock(period);
      });

    /** Signs in with the code of a mail. */
    async function signIn(hands: Hands, name: string, options: PageOptions): Promise<OpenedApp> {
      const email = `${name.toLowerCase().replace(' ', '.')}@demo.example`;
      const opened = await world.openPage(null, '/login', options);
      const { page } = opened;
      await hands.write(page, 'E-mail address', email);
      await hands.press(page, 'button', 'Send code');
      await page.waitForSelector('input[autocomplete=one-time-code]:focus');
      const code = /^\d{6}$/m.exec(await world.lastMailText(email))?.[0] ?? '';
      await Promise.all([page.waitForNavigation(), page.keyboard.type(code)]);
      await waitUntilLoaded(page);
      return opened;
    }

    async function openDeal(hands: Hands, page: Page, dealId: string, { name }: Loose): Promise<string> {
      await hands.goTo(page, dealId);
      await page.waitForFunction(`document.querySelector('main h1')?.textContent === '${name}'`);
      return (await texts(page, 'main')).join(' ');
    }

    async function explain(hands: Hands, page: Page): Promise<Loose> {
      const [event] = paid.events.filter(({ amount }: Loose) => amount !== 0);
      await hands.press(page, 'link', `Explain ${event.ruleName}`);
      await page.waitForSelector('[aria-label^=How] h3');
      return event;
    }

    /** Why D-0002 paid its amount, and why D-0001 paid nothing. */
    async function readAmounts(hands: Hands, page: Page): Promise<void> {
      expect(await openDeal(hands, page, 'D-0002', paid.deal)).to.include(money(paid.total));
      const event = await explain(hands, page);
      expect((await texts(page, '[aria-label^=How] h3 + span')).at(-1)).to.equal(money(event.amount));
      expect(await violations(page)).to.deep.equal([]);
      await hands.close(page);
      await page.waitForFunction(`document.querySelector('[aria-label^="How"]') === null`);
      const focused = `Explain ${event.ruleName}`;
      if (hands === keyboard)
        expect(await page.$eval(':focus', (one) => one.getAttribute('aria-label'))).to.equal(focused);
      const lost = await world.api.expect(200, 'GET', '/v1/commissions?dealId=D-0001');
      expect(lost.total).to.equal(0);
      expect(await openDeal(hands, page, 'D-0001', lost.deal))
        .to.include('Stage is Closed Won')
        .and.include('it is Closed Lost');
    }

    async function ask(hands: Hands, page: Page, question: string): Promise<void> {
      await openDeal(hands, page, 'D-0002', paid.deal);
      const event = await explain(hands, page);
      await hands.press(page, 'button', 'Ask about this line');
      await hands.write(page, 'Your explanation', question);
      await hands.press(page, 'button', 'Send question');
      await page.waitForFunction(`document.querySelector('[role=dialog] textarea') === null`);
      const { disputes } = await world.api.expect(200, 'GET', `/v1/disputes?repId=${world.idOf(seller)}`);
      const sent = disputes.find(({ description }: Loose) => description === question);
      expect(sent).to.include({ status: 'open', eventId: event.eventId });
    }

    async function answer(hands: Hands, page: Page, question: string): Promise<void> {
      const disputes = async () => (await world.api.expect(200, 'GET', '/v1/disputes?limit=500')).disputes;
      const dispute = (await disputes()).find(({ description }: Loose) => description === question);
      await hands.navigate(page, 'Questions');
      await page.waitForFunction(`location.pathname.endsWith('/questions')`);
      await hands.press(page, 'link', `${dispute.dealName}: the amount is wrong`);
      await page.waitForFunction(`location.pathname.endsWith('${dispute.disputeId}')`);
      await hands.press(page, 'button', 'Accept');
      await hands.write(page, `Message to ${seller} (optional)`, 'The attainment counts the deals before it.');
      await hands.press(page, 'button', 'Accept');
      await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
      expect((await disputes()).find(({ disputeId }: Loose) => disputeId === dispute.disputeId).status).to.equal(
        'accepted',
      );
    }

    /** Chooses the month of the deal in the picker of the page. */
    async function choosePeriod(hands: Hands, page: Page): Promise<void> {
      await page.waitForSelector('[aria-label^="Period: "]');
      const shown = (await page.$eval('[aria-label^="Period: "]', (one) => one.getAttribute('aria-label'))) ?? '';
      await hands.press(page, 'button', shown);
      for (let year = Number(shown.slice(-4)); year > Number(period.slice(0, 4)); year -= 1)
        await hands.press(page, 'button', `Year ${year - 1}`);
      await hands.press(page, 'button', monthName(period));
      await page.waitForFunction(`location.search.includes('period=${period}')`);
      await waitUntilLoaded(page);
    }

    async function approve(hands: Hands, page: Page): Promise<void> {
      await hands.navigate(page, 'Approvals');
      await page.waitForFunction(`location.pathname.endsWith('/approvals')`);
      await waitUntilLoaded(page);
      await choosePeriod(hands, page);
      await page.waitForSelector('tbody tr, main li');
      const generate = (await page.$(`::-p-aria([name="Generate again"][role="button"])`))
        ? 'Generate again'
        : 'Generate';
      await hands.press(page, 'button', generate);
      await page.waitForFunction(`/statements? generated/.test(document.body.textContent)`);
      if (hands === keyboard) await page.waitForSelector('::-p-aria([name="Generate again"][role="button"]):focus');
      await hands.press(page, 'checkbox', `Select ${seller}`);
      const own = `/v1/statements?repId=${world.idOf(seller)}&period=${period}`;
      const { summary, version } = await world.api.expect(200, 'GET', own);
      const rows = (await texts(page, 'tbody tr, main li')).filter((row) => row.includes(seller));
      expect(rows.join(' ')).to.include(plain(summary.netPayout));
      const bar = (page.viewport()?.width ?? 0) < 768 ? `Approve 1, ${money(summary.netPayout)}` : 'Approve 1';
      await hands.press(page, 'button', bar);
      await page.waitForSelector('[role=dialog]');
      await page.waitForSelector('[role=dialog] [type=submit]:focus');
      await page.keyboard.press('Enter');
      await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
      expect(await world.api.expect(200, 'GET', own)).to.include({ status: 'approved', version });
    }

    async function handOver(hands: Hands, page: Page): Promise<void> {
      await hands.navigate(page, 'Pay periods');
      await choosePeriod(hands, page);
      await hands.press(page, 'button', 'Gusto');
      await page.waitForSelector('section[aria-label="First rows of the file"] tfoot td');
      await hands.press(page, 'button', 'Download');
      await page.waitForFunction(`document.body.textContent.includes('Download again')`);
      const payroll = await world.clientOf('payroll');
      const { body } = await payroll.send('GET', `/v1/statements/export.csv?period=${period}&layout=gusto`);
      const recorded = async () =>
        (await world.api.expect(200, 'GET', `/v1/payroll-handovers?period=${period}`)).handovers;
      const before = (await recorded()).length;
      if (before > 0) return;
      await hands.press(page, 'button', 'Mark as handed over');
      await page.waitForSelector('[role=dialog]');
      await page.keyboard.press('Enter');
      await page.waitForSelector('[aria-label="Recorded hand-overs"]');
      const sha256 = createHash('sha256').update(`\uFEFF${body}`).digest('hex');
      expect((await recorded())[0]).to.include({ layout: 'gusto', sha256 });
      const { summary } = await world.api.expect(
        200,
        'GET',
        `/v1/statements?repId=${world.idOf(seller)}&period=${period}`,
      );
      expect((await recorded())[0].totals).to.deep.equal([{ currency: 'USD', netPayout: summary.netPayout }]);
    }
  });
}
