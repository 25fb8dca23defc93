/** The key of a line names its value: `body.config.rules[].measure`, `query.limit`, `200.plans[].id`, `access`. */
export type Direction = 'request' | 'response' | 'about';

export function direction(key: string): Direction {
  if (/^(path|query|header|body|input)\b/.test(key)) return 'request';
  return /^(\d{3}|output)\b/.test(key) ? 'response' : 'about';
}

export function isWithin(name: string, key: string): boolean {
  return name.startsWith(key) && /^[.[{|]/.test(name.slice(key.length));
}

/** `200|Statement`: one of several schemas that a value may have. */
export function isAlternative(key: string): boolean {
  return /\|[^.[{]*$/.test(key);
}

const partNames: Readonly<Record<string, string>> = {
  path: 'path parameter',
  query: 'query parameter',
  header: 'header',
  body: 'request field',
  input: 'argument',
  output: 'result field',
};

/** `query parameter limit`, `request body` or `response field plans[].id (200)`. */
export function describePart(key: string): string {
  const [root, name] = splitKey(key);
  if (name === '') return { body: 'request body', input: 'arguments', output: 'result' }[root] ?? `response ${root}`;
  return partNames[root] === undefined ? `response field ${name} (${root})` : `${partNames[root]} ${name}`;
}

/** `body` and `config.rules[].measure`. */
export function splitKey(key: string): readonly [root: string, name: string] {
  const [, root = '', name = ''] = /^(\w+)\.?(.*)$/.exec(key) ?? [];
  return [root, name];
}
