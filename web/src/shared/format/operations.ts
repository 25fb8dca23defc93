/** The name of an operation in words: approveStatement becomes Approve statement. */
export function operationWords(operation: string): string {
  const words = operation.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The operation that {@link operationWords} names, or that is named itself. */
export function operationName(text: string): string {
  const [first = '', ...rest] = text.trim().split(/\s+/);
  const joined = [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}
