import { useSyncExternalStore } from 'react';

interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  /** The value in a component, which is rendered again when it changes. */
  use(): Value;
}

/** A value that belongs to no component. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = () => value;
  return {
    get,
    set(next) {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
