import { type Paper } from '../../access/workspaces/workspace-tables.js';
import { fontStack } from '../../platform/documents/fonts.js';
import { cssText, Html, html } from '../../platform/documents/html.js';

export const draftMark = 'DRAFT – not for payroll';

const draftImage = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600">
<path transform="translate(86 330) rotate(-32) scale(1.15)" fill="none" stroke="#ececec" stroke-width="15"
  d="M0 0V100H25A50 50 0 0 0 25 0ZM110 100V0H140A27 27 0 0 1 140 54H110M140 54L170 100M196 100L228 0L260 100M207 66H249M340 0H287V100M287 48H332M356 0H424M390 0V100"/>
</svg>`;

/**
 * A watermark across every page. It is drawn as paths, so that it does not appear in copied or spoken text, and as a
 * background image, because a fixed drawing is printed only on the first page.
 */
export const watermark = new Html('<div class="watermark"></div>');

interface PageTerms {
  readonly paper: Paper;
  readonly landscape: boolean;
  /** Header of every page except the first. */
  readonly running: string;
  readonly foot: string;
  readonly draft: boolean;
}

/** Letter for the currencies of countries that use it, otherwise A4, unless the workspace has set its paper. */
export function choosePaper(workspace: { readonly paper: Paper | null; readonly currency: string }): Paper {
  const letter = ['USD', 'CAD', 'MXN', 'PHP', 'CLP', 'COP', 'CRC', 'GTQ', 'DOP', 'PAB', 'NIO', 'HNL'];
  return workspace.paper ?? (letter.includes(workspace.currency) ? 'Letter' : 'A4');
}

export function pageStyle(faces: Html, { paper, landscape, running, foot, draft }: PageTerms): Html {
  const small = new Html(`font: 7.5pt ${fontStack}; color: #444;`);
  return html`${faces}
@page {
  size: ${paper} ${landscape ? 'landscape' : 'portrait'};
  margin: 17mm 15mm 18mm;
  @top-left { content: ${cssText(running)}; ${small} }
  @top-right { content: ${cssText(draft ? draftMark : '')}; ${small} font-weight: 600; color: #000; }
  @bottom-left { content: ${cssText(foot)}; ${small} }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); ${small} }
}
@page :first { @top-left { content: ""; } @top-right { content: ""; } }
${rules}`;
}

const rules = new Html(`
* { box-sizing: border-box; }
html { -webkit-print-color-adjust: exact; }
body { margin: 0; font: 8.5pt/1.4 ${fontStack}; color: #111; font-variant-numeric: tabular-nums; }
h1 { margin: 0; font-size: 20pt; line-height: 1.15; font-weight: 600; letter-spacing: -0.01em; }
h2 { margin: 7mm 0 2mm; font-size: 11pt; font-weight: 600; break-after: avoid; }
h3 { margin: 4mm 0 1mm; font-size: 9pt; font-weight: 600; break-after: avoid; }
p { margin: 0 0 1mm; orphans: 2; widows: 2; }
small, .note { font-size: 7.5pt; color: #444; font-weight: 400; }
header { display: flex; justify-content: space-between; align-items: flex-start; gap: 8mm; }
header > div { min-width: 0; }
.workspace { margin: 0 0 1.5mm; font-size: 10pt; font-weight: 600; overflow-wrap: anywhere; }
.period { margin: 1mm 0 0; font-size: 10pt; }
.stamp { flex: none; max-width: 62mm; border: 0.5mm solid #111; border-radius: 1mm; padding: 1.5mm 3mm; text-align: center; font-weight: 600; overflow-wrap: anywhere; }
.stamp small { display: block; }
.facts { display: grid; grid-template-columns: 1fr 1.45fr 1fr; gap: 2.5mm 6mm; margin: 6mm 0 0; padding: 3mm 0; border-top: 0.3mm solid #111; border-bottom: 0.15mm solid #999; }
.facts div { min-width: 0; }
dt { font-size: 7pt; color: #444; }
dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
thead { display: table-header-group; }
tr, .computation, table:not(:has(tbody tr:nth-child(4))) { break-inside: avoid; }
th { padding: 1mm 1.5mm; text-align: left; vertical-align: bottom; font-weight: 600; font-size: 7.5pt; border-bottom: 0.3mm solid #111; }
td { padding: 1mm 1.5mm; text-align: left; vertical-align: top; border-bottom: 0.15mm solid #bbb; overflow-wrap: anywhere; unicode-bidi: isolate; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
.amount { text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
td small { display: block; unicode-bidi: plaintext; }
.day { white-space: nowrap; }
tr.total td { border-top: 0.3mm solid #111; border-bottom: 0; font-weight: 600; break-before: avoid; }
tr.group th { border-bottom: 0; padding-top: 3mm; font-size: 9pt; text-align: left; }
tr.reversed td { color: #555; }
tr.part td { color: #444; font-size: 8pt; }
.watermark { position: fixed; inset: 0; z-index: -1; background: url("data:image/svg+xml;base64,${Buffer.from(draftImage).toString('base64')}") center / contain no-repeat; }
.sums { display: grid; grid-template-columns: 1fr 1fr; gap: 10mm; margin-top: 6mm; align-items: end; break-inside: avoid; }
.net { margin: 0; }
.net span { display: block; font-size: 8.5pt; color: #444; }
.net strong { display: block; font-size: 27pt; line-height: 1.2; font-weight: 600; letter-spacing: -0.015em; white-space: nowrap; }
.net small { display: block; }
.meter { display: grid; grid-template-columns: 1fr auto; gap: 0.5mm 4mm; margin: 0 0 4mm; break-inside: avoid; }
.meter p { margin: 0; overflow-wrap: anywhere; }
.meter .bar { grid-column: 1 / -1; position: relative; height: 3.2mm; border: 0.25mm solid #111; border-radius: 0.6mm; background: #fff; }
.meter .fill { position: absolute; inset: 0 auto 0 0; background: #333; }
.meter .mark { position: absolute; top: -0.8mm; bottom: -0.8mm; border-left: 0.4mm solid #111; outline: 0.2mm solid #fff; }
.meter .marks { grid-column: 1 / -1; position: relative; height: 3.6mm; }
.meter .marks span { position: absolute; transform: translateX(-50%); white-space: nowrap; font-size: 7pt; color: #444; }
.meter .marks span.last { transform: translateX(-100%); }
.meter .marks span.first { transform: none; }
.notes { break-inside: avoid; }
.notes p { font-size: 8pt; color: #333; }
.comment { margin: 0 0 2mm; padding-left: 3mm; border-left: 0.5mm solid #999; white-space: pre-wrap; overflow-wrap: anywhere; break-inside: avoid; }
.comment small { display: block; }
.end { margin-top: 6mm; break-inside: avoid; }
.count { margin-right: 4mm; }
.signatures { display: flex; gap: 15mm; margin-top: 18mm; }
.signatures p { width: 75mm; border-top: 0.3mm solid #111; padding-top: 1mm; }
`);
