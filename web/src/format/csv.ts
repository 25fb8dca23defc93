/** The cells of a CSV file. Quoted cells may contain delimiters, line breaks and doubled quotation marks. */
export function csvRows(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\n|\\r|$)`, 'y');
  const content = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < content.length) {
    const [, quoted, plain = '', end] = cell.exec(content) ?? [];
    if (end === undefined) return rows;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === delimiter && cell.lastIndex < content.length) continue;
    if (end === delimiter) row.push('');
    rows.push(row);
    row = [];
  }
  return rows;
}
