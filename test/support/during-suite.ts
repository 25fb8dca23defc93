interface Stoppable {
  stop?(): unknown;
  close?(): unknown;
}

/** What the tests of a suite share. It is opened before the first test of the suite and closed after the last. */
export function duringSuite<T extends Stoppable>(open: () => Promise<T>): T {
  let opened: T | undefined;
  const current = (): T => {
    if (opened === undefined) throw new Error('available only while the tests of the suite run');
    return opened;
  };
  before(async () => {
    opened = await open();
  });
  after(() => opened?.stop?.() ?? opened?.close?.());
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(current(), name),
    set: (_, name, value) => Reflect.set(current(), name, value),
  });
}
