import { spawnSync } from 'node:child_process';
import { inflateSync } from 'node:zlib';
import { Failure } from '#src/kernel/failure.js';
import { PdfPrinter } from '#src/platform/documents/browser.js';
import { Html } from '#src/platform/documents/html.js';
import { createLog } from '#src/platform/log.js';

/** {@link writtenText} with hyphens in the place of minus signs, as the other files write negative amounts. */
export function pdfText(pdf: Buffer, ...options: readonly string[]): string | null {
  return writtenText(pdf, ...options)?.replaceAll('−', '-') ?? null;
}

/** The objects of a PDF as they are written before they are compressed. */
export function pdfObjects(pdf: Buffer): string {
  const raw = pdf.toString('latin1');
  const streams = raw.matchAll(/\/Type \/ObjStm[^>]*\/Length (\d+)>> stream\n/g);
  const packed = [...streams].map(({ 0: head, 1: length, index }) => {
    const from = index + head.length;
    return inflateSync(pdf.subarray(from, from + Number(length))).toString('latin1');
  });
  return [raw, ...packed].join('\n');
}

/** The text of a PDF with its layout. Returns null if poppler-utils is not installed; with CI set that is an error. */
export function writtenText(pdf: Buffer, ...options: readonly string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync('pdftotext', [...options, '-', '-'], {
    input: pdf,
    maxBuffer: 64 * 1024 * 1024,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    if (process.env['CI']) throw new Error('pdftotext is not installed: apt-get install poppler-utils (.ci/run does).');
    return null;
  }
  if (status !== 0) throw new Error(`pdftotext: ${error ?? stderr}`);
  return stdout.toString('utf8');
}

/** Skips the tests if no browser runs on the machine; with CI set that is an error. */
export async function requireBrowser(context: Mocha.Context): Promise<void> {
  const printer = new PdfPrinter(process.env['CHROMIUM_PATH'], createLog('silent'));
  try {
    await printer.print(new Html('<!doctype html><p>x</p>'));
  } catch (error) {
    if (process.env['CI'] || !(error instanceof Failure) || error.code !== 'pdf_unavailable') throw error;
    context.skip();
  } finally {
    await printer.close();
  }
}
