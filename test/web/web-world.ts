import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { type Role } from '#src/kernel/caller.js';
import { bundledBrowser } from '#src/platform/documents/bundled-browser.js';
import { recentMails } from '#src/platform/mail/recent-mails.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { type TestDatabase } from '#test/support/test-database.js';
import { createDemoDatabase, demoApiKey } from './demo-database.js';

export type Scheme = 'light' | 'dark';

export interface PageOptions {
  /** Default: light. */
  readonly scheme?: Scheme;
  /** Width of the window in pixels; 390 is a phone. Default: 1280. */
  readonly width?: number;
  readonly height?: number;
  /** Runs before the address is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** A page of the app with everything that went wrong in it. */
export interface OpenedApp {
  readonly page: Page;
  /** Errors of the console, failed requests and responses with an error status. */
  readonly problems: string[];
  close(): Promise<void>;
}

const browserOptions = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--lang=en-US',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
];

/** Pages are open for seconds: without optimized code and with a large heap they take a quarter less CPU time. */
const unoptimized =
  '--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=32 --max-semi-space-size=64';

const demoNames: Readonly<Record<Role, string>> = {
  admin: 'Alex Morgan',
  manager: 'Maya Ito',
  rep: 'Dana Whitfield',
  payroll: 'Joan Pereira',
};

/** Less than the time-out of a test, so that the message says what was awaited. */
const maxWaitMs = 180_000;

type StartService = (database: Promise<TestDatabase>) => Promise<Service>;

const startWithApiAndWorker: StartService = (database) => Service.start({ database });

/** The built app with the demo's data in one browser. `npm run build` builds the app. */
export class WebWorld {
  private constructor(
    readonly service: Service,
    readonly browser: Browser,
    private readonly profile: string,
    readonly workspaceId: string,
    /** A client with the key of the demo's workspace. */
    readonly api: ApiClient,
    readonly apiKey: string,
    private readonly repIds: ReadonlyMap<string, string>,
  ) {}

  static async start(startService: StartService = startWithApiAndWorker): Promise<WebWorld> {
    const service = await startService(createDemoDatabase());
    return WebWorld.open(service, demoApiKey());
  }

  /** A workspace that has nothing but its admin. `optimizes`: the browser optimizes scripts, as those of users do. */
  static async startEmpty({ optimizes = false } = {}): Promise<WebWorld> {
    const service = await Service.start();
    const { apiKey } = await service.workspace({
      name: 'Halden Works',
      adminName: demoNames.admin,
      adminEmail: 'alex@halden.test',
    });
    return WebWorld.open(service, apiKey, optimizes);
  }

  private static async open(service: Service, apiKey: string, optimizes = false): Promise<WebWorld> {
    const api = service.client(apiKey);
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const { workspaceId } = await api.expect(200, 'GET', '/v1');
    const profile = mkdtempSync(path.join(tmpdir(), 'web-test-'));
    const browser = await launch(profile, optimizes);
    const repIds = new Map(reps.map(({ name, id }: { name: string; id: string }) => [name, id]));
    return new WebWorld(service, browser, profile, workspaceId, api, apiKey, repIds as Map<string, string>);
  }

  /** The id of the person of the demo. */
  idOf(roleOrName: string): string {
    const name = demoNames[roleOrName as Role] ?? roleOrName;
    return this.repIds.get(name) ?? expect.fail(`the demo has no ${name}`);
  }

  /** A client with a session of the person. */
  async clientOf(role: string): Promise<ApiClient> {
    return this.service.as(this.workspaceId, this.idOf(role));
  }

  /** Opens a page signed in as the person, or without a session for null, and waits until nothing is loading. */
  async openPage(role: string | null, address: string, options: PageOptions = {}): Promise<OpenedApp> {
    const { scheme = 'light', width = 1280, height = width < 768 ? 844 : 900 } = options;
    const context = await this.browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(maxWaitMs);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
    });
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
    });
    await page.setViewport({ width, height });
    await emulateScheme(page, scheme);
    if (role !== null) {
      const token = await this.service.token(this.workspaceId, 'sess', this.idOf(role));
      await context.setCookie({ name: 'session', value: token, domain: new URL(this.service.url).hostname, path: '/' });
    }
    await options.prepare?.(page);
    await this.visit(page, address);
    return { page, problems, close: () => context.close() };
  }

  /** Loads an address in an open page, and waits until nothing is loading. */
  async visit(page: Page, address: string): Promise<void> {
    await page.goto(`${this.service.url}${address}`, { waitUntil: 'load' });
    await waitUntilLoaded(page);
  }

  /** The text of the last mail to the address. */
  async lastMailText(email: string): Promise<string> {
    const mails = await recentMails(this.service.database.ownerUrl, this.service.running.service.secrets, 20);
    return mails.find(({ to }) => to === email)?.text ?? expect.fail(`no mail was sent to ${email}`);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 3 });
    await this.service.stop();
  }
}

async function launch(profile: string, optimizes: boolean): Promise<Browser> {
  const program = await bundledBrowser();
  const executablePath = program?.path ?? process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  const fonts = program?.fontConfig === undefined ? {} : { FONTCONFIG_FILE: program.fontConfig };
  return puppeteer.launch({
    executablePath,
    userDataDir: profile,
    headless: 'shell',
    pipe: true,
    timeout: maxWaitMs,
    env: { ...process.env, ...fonts, LANG: 'en_US.UTF-8', LANGUAGE: 'en-US' },
    args: [...browserOptions, ...(optimizes ? [] : [unoptimized])],
  });
}

/** Resolves when the page shows a heading and nothing is loading, also across a redirect. */
export async function waitUntilLoaded(page: Page, tries = 3): Promise<void> {
  try {
    await page.waitForSelector('h1');
    await page.waitForFunction(`document.querySelector('[role="status"][style*="height"]') === null`);
    await page.evaluate('document.fonts.ready.then(() => undefined)');
  } catch (error) {
    if (tries <= 1) throw error;
    await waitUntilLoaded(page, tries - 1);
  }
}

async function emulateScheme(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
}

/** Changes the scheme of the open page. */
export async function setScheme(page: Page, scheme: Scheme): Promise<void> {
  await emulateScheme(page, scheme);
  await page.waitForFunction(`document.documentElement.dataset.mantineColorScheme === '${scheme}'`);
}

/** The texts of the elements, with single spaces. */
export function texts(page: Page, selector: string): Promise<string[]> {
  return page.$$eval(selector, (elements) =>
    elements.map((one) => (one.textContent ?? '').replace(/\s+/g, ' ').trim()),
  );
}

/** Resolves when the page displays the text. */
export async function sees(page: Page, text: string): Promise<void> {
  const isShown = `document.body.innerText.replace(/\\s+/g, ' ').includes(${JSON.stringify(text)})`;
  await page.waitForFunction(isShown).catch(async () => {
    const shown = (await texts(page, 'main, [role=dialog]')).join().slice(-3000);
    expect.fail(`the page does not show “${text}”, but: ${shown}`);
  });
}
