/** The values of a list that was entered with one value on each line, because names may contain commas. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

export function toLines(values: readonly unknown[]): string {
  return values.join('\n');
}
