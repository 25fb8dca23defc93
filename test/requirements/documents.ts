import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { pdfText } from '#test/support/pdf-tools.js';

/**
 * The text of the PDF at the path, or null without the tool that reads it. Skips the row on a machine without a
 * browser, except in continuous integration.
 */
export async function readPdf(context: Mocha.Context, api: ApiClient, path: string): Promise<string | null> {
  const { url, token } = api as unknown as { url: string; token: string };
  const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  const rejected = response.status === 503 && bytes.toString('utf8').includes('pdf_unavailable');
  if (rejected && !process.env['CI']) context.skip();
  expect(response.status, bytes.toString('utf8').slice(0, 500)).to.equal(200);
  expect(response.headers.get('content-type')).to.equal('application/pdf');
  expect(bytes.subarray(0, 5).toString('latin1')).to.equal('%PDF-');
  return pdfText(bytes, '-layout');
}
