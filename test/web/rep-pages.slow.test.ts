import { expect } from 'chai';
import { dayInZone } from '#src/kernel/day.js';
import { toPeriod } from '#src/kernel/period.js';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { money, plain } from './amounts.js';
import { submitDialog } from './input-methods.js';
import { latestMonth, repPages } from './rep-pages.js';
import { expectSoundPages, looks } from './sound-pages.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('the pages of a rep', () => {
  const browser = Browser.duringSuite();

  for (const look of looks)
    it(`are accessible, free of errors and fast, ${look.width} pixels`, async () => {
      await expectSoundPages(browser, 'rep', await repPages(browser), look);
    });

  it('show the figures of the API to the cent', async () => {
    const [api, repId, period] = [await browser.as('rep'), browser.repId('rep'), await latestMonth(browser)];
    const dashboard = await api.expect(200, 'GET', `/v1/commissions?repId=${repId}&period=${period}`);
    const { lineItems } = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}&live=true`);
    const { page, close } = await browser.openPage('rep', `/me?period=${period}&lines=all`);
    const [earned] = await texts(page, '[aria-label="Summary"] > div');
    expect(earned).to.include(money(dashboard.earnings.total));
    const amounts = await texts(page, 'tbody [data-row-action]');
    expect(amounts.sort()).to.deep.equal(lineItems.map(({ amount }: Loose) => plain(amount)).sort());
    expect(await texts(page, 'tfoot .ledger-total')).to.deep.equal([plain(dashboard.earnings.total)]);
    await close();
  });

  it('fold the lines that paid nothing, which one click displays', async () => {
    const [api, repId] = [await browser.as('rep'), browser.repId('rep')];
    const [{ period }] = await api.expect(200, 'GET', `/v1/statements/${repId}/list`);
    const { lineItems, summary } = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);
    const zeros = lineItems.filter(({ amount }: Loose) => amount === 0).length;
    expect(zeros).to.be.above(0);
    const { page, close } = await browser.openPage('rep', `/statements/${repId}?period=${period}`);
    expect(await texts(page, 'tbody [data-row-action]')).to.have.length(lineItems.length - zeros);
    expect((await texts(page, 'tfoot .ledger-total')).at(-1)).to.equal(plain(summary.netPayout));
    const fold = `a[href*="lines=all"]`;
    expect(await texts(page, fold)).to.deep.equal([`Show ${zeros} lines that paid nothing`]);
    await page.click(fold);
    await page.waitForFunction(`document.querySelectorAll('tbody [data-row-action]').length === ${lineItems.length}`);
    expect(new URL(page.url()).searchParams.get('lines')).to.equal('all');
    await close();
  });

  it('keep their place when an explanation opens, moves on and closes, which is one step of the history', async () => {
    const period = await latestMonth(browser);
    const { page, close } = await browser.openPage('rep', '/account', { height: 500 });
    await browser.visit(page, `/me?period=${period}`);
    const amounts = await page.$$('tbody [data-row-action]');
    await amounts.at(-1)?.scrollIntoView();
    const scrolled = () => page.evaluate('window.scrollY') as Promise<number>;
    const before = await scrolled();
    expect(before).to.be.above(100);
    await amounts.at(-1)?.click();
    await page.waitForSelector('[aria-label^=How] h3');
    expect(await scrolled()).to.equal(before);
    const name = await page.$eval('tbody [data-row-action]', (link) => link.getAttribute('aria-label') ?? '');
    const visible = await page.$eval('tbody [data-row-action]', (link) => link.textContent ?? '');
    expect(name)
      .to.match(/, explain /)
      .and.to.include(visible);
    for (let steps = 0; steps < 2; steps += 1) await page.click('[aria-label^=How] [aria-label="Previous line"]');
    await page.keyboard.press('Escape');
    await page.waitForFunction(`document.querySelector('[aria-label^="How"]') === null`);
    expect(await scrolled()).to.equal(before);
    expect(new URL(page.url()).search).to.equal(`?period=${period}`);
    await page.goBack();
    expect(new URL(page.url()).pathname).to.equal('/account');
    await close();
  });

  it('keep the sorting of tables in the address', async () => {
    const period = await latestMonth(browser);
    const { page, close } = await browser.openPage('rep', `/me/deals?period=${period}&sort=-amount`);
    const sorted = () => page.$eval('th[aria-sort]', (cell) => [cell.textContent, cell.getAttribute('aria-sort')]);
    expect(await sorted()).to.deep.equal(['Amount', 'descending']);
    await page.click('th button');
    await page.waitForFunction(`!location.search.includes('amount')`);
    expect(new URL(page.url()).search).to.equal(`?period=${period}&sort=closed`);
    expect((await sorted())[1]).to.equal('ascending');
    await close();
  });

  it('show the pay of the quarter, and load it again, if statements and open deals do not load', async () => {
    const period = toPeriod(dayInZone(new Date(), 'UTC'), 'quarterly');
    const { page, close } = await browser.openPage('rep', '/account');
    let isFailing = true;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      return isFailing && (pathname === '/v1/deals' || pathname === `/v1/statements/${browser.repId('rep')}/list`)
        ? request.respond({
            status: 404,
            contentType: 'application/json',
            body: '{"statusCode":404,"code":"lost","message":"Lost."}',
          })
        : request.continue();
    });
    await browser.visit(page, `/me?period=${period}`);
    const alerts = () => texts(page, '[role=alert]');
    expect(await alerts()).to.deep.equal([
      'Your statements did not load. Lost. Try again',
      'Your open deals did not load. Lost. Try again',
    ]);
    expect((await texts(page, '[aria-label="Summary"]')).join()).to.match(/Earned.*[1-9]/s);
    expect(await violations(page)).to.deep.equal([]);
    isFailing = false;
    for (const remaining of [1, 0]) {
      await page.click('[role=alert] button');
      await page.waitForFunction(`document.querySelectorAll('[role=alert]').length === ${remaining}`);
    }
    expect((await texts(page, '[aria-label="Summary"]')).join()).to.include('View PDF');
    await close();
  });

  it('explain an amount by keys alone: j, Enter, Escape, and the focus returns', async () => {
    const period = await latestMonth(browser);
    const { page, close } = await browser.openPage('rep', `/me?period=${period}`);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-label^=How] h3');
    expect((await texts(page, '[aria-label^=How] h3')).slice(0, 2)).to.deep.equal(['Deal', 'Plan and version']);
    expect(new URL(page.url()).searchParams.get('trace')).to.match(/^[0-9a-f-]{36}$/);
    const visible = await texts(page, '[aria-label^=How] h3 + span');
    const { event } = await (await browser.as('rep')).expect(
      200,
      'GET',
      `/v1/commissions/events/${new URL(page.url()).searchParams.get('trace')}`,
    );
    expect(visible.at(-1)?.replace('$', '')).to.equal(plain(event.amount));
    await page.keyboard.press('Escape');
    await page.waitForFunction(`document.querySelector('[aria-label^="How"]') === null`);
    await page.waitForFunction('document.activeElement.hasAttribute("data-row-action")');
    await page.keyboard.press('[');
    await page.waitForFunction(`!location.search.includes('${period}')`);
    await close();
  });

  it('say why a deal paid nothing', async () => {
    const api = await browser.as('rep');
    const { deals } = await api.expect(200, 'GET', '/v1/deals?isWon=false&limit=1');
    const { page, close } = await browser.openPage('rep', `/deals/${deals[0].deal_id}`);
    expect((await texts(page, 'main')).join(' '))
      .to.include('Stage is Closed Won')
      .and.to.include('Rules that paid nothing, and why');
    await close();
  });

  it('open a dispute from a line, with its evidence, and show a comment of someone else within seconds', async () => {
    const [repId, period] = [browser.repId('rep'), await latestMonth(browser)];
    const { page, problems, close } = await browser.openPage('rep', `/statements/${repId}?period=${period}`);
    await (await page.$('[data-row-action]'))?.click();
    await page.waitForSelector('[aria-label^=How] h3');
    const ask = await page.waitForSelector('[aria-label^=How] > div:last-of-type button:nth-of-type(2)');
    await ask?.click();
    await page.waitForSelector('textarea[required]');
    expect(await violations(page)).to.deep.equal([]);
    await page.type('textarea[required]', 'The amount was <b>30,000</b>.');
    await page.keyboard.press('Tab');
    await submitDialog(page);
    await page.waitForFunction(`document.querySelector('textarea[required]') === null`);
    const { disputes } = await browser.workspace.api.expect(200, 'GET', `/v1/disputes?repId=${repId}&period=${period}`);
    expect(disputes[0]).to.include({ status: 'open', description: 'The amount was <b>30,000</b>.' });
    await page.keyboard.press('Escape');
    const manager = await browser.as('manager');
    await manager.expect(201, 'POST', `/v1/statements/${repId}/comments`, {
      period,
      body: '<img src=x onerror=alert(1)>',
    });
    await page.waitForFunction(`document.body.innerText.includes('onerror=alert(1)')`);
    expect(await page.$('img')).to.equal(null);
    expect(problems).to.deep.equal([]);
    await close();
    const question = await browser.openPage('rep', `/questions/${disputes[0].disputeId}`);
    expect((await texts(question.page, 'main')).join(' ')).to.include('Then and now');
    expect(await violations(question.page)).to.deep.equal([]);
    await question.close();
  });

  it('begin a calculation of open deals with what My pay shows for the quarter', async () => {
    const [api, repId] = [await browser.as('rep'), browser.repId('rep')];
    const { page, close } = await browser.openPage('rep', '/me/simulate');
    await page.waitForNetworkIdle({ idleTime: 300 });
    const [before = ''] = await texts(page, '[aria-label="Result"] > div:nth-child(2)');
    const today = new Date().toISOString().slice(0, 10);
    const period = `${today.slice(0, 4)}-Q${Math.ceil(Number(today.slice(5, 7)) / 3)}`;
    const { earnings } = await api.expect(200, 'GET', `/v1/commissions?repId=${repId}&period=${period}`);
    expect(before).to.include(money(earnings.total));
    await page.click('input[type=checkbox]');
    await page.waitForNetworkIdle({ idleTime: 700 });
    await waitUntilLoaded(page);
    expect((await texts(page, '[aria-label="Result"] > div:nth-child(1)'))[0]).to.include('1 deal chosen');
    const amount = 'main li input[inputmode=decimal]';
    await page.click(amount, { count: 3 });
    await page.keyboard.press('Backspace');
    await sees(page, 'Enter the amount with which the deal closes. Until then it is not included.');
    await sees(page, '0 deals chosen');
    expect(await page.$eval(amount, (input) => input.ariaInvalid)).to.equal('true');
    expect(await violations(page)).to.deep.equal([]);
    await close();
  });

  it('list every open deal by pages, and keep those chosen on another page', async () => {
    const repId = browser.repId('rep');
    const deals = Array.from({ length: 120 }, (_, index) => ({
      dealId: `OPEN-${index}`,
      amount: 1000 + index,
      stage: 'Proposal',
      closeDate: '2027-01-15',
      repId,
    }));
    await browser.workspace.api.expect(200, 'POST', '/v1/deals/import', { deals });
    const { count } = await browser.workspace.api.expect(200, 'GET', `/v1/deals?repId=${repId}&isClosed=false`);
    expect(count).to.be.above(120);
    const { page, close } = await browser.openPage('rep', '/me/deals');
    const openNext = () =>
      page.evaluate(`[...document.querySelectorAll('main button')].findLast(isNext).click();
      function isNext({ textContent }) { return textContent === 'Next'; }`);
    await sees(page, `${count} deals`);
    await openNext();
    await sees(page, `101 to ${count} of ${count}`);
    expect(new URL(page.url()).search).to.equal('?open=1');
    await browser.visit(page, '/me/simulate');
    await page.click('input[type=checkbox]');
    await openNext();
    await page.waitForFunction(`document.querySelector(':checked') === null`);
    await sees(page, '1 deal chosen');
    await close();
  });
});
