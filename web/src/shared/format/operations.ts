import { productNames } from '#src/client.js';

/** The name of an operation in words: approveStatement becomes Approve statement, connectCrmb Connect HubSpot. */
export function operationWords(operation: string): string {
  const lower = operation.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const words = Object.entries(productNames).reduce((text, [name, product]) => text.replace(name, product), lower);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The operation that {@link operationWords} names, or that is named itself. */
export function operationName(text: string): string {
  const named = Object.entries(productNames).reduce((words, [name, product]) => words.replace(product, name), text);
  const [first = '', ...rest] = named.trim().split(/\s+/);
  const joined = [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}
