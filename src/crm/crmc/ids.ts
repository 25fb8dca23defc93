const checkAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** Whether it is the id of an Opportunity, in either length: their first three characters name the kind of object. */
export function isOpportunityId(text: string): boolean {
  return /^006[A-Za-z0-9]{12}([A-Za-z0-9]{3})?$/.test(text);
}

/**
 * The form of 18 characters. In the one of 15 upper and lower case differ; the last three say which of the others are
 * upper case, five to a character.
 */
export function id18(id: string): string {
  if (id.length !== 15) return id;
  const checks = [0, 5, 10].map((start) => {
    const bits = [...id.slice(start, start + 5)].map((character, bit) => (/[A-Z]/.test(character) ? 1 << bit : 0));
    return checkAlphabet.charAt(bits.reduce((sum, bit) => sum | bit, 0));
  });
  return id + checks.join('');
}
