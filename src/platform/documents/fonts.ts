import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Html } from './html.js';

const weights = [400, 600];
/** Fonts for characters that Inter does not have: Noto where it is installed, otherwise the bundled fonts. */
export const fontStack =
  'Inter, "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans Arabic", "Noto Sans Hebrew", "Open Sans", "DejaVu Sans", sans-serif';

interface Subset {
  readonly name: string;
  readonly unicodeRange: string;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

const home = path.dirname(fileURLToPath(import.meta.resolve('@fontsource/inter/package.json')));
let subsets: Promise<readonly Subset[]> | null = null;
const faces = new Map<string, Promise<string>>();

/** The faces of Inter that the text needs, embedded in the page, since a page loads nothing. */
export async function loadFontFaces(text: string): Promise<Html> {
  subsets ??= readSubsets();
  const foreign = [...new Set(text.match(/[^\x20-\x7e\s]/gu))].map((character) => character.codePointAt(0) as number);
  const isNeeded = ({ name, ranges }: Subset) =>
    name === 'latin' || ranges.some(([from, to]) => foreign.some((code) => code > 0xff && code >= from && code <= to));
  const needed = (await subsets).filter(isNeeded);
  const rules = needed.flatMap((subset) => weights.map((weight) => face(subset, weight)));
  return new Html((await Promise.all(rules)).join('\n'));
}

function face({ name, unicodeRange }: Subset, weight: number): Promise<string> {
  const file = `inter-${name}-${weight}-normal.woff2`;
  const known = faces.get(file);
  if (known !== undefined) return known;
  const rule = readFile(path.join(home, 'files', file), 'base64').then(
    (bytes) =>
      `@font-face { font-family: Inter; font-weight: ${weight}; src: url(data:font/woff2;base64,${bytes}) format("woff2"); unicode-range: ${unicodeRange}; }`,
  );
  faces.set(file, rule);
  return rule;
}

async function readSubsets(): Promise<readonly Subset[]> {
  const ranges = JSON.parse(await readFile(path.join(home, 'unicode.json'), 'utf8')) as Record<string, string>;
  return Object.entries(ranges).map(([name, unicodeRange]) => ({
    name,
    unicodeRange,
    ranges: unicodeRange.split(',').map((range) => {
      const [from = '', to = from] = range.replace('U+', '').split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const;
    }),
  }));
}
