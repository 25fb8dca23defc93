/** Quotes a text literal. */
export function soqlText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`;
}

export function soqlTexts(texts: readonly string[]): string {
  return `(${texts.map(soqlText).join(', ')})`;
}

/** Builds a query; conditions are joined by `and`. */
export function soql(query: {
  readonly select: readonly string[];
  readonly from: string;
  readonly where?: readonly string[];
  readonly orderBy?: string;
}): string {
  const { select, from, where = [], orderBy } = query;
  return [
    `SELECT ${select.join(', ')} FROM ${from}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    ...(orderBy === undefined ? [] : [`ORDER BY ${orderBy}`]),
  ].join(' ');
}
