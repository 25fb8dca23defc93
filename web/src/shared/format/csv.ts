/** The cells of a CSV file. Quoted cells may contain delimiters, line breaks and doubled quotation marks. */
export function csvRows(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const end = delimiter === '|' ? '\\|' : delimiter;
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${end}\\r\\n]*))(${end}|\\r\\n|\\n|\\r|$)`, 'y');
  const content = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < content.length) {
    const [, quoted, plain = '', stop] = cell.exec(content) ?? [];
    if (stop === undefined) return rows;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (stop === delimiter && cell.lastIndex < content.length) continue;
    if (stop === delimiter) row.push('');
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The cells that a spreadsheet puts into the clipboard: tabs between them, and empty rows where rows are empty. */
export function pastedRows(text: string): string[][] {
  return csvRows(text, '\t');
}
