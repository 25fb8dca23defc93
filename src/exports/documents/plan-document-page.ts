import { type PlanDocument } from '../../plans/acceptance/plan-document.js';
import { loadFontFaces } from '../../platform/documents/fonts.js';
import { type Html, html, htmlPage } from '../../platform/documents/html.js';
import { pageStyle } from './page-style.js';

/**
 * What a person accepts, for printing. It contains nothing but the document and its hash, so that the same hash is the same
 * page.
 */
export async function planDocumentPage({ plan, terms, workedAmounts }: PlanDocument, sha256: string): Promise<Html> {
  const { config, name, ...head } = plan;
  const body = html`
<header>
  <div>
    <h1 dir="auto">${name}</h1>
    <p class="period">Plan of commission <small>${days(plan)}</small></p>
  </div>
</header>
<p class="note">SHA-256 of this document: ${sha256}</p>
<section><h2>1. The plan as it is executed</h2>${renderFields({ ...head, ...config })}</section>
<section><h2>2. Terms of the person</h2>${renderFields({ ...terms })}</section>
<section><h2>3. Worked amounts</h2>${
    workedAmounts.length === 0 ? html`<p>The plan has no tests.</p>` : renderValue(workedAmounts)
  }</section>
<section class="end"><p class="note">The SHA-256 covers all three parts: it is that of the document as JSON without spaces, with the keys of objects in the order of their text.</p></section>`;
  const style = pageStyle(await loadFontFaces(body.markup), {
    paper: 'A4',
    landscape: false,
    running: name,
    foot: `SHA-256 ${sha256}`,
    draft: false,
  });
  return htmlPage({ title: name, style, body });
}

function days({ from, to }: PlanDocument['plan']): string {
  return [
    from === null ? 'without a first day' : `from ${from}`,
    to === null ? 'until further notice' : `to ${to}`,
  ].join(', ');
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field in the order of its name: the database keeps no order. */
function renderFields(fields: Fields): Html {
  const rows = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return html`<table><colgroup><col style="width: 28%"><col></colgroup><tbody>${rows.map(
    ([name, value]) => html`<tr><td>${inWords(name)}</td><td dir="auto">${renderValue(value)}</td></tr>`,
  )}</tbody></table>`;
}

function renderValue(value: unknown): Html {
  if (Array.isArray(value)) return html`${value.length === 0 ? '–' : value.map(renderItem)}`;
  if (isFields(value)) return renderFields(value);
  return html`${value === null || value === undefined ? '–' : String(value)}`;
}

function renderItem(item: unknown): Html {
  return isFields(item) ? renderFields(item) : html`<p>${renderValue(item)}</p>`;
}

/** `variableTarget` as `Variable target`. */
function inWords(name: string): string {
  const spaced = name.replace(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
