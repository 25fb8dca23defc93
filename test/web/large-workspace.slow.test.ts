import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser } from '#test/support/browser.js';
import { addLargeWorkspace, largePeriod as period } from './large-workspace.js';
import { observeLoading, untilQuiet } from './page-timing.js';

const people = 50_000;
const maxBytes = 1_000_000;

interface Sent {
  readonly request: string;
  bytes: number;
}

/** Counts the bytes of each response of the API as they are read, without compression. */
async function countResponses(page: Page): Promise<() => Sent[]> {
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  const open = new Map<string, Sent>();
  let sent: Sent[] = [];
  session.on('Network.requestWillBeSent', ({ requestId, request: { method, url } }) => {
    const { pathname, search } = new URL(url);
    if (pathname.startsWith('/v1/')) open.set(requestId, { request: `${method} ${pathname}${search}`, bytes: 0 });
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const one = open.get(requestId);
    if (one !== undefined) one.bytes += dataLength;
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    const one = open.get(requestId);
    open.delete(requestId);
    if (one !== undefined) sent.push(one);
  });
  return () => {
    const taken = sent;
    sent = [];
    return taken;
  };
}

const pagesOf: Readonly<Record<string, readonly string[]>> = {
  admin: [
    '/overview',
    '/members',
    '/members?view=tree',
    '/assignments',
    '/quotas',
    '/scores',
    '/deals',
    '/owners',
    '/plans',
    '/ramps',
    '/credit-rules',
    '/recalculations',
    '/keys',
    '/audit',
    '/workspace',
    '/imports/deals',
    '/evidence',
  ],
  manager: [
    `/team?period=${period}`,
    `/approvals?period=${period}`,
    `/exceptions?period=${period}`,
    `/quota-progress?period=${period}`,
    '/discrepancies',
    '/questions',
  ],
  payroll: [`/payroll-statements?period=${period}`, '/people', '/handovers', '/holds'],
};

describe('the web app in a workspace of 50,000 people', function () {
  this.timeout(900_000);
  const browser = Browser.duringSuite({ isEmpty: true, optimizes: true });
  let ids: Readonly<Record<string, string>>;

  before(async () => {
    ids = await addLargeWorkspace(browser, people);
  });

  for (const [role, addresses] of Object.entries(pagesOf))
    it(`sends ${role} no response above 1 MB`, async () => {
      let take: () => Sent[] = () => [];
      const prepare = async (page: Page) => {
        await observeLoading(page);
        take = await countResponses(page);
      };
      const { page, problems, close } = await browser.openPage(ids[role] ?? '', '/account', { prepare });
      const excess: string[] = [];
      for (const address of addresses) {
        take();
        await browser.visit(page, address);
        await untilQuiet(page);
        for (const { request, bytes } of take())
          if (bytes > maxBytes) excess.push(`${address}: ${request}: ${bytes} bytes`);
      }
      await close();
      expect(excess.join('\n')).to.equal('');
      expect(problems).to.deep.equal([]);
    });
});
