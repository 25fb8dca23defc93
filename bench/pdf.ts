import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { PdfPrinter } from '#src/platform/documents/browser.js';
import { findBundledBrowser } from '#src/platform/documents/bundled-browser.js';
import { type Html } from '#src/platform/documents/html.js';
import { compactPdf } from '#src/platform/documents/pdf-compaction.js';
import { startBenchService } from './bench-service.js';
import { growth } from './effects.js';
import { alternating, type Contender, duration, ratio, type Table } from './measure.js';
import { calculateFirst } from './recalculation.js';
import { makeSalesYear, type SalesYear } from './sales-year.js';
import { type Size } from './size.js';

const period = '2026-01';
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 3, usual: 9, large: 9 };

/** A statement as a PDF, from the request to its last byte, against a warm Chromium that prints the same page. */
export async function* pdf(size: Size): AsyncGenerator<Table> {
  const program = await findBundledBrowser();
  if (program === null) throw new Error('the bundled browser does not run on this machine');
  await using service = await startBenchService();
  const profile = await mkdtemp(path.join(tmpdir(), 'commissions-bench-browser-'));
  const browser = await puppeteer.launch({
    executablePath: program.path,
    userDataDir: profile,
    headless: 'shell',
    pipe: true,
    env: { ...process.env, ...(program.fontConfig === undefined ? {} : { FONTCONFIG_FILE: program.fontConfig }) },
    args: ['--disable-gpu', '--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    const year = await makeSalesYear(service, 1000);
    await calculateFirst([year]);
    yield await printing(year, browser, rounds[size]);
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function printing(year: SalesYear, browser: Browser, rounds: number): Promise<Table> {
  const [repId] = year.repIds;
  await year.workspace.call('POST', `/v1/statements/${repId}/generate`, { period });
  const request = () => year.workspace.download(`/v1/statements/${repId}/export?format=pdf&period=${period}`);
  const markup = await captureMarkup(year, request);
  const deals = await listDeals(year, repId as string);
  const missing = deals.filter((dealId) => !markup.includes(dealId));
  if (missing.length > 0) throw new Error(`the statement has no line of ${missing.join(', ')}`);
  const { length } = await request();
  const measured = await alternating(
    [
      printer('Chromium, the same page', length, async () => {
        const page = await browser.newPage();
        await page.setContent(markup, { waitUntil: 'load' });
        const bytes = await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true });
        await page.close();
        return bytes;
      }),
      printer('statement, until its last byte', length, request),
    ],
    rounds,
  );
  const floor = measured[0]?.median ?? Number.NaN;
  return {
    title: 'A statement as PDF',
    columns: ['', 'median', 'against Chromium'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / floor)]),
    notes: [
      `${deals.length} deals, ${Math.round(length / 1024)} KiB. Both browsers are warm; the service's one shares its worker.`,
    ],
  };
}

/**
 * Must print one PDF about as large as the statement, once it is compacted as the service does: 2.8 % were measured between two browsers
 * that print the same page.
 */
function printer(name: string, length: number, print: () => Promise<Uint8Array>): Contender {
  const printed: Buffer[] = [];
  const countEqual = async () => {
    const pdfs = printed.filter((bytes) => bytes.subarray(0, 5).toString() === '%PDF-');
    const sizes = await Promise.all(pdfs.map(async (pdf) => (await compactPdf(pdf)).length));
    return sizes.filter((size) => Math.abs(size - length) < length / 20).length;
  };
  return {
    name,
    effects: [growth('PDFs of the size of the statement', countEqual, 1)],
    run: async () => {
      printed.push(Buffer.from(await print()));
    },
  };
}

/** The page that the service prints for the request. */
async function captureMarkup({ service }: SalesYear, request: () => Promise<unknown>): Promise<string> {
  const pdfPrinter = service.running.service.parts.resolve(PdfPrinter);
  const print = pdfPrinter.print.bind(pdfPrinter);
  let printed: Html | null = null;
  pdfPrinter.print = (page) => {
    printed = page;
    return print(page);
  };
  await request();
  pdfPrinter.print = print;
  return (printed as unknown as Html).markup;
}

async function listDeals({ service, workspace }: SalesYear, repId: string): Promise<readonly string[]> {
  const { rows } = await service.owner.query<{ deal_id: string }>(
    "select deal_id from deals where workspace_id = $1 and rep_id = $2 and to_char(close_date, 'YYYY-MM') = $3",
    [workspace.workspaceId, repId, period],
  );
  return rows.map(({ deal_id: dealId }) => dealId);
}
