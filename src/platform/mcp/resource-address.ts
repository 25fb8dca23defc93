/** What stands for the placeholders of `commission://plans/{planId}` in an address; null when it is another's. */
export function matchTemplate(template: string, uri: string): Readonly<Record<string, string>> | null {
  const [asked, given] = [template.split('/'), uri.split('/')];
  if (asked.length !== given.length) return null;
  const variables: Record<string, string> = {};
  for (const [index, part] of asked.entries()) {
    const value = given[index] as string;
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== value) return null;
    if (name !== undefined) variables[name] = decoded(value);
  }
  return variables;
}

/** As it stands where it is badly escaped: then it names nothing that exists. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
