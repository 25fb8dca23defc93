/** The storage of a browser, in memory. With `isFull` it accepts nothing more, as beyond its limit. */
export function memoryStorage(initial: Readonly<Record<string, string>> = {}, isFull = false): Storage {
  const values: Record<string, string> = { ...initial };
  const methods = {
    getItem: (key: string) => (Object.hasOwn(values, key) ? values[key] : null),
    setItem: (key: string, value: string) => {
      if (isFull) throw new Error('The quota is exceeded.');
      values[key] = value;
    },
    removeItem: (key: string) => delete values[key],
  };
  // As in a browser, the keys of the object are those of the values.
  return new Proxy(values, {
    get: (target, name) => methods[name as keyof typeof methods] ?? target[String(name)],
  }) as unknown as Storage;
}
