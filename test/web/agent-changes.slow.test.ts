import { expect } from 'chai';
import { FetchClient } from '#test/mcp/mcp-fixture.js';
import { Browser, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';

const button = (name: string) => `::-p-aria([name="${name}"][role="button"])`;

describe('the page of changes by agents', () => {
  const browser = Browser.duringSuite();
  // biome-ignore lint/suspicious/noExplicitAny: plans of any shape
  let plan: any;

  before(async () => {
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
    const plans = await browser.workspace.api.expect(200, 'GET', '/v1/plans?status=active');
    plan = plans.find(({ config }: typeof plan) => config.rules[0].tiers?.[0]?.rate > 0);
  });

  /** An agent with the key of the workspace requests twice the first rate of the plan. */
  async function requestChange(): Promise<string> {
    const config = structuredClone(plan.config);
    const [tier] = config.rules[0].tiers;
    tier.rate *= 2;
    const agent = new FetchClient(browser.service.url, browser.workspace.apiKey);
    const change = { planRef: plan.planId, config, effectiveStart: plan.effectiveStart ?? 'always' };
    const { structuredContent } = await agent.call('update_plan', change);
    return structuredContent.details?.changeRequestId ?? expect.fail(JSON.stringify(structuredContent));
  }

  const requestOf = async (id: string) =>
    (await browser.workspace.api.expect(200, 'GET', '/v1/change-requests')).changeRequests.find(
      (one: { id: string }) => one.id === id,
    );

  it('shows what a change moves by person, calculates it again, and approves the change', async () => {
    const id = await requestChange();
    const { preview } = await requestOf(id);
    expect(preview.delta).to.be.greaterThan(0);
    const { page, problems, close } = await browser.openPage('admin', '/agent-changes');
    expect((await texts(page, 'main table tbody td:first-child'))[0]).to.equal(preview.byRep[0].name);
    expect(await texts(page, 'main dl dd')).to.include(plan.name);
    expect(await violations(page)).to.deep.equal([]);
    await page.locator(button('Calculate again')).click();
    await page.waitForFunction(`!document.querySelector('main [aria-busy=true]')`);
    await page.locator(button('Approve')).click();
    await page.locator('form button[type=submit]').click();
    await page.waitForFunction(`document.querySelector('main')?.textContent.includes('Done')`);
    expect(problems).to.deep.equal([]);
    await close();
    expect(await requestOf(id)).to.include({ status: 'done', decidedBy: `rep:${browser.repId('admin')}` });
  });

  it('states what has changed since a request was shown, and runs it with the next approval', async () => {
    const id = await requestChange();
    const { page, problems, close } = await browser.openPage('admin', '/agent-changes');
    await page.locator(button('Approve')).click();
    await browser.workspace.api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { name: `${plan.name} 2` });
    await page.locator('form button[type=submit]').click();
    await page.waitForFunction(
      `document.querySelector('main [role=status]')?.textContent.includes('did not run, because what it changes had been changed')`,
    );
    expect(await requestOf(id)).to.include({ status: 'pending' });
    expect(await violations(page)).to.deep.equal([]);
    await page.locator(button('Approve')).click();
    await page.locator('form button[type=submit]').click();
    await page.waitForFunction(`!document.querySelector('main')?.textContent.includes('Waiting')`);
    expect(await requestOf(id)).to.include({ status: 'done' });
    // The browser logs the response with status 409.
    expect(problems.filter((problem) => !problem.includes('409'))).to.deep.equal([]);
    await close();
  });

  it('states why a request ended', async () => {
    const id = await requestChange();
    await browser.service.sql(`update change_requests set ended_because = 'key_invalid' where request_id = $1`, id);
    const { page, close } = await browser.openPage('admin', '/agent-changes');
    await page.waitForFunction(
      `document.querySelector('main')?.textContent.includes('Ended because the key of the agent was revoked')`,
    );
    await close();
  });

  it('rejects a change with a reason, which the agent reads', async () => {
    const id = await requestChange();
    const { page, problems, close } = await browser.openPage('admin', '/agent-changes', { width: 390 });
    await page.locator(button('Reject')).click();
    await page.locator('form input').fill('Next quarter');
    await page.locator('form button[type=submit]').click();
    await page.waitForFunction(`document.querySelector('main')?.textContent.includes('Reason: Next quarter')`);
    expect(problems).to.deep.equal([]);
    await close();
    const agent = new FetchClient(browser.service.url, browser.workspace.apiKey);
    const { structuredContent } = await agent.call('list_change_requests', { status: 'rejected' });
    expect(structuredContent.changeRequests[0]).to.include({ id, reason: 'Next quarter' });
  });
});
