import { useEffect, useState } from 'react';

/**
 * When a layer over the page is removed, the focus returns to the element that had it before, or to the content of the
 * page if that element is gone. Mantine does this only for layers that stay mounted.
 */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return;
        const isUsable = before instanceof HTMLElement && before.isConnected && before !== document.body;
        (isUsable ? before : document.getElementById('content'))?.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
