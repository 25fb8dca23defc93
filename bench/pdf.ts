import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer from 'puppeteer-core';
import { bundledBrowser } from '#src/platform/documents/bundled-browser.js';
import { type Html } from '#src/platform/documents/html.js';
import { startBenchService } from './bench-service.js';
import { alternating, duration, ratio, type Table, timed } from './measure.js';
import { recalculate } from './recalculation.js';
import { makeSalesYear } from './sales-year.js';

const period = '2026-01';

/** A statement as a PDF, from the request to its last byte, against a warm Chromium that prints the same page. */
export async function pdf(): Promise<Table[]> {
  const program = await bundledBrowser();
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
    await recalculate(year, {});
    const [repId] = year.repIds;
    await year.workspace.call('POST', `/v1/statements/${repId}/generate`, { period });
    const { pdfPrinter } = service.running.service;
    const print = pdfPrinter.print.bind(pdfPrinter);
    let printed: Html | null = null;
    pdfPrinter.print = (page) => {
      printed = page;
      return print(page);
    };
    const request = async () => {
      const address = `${service.url}/v1/statements/${repId}/export?format=pdf&period=${period}`;
      const response = await fetch(address, { headers: { Authorization: `Bearer ${year.workspace.apiKey}` } });
      const bytes = await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`the export returned status ${response.status}`);
      return bytes.byteLength;
    };
    const size = await request();
    const { markup } = printed as unknown as Html;
    const measured = await alternating(
      [
        {
          name: 'Chromium, the same page',
          run: async () => {
            const page = await browser.newPage();
            await page.setContent(markup, { waitUntil: 'load' });
            await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true });
            await page.close();
          },
        },
        { name: 'statement, until its last byte', run: () => timed(request) },
      ],
      9,
    );
    const floor = measured[0]?.median ?? Number.NaN;
    return [
      {
        title: 'A statement as PDF',
        columns: ['', 'median', 'against Chromium'],
        rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / floor)]),
        notes: [
          `About 40 deals, ${Math.round(size / 1024)} KiB. Both browsers are warm; the service's one shares its worker.`,
        ],
      },
    ];
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}
