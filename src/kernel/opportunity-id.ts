const checkAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** Whether the text is the id of an Opportunity of Salesforce, in either length: the first three characters name the object type. */
export function isOpportunityId(text: string): boolean {
  return /^006[A-Za-z0-9]{12}([A-Za-z0-9]{3})?$/.test(text);
}

/**
 * Converts an id to 18 characters. In the 15-character form case matters; the last three characters encode which of
 * the others are upper case, five each.
 */
export function id18(id: string): string {
  if (id.length !== 15) return id;
  const checks = [0, 5, 10].map((start) => {
    const bits = [...id.slice(start, start + 5)].map((character, bit) => (/[A-Z]/.test(character) ? 1 << bit : 0));
    return checkAlphabet.charAt(bits.reduce((sum, bit) => sum | bit, 0));
  });
  return id + checks.join('');
}

/** Both lengths of the id; null if the text is no id of an Opportunity. */
export function idLengths(text: string): { readonly short: string; readonly long: string } | null {
  const short = text.slice(0, 15);
  const long = id18(short);
  return isOpportunityId(text) && (text === short || text === long) ? { short, long } : null;
}
