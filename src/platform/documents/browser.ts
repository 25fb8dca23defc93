import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser } from 'puppeteer-core';
import { Failure } from '../../kernel/failure.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type Log } from '../log.js';
import { metrics } from '../metrics.js';
import { type BrowserProgram, findBundledBrowser } from './bundled-browser.js';
import { type Html } from './html.js';
import { compactPdf } from './pdf-compaction.js';
import { findMissingSandbox } from './sandbox.js';

export const printLimits = { atOnce: 2, waiting: 20, documentsABrowser: 200, timeoutMs: timeLimit(20_000), tries: 3 };

/** No longer in tests: a start is repeated, and one whose browser was killed ends only by this limit. */
const startTimeoutMs = 20_000;
const startTries = 3;

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A started browser. It is warm while it still takes new documents. */
interface Started {
  /** Never resolves; rejects when the browser has ended. */
  readonly ended: Promise<never>;
  readonly browser: Browser;
  readonly profile: string;
  documents: number;
  inUse: number;
}

/**
 * Prints pages as PDF with one browser for each process, started on first use and restarted after a crash or 200
 * documents. A page cannot load anything: its content is set instead of navigated to, without scripts, offline,
 * behind a proxy that does not exist, with request interception and a content security policy that allow no loads.
 */
export class PdfPrinter {
  private warm: Promise<Started> | null = null;
  private readonly browsers = new Set<Started>();
  private readonly waiting: { readonly start: () => void; readonly reject: (error: Error) => void }[] = [];
  private running = 0;
  private closed = false;

  constructor(
    private readonly chromiumPath: string | undefined,
    private readonly log: Log,
    private readonly limits = printLimits,
  ) {}

  async print(page: Html): Promise<Buffer> {
    const stopTimer = metrics.pdfRenders.startTimer();
    await this.acquireSlot();
    let outcome = 'failed';
    try {
      const bytes = await compactPdf(await this.printNow(page));
      outcome = 'printed';
      return bytes;
    } finally {
      stopTimer({ outcome });
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next.start();
    }
  }

  /** Starts the browser if none is running and returns which one it is; fails if no browser can be started. */
  async check(): Promise<string> {
    const started = await this.acquire();
    try {
      return await started.browser.version();
    } finally {
      await this.release(started);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.splice(0)) reject(unavailable('The service is shutting down.'));
    await this.warm?.catch(() => {});
    await mapInParallel(this.browsers, (browser) => this.end(browser));
  }

  /** A slot that becomes free goes to the page that has waited longest. */
  private async acquireSlot(): Promise<void> {
    if (this.running < this.limits.atOnce) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= this.limits.waiting)
      throw unavailable('Too many PDFs are being printed. Try again shortly.');
    await new Promise<void>((start, reject) => this.waiting.push({ start, reject }));
  }

  /** The crash may have been caused by another document, so the page is tried again. */
  private async printNow(page: Html, triesLeft = this.limits.tries): Promise<Buffer> {
    const started = await this.acquire();
    const { timeoutMs } = this.limits;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill(started);
    }, timeoutMs);
    try {
      const printed = printIn(started.browser, page);
      return await Promise.race([printed, started.ended]);
    } catch (error) {
      this.log.warn({ err: error, timedOut }, 'printing a PDF failed');
      if (timedOut) throw unavailable(`The PDF was not ready within ${timeoutMs / 1000} s. Try again.`);
      if (started.browser.connected || triesLeft <= 1)
        throw unavailable('The browser that prints PDFs failed. Try again.');
    } finally {
      clearTimeout(timer);
      await this.release(started);
    }
    return this.printNow(page, triesLeft - 1);
  }

  private async acquire(): Promise<Started> {
    if (this.closed) throw unavailable('The service is shutting down.');
    this.warm ??= this.start();
    const warm = this.warm;
    const retire = () => {
      if (this.warm === warm) this.warm = null;
    };
    const started = await warm.catch((error: unknown) => {
      retire();
      throw error;
    });
    if (!started.browser.connected || started.documents >= this.limits.documentsABrowser) {
      retire();
      if (started.inUse === 0) await this.end(started);
      return this.acquire();
    }
    started.documents += 1;
    started.inUse += 1;
    return started;
  }

  private async release(started: Started): Promise<void> {
    started.inUse -= 1;
    const spent = !started.browser.connected || started.documents >= this.limits.documentsABrowser;
    if (spent && started.inUse === 0) await this.end(started);
  }

  private async start(): Promise<Started> {
    const reasons: string[] = [];
    for (const find of this.candidates()) {
      try {
        const program = await find();
        if (program === null) continue;
        const launched = await launch(program);
        const started = { ...launched, ended: rejectOnDisconnect(launched.browser), documents: 0, inUse: 0 };
        this.browsers.add(started);
        const reason = await findMissingSandbox();
        if (reason !== null) this.log.debug({ reason }, 'the browser that prints PDFs runs without its sandbox');
        closePipesAtEnd(started);
        return started;
      } catch (error) {
        reasons.push(String(error));
      }
    }
    this.log.error({ reasons }, 'no browser could be started to print PDFs');
    throw unavailable(
      this.chromiumPath === undefined
        ? 'PDFs need a browser, and none could be started. Install chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH.'
        : 'PDFs need a browser, and the one that CHROMIUM_PATH names could not be started. Install chromium there, or unset it.',
    );
  }

  private candidates(): (() => Promise<BrowserProgram | null>)[] {
    const { chromiumPath } = this;
    if (chromiumPath !== undefined) return [async () => ({ path: chromiumPath })];
    return [findBundledBrowser, ...installed.map((path) => async () => (existsSync(path) ? { path } : null))];
  }

  private async end(started: Started): Promise<void> {
    if (!this.browsers.delete(started)) return;
    const timer = setTimeout(() => kill(started), 5000);
    await started.browser.close().catch(() => kill(started));
    clearTimeout(timer);
    await removeProfile(started.profile);
  }
}

async function printIn(browser: Browser, { markup }: Html): Promise<Buffer> {
  const context = await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } });
  try {
    const page = await context.newPage();
    await page.setJavaScriptEnabled(false);
    await page.setOfflineMode(true);
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      // Allows only data that the page contains.
      const handled = request.url().startsWith('data:') ? request.continue() : request.abort('blockedbyclient');
      void handled.catch(() => {});
    });
    await page.setContent(markup, { waitUntil: 'load', timeout: 0 });
    const bytes = await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, timeout: 0 });
    return Buffer.from(bytes);
  } finally {
    await context.close().catch(() => {});
  }
}

/**
 * With a temporary profile, which is deleted with the browser, and controlled through a pipe, so that no port is
 * open.
 */
async function launch({ path, fontConfig }: BrowserProgram): Promise<Pick<Started, 'browser' | 'profile'>> {
  const env = browserEnvironment(fontConfig);
  // Puppeteer reports a program that cannot be executed only as an uncaught exception, so it is executed here first.
  await promisify(execFile)(path, ['--version'], { env, timeout: startTimeoutMs });
  return openWithin(startTries, path, env);
}

/**
 * A program that runs and then ends during its start was killed, which can happen to a browser at any time, so the
 * start is repeated.
 */
async function openWithin(tries: number, path: string, env: Record<string, string>): ReturnType<typeof open> {
  try {
    return await open(path, env);
  } catch (error) {
    if (tries <= 1) throw error;
  }
  return openWithin(tries - 1, path, env);
}

async function open(path: string, env: Record<string, string>): Promise<Pick<Started, 'browser' | 'profile'>> {
  const { default: puppeteer } = await import('puppeteer-core');
  const profile = await mkdtemp(join(tmpdir(), 'commissions-browser-'));
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), startTimeoutMs);
  try {
    const aborted = rejectOnAbort(late.signal);
    const launched = puppeteer.launch({
      executablePath: path,
      userDataDir: profile,
      headless: 'shell',
      pipe: true,
      // Otherwise Puppeteer waits for the first page of a browser that was killed before it had one.
      waitForInitialPage: false,
      timeout: startTimeoutMs,
      protocolTimeout: startTimeoutMs,
      signal: late.signal,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env,
      args: switches((await findMissingSandbox()) !== null),
    });
    return { browser: await Promise.race([launched, aborted]), profile };
  } catch (error) {
    await removeProfile(profile);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Puppeteer's own timeouts do not notice a browser that ends between two steps of its start, and would wait forever.
 */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the browser did not start in time')), { once: true });
  });
}

function removeProfile(profile: string): Promise<void> {
  return rm(profile, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 }).catch(() => {});
}

function switches(withoutSandbox: boolean): string[] {
  return [
    '--proxy-server=127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--font-render-hinting=none',
    ...(withoutSandbox ? ['--no-sandbox'] : []),
  ];
}

/** None of the service's environment: settings may contain secrets. */
function browserEnvironment(fontConfig: string | undefined): Record<string, string> {
  const passed = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SystemRoot', 'TEMP'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...(fontConfig === undefined ? {} : { FONTCONFIG_FILE: fontConfig }) };
}

/** Rejects when the browser has ended: Puppeteer waits half a minute for some responses even then. */
function rejectOnDisconnect(browser: Browser): Promise<never> {
  const ended = new Promise<never>((_, reject) => {
    const rejectEnded = () => reject(new Error('the browser has ended'));
    browser.once('disconnected', rejectEnded);
    if (!browser.connected) rejectEnded();
  });
  ended.catch(() => undefined);
  return ended;
}

/**
 * Child processes that outlive a killed browser hold its pipe open, so its end would not be noticed; therefore this
 * side of the pipe is closed. The pipe may not exist any more if the browser was killed at the end of its start.
 */
function closePipesAtEnd(started: Started): void {
  const program = started.browser.process();
  if (program === null) return;
  const cutOff = () => {
    kill(started);
    for (const stream of program.stdio) stream?.destroy();
  };
  if (program.exitCode === null && program.signalCode === null) program.once('exit', cutOff);
  else cutOff();
}

/** Kills the process group, which the browser leads. */
function kill({ browser }: Started): void {
  const pid = browser.process()?.pid;
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

function unavailable(message: string): Failure {
  return new Failure('pdf_unavailable', message);
}
