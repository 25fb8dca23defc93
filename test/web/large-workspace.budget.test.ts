import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees } from '#test/support/browser.js';
import { slownessOfMachine } from '../budgets/machine-speed.js';
import { addressOf, appPaths, isOfAdmin } from './app-paths.js';
import { pointer } from './input-methods.js';
import { addLargeWorkspace, largePeriod as period } from './large-workspace.js';
import { observeLoading, untilQuiet } from './page-timing.js';

const people = Number(process.env['PEOPLE'] ?? 50_000);
const maxBytes = 1_000_000;
const maxMs = 1000;
/** The sums of a pay period take 1.0 s on two idle cores of the machine of the budgets. */
const maxMsOfPayPeriod = 1500;
/** Other processes of the machine delay a response too: it is too slow only if it is every time. */
const attempts = 3;

interface Sent {
  readonly request: string;
  /** In seconds. */
  readonly sentAt: number;
  bytes: number;
  ms: number;
}

/** Counts the bytes of each response of the API as they are read, without compression, and its time. */
async function countResponses(page: Page): Promise<() => Sent[]> {
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  const open = new Map<string, Sent>();
  let sent: Sent[] = [];
  session.on('Network.requestWillBeSent', ({ requestId, timestamp, request: { method, url } }) => {
    const { pathname, search } = new URL(url);
    if (pathname.startsWith('/v1/'))
      open.set(requestId, { request: `${method} ${pathname}${search}`, sentAt: timestamp, bytes: 0, ms: 0 });
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const one = open.get(requestId);
    if (one !== undefined) one.bytes += dataLength;
  });
  session.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const one = open.get(requestId);
    open.delete(requestId);
    if (one !== undefined) sent.push({ ...one, ms: Math.round((timestamp - one.sentAt) * 1000) });
  });
  return () => {
    const taken = sent;
    sent = [];
    return taken;
  };
}

/** The pages that show another content with a period. */
const ofPeriod = [
  '/team',
  '/approvals',
  '/exceptions',
  '/quota-progress',
  '/payroll',
  '/payroll-statements',
  '/statements/$repId',
];

function listAddresses(paths: readonly string[], parts: Readonly<Record<string, string>>): string[] {
  return paths.map((path) => `${addressOf(path, parts)}${ofPeriod.includes(path) ? `?period=${period}` : ''}`);
}

const pagesOf = {
  admin: [...appPaths.filter(isOfAdmin), '/members?view=tree'],
  manager: [
    ...['/team', '/approvals', '/exceptions', '/quota-progress', '/discrepancies', '/questions', '/statements/$repId'],
    ...['/deals/$dealId', '/questions/$disputeId', '/me', '/me/deals', '/me/plan', '/me/simulate', '/statements'],
  ],
  payroll: [
    ...['/payroll', '/payroll-statements', '/people', '/hand-overs', '/holds', '/month-end', '/month-end/renewals'],
    '/statements/$repId',
  ],
} as const;

/**
 * Fails if a response of the pages is too large, or too slow also when nothing else is requested: the browser and the other
 * requests of a page use the same processors.
 */
async function expectSmallResponses(
  browser: Browser,
  person: string,
  addresses: readonly string[],
  slowestMs = maxMs,
): Promise<void> {
  let take: () => Sent[] = () => [];
  const prepare = async (page: Page) => {
    await observeLoading(page);
    take = await countResponses(page);
  };
  const { page, problems, close } = await browser.openPage(person, '/account', { prepare });
  /** After a change, so that no response comes from the cache. */
  const listExcess = async (load: () => Promise<unknown>): Promise<Sent[]> => {
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { name: `Halden ${performance.now()}` });
    take();
    await load();
    await untilQuiet(page);
    const limitMs = slowestMs * slownessOfMachine();
    return take().filter(({ bytes, ms }) => bytes > maxBytes || ms > limitMs);
  };
  const visit = async (address: string) => {
    await browser.visit(page, '/account');
    await untilQuiet(page);
    return listExcess(() => browser.visit(page, address));
  };
  const repeat = (path: string) => listExcess(() => page.evaluate(async (url) => (await fetch(url)).text(), path));
  const excess: string[] = [];
  for (const address of addresses)
    for (const { request } of await visit(address)) {
      const [method, path = ''] = request.split(' ');
      expect(method, `${request} of ${address} is slow`).to.equal('GET');
      let found = await repeat(path);
      for (let attempt = 1; attempt < attempts && found.length > 0; attempt += 1) found = await repeat(path);
      excess.push(...found.map(({ bytes, ms }) => `${address}: ${request}: ${bytes} bytes, ${ms} ms`));
    }
  if (process.env['PICTURE'] !== undefined) await page.screenshot({ path: '/tmp/last-page.png', fullPage: true });
  await close();
  expect(excess.join('\n')).to.equal('');
  expect(problems).to.deep.equal([]);
}

describe('the web app in a workspace of 50,000 people who are paid in pay periods', function () {
  this.timeout(900_000);
  const browser = Browser.duringSuite({ isEmpty: true, optimizes: true });

  it('sends payroll no response above 1 MB or 1.5 s', async () => {
    const { payroll, parts } = await addLargeWorkspace(browser, people, { paysOut: true });
    await expectSmallResponses(browser, payroll, listAddresses(pagesOf.payroll, parts), maxMsOfPayPeriod);
  });
});

describe('the web app in a workspace of 50,000 people', function () {
  this.timeout(900_000);
  const browser = Browser.duringSuite({ isEmpty: true, optimizes: true });
  let workspace: Awaited<ReturnType<typeof addLargeWorkspace>>;

  before(async () => {
    workspace = await addLargeWorkspace(browser, people);
  });

  for (const role of ['admin', 'manager', 'payroll'] as const)
    it(`sends ${role} no response above 1 MB or 1 s`, () =>
      expectSmallResponses(browser, workspace[role], listAddresses(pagesOf[role], workspace.parts)));

  it('makes the file of payroll in a job once its reader asks for it, with the rows of the file of the API', async () => {
    const { page, problems, close } = await browser.openPage(
      workspace.payroll,
      `/payroll?period=${period}&layout=generic`,
    );
    await sees(page, `The period has ${(people + 1).toLocaleString('en-US')} people.`);
    expect(await page.$('section[aria-label="First rows of the file"]')).to.equal(null);
    await pointer.press(page, 'button', 'Make the file');
    await page.waitForSelector('section[aria-label="First rows of the file"] tfoot td');
    const { headers } = await browser.workspace.api.get(`/v1/statements/export.csv?period=${period}`);
    await sees(page, Number(headers.get('x-row-count')).toLocaleString('en-US'));
    if (process.env['PICTURE'] !== undefined) await page.screenshot({ path: '/tmp/payroll-large.png', fullPage: true });
    await close();
    expect(problems).to.deep.equal([]);
  });
});
