import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { layOut } from './docs-site/layout.js';
import { groups } from './docs-site/pages.js';
import { renderPage } from './docs-site/render.js';

// Builds the documentation site from the Markdown files into dist/site: pages, the index of the search, the Markdown
// of each page and llms.txt for agents. The service sends these files as they are.
const root = path.dirname(import.meta.dirname);
const output = path.join(root, 'dist', 'site');
const assets = path.join(import.meta.dirname, 'docs-site');

const records = readdirSync(path.join(root, 'docs', 'decisions'))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .map((name) => [`decisions/${path.basename(name, '.md')}`, `docs/decisions/${name}`]);

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const toPage = ([name, source]) => ({ name, source, markdown: read(source) });
const navigation = groups.map(({ title, pages }) => ({ title, pages: pages.map(toPage).map(named) }));
const pages = [...navigation.flatMap((group) => group.pages), ...records.map(toPage).map(named)];
const addresses = new Map(pages.map(({ name, source }) => [source, name]));

function named(page) {
  return { ...page, title: /^# (.+)$/m.exec(page.markdown)?.[1] ?? page.name };
}

/** The first sentence of a page, in one line. */
function summarize(markdown) {
  const paragraph = markdown.split(/\n\n+/).find((block) => /^([A-Z[]|`[^`])/.test(block)) ?? '';
  const line = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  return line.replace(/(?<=[a-z`])\. .*$/, '.').replace(/:$/, '.');
}

function write(name, content) {
  const file = path.join(output, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  const bytes = Buffer.from(content);
  if (bytes.length < 1024) return;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

rmSync(output, { recursive: true, force: true });
const found = [];
for (const page of pages) {
  const { content, sections } = renderPage({ ...page, addresses });
  found.push(...sections.map(({ name, anchor, title, text }) => ({ name, anchor, page: page.title, title, text })));
  write(`${page.name}.html`, layOut({ ...page, content, sections, navigation }));
  write(`${page.name}.md`, page.markdown);
}
write('search.json', JSON.stringify(found));
for (const name of ['docs.css', 'docs.js']) write(name, readFileSync(path.join(assets, name), 'utf8'));
const minisearch = path.join(root, 'node_modules', 'minisearch', 'dist', 'umd', 'index.js');
write('minisearch.js', readFileSync(minisearch, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''));
cpSync(path.join(root, 'docs', 'pictures'), path.join(output, 'pictures'), { recursive: true });

const list = ({ title, pages: listed }) =>
  `## ${title}\n\n${listed.map((page) => `- [${page.title}](docs/${page.name}.md): ${summarize(page.markdown)}`).join('\n')}\n`;
const [readme] = pages;
write(
  'llms.txt',
  `# Commission service

> ${summarize(readme.markdown)}

The addresses below are relative to the address of the service. \`/v1/openapi.json\` describes every operation of the
API, and \`POST /v1/mcp\` is the MCP endpoint for agents.

${navigation.map(list).join('\n')}`,
);
