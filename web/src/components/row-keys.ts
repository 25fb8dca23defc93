import { useShortcuts } from '../keys/shortcuts.js';

/** Marks the element of a row that `j` and `k` move to and `Enter` activates. */
export const rowAction = { 'data-row-action': true } as const;

/**
 * `j` and `k` move between the rows of all tables of the page; the first press starts at the first row that is on the
 * screen.
 */
export function useRowKeys(): void {
  const move = (step: 1 | -1) => {
    const actions = [...document.querySelectorAll<HTMLElement>('#content [data-row-action]')];
    const current = actions.indexOf(document.activeElement as HTMLElement);
    const next = current < 0 ? (actions.find(isOnScreen) ?? actions[0]) : actions[current + step];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
}

function isOnScreen(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}
