import { escapeHtml, relativeRoot } from './render.js';

/** The document of a page: navigation, search, content, and the sections of the page. */
export function layOut({ name, title, content, sections, navigation }) {
  const root = relativeRoot(name);
  const home = name === 'index' ? 'docs' : `${root}../docs`;
  const address = (page) => (page === 'index' ? home : `${root}${page}`);
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Commission service</title>
<link rel="stylesheet" href="${root}docs.css">
<link rel="icon" type="image/png" href="${root}favicon-32x32.png">
<script src="${root}minisearch.js" defer></script>
<script src="${root}docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${home}">Commission service</a>
<form class="search" role="search">
<label class="hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<p class="hidden" role="status" id="found"></p>
<ol id="results" hidden></ol>
</form>
<a class="reference" href="${root}api">API reference</a>
</header>
<div class="columns">
<nav aria-label="Pages">
<details open>
<summary>Pages</summary>
${navigation.map((group) => navigationGroup(group, name, address)).join('\n')}
</details>
</nav>
<main id="content" tabindex="-1">
${content}
</main>
${outline(sections)}
</div>
</body>
</html>
`;
}

function navigationGroup({ title, pages }, current, address) {
  const items = pages.map(({ name, title: label }) => {
    const mark = name === current ? ' aria-current="page"' : '';
    return `<li><a href="${address(name)}"${mark}>${escapeHtml(label)}</a></li>`;
  });
  return `<h2>${title}</h2>\n<ul>${items.join('')}</ul>`;
}

function outline(sections) {
  const listed = sections.filter(({ depth }) => depth === 2);
  if (listed.length < 2) return '';
  const items = listed.map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>`;
}
