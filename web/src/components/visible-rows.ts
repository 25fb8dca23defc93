import { type RefObject, useEffect, useState } from 'react';

/** Tables up to this length are displayed as a whole. */
const minRows = 150;
/** Rows above and below the screen that are displayed too, so that scrolling shows no gap. */
const overscan = 30;
/** Rows are exchanged in steps, so that most scroll events change nothing. */
const step = 10;

interface VisibleRows {
  readonly from: number;
  readonly to: number;
}

/** The rows of a long table that are on the screen or near it. */
export function useVisibleRows(list: RefObject<HTMLElement | null>, count: number, rowHeight: number): VisibleRows {
  const [range, setRange] = useState<VisibleRows>({ from: 0, to: minRows });
  useEffect(() => {
    if (count <= minRows) return;
    const update = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.floor(-top / rowHeight / step) * step - overscan;
      const last = first + Math.ceil(window.innerHeight / rowHeight / step) * step + 2 * overscan + step;
      const from = Math.min(Math.max(0, first), count);
      const to = Math.min(count, Math.max(last, minRows / 3));
      setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    update();
    // Scroll events of an element do not bubble.
    window.addEventListener('scroll', update, { passive: true, capture: true });
    window.addEventListener('resize', update);
    return () => {
      window.removeEventListener('scroll', update, { capture: true });
      window.removeEventListener('resize', update);
    };
  }, [list, count, rowHeight]);
  return count <= minRows ? { from: 0, to: count } : range;
}
