import { expect } from 'chai';
import { type HTTPRequest, type Page } from 'puppeteer-core';
import { Browser, type OpenedApp, sees, setScheme, texts, waitUntilLoaded } from '#test/support/browser.js';
import { until } from '#test/support/until.js';
import { violations } from './accessibility.js';
import { adminPages } from './admin-pages.js';
import { keyboard, pointer } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

const dialog = '[role=dialog]';

/**
 * A dialog that changes with the width of the screen moves the focus into itself again, with a timer after it is
 * rendered. A key that is pressed before would reach another element. Resolves when the page has been idle and the focus
 * has stayed where it is for this time.
 */
const focusRestsMs = 300;
const focusRests = `new Promise((done) => {
  let movedAt = performance.now();
  const note = () => { movedAt = performance.now(); };
  addEventListener('focusin', note);
  const check = () => {
    if (performance.now() < movedAt + ${focusRestsMs}) return setTimeout(() => requestIdleCallback(check), 20);
    removeEventListener('focusin', note);
    done();
  };
  requestAnimationFrame(check);
})`;

describe('the forms of an admin in the web app', () => {
  const browser = Browser.duringSuite();
  let opened: OpenedApp;
  let page: Page;
  let pages: Readonly<Record<string, string>>;

  before(async () => {
    pages = await adminPages(browser);
    opened = await browser.openPage('admin', '/account');
    page = opened.page;
    // The browser asks before a page with a draft is loaded again.
    page.on('dialog', (question) => question.accept());
  });
  afterEach(() => {
    expect(opened.problems).to.deep.equal([]);
  });

  const visit = (address: string) => browser.visit(page, address);
  const get = (path: string): Promise<Loose> => browser.workspace.api.expect(200, 'GET', path);
  const press = (name: string) => keyboard.press(page, 'button', name);
  const write = (label: string, text: string) => keyboard.write(page, label, text);
  const isClosed = () => page.waitForFunction(`document.querySelector('${dialog}') === null`);

  const leave = async () => {
    await page.keyboard.press('Escape');
    await isClosed();
  };

  /** Checks the open dialog on a screen in light colours and on a phone in dark ones. */
  const checkDialog = async () => {
    await page.waitForSelector(dialog);
    expect(await violations(page, { within: dialog })).to.deep.equal([]);
    const { width = 1280, height = 900 } = page.viewport() ?? {};
    await page.setViewport({ width: 390, height: 844 });
    await setScheme(page, 'dark');
    expect(await violations(page, { within: dialog }), 'dark, 390 pixels').to.deep.equal([]);
    await setScheme(page, 'light');
    await page.setViewport({ width, height });
    await page.evaluate(focusRests);
  };

  describe('work by keyboard alone and have accessible dialogs:', () => {
    it('adding a person', async () => {
      await visit('/members');
      await press('Add person');
      await checkDialog();
      await write('Name', 'Kai Berg');
      await write('E-mail', 'kai@demo.example');
      await keyboard.choose(page, 'Role', 'Manager');
      await press('Add');
      await isClosed();
      const { reps } = await get('/v1/reps');
      expect(reps.find(({ email }: Loose) => email === 'kai@demo.example')).to.include({ role: 'manager' });
    });

    it('a new plan from a template', async () => {
      await visit('/plans/new/edit?template=flat-commission');
      await write('Name of the plan', 'Partners');
      await write('Rate of tier 1', '4.5');
      await press('JSON');
      await checkDialog();
      await write('JSON', '{"config": {"rules": [{"tiers": []}]}, "tests": {}}');
      await press('Use this');
      await sees(page, 'tests must be a list.');
      await page.keyboard.press('Escape');
      await press('Discard');
      await isClosed();
      await press('Add test');
      await checkDialog();
      await write('Name', 'One deal');
      await write('Amount 1', '450');
      await press('Keep test');
      await isClosed();
      await press('Save draft');
      await page.waitForFunction(`/^.plans.[0-9a-f-]{36}.edit$/.test(location.pathname)`);
      const plan = (await get('/v1/plans')).find(({ name }: Loose) => name === 'Partners');
      expect(plan.rules[0].tiers[0]).to.include({ rate: 0.045 });
      await sees(page, 'expects $1,000.00, gets $450.00');
    });

    it('a change of a plan, which is not left or discarded without a question', async () => {
      await visit(pages['plan-builder'] ?? '');
      await write('Rate of tier 1', '7.5');
      await keyboard.press(page, 'link', 'Versions');
      await checkDialog();
      await leave();
      expect(new URL(page.url()).pathname).to.match(/edit$/);
      await press('Discard');
      await checkDialog();
      expect((await texts(page, dialog)).join()).to.include('7.5');
      await press('Discard changes');
      await isClosed();
      await keyboard.press(page, 'link', 'Versions');
      await page.waitForFunction(`!location.pathname.endsWith('/edit')`);
      await waitUntilLoaded(page);
    });

    it('the name of a plan, and the terms of a person', async () => {
      await visit(pages['plan'] ?? '');
      await press('More');
      await page.waitForSelector('[role=menu] :focus');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await checkDialog();
      await leave();
      await press('Add');
      await checkDialog();
      await leave();
    });

    it('an assignment', async () => {
      await visit('/assignments');
      await press('Assign Priya Nair to Account Executive');
      await checkDialog();
      await press('Assign');
      await sees(page, 'The assignments were changed.');
      const assigned = await get(`/v1/assignments?repId=${browser.repId('Priya Nair')}`);
      expect(assigned.map(({ planName }: Loose) => planName)).to.include('Account Executive');
    });

    it('a quota', async () => {
      await visit('/quotas');
      await write('Dana Whitfield, Q4', '26,000');
      await press('Save 1 quota');
      await checkDialog();
      await sees(page, 'of commission');
      await press('Save');
      await sees(page, '1 quota saved');
      const quotas = await get(`/v1/quotas?repId=${browser.repId('Dana Whitfield')}`);
      expect(quotas.map(({ target }: Loose) => target)).to.include(26_000);
    });

    it('the fields of a deal', async () => {
      await visit('/deals');
      await write('Name, ID or a text of a field', 'D-0002');
      await page.keyboard.press('Enter');
      await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 1`);
      const [name = ''] = await texts(page, 'tbody [data-row-action]');
      await press(name);
      await checkDialog();
      await leave();
    });

    it('an import of typed cells', async () => {
      await visit('/imports/people');
      await write(
        'Or paste cells of a spreadsheet, with the names of the columns',
        'Name,E-mail\nMika Ola,mika@demo.example',
      );
      await press('Use pasted cells');
      await press('Import 1 person');
      await sees(page, '1 person imported');
      await visit('/imports/people');
      expect(await page.$('textarea'), 'the imported file is not offered again').not.to.equal(null);
    });

    it('a recalculation', async () => {
      await visit('/recalculations');
      await press('Recalculate');
      await checkDialog();
      await keyboard.choose(page, 'Of', 'one person');
      await press('Start');
      await isClosed();
      await page.waitForFunction(`location.search.includes('job=')`);
      await press('Reset');
      await checkDialog();
      await leave();
    });

    it('a connection and the field mapping', async () => {
      await visit('/connections');
      await press('Connect Salesforce');
      await checkDialog();
      await leave();
      await visit('/fields');
      await write('New name', 'arr');
      await press('Add name');
      await sees(page, 'The changes are not saved yet.');
      await press('Discard');
      await sees(page, 'No changes.');
    });

    it('a key, which is shown once', async () => {
      await visit('/keys');
      await press('New key');
      await checkDialog();
      await write('Name', 'Reports');
      await press('Create key');
      await sees(page, 'Copy it now');
      await checkDialog();
      await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
      await press('Copy');
      await sees(page, 'Select the text and copy it.');
      await press('Done');
      await isClosed();
      const { keys } = await get('/v1/workspaces/integration-keys');
      expect(keys.map(({ name }: Loose) => name)).to.deep.equal(['Reports']);
      await press('Revoke Reports');
      await sees(page, 'Yes, revoke');
      await page.keyboard.press('Tab');
      await page.waitForFunction(`!document.body.textContent.includes('Yes, revoke')`);
    });

    it('an endpoint, and the entries of the audit log', async () => {
      await visit('/endpoints');
      await press('New endpoint');
      await checkDialog();
      await leave();
      await visit('/audit');
      await write('What, such as Approve statement', 'Create plan');
      await press('Filter');
      await page.waitForFunction(`location.search.includes('createPlan')`);
      // The rows before stay until those of the filter have loaded.
      await until(async () => [...new Set(await texts(page, 'tbody [data-row-action]'))].join() === 'Create plan');
      await page.focus('[aria-label="Done from"]');
      await page.keyboard.type('01022026');
      await page.waitForFunction(`location.search.includes('from=2026-01-02')`);
      await page.waitForSelector('[aria-label="Done from"]:focus');
    });

    it('the settings of the workspace, of which only the changed ones are sent', async () => {
      await visit('/workspace');
      await write('Batch ID', 'B7');
      await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
      await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
      await page.waitForFunction(`[...document.querySelectorAll('select')].some(({ value }) => value === 'reports')`);
      await press('Save settings');
      await sees(page, 'The settings were saved.');
      expect(await get('/v1/workspaces'))
        .to.deep.include({ managerScope: 'reports' })
        .and.nested.include({ 'payroll.batchId': 'B7' });
    });
  });

  it('keep what was entered across a reload, a lost connection and an ended session', async () => {
    await visit('/members');
    await pointer.press(page, 'button', 'Add person');
    await pointer.write(page, 'Name', 'Noa Lind');
    await page.reload();
    await page.waitForSelector(dialog);
    await pointer.write(page, 'E-mail', 'noa@demo.example');
    await page.setOfflineMode(true);
    await pointer.press(page, 'button', 'Add');
    await page.waitForSelector(`${dialog} [role=alert]`);
    await page.setOfflineMode(false);
    const cookies = await page.browserContext().cookies();
    await page.browserContext().setCookie(...cookies.map((cookie) => ({ ...cookie, value: 'sess_ended' })));
    await pointer.press(page, 'button', 'Add');
    await page.waitForSelector('::-p-aria([name="Sign in"][role="button"])');
    await page.browserContext().setCookie(...cookies);
    await visit('/members');
    await page.waitForSelector(dialog);
    expect(
      await page.$$eval(`${dialog} input`, (all) => all.slice(0, 2).map((one) => (one as Loose).value)),
    ).to.deep.equal(['Noa Lind', 'noa@demo.example']);
    await pointer.press(page, 'button', 'Add');
    await isClosed();
    const { reps } = await get('/v1/reps');
    expect(reps.filter(({ name }: Loose) => name === 'Noa Lind')).to.have.length(1);
    opened.problems.length = 0;
  });

  const fieldValue = (label: string) => page.$eval(`[aria-label="${label}"]`, (one) => (one as Loose).value);
  const discardDraft = async () => {
    await pointer.press(page, 'button', 'Discard');
    await pointer.press(page, 'button', 'Discard changes');
    await isClosed();
  };

  /** Holds the requests of a kind until the returned function is called with what the page displays then. */
  const hold = async (isHeld: (request: HTTPRequest) => boolean) => {
    await page.setRequestInterception(true);
    let report: (request: HTTPRequest) => void = () => undefined;
    const held = new Promise<HTTPRequest>((resolve) => {
      report = resolve;
    });
    const listener = async (request: HTTPRequest) => {
      if (isHeld(request)) report(request);
      else await request.continue();
    };
    page.on('request', listener);
    return async (work: () => Promise<unknown>, visible: string) => {
      const request = await held;
      await work();
      await request.continue();
      await sees(page, visible);
      page.off('request', listener);
      await page.setRequestInterception(false);
    };
  };

  it('keep what is typed while something else is saved', async () => {
    const address = pages['plan-builder'] ?? '';
    const [{ version }] = await get(`/v1/plans/${address.split('/')[2]}/history`);
    await visit(address);
    await pointer.write(page, 'Rate of tier 1', '7.25');
    const savePlan = await hold((request) => request.method() === 'PATCH');
    await pointer.press(page, 'button', `Save version ${version + 1}`);
    await savePlan(
      () => pointer.write(page, 'Rate of tier 2', '9.5'),
      `Version ${version + 1} is saved and pays nothing yet.`,
    );
    await sees(page, `Version ${version + 2}, not saved`);
    expect([await fieldValue('Rate of tier 1'), await fieldValue('Rate of tier 2')]).to.deep.equal(['7.25', '9.5']);
    await discardDraft();

    await visit('/quotas');
    await pointer.write(page, 'Dana Whitfield, Q4', '270,000');
    await pointer.press(page, 'button', 'Save 1 quota');
    await pointer.press(page, 'button', 'Save');
    await sees(page, '1 quota saved.');
    await pointer.press(page, 'button', 'Undo the last save');
    await sees(page, 'The last save was undone.');

    await visit('/members');
    await pointer.press(page, 'button', 'Noa Lind');
    await pointer.write(page, 'Owner ID in deals', 'N-1');
    await pointer.press(page, 'button', 'Invite');
    await sees(page, '1 person invited.');
    expect(await page.$$eval(`${dialog} input`, (all) => all.map((one) => (one as Loose).value))).to.include('N-1');
    await page.keyboard.press('Escape');
    await pointer.press(page, 'button', 'Discard');
    await isClosed();
  });

  it('display the roles of the plan after the draft is discarded', async () => {
    const roles = 'Roles whose credit the rule pays';
    const toggleMore = () => page.$eval('main details > summary', (one) => (one as Loose).click());
    await visit(pages['plan-builder'] ?? '');
    await toggleMore();
    await pointer.write(page, roles, 'SE\nCSM');
    await discardDraft();
    expect(await fieldValue(roles)).to.equal('');
    await toggleMore();
  });

  it('display what a tier, a condition, a filter and a column have after they were changed', async () => {
    await visit(pages['plan-builder'] ?? '');
    await pointer.write(page, 'Name of tier 1', 'Base');
    expect((await texts(page, 'main')).join()).to.match(/Version \d+, (draft|active)/);
    const rate = await fieldValue('Rate of tier 1');
    await pointer.press(page, 'button', 'Amounts');
    await pointer.write(page, 'Amount of tier 1', '250');
    await pointer.press(page, 'button', 'Rates');
    expect(await fieldValue('Rate of tier 1')).to.equal(rate);
    await pointer.press(page, 'button', 'Amounts');
    expect(await fieldValue('Amount of tier 1')).to.equal('250');
    await pointer.press(page, 'button', 'Rates');
    const card = 'main button[aria-pressed]';
    // The fixed header may cover a part of the card.
    await page.$eval(card, (element) => (element as unknown as { click(): void }).click());
    for (const values of ['One\nTwo', 'Acme, Inc.\nThree']) {
      await pointer.press(page, 'button', 'Add condition');
      await pointer.choose(page, 'Comparison', 'is one of');
      await pointer.write(page, 'Values, one on each line', values);
    }
    await (await page.$$('[aria-label="Remove the condition on Stage"]')).at(-2)?.click();
    expect(await fieldValue('Values, one on each line')).to.equal('Acme, Inc.\nThree');
    await pointer.press(page, 'button', 'Add condition');
    await pointer.choose(page, 'Field', 'Amount');
    expect((await texts(page, card))[0]).to.match(/Stage is one of Acme, Inc., Three; Amount is 0$/);
    await discardDraft();

    await visit('/deals?query=none');
    await pointer.press(page, 'button', 'Clear filters');
    await page.waitForFunction(`document.querySelector('[aria-label="Name, ID or a text of a field"]').value === ''`);

    await visit('/imports/deals');
    await pointer.write(
      page,
      'Or paste cells of a spreadsheet, with the names of the columns',
      'Deal ID,Amount,Close date\nX-1,5,6/3/2026',
    );
    await pointer.press(page, 'button', 'Use pasted cells');
    await sees(page, 'Day or month first?');
    await pointer.choose(page, 'Order of day and month', '12/31/2026');
    await sees(page, 'Month first');
    await pointer.press(page, 'button', 'Other file');
    // A draft that is not complete is invalid.
    await visit('/account');
    opened.problems.length = 0;
  });

  it('link the plan of an amount to the page of the plan', async () => {
    const { events } = await get('/v1/commissions?dealId=D-0002');
    const [{ eventId, planId }] = events;
    await visit(`/deals/D-0002?trace=${eventId}`);
    await page.waitForSelector(`[aria-label^=How] a[href$="/plans/${planId}"]`);
  });

  it('inform the second of two admins who edit one plan, and keep their draft over a reload', async () => {
    const address = pages['plan-builder'] ?? '';
    const planId = address.split('/')[2] ?? '';
    const rate = '[aria-label="Rate of tier 1"]';
    const entered = () => page.$eval(rate, (input) => (input as Loose).value);
    await visit(address);
    await pointer.write(page, 'Rate of tier 1', '7.5');
    await page.reload();
    await page.waitForSelector(rate);
    expect(await entered()).to.equal('7.5');
    const [latest] = await get(`/v1/plans/${planId}/history`);
    const change = { config: latest.config, latestVersion: latest.version };
    const saved = await browser.workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, {
      ...change,
      status: 'draft',
    });
    await page.waitForSelector('::-p-aria([name="Keep mine"][role="button"])');
    expect((await texts(page, 'main')).join()).to.include(`Version ${saved.version} was saved`);
    expect(await entered()).to.equal('7.5');
    const late = await browser.workspace.api.send('PATCH', `/v1/plans/${planId}`, change);
    expect([late.status, late.body.code]).to.deep.equal([409, 'plan_changed']);
  });
});
