const signWords: Readonly<Record<string, string>> = { '*': 'times', '/': 'divided by', '+': 'plus', '-': 'less' };

/** `= amount * (1 - default(discount, 0))` as `amount after discount`. */
export function formulaWords(formula: string): string {
  const plain = formula
    .replace(/^\s*=/, '')
    .replace(/default\(\s*([^(),]+?)\s*,\s*0\s*\)/g, '$1')
    .trim();
  const [, whole, part] = /^([^()*/+-]+)\*\s*\(\s*1\s*-\s*([^()*/+-]+)\)$/.exec(plain) ?? [];
  if (whole !== undefined && part !== undefined) return `${fieldWords(whole)} after ${fieldWords(part)}`;
  return plain
    .replace(/\[([^\]]*)\]|[A-Za-z_]\w*/g, (name, bracketed: string | undefined) => fieldWords(bracketed ?? name))
    .replace(/(?:(?<!\s)\s+)?([*/+-])\s*/g, (_, sign: string) => ` ${signWords[sign]} `)
    .trim();
}

/** `dealAmount` as `deal amount`, `go_live` as `go live`. */
export function fieldWords(slug: string): string {
  return slug
    .replace(/^\s*\[|\]\s*$/g, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase();
}
