/** The end of an exhaustive switch. It throws for a value that the types exclude, such as a row of a newer process. */
export function unreachable(value: never): never {
  throw new TypeError(`unexpected value: ${String(value)}`);
}
