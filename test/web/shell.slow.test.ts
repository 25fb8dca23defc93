import { expect } from 'chai';
import { StartLinks } from '#src/access/auth/start-links.js';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { violations, violationsInBothSchemes } from './accessibility.js';
import { keyboard } from './input-methods.js';

/** The controls of the page that are behind something that stays in place, when they get the focus in either order. */
const coveredControls = `(() => {
  const controls = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea):not(:disabled)')]
    .filter((one) => one.checkVisibility() && one.tabIndex >= 0);
  const isCovered = (control) => {
    control.focus();
    const { left, top, width, height } = control.getBoundingClientRect();
    return [top + 1, top + height - 1].some((y) => {
      for (let over = document.elementFromPoint(left + width / 2, y); over !== null; over = over.parentElement)
        if (['sticky', 'fixed'].includes(getComputedStyle(over).position) && !over.contains(control)) return true;
      return false;
    });
  };
  const covered = [...controls.toReversed(), ...controls].filter(isCovered);
  return [controls.length > 10, covered.map((one) => one.outerHTML.slice(0, 160))];
})()`;

describe('the web app', () => {
  const browser = Browser.duringSuite();

  it('signs in with the code of a mail, and returns to the page that was requested', async () => {
    const { page, problems, close } = await browser.openPage(null, '/me?period=2026-10');
    expect(new URL(page.url()).pathname).to.equal('/login');
    await page.type('input[type=email]', 'dana.whitfield@demo.example');
    await page.keyboard.press('Enter');
    await page.waitForSelector('input[autocomplete=one-time-code]');
    expect(await violations(page)).to.deep.equal([]);
    const code = await browser.service.lastCode('dana.whitfield@demo.example');
    await Promise.all([page.waitForNavigation(), page.keyboard.type(code)]);
    await waitUntilLoaded(page);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal('/me?period=2026-10');
    expect(problems.filter((one) => !one.includes('401'))).to.deep.equal([]);
    await close();
  });

  it('opens with a link of the terminal, once, also from the page of a link that does not work', async () => {
    const token = browser.service.running.service.parts.resolve(StartLinks).create({
      kind: 'sign_in',
      workspaceId: browser.workspace.workspaceId,
      repId: browser.repId('manager'),
    });
    const { page, close } = await browser.openPage(null, '/start#unknown');
    await page.waitForSelector('[role=alert]');
    await page.evaluate(`location.hash = '${token}'`);
    await page.waitForFunction('location.pathname !== "/start"');
    await waitUntilLoaded(page);
    expect((await texts(page, 'body')).join(' ')).to.include('Maya Ito');
    await close();
    const again = await browser.openPage(null, `/start#${token}`);
    await again.page.waitForSelector('[role=alert]');
    await again.close();
  });

  for (const path of ['/login', '/account', '/me/mail'])
    it(`${path} is accessible in both schemes`, async () => {
      const { page, problems, close } = await browser.openPage(path === '/login' ? null : 'rep', path);
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });

  it('shows the navigation at an address without a page', async () => {
    const { page, problems, close } = await browser.openPage('rep', '/no-such-page');
    expect(await texts(page, 'h1')).to.deep.equal(['There is no such page']);
    expect((await texts(page, 'nav[aria-label=Main]')).join()).to.include('My plan');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  for (const [path, width] of [
    ['/workspace', 1280],
    ['/workspace', 390],
    ['/deals', 1280],
    ['/plans/new/edit', 1280],
  ] as const)
    it(`keeps what has the focus clear of the header and of bars: ${path}, ${width} pixels`, async () => {
      const { page, close } = await browser.openPage('admin', path, { width, height: 640 });
      expect(await page.evaluate(coveredControls)).to.deep.equal([true, []]);
      await close();
    });

  it('shows the shortcuts over the page, which stays visible, and returns the focus to their button', async () => {
    const { page, problems, close } = await browser.openPage('manager', '/team');
    await page.focus('button[aria-label="Keyboard shortcuts"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog]');
    expect(await violations(page)).to.deep.equal([]);
    const layer = 'getComputedStyle(document.elementFromPoint(8, 8)).backgroundColor';
    expect(await page.evaluate(layer), 'a colour without transparency has no alpha').to.match(/^rgba/);
    await page.keyboard.press('Escape');
    await page.waitForSelector('button[aria-label="Keyboard shortcuts"]:focus');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('opens a plan with the command menu, as an admin, and has a title at the address of an unknown one', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/account');
    await keyboard.goTo(page, 'Account Executive');
    await page.waitForFunction(`location.pathname.startsWith('/plans/')`);
    expect(problems).to.deep.equal([]);
    await browser.visit(page, '/plans/00000000-0000-4000-8000-000000000000');
    await page.waitForSelector('main [role=alert]');
    expect(await texts(page, 'h1')).to.deep.equal(['Plan']);
    await close();
  });

  it('turns off a mail of the person, also after the page is loaded again', async () => {
    const { page, problems, close } = await browser.openPage('payroll', '/account');
    await page.click('main a[href$="/me/mail"]');
    const box = await page.waitForSelector('input[type=checkbox]:checked');
    await box?.click();
    await page.waitForFunction(`document.querySelector('main [role=status]')?.textContent.includes('Saved')`);
    const { mails } = await (await browser.as('payroll')).expect(200, 'GET', '/v1/mail-preferences');
    expect(mails.filter(({ enabled }: { enabled: boolean }) => !enabled)).to.have.length(1);
    await page.reload();
    await page.waitForSelector('input[type=checkbox]');
    expect(await page.$$('input[type=checkbox]:not(:checked)')).to.have.length(1);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('sends pages with a policy that allows no inline scripts, files for ever, and JSON to clients', async () => {
    const page = await fetch(`${browser.service.url}/me/deals`, { headers: { Accept: 'text/html' } });
    const policy = page.headers.get('content-security-policy');
    expect(policy).to.include("script-src 'self';").and.not.include('unsafe-eval');
    expect(page.headers.get('cache-control')).to.equal('no-cache');
    const [script = ''] = /app\/index-[\w-]+\.js/.exec(await page.text()) ?? [];
    const file = await fetch(`${browser.service.url}/${script}`);
    expect(file.headers.get('cache-control')).to.include('immutable');
    expect(file.headers.get('content-encoding')).to.equal('gzip');
    const json = await fetch(browser.service.url, { headers: { Accept: 'application/json' } });
    expect(await json.json()).to.include({ name: 'commission-service', docs: '/docs', singleSignOn: false });
    for (const path of ['/v1/nothing', '/auth/nothing', '/app/nothing.js'])
      expect((await fetch(browser.service.url + path, { headers: { Accept: 'text/html' } })).status, path).to.equal(
        404,
      );
  });

  it('say within seconds that the service does not respond, until it does again', async () => {
    const { page, close } = await browser.openPage('rep', '/me');
    let isDown = true;
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      isDown && request.url().includes('/revision') ? request.abort() : request.continue(),
    );
    await sees(page, 'The service does not respond');
    isDown = false;
    await page.waitForFunction(`!document.body.textContent.includes('The service does not respond')`);
    await close();
  });
});
