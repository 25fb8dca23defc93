// Search and copy buttons. Without scripts the pages are complete, and the browser's own search works in each of them.
(() => {
  const root = document.documentElement.dataset.root;
  const input = document.getElementById('search');
  const results = document.getElementById('results');
  const status = document.getElementById('found');
  const maxResults = 12;
  let loading;

  function load() {
    loading ??= fetch(`${root}search.json`)
      .then((response) => response.json())
      .then((sections) => {
        const index = new window.MiniSearch({
          fields: ['title', 'page', 'text'],
          storeFields: ['name', 'anchor', 'page', 'title', 'text'],
          searchOptions: {
            boost: { title: 4, page: 2 },
            prefix: true,
            fuzzy: (term) => (term.length > 4 ? 0.2 : false),
            combineWith: 'AND',
            // The words of a code are those of the pages that explain it.
            boostDocument: (_id, _term, { name }) => (name === 'errors' ? 0.5 : 1),
          },
        });
        index.addAll(sections.map((section, id) => ({ id, ...section })));
        return index;
      });
    return loading;
  }

  function addressOf({ name, anchor }) {
    const page = name === 'index' ? `${root}../docs` : `${root}${name}`;
    return anchor === '' ? page : `${page}#${anchor}`;
  }

  /** The text around the first word that was found. */
  function excerpt({ text, terms }) {
    const lower = text.toLowerCase();
    const positions = terms.map((term) => lower.indexOf(term)).filter((position) => position >= 0);
    const start = Math.max(0, Math.min(...positions, text.length) - 40);
    const from = positions.length === 0 ? 0 : start;
    return `${from > 0 ? '… ' : ''}${text.slice(from, from + 140)}${from + 140 < text.length ? ' …' : ''}`;
  }

  function element(name, text, children = []) {
    const node = document.createElement(name);
    node.textContent = text;
    node.append(...children);
    return node;
  }

  function toItem(hit) {
    const link = element('a', '', [
      element('strong', hit.title),
      element('span', hit.title === hit.page ? '' : hit.page),
      element('span', excerpt(hit)),
    ]);
    link.href = addressOf(hit);
    return element('li', '', [link]);
  }

  async function search() {
    const words = input.value.trim();
    if (words === '') return close();
    const index = await load();
    if (input.value.trim() !== words) return;
    const hits = index.search(words).slice(0, maxResults);
    const none = element('li', '', [element('p', 'Nothing was found.')]);
    results.replaceChildren(...(hits.length === 0 ? [none] : hits.map(toItem)));
    results.hidden = false;
    status.textContent = hits.length === 0 ? 'Nothing was found.' : `${hits.length} results`;
  }

  function close() {
    results.hidden = true;
    results.replaceChildren();
    status.textContent = '';
  }

  function move(event, by) {
    const links = [...results.querySelectorAll('a')];
    if (links.length === 0) return;
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + by;
    if (next < 0) input.focus();
    else links[Math.min(next, links.length - 1)].focus();
  }

  input.addEventListener('focus', load, { once: true });
  input.addEventListener('input', search);
  input.form.addEventListener('submit', (event) => {
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  input.form.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(event, 1);
    else if (event.key === 'ArrowUp') move(event, -1);
    else if (event.key === 'Escape') {
      close();
      input.focus();
    }
  });
  results.addEventListener('click', close);
  document.addEventListener('click', (event) => {
    if (!input.form.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === input) return;
    event.preventDefault();
    input.focus();
  });

  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', 'Copy');
    button.type = 'button';
    button.className = 'copy';
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', () => copy(block, button));
    block.append(button);
  }

  async function copy(block, button) {
    const code = block.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Without TLS browsers have no clipboard: the text is selected instead.
      window.getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  }

  // The addresses of operations in the reference were once addresses of this page.
  if (window.location.hash.startsWith('#/')) window.location.replace(`${root}api${window.location.hash}`);

  const pages = document.querySelector('nav details');
  if (window.matchMedia('(max-width: 720px)').matches) pages.open = false;
})();
