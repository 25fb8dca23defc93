import { type RefObject } from 'react';
import { useShortcuts } from '../keys/shortcuts.js';

/** Marks the element of a row that `j` and `k` move to and `Enter` activates. */
export const rowAction = { 'data-row-action': true } as const;

/** `j` and `k` move between the rows of the table; the first press starts at the first row that is on the screen. */
export function useRowKeys(container: RefObject<HTMLElement | null>): void {
  const move = (step: 1 | -1) => {
    const actions = [...(container.current?.querySelectorAll<HTMLElement>('[data-row-action]') ?? [])];
    const current = actions.indexOf(document.activeElement as HTMLElement);
    const next = current < 0 ? actions[0] : actions[current + step];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
}
