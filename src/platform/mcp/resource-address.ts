/** The values of the placeholders of `commission://plans/{planId}` in a URI; null when the URI does not match. */
export function matchTemplate(template: string, uri: string): Readonly<Record<string, string>> | null {
  const [pattern, given] = [template.split('/'), uri.split('/')];
  if (pattern.length !== given.length) return null;
  const variables: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const value = given[index] as string;
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== value) return null;
    if (name !== undefined) variables[name] = decoded(value);
  }
  return variables;
}

/** The decoded text, or the text itself if it is badly escaped: then no record has that id. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
