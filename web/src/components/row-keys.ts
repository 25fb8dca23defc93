import { useEffect } from 'react';
import { useShortcuts } from '../shared/keys/shortcuts.js';

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

/** A click anywhere in a row does what `Enter` does, except on its other controls and while text is selected. */
export function useRowClicks(): void {
  useEffect(() => {
    const click = ({ target }: MouseEvent) => {
      const element = target as HTMLElement;
      // Beside a checkbox, a click that misses it opens nothing.
      const isControl = element.closest(controls) !== null || element.closest('td')?.querySelector('input') != null;
      if (isControl || window.getSelection()?.isCollapsed === false) return;
      element.closest('#content tbody tr')?.querySelector<HTMLElement>('[data-row-action]')?.click();
    };
    document.addEventListener('click', click);
    return () => document.removeEventListener('click', click);
  }, []);
}

const controls = 'a, button, input, select, textarea, label';

function isOnScreen(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}
