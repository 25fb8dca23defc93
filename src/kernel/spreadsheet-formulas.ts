/** White space and characters that are displayed as nothing may stand before a formula. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL, tab and CR must be disarmed too
const startsFormula = /^[\s\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\u0000＝＋－＠]/u;
/** What a spreadsheet ignores before a formula, with the delimiter before it. */
const beforeFormula =
  /(?:[,;|]|(?<![\s"\p{Default_Ignorable_Code_Point}])[\s"\p{Default_Ignorable_Code_Point}])[\s"\p{Default_Ignorable_Code_Point}]*(?=[=+\-@＝＋－＠])/gu;
const delimiters = /[,;|\t\r\n]/g;

/**
 * Also disarms what follows a delimiter of other files: a spreadsheet that splits the lines at semicolons sees two
 * cells in `Foo;=1+1`, and ignores quotation marks within a cell. Text with the delimiter of this file is quoted.
 */
export function disarmCells(text: string, delimiter: string): string {
  return disarmFormula(text).replace(beforeFormula, (ignored) =>
    ignored.replace(delimiters, (found) => (found === delimiter ? found : `${found}'`)),
  );
}

/** Puts an apostrophe before text that a spreadsheet would run as a formula, also after characters that it ignores. */
export function disarmFormula(text: string): string {
  return startsFormula.test(text) ? `'${text}` : text;
}
