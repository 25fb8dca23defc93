import { useEffect, useRef } from 'react';
import { readStored, writeStored } from '../../app/device-storage.js';

const storageKey = 'letter-shortcuts';
const sequenceMs = 1000;

/** Whether shortcuts of single letters apply; a person may switch them off. */
export function hasLetterShortcuts(): boolean {
  return readStored(storageKey) !== 'off';
}

export function setLetterShortcuts(isOn: boolean): void {
  writeStored(storageKey, isOn ? 'on' : 'off');
}

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/**
 * Shortcuts by their keys: `j`, `[`, `?`, `Escape`, or a sequence such as `g d`. They never apply inside of inputs, in
 * open dialogs and menus, or together with other keys.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const press = keyReader(() => current.current);
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Runs the shortcuts of the keys that it is given, one after the other. */
export function keyReader(shortcutsOf: () => Shortcuts): (event: KeyboardEvent) => void {
  let before: { readonly key: string; readonly at: number } | null = null;
  return (event) => {
    if (!isShortcut(event)) return;
    const sequence = before !== null && event.timeStamp - before.at < sequenceMs ? `${before.key} ${event.key}` : '';
    before = { key: event.key, at: event.timeStamp };
    const run = shortcutsOf()[sequence] ?? shortcutsOf()[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run(event);
  };
}

function isShortcut(event: KeyboardEvent): boolean {
  const { key, defaultPrevented, ctrlKey, metaKey, altKey, target } = event;
  if (defaultPrevented || ctrlKey || metaKey || altKey || isTyping(target)) return false;
  return key.length > 1 || hasLetterShortcuts();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]',
    ) !== null
  );
}
