import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { PdfPrinter, printLimits } from '#src/platform/documents/browser.js';
import { esc, Html, html, htmlPage } from '#src/platform/documents/html.js';
import { compactPdf } from '#src/platform/documents/pdf-compaction.js';
import { createLog } from '#src/platform/log.js';
import { pdfObjects, pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { startTrapServer } from '#test/support/trap-server.js';

const log = createLog('silent');

function page(text: string): Html {
  return htmlPage({ title: 'A page', style: new Html(''), body: html`<p>${text}</p>` });
}

/** What a page may try, with nothing escaped and without a policy, so that the browser itself must block it. */
function hostilePage(port: number): Html {
  const at = (name: string) => `http://127.0.0.1:${port}/${name}`;
  return new Html(`<!doctype html><html><head>
<base href="${at('base/')}">
<link rel="stylesheet" href="${at('style')}"><link rel="prefetch" href="${at('prefetch')}">
<link rel="preload" as="image" href="${at('preload')}"><link rel="preconnect" href="${at('')}">
<link rel="icon" href="${at('icon')}"><link rel="dns-prefetch" href="${at('')}"><link rel="modulepreload" href="${at('m')}">
<style>@import url(${at('import')}); @font-face { font-family: f; src: url(${at('font')}) } body { font-family: f; background: url(${at('background')}) } p::before { content: url(${at('content')}) }</style>
<script src="${at('script')}"></script><script>fetch('${at('fetch')}'); document.write('SCRIPT RAN')</script>
</head><body onload="fetch('${at('onload')}')"><p>Still printed</p>
<img src="${at('img')}" onerror="fetch('${at('onerror')}')"><picture><source srcset="${at('srcset')}"><img></picture>
<iframe src="${at('iframe')}"></iframe><iframe src="file:///etc/passwd"></iframe><iframe srcdoc="<img src='${at('srcdoc')}'>"></iframe>
<object data="${at('object')}"></object><object data="file:///etc/passwd"></object><embed src="${at('embed')}">
<video src="${at('video')}" poster="${at('poster')}"></video><audio src="${at('audio')}"></audio>
<svg><image href="${at('svg')}"/><use href="${at('use')}#a"/></svg><input type="image" src="${at('input')}">
<table background="${at('table')}"><tr><td>x</td></tr></table><a href="${at('a')}" ping="${at('ping')}">a</a>
</body></html>`);
}

describe('the html template', () => {
  it('escapes every value', () => {
    expect(esc(`<a href="x" title='y'>&\``)).to.equal('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&#96;');
    const inner = html`<b>${'<i>'}</b>`;
    expect(html`<p>${'<script>'} ${5} ${inner} ${[inner, inner]}</p>`.markup).to.equal(
      '<p>&lt;script&gt; 5 <b>&lt;i&gt;</b> <b>&lt;i&gt;</b><b>&lt;i&gt;</b></p>',
    );
  });
});

describe('PdfPrinter', () => {
  let printer: PdfPrinter;
  before(async function () {
    await requireBrowser(this);
    printer = new PdfPrinter(undefined, log);
  });
  after(() => printer?.close());

  async function failure(printed: Promise<unknown>): Promise<{ code: string; message: string }> {
    const error = await printed.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).to.have.property('code');
    return error as { code: string; message: string };
  }

  /** Process ids of browsers that this process started. */
  function browserIds(): number[] {
    const lines = execFileSync('ps', ['-o', 'pid=,ppid=,comm=', '-e'], { encoding: 'utf8' }).trim().split('\n');
    const rows = lines.map((line) => line.trim().split(/\s+/));
    return rows
      .filter(([, parent, name]) => Number(parent) === process.pid && /chrom/.test(name ?? ''))
      .map(([pid]) => Number(pid));
  }

  function profiles(): string[] {
    return readdirSync(tmpdir()).filter((name) => /^commissions-browser-|^puppeteer/.test(name));
  }

  it('loads nothing, whatever the page contains', async function () {
    const trap = await startTrapServer();
    const own = new PdfPrinter(undefined, log);
    const text = pdfText(await own.print(hostilePage(trap.port)));
    const away = [`http://127.0.0.1:${trap.port}/refresh`, 'file:///etc/passwd'];
    for (const to of away) {
      const refresh = new Html(`<meta http-equiv="refresh" content="0;url=${to}"><p>Here</p>`);
      expect(pdfText(await own.print(refresh)) ?? '').not.to.contain('root:');
    }
    // A browser that has ended connects no more.
    await own.close();
    await trap.expectNoHits();
    if (text === null) return this.skip();
    expect(text).to.contain('Still printed');
    expect(text).not.to.match(/root:|SCRIPT RAN/);
  });

  it('compresses what it writes of each cell for screen readers', async function () {
    const rows = Array.from({ length: 600 }, (_, row) => html`<tr><td>Deal ${row}</td><td>${row}.00</td></tr>`);
    const pdf = await printer.print(
      htmlPage({ title: 'A page', style: new Html(''), body: html`<table><tbody>${rows}</tbody></table>` }),
    );
    const objects = pdfObjects(pdf);
    expect(objects.match(/\/Type \/StructElem/g)).to.have.length.above(2400);
    expect(pdf.length).to.be.below(objects.length / 5);
    const text = pdfText(pdf);
    if (text === null) return this.skip();
    expect(text.match(/Deal \d+/g)).to.deep.equal(Array.from({ length: 600 }, (_, row) => `Deal ${row}`));
  });

  it('leaves a document without a table of its objects as it is', async () => {
    const other = Buffer.from('%PDF-1.5\nstartxref\n9\n%%EOF\n');
    expect(await compactPdf(other)).to.equal(other);
  });

  it('restarts after a crash without losing a page', async () => {
    const own = new PdfPrinter(undefined, log);
    // The service that other suites of this process share may have a browser, too.
    const others = browserIds();
    const ownIds = () => browserIds().filter((id) => !others.includes(id));
    await own.print(page('zero'));
    const [first] = ownIds();
    process.kill(first as number, 'SIGKILL');
    const pdfs = await Promise.all(['one', 'two', 'three'].map((text) => own.print(page(text))));
    for (const pdf of pdfs) expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(ownIds()).to.have.length(1).and.not.include(first);
    await own.close();
  });

  it('prints two at once, queues twenty, and rejects more', async () => {
    const all = Array.from({ length: 25 }, (_, index) => printer.print(page(`page ${index}`)));
    const results = await Promise.allSettled(all);
    const rejected = results.filter((one) => one.status === 'rejected');
    expect(rejected).to.have.length(3);
    for (const { reason } of rejected) expect(reason).to.include({ code: 'pdf_unavailable' });
  });

  it('ends a browser that takes too long, and prints the next page', async () => {
    const limits = { ...printLimits, timeoutMs: 1 };
    const own = new PdfPrinter(undefined, log, limits);
    const { code, message } = await failure(own.print(page('slow')));
    expect([code, message]).to.deep.equal(['pdf_unavailable', 'The PDF was not ready within 0.001 s. Try again.']);
    limits.timeoutMs = printLimits.timeoutMs;
    expect((await own.print(page('next'))).subarray(0, 5).toString()).to.equal('%PDF-');
    await own.close();
  });

  it('starts a new browser after the max number of documents', async () => {
    const own = new PdfPrinter(undefined, log, { ...printLimits, documentsABrowser: 2 });
    const others = browserIds();
    const used = new Set<number>();
    for (let round = 0; round < 5; round += 1) {
      await own.print(page('x'));
      for (const id of browserIds()) if (!others.includes(id)) used.add(id);
    }
    await own.print(page('x'));
    expect(used.size).to.be.within(2, 3);
    await own.close();
    expect(browserIds()).to.deep.equal(others);
  });

  it('ends its browser when it closes, and prints nothing afterwards', async () => {
    const own = new PdfPrinter(undefined, log);
    const [before, profilesBefore] = [browserIds(), profiles()];
    await own.print(page('x'));
    expect(browserIds()).to.have.length(before.length + 1);
    await own.close();
    expect(browserIds()).to.deep.equal(before);
    expect(profiles().filter((name) => !profilesBefore.includes(name))).to.deep.equal([]);
    expect(await failure(own.print(page('x')))).to.include({ code: 'pdf_unavailable' });
  });

  it('reports what to install when there is no browser', async () => {
    for (const path of ['/nonexistent', '/etc/passwd', '/bin/true']) {
      const { code, message } = await failure(new PdfPrinter(path, log).print(page('x')));
      expect(code, path).to.equal('pdf_unavailable');
      expect(message).to.match(/CHROMIUM_PATH/);
    }
  });
});
