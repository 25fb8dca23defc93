import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Page } from 'puppeteer-core';
import { until } from '#test/support/until.js';

/** The content of the file that the press downloads. */
export async function savedFile(page: Page, name: string, press: () => Promise<unknown>): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'saved-'));
  try {
    const session = await page.createCDPSession();
    await session.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      downloadPath: folder,
      browserContextId: page.browserContext().id as string,
    });
    await press();
    const saved = path.join(folder, name);
    // The browser reserves the name with an empty file, which it replaces by the complete one.
    return await until(() => existsSync(saved) && statSync(saved).size > 0 && readFileSync(saved), {
      what: `the file ${name}`,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
