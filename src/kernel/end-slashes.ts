/** The address or path without slashes at its end. The look-behind keeps the time of a search linear. */
export function withoutEndSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}
