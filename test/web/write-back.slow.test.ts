import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { type CrmWorld, crmbWorld } from '#test/support/crm-worlds.js';
import { violations } from './accessibility.js';

describe('commission in the CRM, in the web app', () => {
  let crm: CrmWorld;
  let browser: Browser;

  before(async () => {
    crm = await crmbWorld();
    browser = await Browser.start({ service: { crms: [crm], settings: { CRM_POLL_SECONDS: '86400' } } });
    await crm.connect(browser.workspace.api, browser.service.url);
  });
  after(async () => {
    await browser?.stop();
    await crm?.stop();
  });

  it('is switched on in the settings of the connection, which then show what is missing until it is corrected', async () => {
    const { page, close } = await browser.openPage('admin', '/connections');
    const press = (text: string) => page.locator(`::-p-xpath(//button[normalize-space(.)="${text}"])`).click();
    const enter = (label: string, text: string) => page.locator(`::-p-aria(${label})`).fill(text);
    await press('Settings HubSpot');
    await enter('Commission in HubSpot', 'on');
    await enter('Field for the commission', 'commission');
    await enter('Field for the state', 'commission_state');
    await press('Save settings');
    await sees(page, 'Nothing is written until this is corrected');
    await sees(page, 'The connection lacks the scope crm.objects.deals.write');
    await sees(page, 'create the property commission of type number');
    expect(await violations(page)).to.deep.equal([]);
    crm.prepareWrites();
    await press('Check again');
    await sees(page, 'Permission and fields were in order');
    await close();
  });
});
