import path from 'node:path';
import { Marked } from 'marked';

/**
 * A page as markup and as the sections that the search finds. Links between pages become addresses relative to `name`;
 * a link to a file that is no page keeps its text only.
 */
export function renderPage({ name, source, markdown, addresses }) {
  const prefix = relativeRoot(name);
  const sections = [];
  const used = new Map();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens);
        const plain = toPlainText(text);
        const anchor = uniqueAnchor(plain, used);
        sections.push({ name, anchor: depth === 1 ? '' : anchor, depth, title: plain, text: '' });
        return `<h${depth} id="${anchor}">${text}<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(href, source, prefix, addresses);
        return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image({ href, text }) {
        const file = path.posix.basename(href);
        return `<img src="${prefix}pictures/${escapeHtml(file)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code({ text, lang }) {
        const language = lang ? ` data-language="${escapeHtml(lang)}"` : '';
        return `<div class="code"><pre tabindex="0"${language}><code>${escapeHtml(text)}</code></pre></div>\n`;
      },
      table(token) {
        const { header, rows } = token;
        const row = (cells, tag) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const head = header.some(({ text }) => text !== '') ? `<thead>${row(header, 'th')}</thead>` : '';
        const body = `<tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody>`;
        return `<div class="table" tabindex="0"><table>${head}${body}</table></div>\n`;
      },
      html({ text }) {
        return text.startsWith('<!--') ? '' : text;
      },
    },
  });
  // Each block belongs to the section whose heading precedes it.
  const parts = [];
  for (const token of marked.lexer(markdown)) {
    const rendered = marked.parser([token]);
    parts.push(rendered);
    const section = sections.at(-1);
    if (section !== undefined && token.type !== 'heading') section.text += ` ${toPlainText(rendered)}`;
  }
  return { content: parts.join(''), sections };
}

/** How a page addresses the folder of the site: `/docs` itself has no slash at its end. */
export function relativeRoot(name) {
  return name === 'index' ? 'docs/' : '../'.repeat(name.split('/').length - 1);
}

/** The anchor that GitHub gives a heading, so that links work in both places. */
function uniqueAnchor(title, used) {
  const anchor = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
  const count = used.get(anchor) ?? 0;
  used.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

function resolveLink(href, source, prefix, addresses) {
  if (/^(https?:|mailto:)/.test(href)) return toOwnAddress(href, prefix);
  if (href.startsWith('#')) return href;
  const [file, fragment] = href.split('#');
  const address = addresses.get(path.posix.join(path.posix.dirname(source), file));
  if (address === undefined) return null;
  const page = address === 'index' ? `${prefix}../docs` : `${prefix}${address}`;
  return fragment === undefined ? page : `${page}#${fragment}`;
}

/** The reference is a part of the site, on whichever host it is. */
function toOwnAddress(href, prefix) {
  return href === 'http://localhost:3000/docs/api' ? `${prefix}api` : href;
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]));

export function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

function toPlainText(markup) {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters.get(entity))
    .replace(/\s+/g, ' ')
    .trim();
}
