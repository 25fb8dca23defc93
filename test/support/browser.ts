import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import puppeteer, { type Browser as Chromium, type Page } from 'puppeteer-core';
import { type Role } from '#src/kernel/caller.js';
import { isUuid } from '#src/kernel/ids.js';
import { findBundledBrowser } from '#src/platform/documents/bundled-browser.js';
import { type ApiClient } from './api-client.js';
import { createDemoDatabase, demoApiKey } from './demo-database.js';
import { duringSuite } from './during-suite.js';
import { Service, type ServiceOptions } from './service.js';
import { Workspace } from './workspace.js';

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

const demoNames: Readonly<Record<Exclude<Role, 'finance' | 'auditor'>, string>> = {
  admin: 'Alex Morgan',
  manager: 'Maya Ito',
  rep: 'Dana Whitfield',
  payroll: 'Joan Pereira',
};

/** Less than the time-out of a test, so that the message says what was awaited. */
const maxWaitMs = 180_000;

export interface BrowserOptions {
  /** How the service of the app is started. */
  readonly service?: ServiceOptions;
  /** A workspace that has nothing but its admin, instead of the demo. */
  readonly isEmpty?: boolean;
  /** Whether scripts are optimized, as in the browsers of users. */
  readonly optimizes?: boolean;
}

/** A browser with pages of the built app, for the people of one workspace. `npm run build` builds the app. */
export class Browser {
  private constructor(
    readonly service: Service,
    readonly workspace: Workspace,
    readonly chromium: Chromium,
    private readonly profile: string,
    private readonly repIds: ReadonlyMap<string, string>,
  ) {}

  static async start({ service: options, isEmpty = false, optimizes = false }: BrowserOptions = {}): Promise<Browser> {
    const service = await Service.start(isEmpty ? options : { database: createDemoDatabase(), ...options });
    const workspace = isEmpty ? await emptyWorkspace(service) : await demoWorkspace(service);
    const { reps } = await workspace.api.expect(200, 'GET', '/v1/reps');
    const repIds = new Map<string, string>(reps.map(({ name, id }: { name: string; id: string }) => [name, id]));
    const profile = mkdtempSync(path.join(tmpdir(), 'web-test-'));
    return new Browser(service, workspace, await launch(profile, optimizes), profile, repIds);
  }

  /** The browser that the tests of a suite share. */
  static duringSuite(options?: BrowserOptions): Browser {
    return duringSuite(() => Browser.start(options));
  }

  /** The id of the person, by the role in the demo or by name. An id, as of people who were added later, is itself. */
  repId(roleOrName: string): string {
    if (isUuid(roleOrName)) return roleOrName;
    const name = demoNames[roleOrName as keyof typeof demoNames] ?? roleOrName;
    return this.repIds.get(name) ?? expect.fail(`the workspace has no ${name}`);
  }

  /** An API client with a session of the person. */
  as(roleOrName: string): Promise<ApiClient> {
    return this.workspace.as(this.repId(roleOrName));
  }

  /** Opens a page signed in as the person, or without a session for null, and waits until nothing is loading. */
  async openPage(role: string | null, url: string, options: PageOptions = {}): Promise<OpenedApp> {
    const { scheme = 'light', width = 1280, height = width < 768 ? 844 : 900 } = options;
    const context = await this.chromium.createBrowserContext();
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
      const token = await this.service.token(this.workspace.workspaceId, 'sess', this.repId(role));
      await context.setCookie({ name: 'session', value: token, domain: new URL(this.service.url).hostname, path: '/' });
    }
    await options.prepare?.(page);
    await this.visit(page, url);
    return { page, problems, close: () => context.close() };
  }

  /** Loads an address in an open page, and waits until nothing is loading. */
  async visit(page: Page, url: string): Promise<void> {
    await page.goto(`${this.service.url}${url}`, { waitUntil: 'load' });
    await waitUntilLoaded(page);
  }

  async stop(): Promise<void> {
    await this.chromium.close();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 3 });
    await this.service.stop();
  }
}

function emptyWorkspace(service: Service): Promise<Workspace> {
  const admin = { adminName: demoNames.admin, adminEmail: 'alex@halden.test' };
  return service.workspace({ name: 'Halden Works', ...admin });
}

async function demoWorkspace(service: Service): Promise<Workspace> {
  const apiKey = demoApiKey();
  const api = service.client(apiKey);
  const { workspaceId } = await api.expect(200, 'GET', '/v1');
  return new Workspace(service, workspaceId, apiKey, api);
}

async function launch(profile: string, optimizes: boolean): Promise<Chromium> {
  const program = await findBundledBrowser();
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
    elements.map((element) => (element.textContent ?? '').replace(/\s+/g, ' ').trim()),
  );
}

/** Types the digits of a day into the first such field of the dialog, which takes the focus after it has opened. */
export async function typeDay(page: Page, digits: string): Promise<void> {
  await page.waitForSelector('[role=dialog] :focus');
  await (await page.waitForSelector('[role=dialog] [type=date]'))?.type(digits);
}

/** Resolves when the page displays the text. */
export async function sees(page: Page, text: string): Promise<void> {
  const isShown = `document.body.innerText.replace(/\\s+/g, ' ').includes(${JSON.stringify(text)})`;
  await page.waitForFunction(isShown).catch(async () => {
    const shown = (await texts(page, 'main, [role=dialog]')).join().slice(-3000);
    expect.fail(`the page does not show “${text}”, but: ${shown}`);
  });
}
