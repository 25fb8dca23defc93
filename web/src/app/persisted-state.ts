import { useCallback, useRef, useState } from 'react';
import { profileQuery } from '../api/queries.js';
import { queryClient } from './query-client.js';

/** Each person has their own persisted states, because several may sign in to one tab. */
function storageKey(key: string): string {
  return `persisted ${queryClient.getQueryData(profileQuery.queryKey)?.repId ?? ''} ${key}`;
}

function read<State>(key: string): State | undefined {
  try {
    const text = sessionStorage.getItem(storageKey(key));
    return text === null ? undefined : (JSON.parse(text) as State);
  } catch {
    return undefined;
  }
}

/** A state above the storage limit of the browser is kept in memory only. */
function write(key: string, text: string): void {
  try {
    sessionStorage.setItem(storageKey(key), text);
  } catch {
    deletePersisted(key);
  }
}

function deletePersisted(key: string): void {
  sessionStorage.removeItem(storageKey(key));
}

/** Whether the tab has a state of this key that differs from its initial one. */
export function isPersisted(key: string): boolean {
  return read(key) !== undefined;
}

/** Removes the states of everyone who signed in to this tab. */
export function deleteAllPersisted(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith('persisted ')) sessionStorage.removeItem(key);
}

type Update<State> = State | ((before: State) => State);

/** State that a reload, a lost connection or an ended session does not lose. The browser keeps it for the tab. */
export function usePersistedState<State>(
  key: string,
  initial: State,
): readonly [State, (update: Update<State>) => void, () => void] {
  const [state, setState] = useState<State>(() => read<State>(key) ?? initial);
  const first = useRef(initial);
  const set = useCallback(
    (update: Update<State>) =>
      setState((before) => {
        const next = typeof update === 'function' ? (update as (before: State) => State)(before) : update;
        const text = JSON.stringify(next);
        if (text === JSON.stringify(first.current)) deletePersisted(key);
        else write(key, text);
        return next;
      }),
    [key],
  );
  const clear = useCallback(() => {
    deletePersisted(key);
    setState(first.current);
  }, [key]);
  return [state, set, clear];
}

/** Names of the values that are texts. */
type TextOf<Values> = { [Name in keyof Values]: Values[Name] extends string ? Name : never }[keyof Values];

/** What a person has entered into a form. */
export interface PersistedForm<Values> {
  readonly values: Values;
  change(part: Partial<Values>): void;
  /** The properties of the field or the choice that edits a text. */
  field(name: TextOf<Values>): {
    readonly value: string;
    onChange(event: { readonly currentTarget: { readonly value: string } }): void;
  };
  /** Whether something differs from the initial values. */
  readonly isChanged: boolean;
  clear(): void;
}

/**
 * The values of a form: the changed ones are kept until they are sent or discarded, the others follow the initial values,
 * which someone else may change meanwhile.
 */
export function usePersistedForm<Values extends object>(key: string, initial: Values): PersistedForm<Values> {
  const [changed, set, clear] = usePersistedState<Partial<Values>>(key, {});
  const values = { ...initial, ...changed };
  const change = (part: Partial<Values>) => set((before) => changedValues({ ...before, ...part }, initial));
  return {
    values,
    change,
    field: (name) => ({
      value: values[name] as string,
      onChange: ({ currentTarget }) => change({ [name]: currentTarget.value } as Partial<Values>),
    }),
    isChanged: JSON.stringify(values) !== JSON.stringify(initial),
    clear,
  };
}

/** The values that differ from the initial ones. */
export function changedValues<Values extends object>(values: Partial<Values>, initial: Values): Partial<Values> {
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(initial[name as keyof Values]);
  return Object.fromEntries(Object.entries(values).filter(differs)) as Partial<Values>;
}

/** Whether the dialog of the form is open. After a reload, a dialog with entered values opens again. */
export function usePersistedDialog(key: string): readonly [boolean, (isOpen: boolean) => void] {
  return useState(() => isPersisted(key));
}

/** The name behind the prefix of a key with a persisted state; null if there is none. */
function persistedName(prefix: string): string | null {
  const start = storageKey(`${prefix} `);
  return (
    Object.keys(sessionStorage)
      .find((key) => key.startsWith(start))
      ?.slice(start.length) ?? null
  );
}

/**
 * The name of the open dialog of several, such as the id of what it edits; null if none is open. The key of each form is
 * the prefix, a space and the name. After a reload, a dialog with entered values opens again.
 */
export function usePersistedChoice<Name extends string>(
  prefix: string,
): readonly [Name | null, (name: Name | null) => void] {
  return useState(() => persistedName(prefix) as Name | null);
}
