import { type Line } from '../../api/queries.js';
import { signOf } from '../../shared/format/exact.js';
import { containsText } from '../../shared/format/texts.js';
import { lineTitle, ruleWords } from './words.js';

interface LineSelection {
  /** Whether lines without an amount are displayed too. */
  readonly showsAll: boolean;
  /** The line that is explained, which is displayed whatever it pays. */
  readonly tracedId?: string | null | undefined;
  /** Part of the deal, the rule or the reason. */
  readonly find?: string | undefined;
}

/** The lines to display: those with an amount, unless none has one, that contain the text. */
export function selectLines(lines: readonly Line[], { showsAll, tracedId, find = '' }: LineSelection): readonly Line[] {
  const found = find === '' ? lines : lines.filter((line) => containsText(find, ...searchedTexts(line)));
  if (showsAll || lines.length === countZeros(lines)) return found;
  return found.filter((line) => signOf(line.amount) !== 0 || line.eventId === tracedId);
}

function searchedTexts(line: Line): readonly string[] {
  const { dealId, reason } = line;
  return [lineTitle(line), ruleWords(line), dealId ?? '', reason ?? ''];
}

/** How many lines pay nothing. */
export function countZeros(lines: readonly Pick<Line, 'amount'>[]): number {
  return lines.filter(({ amount }) => signOf(amount) === 0).length;
}
