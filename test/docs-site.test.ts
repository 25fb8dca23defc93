import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { Service } from '#test/support/service.js';

interface Section {
  readonly name: string;
  readonly anchor: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const ownPages = readdirSync(new URL('../../docs', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => (name === 'decisions/README.md' ? 'decisions' : name.replace(/\.md$/, '')));

describe('the documentation at /docs', () => {
  const service = Service.duringSuite();
  const load = (address: string) => fetch(new URL(address, service.url));
  const pages = new Map<string, string>();

  before(async () => {
    for (const path of [
      ...['/docs', '/docs/architecture', '/docs/changelog', '/docs/contributing'],
      ...ownPages.map((name) => `/docs/${name}`),
    ]) {
      const response = await load(path);
      expect(response.status, path).to.equal(200);
      expect(response.headers.get('content-type'), path).to.match(/^text\/html/);
      pages.set(path, await response.text());
    }
  });

  it('has every file of docs/ as a page, and each is in the navigation or in a page that is', () => {
    const linked = [...pages].flatMap(([path, markup]) => links(markup).map((link) => resolve(link, path).path));
    expect([...pages.keys()].filter((path) => !linked.includes(path))).to.deep.equal([]);
  });

  it('has no link that leads nowhere, and addresses that work below another path', async () => {
    const broken: string[] = [];
    for (const [path, markup] of pages)
      for (const link of [...links(markup), ...sources(markup)].filter((one) => !/^(https?|mailto):/.test(one))) {
        expect(link, `${path}: ${link}`).not.to.match(/^\//);
        const { path: target, anchor } = resolve(link, path);
        const page = pages.get(target);
        const isThere = page === undefined ? (await head(target)) === 200 : true;
        if (!isThere || (anchor !== '' && page?.includes(` id="${anchor}"`) === false)) broken.push(`${path}: ${link}`);
      }
    expect(broken).to.deep.equal([]);
  });

  const answered = new Map<string, Promise<number>>();
  function head(path: string): Promise<number> {
    const known = answered.get(path) ?? load(path).then(({ status }) => status);
    answered.set(path, known);
    return known;
  }

  it('runs nothing inline, and its policy allows only resources of the service', async () => {
    for (const [path, markup] of pages) expect(markup, path).not.to.match(/<script>| style="| on[a-z]+="|javascript:/);
    const policy = (await load('/docs')).headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.include("default-src 'none'")
      .and.not.match(/unsafe|https?:|\*/);
  });

  it('is found by words of headings and texts, with the anchor of the section', async () => {
    const sections = (await (await load('/docs/search.json')).json()) as Section[];
    for (const { name, anchor } of sections) {
      const page = pages.get(name === 'index' ? '/docs' : `/docs/${name}`) ?? '';
      expect(anchor === '' || page.includes(` id="${anchor}"`), `${name}#${anchor}`).to.equal(true);
    }
    const index = new MiniSearch({ fields: ['title', 'page', 'text'], storeFields: ['name', 'anchor'] });
    index.addAll(sections.map((section, id) => ({ id, ...section })));
    const first = (words: string) => index.search(words, { combineWith: 'AND', boost: { title: 4 } })[0];
    expect(first('split deal')).to.include({ name: 'plans' });
    expect(first('payout batches')).to.include({ name: 'payouts', anchor: 'payout-batches' });
    expect(first('webhook-signature')).to.include({ name: 'webhooks' });
  });

  it('has a llms.txt whose addresses return Markdown', async () => {
    const response = await load('/llms.txt');
    expect(response.headers.get('content-type')).to.match(/^text\/plain/);
    const text = await response.text();
    expect(text).to.match(/^# .+\n\n> .+\n/);
    const addresses = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address = '']) => address);
    expect(addresses).to.include('docs/plans.md');
    for (const address of addresses) {
      const page = await load(address);
      expect(page.status, address).to.equal(200);
      expect(page.headers.get('content-type'), address).to.match(/^text\/markdown/);
      expect(await page.text(), address).to.match(/^# /);
    }
  });

  it('is compressed, redirects an address with a slash at its end, and supports only GET', async () => {
    for (const encoding of ['br', 'gzip']) {
      const page = await fetch(`${service.url}/docs/plans`, { headers: { 'Accept-Encoding': encoding } });
      expect(page.headers.get('content-encoding')).to.equal(encoding);
    }
    const slashed = await fetch(`${service.url}/docs/`, { redirect: 'manual' });
    expect([slashed.status, slashed.headers.get('location')]).to.deep.equal([308, '../docs']);
    expect((await load('/docs/plans/')).url).to.equal(`${service.url}/docs/plans`);
    for (const path of ['/docs', '/docs/plans', '/llms.txt']) {
      const posted = await service.client(null).send('POST', path);
      expect([posted.status, posted.headers.get('allow')], path).to.deep.equal([405, 'GET']);
    }
    expect((await service.client(null).get('/docs/unknown')).status).to.equal(404);
  });
});

const links = (markup: string) => [...markup.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, link = '']) => link);
const sources = (markup: string) =>
  [...markup.matchAll(/<(?:link|script|img)[^>]*? (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);

/** The path and the anchor of a link in the page with the path. */
function resolve(link: string, path: string): { path: string; anchor: string } {
  const { pathname, hash } = new URL(link, `http://service${path}`);
  return { path: pathname, anchor: decodeURIComponent(hash.slice(1)) };
}
