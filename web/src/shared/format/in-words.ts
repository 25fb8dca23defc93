import { formatDay, formatTimestamp } from './dates.js';

const day = String.raw`\d{4}-\d{2}-\d{2}`;
const time = String.raw`T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})`;

/** A day or an instant of the API that is no part of an id, a file name or a quoted value. */
const written = new RegExp(String.raw`(?<![\w“"/.-])(${day})(${time})?(?![\w”"/-])`, 'g');

/** A hyphen in the place of a minus sign, before a number or its currency. */
const hyphen = /(?<![^\s(])-(?=(?:\p{Sc}|[A-Z]{3} ?)?\d)/gu;

/** A text of the service or of a deal as pages write it: days in words, and true minus signs. */
export function inWords(text: string): string {
  return text
    .replace(written, (found, dayOf: string, timeOf?: string) =>
      timeOf === undefined || Number.isNaN(Date.parse(found))
        ? formatDay(dayOf, 'year') + (timeOf ?? '')
        : formatTimestamp(found),
    )
    .replace(hyphen, '−');
}
